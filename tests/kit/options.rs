//! The options of a serde user in one value: the dialect, a key in a root, the depth.

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use y3::serde::{Error, from_packet, put};
use y3::{Decode, Encode, Encoder, ErrorKind, Key, MAX_DEPTH, Packet, Sink, SliceSink};

#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Options {
    is_pvar: bool,
    watched: Option<u8>,
    depth: usize,
}

impl Options {
    pub const DEFAULT: Options = Options { is_pvar: false, watched: None, depth: MAX_DEPTH };

    pub const fn with_pvar(self) -> Self {
        Self { is_pvar: true, ..self }
    }

    /// Puts the value under this key in a root.
    pub const fn with_watched(self, key: u8) -> Self {
        Self { watched: Some(key), ..self }
    }

    /// The maximum number of nested nodes, including the root.
    pub const fn with_max_depth(self, nodes: usize) -> Self {
        Self { depth: nodes, ..self }
    }

    pub fn to_vec<T: Serialize + ?Sized>(self, value: &T) -> Result<Vec<u8>, Error> {
        let mut out = vec![];
        self.to_sink(&mut out, value)?;
        Ok(out)
    }

    pub fn to_slice<'a, T: Serialize + ?Sized>(self, buffer: &'a mut [u8], value: &T) -> Result<&'a mut [u8], Error> {
        let mut sink = SliceSink::new(buffer);
        self.to_sink(&mut sink, value)?;
        Ok(sink.into_written())
    }

    pub fn to_sink<S: Sink, T: Serialize + ?Sized>(self, sink: &mut S, value: &T) -> Result<(), Error> {
        let encoder = Encoder::new(sink).with_max_depth(self.depth);
        let mut encoder = if self.is_pvar { encoder.pvar() } else { encoder };
        match self.watched {
            None => put(&mut encoder, 0x01, value),
            Some(key) => encoder.node(0x01, |root| put(root, key, value)),
        }
    }

    pub fn from_slice<'a, T: Deserialize<'a>>(self, bytes: &'a [u8]) -> Result<T, Error> {
        let packet = Packet::from_slice(bytes)?.with_max_depth(self.depth);
        let packet = if self.is_pvar { packet.pvar() } else { packet };
        let Some(key) = self.watched else { return from_packet(packet) };
        let absent = y3::Error::new(ErrorKind::AbsentValue, packet.offset());
        from_packet(packet.find(key)?.ok_or(absent)?)
    }
}

/// Bytes for serde, which would read and write a `Vec<u8>` as a list of numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bytes(pub ByteBuf);

impl Encode for Bytes {
    fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), y3::Error> {
        self.0.as_slice().encode(key, to)
    }
}

impl<'a> Decode<'a> for Bytes {
    fn decode(packet: Packet<'a>) -> Result<Self, y3::Error> {
        packet.decode::<&[u8]>().map(|bytes| Self(ByteBuf::from(bytes)))
    }
}
