//! A sink that keeps only the start of its output.

use std::ops::Range;

use y3::{ErrorKind, Sink};

/// Keeps the first bytes and counts the others, so a body of 2^31 bytes needs no memory.
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

    /// The first bytes of the output, at most 16.
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
