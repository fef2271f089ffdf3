//! What the network tests share: the recorded session, how it is cut, what must come out.

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use y3::bytes::BytesHit;
use y3::{AsyncReader, Error, Limits, PathSet, ReadError, path};

pub const RECORDING: &[u8] = include_bytes!("../../../../tests/data/noise.y3");

/// The tag and the payload of each DataFrame.
pub const WATCHED: PathSet<2> = PathSet::new([path!(0x3f, 0x01), path!(0x3f, 0x02)]);

/// Path, offset, the packet's bytes.
pub type Row = (usize, u64, Vec<u8>);

/// What the slice watcher gives.
pub fn whole(input: &[u8]) -> (Vec<Row>, Option<Error>) {
    let mut rows = Vec::new();
    for hit in WATCHED.watch(input) {
        match hit {
            Ok(hit) => rows.push((hit.path_index(), hit.offset(), hit.packet().as_bytes().to_vec())),
            Err(error) => return (rows, Some(error)),
        }
    }
    (rows, None)
}

/// What comes out of a connection.
pub async fn watched(source: impl AsyncRead + Unpin) -> (Vec<Row>, Option<ReadError>) {
    let mut reader = AsyncReader::new(source, &WATCHED, Limits::DEFAULT);
    let mut rows = Vec::new();
    while let Some(hit) = reader.next_hit().await {
        match hit {
            Ok(hit) => rows.push(row(hit)),
            Err(error) => return (rows, Some(error)),
        }
    }
    (rows, None)
}

fn row(hit: BytesHit) -> Row {
    (hit.path_index(), hit.offset(), hit.into_bytes().to_vec())
}

/// Random sizes, the same on every run.
pub struct Sizes(pub u64);

impl Iterator for Sizes {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // Mostly a few bytes, sometimes more than a segment holds.
        Some(if self.0.is_multiple_of(5) { 1 + (self.0 >> 8) as usize % 5000 } else { 1 + (self.0 >> 8) as usize % 40 })
    }
}

/// Sends bytes in pieces of random size, each on its way before the next.
pub async fn send(sink: &mut (impl AsyncWrite + Unpin), bytes: &[u8], seed: u64) {
    let mut rest = bytes;
    for (turn, size) in Sizes(seed).enumerate() {
        let (now, after) = rest.split_at(size.min(rest.len()));
        sink.write_all(now).await.unwrap();
        sink.flush().await.unwrap();
        if turn % 64 == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        rest = after;
        if rest.is_empty() {
            return;
        }
    }
}
