//! Watched packets over a real connection, in random segments and cut; `tests/stream` has the reader with every other way of waiting.

use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use y3::{AsyncReader, ErrorKind, Limits, PathSet, ReadError, path};

const RECORDING: &[u8] = include_bytes!("../../../tests/data/noise.y3");
/// The tag and the payload of each DataFrame.
const WATCHED: PathSet<2> = PathSet::new([path!(0x3f, 0x01), path!(0x3f, 0x02)]);

/// The bytes of the hits that come out of a connection, and the error after them. The client sends in pieces of random size, each on its
/// way before the next, and then resets the connection or closes it.
async fn watched(bytes: &'static [u8], mut seed: usize, is_reset: bool) -> (Vec<Vec<u8>>, Option<ReadError>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    client.set_nodelay(true).unwrap();
    let sender = tokio::spawn(async move {
        let mut rest = bytes;
        while !rest.is_empty() {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Mostly a few bytes, sometimes more than a segment holds.
            let size = 1 + (seed >> 33) % if seed >> 60 < 4 { 5000 } else { 40 };
            let (now, after) = rest.split_at(size.min(rest.len()));
            client.write_all(now).await.unwrap();
            rest = after;
        }
        if is_reset {
            // What was sent arrives before.
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
            client.set_zero_linger().unwrap();
        }
    });
    let mut reader = AsyncReader::new(listener.accept().await.unwrap().0, &WATCHED, Limits::DEFAULT);
    let mut hits = Vec::new();
    let error = loop {
        match reader.next_hit().await {
            Some(Ok(hit)) => hits.push(hit.into_bytes().to_vec()),
            Some(Err(error)) => break Some(error),
            None => break None,
        }
    };
    sender.await.unwrap();
    (hits, error)
}

#[tokio::test(flavor = "multi_thread")]
async fn hits_of_a_connection_are_those_of_the_slice_whole_closed_and_reset_within_a_packet() {
    let whole = |bytes| WATCHED.watch(bytes).map_while(Result::ok).map(|hit| hit.packet().as_bytes().to_vec());
    for seed in 1..5 {
        let (hits, error) = watched(RECORDING, seed, false).await;
        assert!(error.is_none() && hits.len() == 4000 && whole(RECORDING).eq(hits), "{error:?}");
    }
    // Inside a DataFrame, between its first hit and its second.
    let middle = usize::try_from(y3::packets(RECORDING).nth(1000).unwrap().unwrap().offset()).unwrap() + 20;
    let cut = &RECORDING[..middle];
    let (hits, error) = watched(cut, 7, false).await;
    assert!(whole(cut).eq(hits));
    assert!(matches!(error, Some(ReadError::Packet(error)) if error.kind() == ErrorKind::UnexpectedEnd), "{error:?}");
    let (hits, error) = watched(cut, 8, true).await;
    assert!(whole(cut).eq(hits));
    let Some(ReadError::Io(error)) = error else { panic!("{error:?}") };
    assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
}
