//! A link and a server that misbehaves: it does not read, or sends replies that nobody asked for.

use std::time::Duration;

use crate::kit::answers;
use gateway::message::requests;
use network::echo::link::Link;
use network::echo::protocol::{CallError, Protocol, Y3};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const SECOND: Duration = Duration::from_secs(1);

/// A peer that does not read: calls time out, and what the link keeps does not grow with them. When it reads again, all goes on.
#[tokio::test]
async fn a_link_keeps_one_request_of_a_caller_while_its_peer_does_not_read() {
    let (ours, mut theirs) = tokio::io::duplex(1000);
    let (reader, writer) = tokio::io::split(ours);
    let link = Link::<Y3>::new(reader, writer, Duration::from_millis(20));
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..10 {
        let mut caller = link.caller().unwrap();
        tasks.spawn(async move {
            for _ in 0..20 {
                assert_eq!(caller.call(&[7; 5000]).await, Err(CallError::TimedOut));
            }
            caller
        });
    }
    let mut callers = Vec::new();
    while let Some(caller) = tasks.join_next().await {
        callers.push(caller.unwrap());
    }
    // It reads again. What waited comes: of each caller one request, and perhaps one that the read has made room for.
    let mut seen = 0;
    let mut bytes = Vec::new();
    while let Ok(read) = tokio::time::timeout(SECOND / 2, theirs.read_buf(&mut bytes)).await {
        assert!(read.unwrap() > 0);
        let mut messages = requests(&bytes, 0, 1 << 20);
        while messages.next_message().unwrap().is_some() {
            seen += 1;
        }
        let used = messages.used();
        bytes.drain(..used);
    }
    assert!((10..=20).contains(&seen), "{seen} requests of ten callers waited");
    tokio::spawn(async move {
        let mut bytes = Vec::new();
        loop {
            theirs.read_buf(&mut bytes).await.unwrap();
            theirs.write_all(&answers(&mut bytes)).await.unwrap();
        }
    });
    for mut caller in callers {
        assert_eq!(caller.call(b"again").await.unwrap(), b"again"[..]);
    }
}

/// Callers that are made and dropped while the peer does not read do not add up either.
#[tokio::test]
async fn a_place_that_is_given_to_another_caller_keeps_one_request_too() {
    let (ours, mut theirs) = tokio::io::duplex(1000);
    let (reader, writer) = tokio::io::split(ours);
    let link = Link::<Y3>::new(reader, writer, SECOND);
    for _ in 0..50 {
        let mut caller = link.caller().unwrap();
        let call = tokio::time::timeout(Duration::from_millis(5), caller.call(&[7; 5000])).await;
        assert!(call.is_err(), "nobody reads");
    }
    let mut bytes = Vec::new();
    while let Ok(read) = tokio::time::timeout(SECOND / 2, theirs.read_buf(&mut bytes)).await {
        assert!(read.unwrap() > 0);
    }
    assert!(bytes.len() < 3 * 5100, "{} bytes waited", bytes.len());
}

/// A reply with the id 0, right after a caller's own reply in one read.
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
                // A reply has another tag, and is the same otherwise.
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
