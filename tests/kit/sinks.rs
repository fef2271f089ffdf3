//! Writing into every sink there is, and into one that only looks.

use std::ops::Range;

#[cfg(feature = "std")]
use y3::WriteSink;
use y3::{Encoder, Error, ErrorKind, Sink, SliceSink};

use super::tree::{Dialect, Tree};

/// The bytes of these packets. All sinks, full and empty at the start, have to agree on them and on the error, and
/// `encoded_len` on how many they are.
pub fn encode(trees: &[Tree], dialect: Dialect) -> Result<Vec<u8>, Error> {
    let len = y3::encoded_len(|encoder| trees.iter().try_for_each(|tree| tree.write(encoder, dialect)));

    // Without an error there is exactly as much room as was asked for.
    let mut room = vec![0xee; len.unwrap_or(4096)];
    let mut sink = SliceSink::new(&mut room);
    let done = write(trees, dialect, &mut sink);
    let written = sink.written().to_vec();
    assert_eq!(done, len.map(drop), "the slice and the count disagree");
    if let Ok(len) = len {
        assert_eq!(written.len(), len, "encoded_len is not exact");
        too_small(trees, dialect, &written);
    }

    #[cfg(feature = "alloc")]
    {
        let mut out = vec![0xa5; 3];
        assert_eq!(write(trees, dialect, &mut out), done.map_err(|error| behind(error, 3)));
        assert_eq!(out.split_at(3), (&[0xa5; 3][..], &written[..]), "a vector holds something else");

        let mut out = Vec::new();
        let mut borrowed: &mut dyn Sink = &mut out;
        assert_eq!(write(trees, dialect, &mut borrowed), done);
        assert_eq!(out, written, "a vector behind a reference holds something else");
    }
    #[cfg(feature = "std")]
    {
        let mut sink = WriteSink::new(Vec::new());
        assert_eq!(write(trees, dialect, &mut sink), done);
        sink.flush().unwrap();
        assert_eq!(sink.writer(), &written, "a writer was given something else");
    }
    #[cfg(feature = "bytes")]
    {
        let mut out = bytes::BytesMut::from(&[0xa5][..]);
        assert_eq!(write(trees, dialect, &mut out), done.map_err(|error| behind(error, 1)));
        assert_eq!(out.split_at(1), (&[0xa5][..], &written[..]), "a BytesMut holds something else");
    }
    done.map(|()| written)
}

/// With one byte less than needed the last packet fails and the others stay.
fn too_small(trees: &[Tree], dialect: Dialect, expected: &[u8]) {
    let Some(short) = expected.len().checked_sub(1) else { return };
    let mut room = vec![0xee; short];
    let mut sink = SliceSink::new(&mut room);
    let error = write(trees, dialect, &mut sink).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BufferTooSmall);
    assert!((sink.written().len() as u64..expected.len() as u64).contains(&error.offset()), "{error}");
    assert!(expected.starts_with(sink.written()));
    if trees.len() == 1 {
        assert_eq!(sink.written(), [0; 0], "half a packet is left");
    }
}

fn write<S: Sink>(trees: &[Tree], dialect: Dialect, sink: &mut S) -> Result<(), Error> {
    let mut encoder = Encoder::new(sink);
    trees.iter().try_for_each(|tree| tree.write(&mut encoder, dialect))
}

fn behind(error: Error, bytes: u64) -> Error {
    Error::new(error.kind(), error.offset() + bytes)
}

/// A sink that keeps the first bytes and counts the others, so that a body of 2^31 bytes costs nothing.
#[derive(Debug, Default)]
pub struct Head {
    first: Vec<u8>,
    len: usize,
}

impl Head {
    const KEPT: usize = 16;

    pub fn len(&self) -> usize {
        self.len
    }

    /// The first bytes of what was written, 16 at the most.
    pub fn first(&self) -> &[u8] {
        &self.first
    }

    fn set(&mut self, position: usize, bytes: &[u8]) {
        if position >= Self::KEPT {
            return;
        }
        let bytes = &bytes[..bytes.len().min(Self::KEPT)];
        self.first.truncate(position);
        self.first.extend_from_slice(bytes);
        self.first.truncate(Self::KEPT);
    }
}

impl Sink for Head {
    fn position(&self) -> usize {
        self.len
    }

    fn store(&mut self, position: usize, bytes: &[u8]) -> Result<(), ErrorKind> {
        self.set(position, bytes);
        Ok(())
    }

    fn replace_first(&mut self, range: Range<usize>, bytes: &[u8]) -> Result<(), ErrorKind> {
        if range.start < self.first.len() {
            self.first.splice(range.start..=range.start, bytes.iter().copied());
            self.first.truncate(Self::KEPT);
        }
        Ok(())
    }

    fn finish(&mut self, position: usize) {
        self.len = position;
    }
}
