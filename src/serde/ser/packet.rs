//! Packet: serializes a value as one packet.

use ::serde::ser::Serialize;

use crate::error::ErrorKind;
use crate::serde::budget::Steps;
use crate::serde::error::Error;
use crate::wire::key::Key;
use crate::wire::tag::Tag;
use crate::write::encoder::Encoder;
use crate::write::sink::Sink;

/// Writes a value as one packet with this key, and returns the position after the packet. Returns an error for `None`.
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

/// Returns the position after a value, or an error if the value was `None`. A value that wrote no bytes was `None`,
/// because every packet has at least two bytes.
#[inline(always)]
fn present(start: usize, end: usize) -> Result<usize, Error> {
    if end == start { Err(Error::new(ErrorKind::AbsentValue)) } else { Ok(end) }
}

/// Serializes a value as one packet and returns the position after the packet. The position is a return value, so it
/// stays in a register. With a `&mut usize`, each packet would load and store the position.
///
/// If `RAW` is true, the bytes to write are a whole packet, and only the packet's key is replaced.
pub(super) struct PacketSerializer<'w, S, const RAW: bool = false> {
    pub(super) encoder: Encoder<'w, S>,
    pub(super) key: Key,
    pub(super) steps: Steps,
}

impl<S: Sink, const RAW: bool> PacketSerializer<'_, S, RAW> {
    /// Writes a value, or nothing for `None`, and returns the position after the value.
    #[inline(always)]
    pub(super) fn write<T: Serialize + ?Sized>(self, value: &T) -> Result<usize, Error> {
        let (key, start) = (self.key, self.encoder.position());
        value.serialize(self).map_err(|error| error.inside(key, start as u64))
    }

    /// Writes a packet with an unchanged value. The packet is a node, a slice or a primitive as in the tag `kind`.
    #[inline(always)]
    pub(super) fn bytes(mut self, kind: Tag, value: &[u8]) -> Result<usize, Error> {
        self.encoder.like(self.key, kind, value)?;
        Ok(self.encoder.position())
    }

    /// Writes the content of an option or a newtype, which has no packet of its own. The content must not be `None`: a
    /// reader would then treat the outer option or newtype as absent.
    #[inline(always)]
    pub(super) fn held<T: Serialize + ?Sized>(self, value: &T) -> Result<usize, Error> {
        let start = self.encoder.position();
        let steps = self.steps.step(start as u64)?;
        present(start, value.serialize(Self { steps, ..self })?)
    }
}
