//! Packet: serializes a value as one packet.
//!
//! In: an encoder, a key and a value. Out: the position after the packet. For an absent value, no packet is written.

use ::serde::ser::Serialize;

use crate::error::ErrorKind;
use crate::serde::budget::Steps;
use crate::serde::error::Error;
use crate::wire::key::Key;
use crate::wire::tag::Tag;
use crate::write::encoder::Encoder;
use crate::write::sink::Sink;

/// Writes a value as one packet with this key, and returns the position after the packet.
#[inline(always)]
pub(in crate::serde) fn write<S: Sink, T: Serialize + ?Sized>(
    encoder: Encoder<'_, S>,
    steps: Steps,
    key: Key,
    value: &T,
) -> Result<usize, Error> {
    let start = encoder.position();
    let end = PacketSerializer::<'_, S> { encoder, key, steps }.write(value)?;
    present(start, end).map_err(|error| error.inside(key, start as u64))
}

/// Returns the position after a value, or an error if the value is absent. A value that wrote no bytes was `None`,
/// because every packet has at least two bytes.
#[inline(always)]
fn present(start: usize, end: usize) -> Result<usize, Error> {
    if end == start { Err(Error::new(ErrorKind::AbsentValue)) } else { Ok(end) }
}

/// Serializes a value as one packet and returns the position after the packet. The position is a return value, so it
/// stays in a register. Through a `&mut usize`, each packet would load and store the position.
///
/// If `RAW` is true, the bytes to write are a whole packet, and only the packet's key is replaced.
pub(super) struct PacketSerializer<'w, S, const RAW: bool = false> {
    pub(super) encoder: Encoder<'w, S>,
    pub(super) key: Key,
    pub(super) steps: Steps,
}

impl<S: Sink, const RAW: bool> PacketSerializer<'_, S, RAW> {
    /// Writes a value that may be absent, and returns the position after the value.
    #[inline(always)]
    pub(super) fn write<T: Serialize + ?Sized>(self, value: &T) -> Result<usize, Error> {
        let (key, start) = (self.key, self.encoder.position());
        value.serialize(self).map_err(|error| error.inside(key, start as u64))
    }

    /// Writes a packet with an unchanged value. The packet is of the same kind as the tag `kind`.
    #[inline(always)]
    pub(super) fn bytes(mut self, kind: Tag, value: &[u8]) -> Result<usize, Error> {
        self.encoder.like(self.key, kind, value)?;
        Ok(self.encoder.position())
    }

    /// Writes the content of an option or a newtype, which has no separate packet. The content must not be absent:
    /// otherwise a reader would treat the outer option or newtype as absent.
    #[inline(always)]
    pub(super) fn held<T: Serialize + ?Sized>(self, value: &T) -> Result<usize, Error> {
        let start = self.encoder.position();
        let steps = self.steps.step(start as u64)?;
        present(start, value.serialize(Self { steps, ..self })?)
    }
}
