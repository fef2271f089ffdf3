//! Tests with hostile peers: the server refuses each and logs the reason, its memory does not grow, and other clients
//! get their replies.

#[allow(dead_code, reason = "each test program uses its part")]
mod kit;
#[path = "../../../examples/gateway/tests/gateway/log.rs"]
mod log;

use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use kit::{Server, request, server};
use log::Log;
use network::echo::limits::Limits;
use network::echo::load::bodies;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

const TIMEOUT: Duration = Duration::from_millis(200);
/// Attacks run one after the other, because each would affect the memory and time of another.
static ALONE: Mutex<()> = Mutex::const_new(());

fn limits() -> Limits {
    Limits { timeout: TIMEOUT, ..Limits::DEFAULT }
}

/// A good client during the attack. Each of its calls must succeed within a second.
async fn good(server: &Server) -> JoinHandle<()> {
    let link = server.link(Duration::from_secs(1)).await;
    tokio::spawn(async move {
        let mut caller = link.caller().unwrap();
        let body = bodies(1, 1024).next().unwrap();
        for _ in 0..400 {
            assert_eq!(caller.call(&body).await.unwrap(), body);
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    })
}

/// Returns the peak of resident memory in MiB.
fn peak() -> u64 {
    network::process::Usage::own().unwrap().rss / 1024
}

/// Returns true if the server closes the connection within some seconds.
async fn closed(stream: &mut TcpStream) -> bool {
    tokio::time::timeout(Duration::from_secs(5), stream.read_to_end(&mut Vec::new())).await.is_ok()
}

async fn sends(server: &Server, bytes: &[u8]) -> TcpStream {
    let mut stream = server.connect().await;
    stream.write_all(bytes).await.unwrap();
    stream
}

#[tokio::test]
async fn garbage_is_refused_at_its_first_byte() {
    let _alone = ALONE.lock().await;
    let (log, _guard) = Log::start();
    let server = server(limits()).await;
    let good = good(&server).await;
    for (bytes, tag) in [(&b"GET / HTTP/1.1\r\n\r\n"[..], "0x47"), (&[0xff; 3000], "0xff"), (&[0; 1], "0x00")] {
        let mut stream = sends(&server, bytes).await;
        let own = stream.local_addr().unwrap();
        assert!(closed(&mut stream).await);
        log.says(&format!("peer={own}")).await;
        log.says(&format!("not a message of this protocol: tag {tag} at byte 0")).await;
    }
    // The offset is relative to the start of the connection.
    let mut stream = server.connect().await;
    let request = request(1, 100);
    stream.write_all(&request).await.unwrap();
    stream.read_exact(&mut vec![0; request.len()]).await.unwrap();
    stream.write_all(b"x").await.unwrap();
    assert!(closed(&mut stream).await);
    log.says(&format!("tag 0x78 at byte {}", request.len())).await;
    good.await.unwrap();
    assert_eq!(server.counts.refused.load(Relaxed), 4);
}

#[tokio::test]
async fn a_declared_length_above_the_limit_is_refused_with_its_header() {
    let _alone = ALONE.lock().await;
    let (log, _guard) = Log::start();
    let server = server(limits()).await;
    let before = peak();
    for _ in 0..100 {
        let mut stream = sends(&server, &[0x81, 0x87, 0xff, 0xff, 0xff, 0x7f, 0x10]).await;
        let begin = Instant::now();
        assert!(closed(&mut stream).await && begin.elapsed() < TIMEOUT);
    }
    log.says("a packet of 2147483653 bytes exceeds the limit of 1048608 at byte 0").await;
    assert!(peak() < before + 16, "{} MiB, before {before}", peak());
}

#[tokio::test]
async fn half_a_packet_and_silence_is_refused_in_two_time_outs() {
    let _alone = ALONE.lock().await;
    let (log, _guard) = Log::start();
    let server = server(limits()).await;
    let good = good(&server).await;
    let request = request(1, 1000);
    let begin = Instant::now();
    let mut halves = Vec::new();
    for _ in 0..200 {
        halves.push(sends(&server, &request[..500]).await);
    }
    // Single bytes at long intervals are not a request.
    let mut drip = sends(&server, &request[..1]).await;
    let dripping = tokio::spawn(async move {
        for byte in &request[1..] {
            if drip.write_all(&[*byte]).await.is_err() {
                return true;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        false
    });
    for stream in &mut halves {
        assert!(closed(stream).await);
    }
    assert!(begin.elapsed() >= TIMEOUT && begin.elapsed() < 10 * TIMEOUT, "{:?}", begin.elapsed());
    log.says("a request timed out after 500 bytes").await;
    assert!(dripping.await.unwrap());
    good.await.unwrap();
}

#[tokio::test]
async fn a_quiet_connection_is_kept_and_its_first_bytes_get_their_time() {
    let _alone = ALONE.lock().await;
    let server = server(limits()).await;
    let mut stream = server.connect().await;
    let request = request(1, 1000);
    tokio::time::sleep(3 * TIMEOUT).await;
    stream.write_all(&request[..500]).await.unwrap();
    tokio::time::sleep(TIMEOUT / 2).await;
    stream.write_all(&request[500..]).await.unwrap();
    stream.read_exact(&mut vec![0; request.len()]).await.unwrap();
}

#[tokio::test]
async fn a_connection_without_requests_is_closed_after_its_time() {
    let _alone = ALONE.lock().await;
    let (log, _guard) = Log::start();
    let server = server(Limits { idle: 2, ..limits() }).await;
    let begin = Instant::now();
    assert!(closed(&mut server.connect().await).await);
    assert!(begin.elapsed() >= 2 * TIMEOUT);
    log.says("the connection was idle for too long").await;
    assert_eq!(server.counts.refused.load(Relaxed), 0);
}

/// `Y3_RESETS=10000` makes the test longer.
#[tokio::test]
async fn connects_and_resets_leave_nothing_behind() {
    let _alone = ALONE.lock().await;
    let (log, _guard) = Log::start();
    let server = server(limits()).await;
    let good = good(&server).await;
    let resets: u64 = std::env::var("Y3_RESETS").map_or(1000, |number| number.parse().unwrap());
    let before = peak();
    for _ in 0..resets {
        let stream = sends(&server, &[0x81]).await;
        stream.set_zero_linger().unwrap();
        drop(stream);
    }
    good.await.unwrap();
    let begin = Instant::now();
    while server.counts.open.load(Relaxed) > 0 {
        assert!(begin.elapsed() < Duration::from_secs(5), "connections are open");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(server.counts.refused.load(Relaxed), resets);
    assert_eq!(log.text().matches("refused").count() as u64, resets);
    assert!(log.text().contains("Connection reset by peer"), "{}", log.text().lines().next().unwrap_or_default());
    assert!(peak() < before + 16, "{} MiB, before {before}", peak());
}

#[tokio::test]
async fn a_reader_that_never_reads_is_refused_and_takes_one_buffer() {
    let _alone = ALONE.lock().await;
    let (log, _guard) = Log::start();
    let server = server(limits()).await;
    let good = good(&server).await;
    let before = peak();
    let requests = (0..100).map(|id| request(id, 10_000)).collect::<Vec<_>>().concat();
    let mut deaf = Vec::new();
    for _ in 0..10 {
        let mut stream = server.connect().await;
        let requests = requests.clone();
        deaf.push(tokio::spawn(async move {
            // Ends when the server closes. Until then the peer reads nothing.
            while stream.write_all(&requests).await.is_ok() {}
        }));
    }
    for stream in deaf {
        tokio::time::timeout(Duration::from_secs(10), stream).await.expect("closed").unwrap();
    }
    log.says("the client does not read its replies").await;
    assert_eq!(server.counts.refused.load(Relaxed), 10);
    good.await.unwrap();
    assert!(peak() < before + 64, "{} MiB, before {before}", peak());
}

#[tokio::test]
async fn connections_above_the_limit_are_closed_and_those_below_go_on() {
    let _alone = ALONE.lock().await;
    let (log, _guard) = Log::start();
    let server = server(Limits { connections: 5, ..limits() }).await;
    let mut open = Vec::new();
    for _ in 0..5 {
        let mut direct = server.direct(Duration::from_secs(1)).await;
        assert_eq!(direct.call(b"a").await.unwrap(), b"a");
        open.push(direct);
    }
    assert!(closed(&mut server.connect().await).await);
    log.says("too many connections are open").await;
    for direct in &mut open {
        assert_eq!(direct.call(b"b").await.unwrap(), b"b");
    }
    drop(open.pop());
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(server.direct(Duration::from_secs(1)).await.call(b"c").await.unwrap(), b"c");
}
