//! Packet: where a value goes, and its key.
//!
//! In: a value that is to be one packet. Out: the position behind it, or the error that it has none.

use ::serde::ser::Serialize;

use crate::serde::budget::Budget;
use crate::serde::error::{Error, ErrorKind};
use crate::wire::key::Key;
use crate::write::sink::Sink;
use crate::write::value::Encode;
use crate::write::writer::Writer;

/// Writes a value as one packet with that key: the position behind it.
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

/// The position behind a value that may not be absent. A packet takes two bytes at the least, so a value that took none was
/// `None`.
#[inline(always)]
fn present(start: usize, end: usize) -> Result<usize, Error> {
    #[cold]
    fn absent() -> Error {
        Error::new(ErrorKind::Absent)
    }
    if end == start { Err(absent()) } else { Ok(end) }
}

/// Serializes a value into one packet and returns the position behind it: a returned position stays in a register, where one
/// behind a reference is stored and loaded for each packet.
///
/// `RAW` says that the bytes to come are a whole packet, whose key is replaced.
pub(super) struct PacketSerializer<'w, S, const PVAR: bool, const RAW: bool = false> {
    pub(super) writer: Writer<'w, S>,
    pub(super) key: Key,
    pub(super) budget: Budget,
}

impl<'w, S: Sink, const PVAR: bool, const RAW: bool> PacketSerializer<'w, S, PVAR, RAW> {
    /// Writes a value that may be absent: the position behind it.
    #[inline(always)]
    pub(super) fn serialize<T: Serialize + ?Sized>(self, value: &T) -> Result<usize, Error> {
        let (key, start) = (self.key, self.writer.position());
        value.serialize(self).map_err(|error| error.inside(key, start as u64))
    }

    #[inline(always)]
    pub(super) fn put(mut self, value: impl Encode) -> Result<usize, Error> {
        self.writer.put(self.key.get(), value)?;
        Ok(self.writer.position())
    }

    /// Writes what an option or a newtype holds, which is no packet of its own. It may not be absent: a reader would take
    /// the option or newtype around it for absent.
    #[inline(always)]
    pub(super) fn held<T: Serialize + ?Sized>(self, value: &T) -> Result<usize, Error> {
        let start = self.writer.position();
        let budget = self.budget.step(start as u64)?;
        present(start, value.serialize(Self { budget, ..self })?)
    }

    /// The same packet for a value that is written in another way.
    #[inline(always)]
    pub(super) fn with<const OTHER: bool, const RAW_VALUE: bool>(self) -> PacketSerializer<'w, S, OTHER, RAW_VALUE> {
        PacketSerializer { writer: self.writer, key: self.key, budget: self.budget }
    }
}
