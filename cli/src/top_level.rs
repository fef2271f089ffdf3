//! Reads the top-level packets of an input one by one. Memory use is bounded by the size of the largest packet.

use y3::{Error, ErrorKind, packets};

use crate::failure::Failure;
use crate::input::Input;
use crate::progress::Progress;

/// Reads top-level packets from an input.
pub struct TopLevel<'i> {
    input: &'i mut Input,
    buffer: Vec<u8>,
    /// Bytes that were read but not returned yet are in `buffer` at `start..filled`.
    start: usize,
    filled: usize,
    /// The position of `start` in the input.
    offset: u64,
    is_end: bool,
    /// A packet is counted when the next packet is requested.
    progress: &'i Progress,
    is_given: bool,
}

/// The offset and the bytes of a packet, and the error if its header is faulty.
type Read<'b> = (u64, &'b [u8], Result<(), Error>);

/// The initial size of the buffer.
const ROOM: usize = 64 << 10;

impl<'i> TopLevel<'i> {
    pub fn new(input: &'i mut Input, progress: &'i Progress) -> Self {
        TopLevel { input, buffer: Vec::new(), start: 0, filled: 0, offset: 0, is_end: false, progress, is_given: false }
    }

    /// The offset of the next packet.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Reads the next whole packet. If its header is faulty or the input ends early, the result contains the error and
    /// the bytes read so far. The offset of the error is relative to the packet.
    pub fn next(&mut self) -> Result<Option<Read<'_>>, Failure> {
        if std::mem::take(&mut self.is_given) {
            self.progress.found();
        }
        self.progress.read(self.offset)?;
        let (len, header) = loop {
            let rest = self.buffer.get(self.start..self.filled).unwrap_or_default();
            match packets(rest).next() {
                None if self.is_end => return Ok(None),
                Some(Ok(packet)) => break (packet.as_bytes().len(), Ok(())),
                Some(Err(error)) if self.is_end || error.kind() != ErrorKind::UnexpectedEnd => {
                    break (rest.len(), Err(error));
                }
                None | Some(Err(_)) => self.fill()?,
            }
        };
        let (start, offset) = (self.start, self.offset);
        self.start += len;
        self.offset += len as u64;
        self.is_given = true;
        let bytes = self.buffer.get(start..self.start).unwrap_or_default();
        Ok(Some((offset, bytes, header)))
    }

    fn fill(&mut self) -> Result<(), Failure> {
        self.buffer.copy_within(self.start..self.filled, 0);
        self.filled -= self.start;
        self.start = 0;
        if self.filled == self.buffer.len() {
            // The buffer grows with the bytes that have arrived, not with the length in a header.
            self.buffer.resize(self.filled + self.filled.max(ROOM), 0);
        }
        let read = self.input.read(self.buffer.get_mut(self.filled..).unwrap_or_default())?;
        self.filled += read;
        self.is_end = read == 0;
        Ok(())
    }
}

/// Describes an error in the top-level packet at `offset`: what is wrong, where, and in which packet.
pub fn describe(bytes: &[u8], offset: u64, error: Error) -> String {
    y3::show::explain(bytes, error).moved(offset).to_string()
}
