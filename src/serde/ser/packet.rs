//! Packet: the key of a value and the place to write it.
//!
//! In: a value to be written as one packet. Out: the position after it, or an error.

use ::serde::ser::Serialize;

use crate::serde::budget::Budget;
use crate::serde::error::{Error, ErrorKind};
use crate::wire::key::Key;
use crate::write::sink::Sink;
use crate::write::value::Encode;
use crate::write::writer::Writer;

/// Writes a value as one packet with that key and returns the position after it.
#[inline(always)]
pub(in crate::serde) fn write<S: Sink, T: Serialize + ?Sized, const PVAR: bool>(
    writer: Writer<'_, S>,
    budget: Budget,
    key: Key,
    value: &T,
) -> Result<usize, Error> {
    let start = writer.position();
    let end = PacketSerializer::<'_, S, PVAR> { writer, key, budget }.serialize(value)?;
    present(start, end).map_err(|error| error.inside(key, start as u64))
}

/// The position after a value that must not be absent. A packet has at least two bytes, so a value that wrote none was
/// `None`.
#[inline(always)]
fn present(start: usize, end: usize) -> Result<usize, Error> {
    #[cold]
    fn absent() -> Error {
        Error::new(ErrorKind::Absent)
    }
    if end == start { Err(absent()) } else { Ok(end) }
}

/// Serializes a value as one packet and returns the position after it. A returned position stays in a register; one
/// written through a reference would be stored and loaded for each packet.
///
/// `RAW` means that the bytes to write are a whole packet, whose key is replaced.
pub(super) struct PacketSerializer<'w, S, const PVAR: bool, const RAW: bool = false> {
    pub(super) writer: Writer<'w, S>,
    pub(super) key: Key,
    pub(super) budget: Budget,
}

impl<'w, S: Sink, const PVAR: bool, const RAW: bool> PacketSerializer<'w, S, PVAR, RAW> {
    /// Writes a value that may be absent and returns the position after it.
    #[inline(always)]
    pub(super) fn serialize<T: Serialize + ?Sized>(self, value: &T) -> Result<usize, Error> {
        let (key, start) = (self.key, self.writer.position());
        value.serialize(self).map_err(|error| error.inside(key, start as u64))
    }

    #[inline(always)]
    pub(super) fn put(self, value: impl Encode) -> Result<usize, Error> {
        self.writer.put_compact(self.key, value).map_err(Error::from)
    }

    /// Writes the content of an option or a newtype, which has no packet of its own. The content must not be absent: a
    /// reader would read the option or newtype around it as absent.
    #[inline(always)]
    pub(super) fn held<T: Serialize + ?Sized>(self, value: &T) -> Result<usize, Error> {
        let start = self.writer.position();
        let budget = self.budget.step(start as u64)?;
        present(start, value.serialize(Self { budget, ..self })?)
    }

    /// The same packet with another dialect or for raw bytes.
    #[inline(always)]
    pub(super) fn with<const OTHER: bool, const RAW_VALUE: bool>(self) -> PacketSerializer<'w, S, OTHER, RAW_VALUE> {
        PacketSerializer { writer: self.writer, key: self.key, budget: self.budget }
    }
}
