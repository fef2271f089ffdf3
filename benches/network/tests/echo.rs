//! Tests of the echo over the loopback: replies, limits, time-outs, dropped calls and error texts.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use crate::kit::{answers, request, server};
use bytes::Bytes;
use clap::ValueEnum;
use gateway::message::replies;
use gateway::refusal::Refusal;
use network::echo::direct::Direct;
use network::echo::limits::{Counts, Limits};
use network::echo::link::Link;
use network::echo::load::{Load, bodies};
use network::echo::peers::Client;
use network::echo::protocol::{CallError, Protocol as _, Y3};
use network::echo::turn::Connection;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

const SECOND: Duration = Duration::from_secs(1);
const LONG: Duration = Duration::from_secs(10);

/// A reply that comes after this time is too late for its call, but not for the next call.
const LATE: Duration = Duration::from_millis(1500);

fn body(len: usize) -> Bytes {
    bodies(1, len).next().unwrap()
}

fn load(callers: usize, body: usize, measure: Duration) -> Load {
    Load { callers, body, warm: Duration::ZERO, measure, rate: None }
}

async fn measured(kind: Client, callers: usize, body: usize, limits: Limits) -> network::measure::row::Row {
    let (ready, address) = oneshot::channel();
    let serving = kind.server().serve("127.0.0.1:0".parse().unwrap(), limits, ready, std::future::pending());
    let serving = tokio::spawn(serving);
    let load = load(callers, body, Duration::from_millis(100));
    let row = kind.measure(address.await.unwrap(), load, LONG, std::future::pending()).await.unwrap();
    serving.abort();
    row
}

#[tokio::test]
async fn every_caller_gets_its_own_bytes_back() {
    for kind in Client::value_variants() {
        for body in [0, 1, 63, 64, 1024, 5120, 300_000] {
            let row = measured(*kind, 20, body, Limits::DEFAULT).await;
            assert_eq!(row.errors, 0, "{kind:?}, {body} bytes");
            assert!(row.requests >= 1, "{row:?}");
        }
    }
}

#[tokio::test]
async fn a_body_at_the_limit_passes_and_one_above_is_refused_alone() {
    let server = server(Limits { body: 1000, ..Limits::DEFAULT }).await;
    let mut direct = server.direct(LONG).await;
    let link = server.link(LONG).await;
    let mut caller = link.caller().unwrap();
    for len in [1000, 1001, 1000] {
        let (of_direct, of_link) = (direct.call(&body(len)).await.map(<[u8]>::to_vec), caller.call(&body(len)).await);
        if len == 1000 {
            assert_eq!((of_direct.unwrap(), of_link.unwrap()), (body(len).to_vec(), body(len)));
        } else {
            let why = CallError::Refused("the body is too long".to_owned());
            assert_eq!((of_direct.unwrap_err(), of_link.unwrap_err()), (why.clone(), why));
        }
    }
    // A body far above the limit is not read at all.
    assert!(matches!(direct.call(&body(5000)).await, Err(CallError::Closed(_))));
    assert!(caller.call(&body(10)).await.is_ok(), "another connection goes on");
}

#[tokio::test]
async fn a_caller_stops_at_its_first_error_and_leaves_one_request() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let load = load(3, 100, LONG);
    let timeout = Duration::from_millis(20);
    let measured = Client::Y3Mux.measure(listener.local_addr().unwrap(), load, timeout, std::future::pending());
    let error = tokio::time::timeout(LONG, measured).await.unwrap().unwrap_err().to_string();
    assert_eq!(error, CallError::TimedOut.to_string());
    let mut requests = Vec::new();
    listener.accept().await.unwrap().0.read_to_end(&mut requests).await.unwrap();
    assert_eq!(requests.len(), 3 * request(1 << 16, 100).len());
}

/// A server that replies late to the first request, and at once to the others.
async fn late() -> tokio::net::TcpStream {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let (mut buffer, mut is_first) = (Vec::new(), true);
        while stream.read_buf(&mut buffer).await.unwrap() > 0 {
            let out = answers(&mut buffer);
            if !out.is_empty() && std::mem::take(&mut is_first) {
                tokio::time::sleep(LATE).await;
            }
            stream.write_all(&out).await.unwrap();
        }
    });
    tokio::net::TcpStream::connect(address).await.unwrap()
}

#[tokio::test]
async fn a_late_reply_is_not_taken_for_the_next_one() {
    let timeout = LATE * 2 / 3;
    let mut direct = Direct::<Y3, _>::new(late().await, timeout);
    assert_eq!(direct.call(b"first").await, Err(CallError::TimedOut));
    assert_eq!(direct.call(b"second").await.unwrap(), b"second");

    let (reader, writer) = late().await.into_split();
    let link = Link::<Y3>::new(reader, writer, timeout);
    let mut caller = link.caller().unwrap();
    assert_eq!(caller.call(b"first").await, Err(CallError::TimedOut));
    // The next caller gets the place of the dropped caller.
    drop(caller);
    assert_eq!(link.caller().unwrap().call(b"second").await.unwrap(), "second");
}

#[tokio::test]
async fn a_dropped_call_leaves_the_connection_whole() {
    // The request is longer than the sockets' buffers, so the call is dropped before its request is written or before
    // its reply arrives.
    let server = server(Limits { body: 64 << 20, ..Limits::DEFAULT }).await;
    let mut direct = server.direct(LONG).await;
    let link = server.link(LONG).await;
    let mut caller = link.caller().unwrap();
    for turn in 0..5 {
        let (dropped, kept) = (body(30_000_000 + turn), body(100 + turn));
        let soon = Duration::from_millis(turn as u64);
        assert!(tokio::time::timeout(soon, direct.call(&dropped)).await.is_err());
        assert_eq!(direct.call(&kept).await.unwrap(), kept);
        assert!(tokio::time::timeout(soon, caller.call(&dropped)).await.is_err());
        assert_eq!(caller.call(&kept).await.unwrap(), kept);
    }
}

#[tokio::test]
async fn callers_learn_why_a_connection_ended() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.read(&mut [0; 64]).await;
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        }
    });
    for kind in [Client::Y3Mux, Client::Y3Pooled] {
        let load = load(3, 10, Duration::from_millis(100));
        let error = kind.measure(address, load, LONG, std::future::pending()).await.unwrap_err().to_string();
        assert!(error.contains("uses another protocol") && error.contains("0x48 at byte 0"), "{error}");
    }
}

#[tokio::test]
async fn errors_name_a_taken_port_and_a_missing_server() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (ready, _told) = oneshot::channel();
    let serving = Client::Y3Mux.server().serve(address, Limits::DEFAULT, ready, std::future::pending());
    let error = format!("{:#}", serving.await.unwrap_err());
    assert!(error.contains(&address.to_string()) && error.contains("another program uses the port"), "{error}");
    drop(listener);
    let load = load(1, 1, Duration::ZERO);
    let client = Client::Y3Pooled.measure(address, load, LONG, std::future::pending());
    let error = format!("{:#}", client.await.unwrap_err());
    assert!(error.contains("is the server running?"), "{error}");
}

/// Returns what a connection replies to bytes over a pipe of this size, and how the connection ends.
async fn served(input: &[u8], pipe: usize) -> (Vec<u8>, Result<(), Refusal>) {
    let (ours, theirs) = tokio::io::duplex(pipe);
    let (mut reader, mut writer) = tokio::io::split(ours);
    // Long enough for a slow machine.
    let limits = Limits { body: 2 << 20, timeout: Duration::from_secs(3600), ..Limits::DEFAULT };
    let sent = async {
        writer.write_all(input).await.unwrap();
        writer.shutdown().await.unwrap();
    };
    let mut replies = Vec::new();
    let connection = Connection::new(theirs, limits.into(), Counts::default().into());
    let (end, (), read) = tokio::join!(connection, sent, reader.read_to_end(&mut replies));
    read.unwrap();
    (replies, end)
}

#[tokio::test]
async fn replies_are_the_same_however_input_and_output_are_cut() {
    let lengths = [0, 1, 63, 64, 300, 5120, 100_000, 900_000, 2];
    let input = (0..).zip(lengths).map(|(id, len)| request(id, len)).collect::<Vec<_>>().concat();
    let (whole, _) = served(&input, usize::MAX >> 1).await;
    let mut messages = replies(&whole, 0, 1 << 20);
    let mut seen = 0;
    while let Some(reply) = messages.next_message().unwrap() {
        assert_eq!(reply.id.decode::<u64>().unwrap(), seen);
        seen += 1;
    }
    assert_eq!((seen, messages.used()), (9, whole.len()));
    for pipe in [37, 999, 4097, 65_536, 200_000, 262_144, 300_000] {
        let (all, end) = served(&input, pipe).await;
        assert!(end.is_ok() && all == whole, "{pipe} bytes at a time: {end:?}");
    }
}

#[tokio::test]
async fn the_end_inside_a_request_is_an_error_with_the_bytes_that_came() {
    let input = request(1, 300_000);
    for end in [1, 2, 100, 200_000, 299_999] {
        let said = served(&input[..end], 1 << 20).await.1.unwrap_err().to_string();
        assert!(said.contains(&format!("after {end} bytes of a request")), "{said}");
    }
}

#[tokio::test]
async fn a_reply_that_waits_for_its_peer_is_counted_when_it_is_read_and_refused_when_it_never_is() {
    let input = request(1, 5000);
    for is_read in [true, false] {
        let limits = Limits { timeout: Duration::from_millis(50), idle: 1000, ..Limits::DEFAULT };
        let (counts, (mut ours, theirs)) = (Arc::new(Counts::default()), tokio::io::duplex(1000));
        let connection = tokio::spawn(Connection::new(theirs, limits.into(), Arc::clone(&counts)));
        // The server reads all of it, so only the reply waits.
        ours.write_all(&input).await.unwrap();
        if is_read {
            ours.read_exact(&mut vec![0; input.len()]).await.unwrap();
            ours.shutdown().await.unwrap();
            connection.await.unwrap().unwrap();
            assert_eq!(counts.requests.load(Relaxed), 1);
        } else {
            let end = tokio::time::timeout(LONG, connection).await.unwrap().unwrap();
            assert!(matches!(end, Err(Refusal::Deaf)), "{end:?}");
        }
    }
}

/// Sends a reply with the id 0 in the same read as a caller's own reply.
#[tokio::test]
async fn a_reply_that_nobody_asked_for_is_nobodys() {
    let (ours, mut theirs) = tokio::io::duplex(1 << 16);
    let (reader, writer) = tokio::io::split(ours);
    let link = Link::<Y3>::new(reader, writer, SECOND);
    let mut caller = link.caller().unwrap();
    let peer = tokio::spawn(async move {
        let mut bytes = Vec::new();
        for _ in 0..50 {
            theirs.read_buf(&mut bytes).await.unwrap();
            let mut out = answers(&mut bytes);
            for id in [0, 1, 0x1_0000] {
                let mut foreign = Vec::new();
                Y3::request(&mut foreign, id, b"foreign");
                // A reply differs from its request only in the tag.
                foreign[0] = 0x82;
                out.extend_from_slice(&foreign);
            }
            theirs.write_all(&out).await.unwrap();
        }
        theirs
    });
    let wrong = async {
        let mut wrong = 0;
        for _ in 0..50 {
            wrong += u32::from(caller.call(b"own").await.unwrap() != b"own"[..]);
        }
        wrong
    };
    assert_eq!(wrong.await, 0, "of 50 calls");
    drop(peer.await.unwrap());
}
