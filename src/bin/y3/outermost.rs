//! The outermost packets of an input, one at a time: memory for the largest of them, whatever the input's size.

use y3::{Error, ErrorKind, Packet, packets};

use crate::failure::Failure;
use crate::input::Input;

/// Reads packets from an input.
pub struct Outermost<'i> {
    input: &'i mut Input,
    /// Bytes read and not returned, from `start` on.
    buffer: Vec<u8>,
    start: usize,
    /// Where `start` lies in the input.
    offset: u64,
    is_end: bool,
}

/// The fewest bytes to make room for before reading.
const ROOM: usize = 64 << 10;

impl<'i> Outermost<'i> {
    pub fn new(input: &'i mut Input) -> Self {
        Outermost { input, buffer: Vec::new(), start: 0, offset: 0, is_end: false }
    }

    /// Where the next packet begins.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The next packet, whole, with offsets of its own; or the error in its header, with its bytes, or at the end of the input.
    pub fn next(&mut self) -> Result<Option<(&[u8], Result<Packet<'_>, Error>)>, Failure> {
        let len = loop {
            let rest = self.buffer.get(self.start..).unwrap_or_default();
            match packets(rest).next() {
                None if self.is_end => return Ok(None),
                Some(Ok(packet)) => break packet.value_range().end,
                Some(Err(error)) if self.is_end || error.kind() != ErrorKind::UnexpectedEnd => break rest.len(),
                None | Some(Err(_)) => self.fill()?,
            }
        };
        let start = self.start;
        self.start += len;
        self.offset += len as u64;
        let bytes = self.buffer.get(start..self.start).unwrap_or_default();
        Ok(packets(bytes).next().map(|packet| (bytes, packet)))
    }

    fn fill(&mut self) -> Result<(), Failure> {
        self.buffer.drain(..self.start);
        self.start = 0;
        // It grows with what has arrived, not with what a length says.
        let len = self.buffer.len();
        self.buffer.resize(len + len.max(ROOM), 0);
        let read = self.input.read(self.buffer.get_mut(len..).unwrap_or_default())?;
        self.buffer.truncate(len + read);
        self.is_end = read == 0;
        Ok(())
    }
}

/// Says where an error in an outermost packet is: its place in the input, and the keys and lengths around it.
pub fn describe(bytes: &[u8], offset: u64, error: Error) -> String {
    let here = y3::show::explain(bytes, error);
    if offset == 0 {
        return here.to_string();
    }
    let there = Error::new(error.kind(), offset.saturating_add(error.offset()));
    format!("{there} ({here}, in the packet at byte {offset})")
}
