//! Tests of the proxy: how it routes, redacts and drops requests, and what it does when a policy, a backend or a client
//! fails.

use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

use gateway::hub::Limits;
use gateway::message::put_request;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::join;

use crate::kit::{
    Backend, CLOSED, Proxy, TOKEN, bodies, contains, flood, limits, next_reply, packets_of, put_tagged, regions, reply,
    until,
};

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test]
async fn requests_go_where_their_region_says_and_without_the_token_or_are_dropped_with_a_refusal() {
    let (eu, us) = (Backend::start().await, Backend::start().await);
    let more = "remove = ['01/13/02']\nset = { '01/14' = 7 }\n[[rule]]\nname = 'unwanted'\nmatch = '01/15'\ndrop = true\n\
                [[rule]]\nremove = ['01/13/02']\n";
    let proxy = Proxy::start(&(regions(&eu, &us) + more), Limits::default());
    let mut stream = proxy.connect().await;
    stream.write_all(&[0x81, 0x05, 0x10, 0x01, 0x07, 0x15, 0x00]).await.unwrap();
    assert_eq!(reply(&mut stream).await, (7, Err("dropped by the policy: unwanted".into())));
    let mut caller = proxy.caller().await;
    for body in bodies(10, 1024) {
        assert_eq!(caller.call(&body).await.unwrap(), body);
    }
    let (eu, us) = (eu.seen(), us.seen());
    assert_eq!((eu.requests, us.requests), (5, 5));
    assert!(!contains(&eu.bytes, TOKEN) && !contains(&us.bytes, TOKEN));
    assert!(contains(&eu.bytes, b"ann") && contains(&eu.bytes, &[0x14, 0x01, 0x07]));
    assert!(!contains(&us.bytes, &[0x14, 0x01, 0x07]));
}

#[tokio::test]
async fn many_clients_with_the_same_ids_get_their_own_replies_through_two_proxies_in_a_row() {
    let (backend, second) = Proxy::to_one(Limits::default()).await;
    let first = Proxy::start(&crate::kit::policy(second.address), Limits::default());
    join!(first.calls(25, 900, 100), first.calls(15, 2000, 100), first.calls(10, 0, 100));
    let seen = backend.seen();
    assert_eq!(seen.connections, 1, "clients are joined");
    assert!(!contains(&seen.bytes, TOKEN));
}

#[tokio::test]
async fn packets_cut_at_every_byte_and_long_ones_arrive_whole() {
    let (backend, proxy) = Proxy::to_one(Limits::default()).await;
    let mut stream = proxy.connect().await;
    let mut bytes = Vec::new();
    // The longest id.
    let id = u64::MAX >> 1;
    put_request(&mut bytes, id, b"small");
    for cut in 1..bytes.len() {
        stream.write_all(&bytes[..cut]).await.unwrap();
        tokio::time::sleep(Duration::from_millis(2)).await;
        stream.write_all(&bytes[cut..]).await.unwrap();
        assert_eq!(reply(&mut stream).await, (id, Ok(b"small".to_vec())));
    }
    // Twenty pending requests on one connection.
    let (reader, mut writer) = stream.split();
    let bodies: Vec<_> = bodies(20, 900_000).collect();
    let mut out = Vec::new();
    bodies.iter().zip(0..).for_each(|(body, id)| put_tagged(&mut out, id, body));
    let reading = async {
        let (mut left, mut replies): (Vec<_>, _) = ((0..20).collect(), packets_of(reader));
        while !left.is_empty() {
            let (id, reply) = next_reply(&mut replies).await.unwrap();
            assert!(reply.unwrap() == bodies[id as usize]);
            left.retain(|other| *other != id);
        }
    };
    join!(async { writer.write_all(&out).await.unwrap() }, reading);
    assert!(!contains(&backend.seen().bytes, TOKEN));
}

#[tokio::test]
async fn a_reply_may_be_longer_than_the_longest_request() {
    let mut bytes = Vec::new();
    put_request(&mut bytes, 1, &[7; 1000]);
    let (_backend, proxy) = Proxy::to_one(Limits { packet: bytes.len(), ..Limits::default() }).await;
    let mut stream = proxy.connect().await;
    // The gateway's own id takes more bytes from the second call on.
    for _ in 0..2 {
        stream.write_all(&bytes).await.unwrap();
        assert_eq!(reply(&mut stream).await, (1, Ok(vec![7; 1000])));
    }
}

#[tokio::test]
async fn a_packet_that_cannot_be_followed_on_a_redacted_path_is_refused_and_not_forwarded() {
    let (backend, proxy) = Proxy::to_one(Limits::default()).await;
    let mut stream = proxy.connect().await;
    let hostile: [&[u8]; 3] = [
        // 13 is a primitive. Another reader may read it as a node with the token inside.
        &[0x81, 0x0a, 0x10, 0x01, 0x05, 0x13, 0x03, 0x02, 0x01, b's', 0x11, 0x00],
        // The same primitive after a complete node 13.
        &[0x81, 0x0f, 0x10, 0x01, 0x05, 0x93, 0x03, 0x02, 0x01, b'x', 0x13, 0x03, 0x02, 0x01, b's', 0x11, 0x00],
        // A child of 13 is incomplete.
        &[0x81, 0x09, 0x10, 0x01, 0x05, 0x93, 0x02, 0x02, 0x05, 0x11, 0x00],
    ];
    for bytes in hostile {
        stream.write_all(bytes).await.unwrap();
        let (id, reply) = reply(&mut stream).await;
        assert!(id == 5 && reply.as_ref().is_err_and(|why| why.starts_with("not forwarded")), "{reply:?}");
    }
    // All duplicates of the redacted packet and of the id are removed.
    let good = [
        0x81, 0x15, 0x10, 0x01, 0x01, 0x93, 0x03, 0x02, 0x01, b'Q', 0x93, 0x03, 0x02, 0x01, b'Q', 0x10, 0x01, 0x05,
        0x11, 0x03, b'a', b'b', b'c',
    ];
    stream.write_all(&good).await.unwrap();
    assert_eq!(reply(&mut stream).await, (5, Ok(b"abc".to_vec())));
    let seen = backend.seen();
    assert_eq!(seen.requests, 1);
    assert!(!seen.bytes.contains(&b's') && !seen.bytes.contains(&b'Q'), "{:02x?}", seen.bytes);
}

/// A backend is killed. Pending and later calls are refused at once, and no request is sent twice. When the backend is
/// back, calls on the same client connection get replies.
#[tokio::test]
async fn a_backend_that_dies_costs_its_calls_a_refusal_and_is_found_again() {
    let (mut backend, proxy) = Proxy::to_one(Limits::default()).await;
    let mut caller = proxy.caller().await;
    assert_eq!(caller.call(b"x").await.unwrap(), b"x");
    backend.is.mute.store(true, SeqCst);
    let mut waiting = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let mut caller = proxy.caller().await;
        waiting.spawn(async move { caller.call(b"y").await });
    }
    tokio::time::sleep(SECOND / 10).await;
    backend.kill().await;
    for reply in waiting.join_all().await {
        assert_eq!(reply, Err("the connection to the backend broke".into()));
    }
    tokio::time::sleep(SECOND / 20).await;
    let reply = caller.call(b"z").await;
    assert_eq!(reply, Err("not forwarded: the backend is not reachable".into()));
    backend.restart().await;
    until(async || caller.call(b"again").await.is_ok()).await;
    let seen = backend.seen();
    let count = |body: &[u8]| memchr::memmem::find_iter(&seen.bytes, body).count();
    assert_eq!((count(&[0x11, 0x01, b'y']), count(&[0x11, 0x01, b'z'])), (20, 0));
}

/// The connection is established, but no bytes arrive.
#[tokio::test]
async fn a_backend_that_says_nothing_is_left_and_its_calls_end_in_time() {
    let (backend, proxy) = Proxy::to_one(limits()).await;
    let mut caller = proxy.caller().await;
    assert_eq!(caller.call(b"x").await.unwrap(), b"x");
    backend.is.mute.store(true, SeqCst);
    let begin = Instant::now();
    assert_ne!(caller.call(b"y").await.unwrap_err(), CLOSED);
    assert!(begin.elapsed() < 2 * limits().timeout, "{:?}", begin.elapsed());
    assert_ne!(caller.call(b"z").await.unwrap_err(), CLOSED);
    proxy.log.says("the backend sends nothing while requests wait").await;
    backend.is.mute.store(false, SeqCst);
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(caller.call(b"x").await.unwrap(), b"x");
}

/// A slow backend delays only its own clients, and the memory is bounded.
#[tokio::test]
async fn a_backend_that_does_not_read_stops_its_own_clients_only() {
    let (stuck, good) = (Backend::start().await, Backend::start().await);
    let proxy = Proxy::start(&regions(&stuck, &good), Limits::default());
    stuck.is.stuck.store(true, SeqCst);
    // Requests for the stuck backend.
    let (mut asked, body) = (Vec::new(), vec![7; 10_000]);
    (0..2000).for_each(|id| put_tagged(&mut asked, 2 * id + 1, &body));
    let mut streams = Vec::new();
    for _ in 0..10 {
        let mut stream = proxy.connect().await;
        let mut sent = 0;
        // Writes until the proxy stops reading.
        while let Ok(Ok(bytes)) = tokio::time::timeout(Duration::from_millis(200), stream.write(&asked[sent..])).await {
            sent += bytes;
        }
        assert!(sent < asked.len(), "the proxy took all of it");
        streams.push(stream);
    }
    let begin = Instant::now();
    let mut other = proxy.connect().await;
    for _ in 0..200 {
        other.write_all(&flood(1, 1)).await.unwrap();
        assert_eq!(reply(&mut other).await, (0, Ok(vec![7])));
    }
    assert!(begin.elapsed() < SECOND, "{:?}", begin.elapsed());
    // The backend reads again, and all requests get their replies.
    stuck.is.stuck.store(false, SeqCst);
    let mut stream = streams.pop().unwrap();
    let (id, reply) = reply(&mut stream).await;
    assert!(id < 4000 && reply.is_ok_and(|reply| reply == body));
}

/// A client does not read its replies. Other clients get replies, the memory is bounded, and the client's connection is
/// closed.
#[tokio::test]
async fn a_client_that_does_not_read_is_closed_and_harms_nobody() {
    // A longer timeout: on a busy machine, the flood delays replies.
    let (_backend, proxy) = Proxy::to_one(Limits { timeout: SECOND, ..limits() }).await;
    let mut deaf = proxy.connect().await;
    let flood = flood(500, 20_000);
    let writing = tokio::spawn(async move { while deaf.write_all(&flood).await.is_ok() {} });
    let mut caller = proxy.caller().await;
    let begin = Instant::now();
    while begin.elapsed() < SECOND * 2 {
        assert_eq!(caller.call(b"x").await.unwrap(), b"x");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    tokio::time::timeout(5 * SECOND, writing).await.unwrap().unwrap();
    // The connection may end before its log line is written.
    proxy.log.says("the client does not read its replies").await;
}

/// The reply is longer than the system's buffers, and the client needs longer than the timeout to read it.
#[tokio::test]
async fn a_client_that_reads_slowly_but_steadily_gets_its_reply() {
    let (_backend, proxy) = Proxy::to_one(Limits { packet: 32 << 20, ..limits() }).await;
    let mut slow = proxy.connect().await;
    let request = flood(1, 15 << 20);
    slow.write_all(&request).await.unwrap();
    let (mut part, mut left) = (vec![0; 256 << 10], request.len());
    while left > 0 {
        let read = slow.read(&mut part).await.unwrap();
        assert!(read > 0, "closed with {left} bytes to read");
        left -= read;
        tokio::time::sleep(limits().timeout / 8).await;
    }
}

#[tokio::test]
async fn hostile_clients_are_refused_with_their_reason_and_others_go_on() {
    let (backend, proxy) = Proxy::to_one(limits()).await;
    let mut caller = proxy.caller().await;
    // The log accepts ten lines at once.
    for (bytes, says) in [
        (&b"GET / HTTP/1.1\r\n\r\n"[..], "tag 0x47 at byte 7"),
        (&[0x01], "tag 0x01 at byte 7"),
        // The first message of this read is valid.
        (&[0x81, 0x05, 0x10, 0x01, 0x05, 0x11, 0x00, 0x81, 0x02, 0x11, 0x00], "without an id at byte 14"),
        (&[0x81, 0x87, 0xff, 0xff, 0xff, 0x7f], "exceeds the limit of 1048576 at byte 7"),
        (&[0x81, 0x02, 0x11, 0x00], "without an id at byte 7"),
        // An id must be a primitive of one to eight bytes.
        (&[0x81, 0x04, 0x90, 0x02, 0x01, 0x00], "without an id"),
        (&[0x81, 0x02, 0x10, 0x00], "without an id"),
        (&[0x81, 0x0b, 0x10, 0x09, 0, 0, 0, 0, 0, 0, 0, 0, 1], "without an id"),
        (&[0x81, 0x04, 0x10, 0x01, 0x05, 0x11], "at byte 12"),
        // The request stops in the middle.
        (&[0x81, 0x20, 0x10], "timed out after 3 bytes"),
    ] {
        let mut stream = proxy.connect().await;
        stream.write_all(&flood(1, 0)).await.unwrap();
        assert!(reply(&mut stream).await.1.is_ok());
        stream.write_all(bytes).await.unwrap();
        let mut sink = Vec::new();
        let closed = tokio::time::timeout(5 * SECOND, stream.read_to_end(&mut sink)).await;
        assert!(closed.is_ok(), "{says}: not closed");
        proxy.log.says(says).await;
        assert_eq!(caller.call(b"x").await.unwrap(), b"x");
    }
    // A request that arrives byte by byte is too slow as well.
    let mut slow = proxy.connect().await;
    let mut bytes = flood(1, 5000).into_iter();
    until(async || slow.write_all(&[bytes.next().unwrap()]).await.is_err()).await;
    assert_eq!(caller.call(b"x").await.unwrap(), b"x");
    assert_eq!(backend.seen().connections, 1, "a backend without requests may be silent");
}

/// A client disconnects while its requests are pending.
#[tokio::test]
async fn a_client_that_leaves_takes_nobody_with_it() {
    let (_backend, proxy) = Proxy::to_one(Limits::default()).await;
    let mut caller = proxy.caller().await;
    for _ in 0..50 {
        proxy.connect().await.write_all(&flood(100, 2000)).await.unwrap();
        assert_eq!(caller.call(b"x").await.unwrap(), b"x");
    }
    for gauge in ["connections_open 1", "requests_in_flight 0"] {
        until(async || proxy.text().await.contains(&format!("y3_proxy_{gauge}\n"))).await;
    }
    // A client that closes only its sending side still gets all replies.
    let mut stream = proxy.connect().await;
    stream.write_all(&flood(100, 2000)).await.unwrap();
    stream.shutdown().await.unwrap();
    let mut all = Vec::new();
    let begin = Instant::now();
    stream.read_to_end(&mut all).await.unwrap();
    assert!(begin.elapsed() < 5 * SECOND, "closed with the last reply, not by the clock");
    assert_eq!(y3::packets(&all).filter(Result::is_ok).count(), 100);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_stops_after_the_replies_in_flight() {
    let (backend, proxy) = Proxy::to_one(Limits::default()).await;
    let mut caller = proxy.caller().await;
    backend.is.stuck.store(true, SeqCst);
    let call = tokio::spawn(async move { caller.call(b"x").await });
    tokio::time::sleep(Duration::from_millis(100)).await;
    let stopped = tokio::task::spawn_blocking(|| proxy.stop());
    tokio::time::sleep(Duration::from_millis(200)).await;
    backend.is.stuck.store(false, SeqCst);
    assert_eq!(call.await.unwrap().unwrap(), b"x");
    stopped.await.unwrap();
}

/// The number of allocations in the proxy's thread while 20 clients make this many redacted requests each.
async fn allocations(requests: usize) -> u64 {
    let (_backend, proxy) = Proxy::to_one(Limits::default()).await;
    proxy.calls(20, 1024, requests).await;
    proxy.stop()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_allocates_nothing_in_the_steady_state() {
    let (few, many) = (allocations(200).await, allocations(1200).await);
    // In a longer run, buffers may still grow a few times.
    assert!(few > 0 && many.saturating_sub(few) < 40, "{few} allocations for 4,000 requests, {many} for 24,000");
}
