//! Options: what reader and writer have to agree on, since the wire does not mark it.
//!
//! In: the dialect, the root, the maximum depth. Out: the functions of the module with these settings.

use ::serde::{Deserialize, Serialize};

use super::budget::Steps;
use super::error::Error;
use super::{de, ser};
use crate::error::ErrorKind;
use crate::limits::MAX_DEPTH;
use crate::read::packet::Packet;
use crate::read::packets::single_error;
use crate::wire::key::Key;
use crate::wire::mode::Mode;
use crate::write::encoder::Encoder;
use crate::write::sink::{Sink, SliceSink};

/// How to read and write values: the dialect of integers, the packets around the value, the maximum depth.
///
/// # Examples
/// The bytes that y3-codec-golang's `NewCodec(0x10).Marshal` writes:
/// ```
/// use y3::serde::Options;
///
/// const GO: Options = Options::DEFAULT.with_pvar().with_watched(0x10);
///
/// let bytes = GO.to_vec(&-65i32)?;
/// assert_eq!(bytes, [0x81, 0x04, 0x10, 0x02, 0xff, 0x3f]);
/// assert_eq!(GO.from_slice::<i32>(&bytes)?, -65);
/// # Ok::<(), y3::serde::Error>(())
/// ```
/// Source: [SPEC §4](crate::spec#4-integers), [SPEC §6](crate::spec#6-nodes-slices-duplicate-keys-order)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    is_pvar: bool,
    watched: Option<u8>,
    max_depth: u8,
}

/// [`Options::DEFAULT`].
impl Default for Options {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// [`MAX_DEPTH`] in a byte.
const DEPTH: u8 = 64;
const _: () = assert!(DEPTH as usize == MAX_DEPTH);

impl Options {
    /// Integers are [NVarInt](crate::spec#41-nvarint)s; the value is the outermost packet, with the key 0x01; at most 64 nested nodes.
    pub const DEFAULT: Options = Options { is_pvar: false, watched: None, max_depth: DEPTH };

    /// Integers are `PVarInt`s, as written by the Go module y3-codec-golang and by draft-01. Source: [SPEC §4.2](crate::spec#42-pvarint)
    #[must_use]
    pub const fn with_pvar(self) -> Self {
        Self { is_pvar: true, ..self }
    }

    /// Puts the value under this key in a root node (tag `81`), as YoMo does. A reader takes the first packet with that key
    /// and does not read the packets after it.
    ///
    /// A key above 63 is [`InvalidKey`](crate::ErrorKind::InvalidKey) when the options are used.
    #[must_use]
    pub const fn with_watched(self, key: u8) -> Self {
        Self { watched: Some(key), ..self }
    }

    /// Sets the maximum nesting depth, root and slices included, at most [`MAX_DEPTH`]: a larger number is taken as that. A
    /// recursive type recurses once per node, and at most 128 times for options, newtypes and variants.
    #[must_use]
    pub const fn with_max_depth(self, nodes: usize) -> Self {
        let [low, ..] = nodes.to_le_bytes();
        Self { max_depth: if nodes < MAX_DEPTH { low } else { DEPTH }, ..self }
    }

    /// The mode of the top-level packet: as if the nodes that are not allowed were around it.
    const fn mode(self) -> Mode {
        let mode = Mode::with_left(self.max_depth);
        if self.is_pvar { mode.pvar() } else { mode }
    }

    /// Writes a value as one packet in a new vector; see [`to_vec`](super::to_vec).
    ///
    /// # Errors
    /// Those of [`to_vec`](super::to_vec).
    #[cfg(feature = "alloc")]
    #[inline]
    pub fn to_vec<T: Serialize + ?Sized>(self, value: &T) -> Result<alloc::vec::Vec<u8>, Error> {
        let mut out = alloc::vec::Vec::new();
        self.to_sink(&mut out, value)?;
        Ok(out)
    }

    /// Writes a value as one packet at the front of a slice; see [`to_slice`](super::to_slice).
    ///
    /// # Errors
    /// Those of [`to_slice`](super::to_slice).
    #[inline]
    pub fn to_slice<'a, T: Serialize + ?Sized>(self, buffer: &'a mut [u8], value: &T) -> Result<&'a mut [u8], Error> {
        let mut sink = SliceSink::new(buffer);
        self.to_sink(&mut sink, value)?;
        Ok(sink.into_written())
    }

    /// Writes a value as one packet at the end of a sink; see [`to_sink`](super::to_sink).
    ///
    /// # Errors
    /// Those of [`to_sink`](super::to_sink).
    #[inline]
    pub fn to_sink<S: Sink, T: Serialize + ?Sized>(self, sink: &mut S, value: &T) -> Result<(), Error> {
        let mut outer = Encoder::new(sink);
        let mut packet = outer.unfinished();
        let encoder = packet.encoder().with_nodes(self.max_depth);
        let encoder = if self.is_pvar { encoder.pvar() } else { encoder };
        let end = match self.watched {
            None => ser::write(encoder, Steps::ALL, Key::ROOT, value),
            Some(key) => {
                let key = watched_key(key, encoder.position() as u64)?;
                ser::write_watched(encoder, key, value)
            }
        }?;
        packet.end(end);
        Ok(())
    }

    /// Reads the value in the one packet that fills a slice; see [`from_slice`](super::from_slice).
    ///
    /// # Errors
    /// Those of [`from_slice`](super::from_slice). With a watched key, a root without a packet of that key is
    /// [`AbsentValue`](ErrorKind::AbsentValue).
    #[inline]
    pub fn from_slice<'a, T: Deserialize<'a>>(self, bytes: &'a [u8]) -> Result<T, Error> {
        let Some(packet) = Packet::single(bytes) else { return Err(single_error(bytes).into()) };
        match self.watched {
            None => self.from_packet(packet),
            Some(key) => self.read_root(packet, key).map_err(|error| error.inside(packet.key(), packet.offset())),
        }
    }

    fn read_root<'a, T: Deserialize<'a>>(self, root: Packet<'a>, key: u8) -> Result<T, Error> {
        let key = watched_key(key, 0)?;
        let mut watched = root.with_mode(self.mode()).items()?.watch(key.into());
        match watched.next().transpose()? {
            Some(packet) => de::read(packet, Steps::ALL),
            None => Err(Error::new(ErrorKind::AbsentValue)),
        }
    }

    /// Reads the value in a packet; see [`from_packet`](super::from_packet). The packet is the value itself, also with a
    /// watched key.
    ///
    /// # Errors
    /// Those of [`from_packet`](super::from_packet).
    #[inline]
    pub fn from_packet<'a, T: Deserialize<'a>>(self, packet: Packet<'a>) -> Result<T, Error> {
        de::read(packet.with_mode(self.mode()), Steps::ALL)
    }
}

fn watched_key(key: u8, offset: u64) -> Result<Key, Error> {
    Key::new(key).ok_or_else(|| Error::new(ErrorKind::InvalidKey).at(offset))
}
