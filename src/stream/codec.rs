//! Codec: whole packets over tokio's framed reads and writes.
//!
//! In: bytes that have arrived, or a packet to send. Out: a packet as `Bytes`, split off without copying, or its bytes in
//! the send buffer.

use bytes::{Buf as _, Bytes, BytesMut};
use tokio_util::codec::{Decoder, Encoder};

use super::error::ReadError;
use super::machine::Output;
use super::watcher::Watcher;
use crate::error::{Error, ErrorKind};
use crate::limits::Limits;
use crate::read::packet::Packet;
use crate::read::path::Path;
use crate::read::path_set::PathSet;
use crate::read::walk::walk;
use crate::value::Encode;

/// A codec of top-level packets for `FramedRead`, `FramedWrite` and `Framed` of `tokio_util`.
///
/// It yields a packet once all of it has arrived, and buffers at most [`Limits::max_packet_len`] bytes. To read values
/// earlier, or out of packets too long to buffer, watch them with an [`AsyncReader`](crate::AsyncReader). The bytes inside
/// a packet are not checked, unless the codec is [`checked`](Self::checked).
///
/// It sends a [`Packet`] or the [`Bytes`] of one unchanged, and a key with any value that implements [`Encode`].
///
/// An error ends the stream, as `tokio_util` requires: `FramedRead` yields the error once and then `None`. Later
/// calls of the codec return the same error, until [`resume`](Self::resume).
/// Cost: O(1) per packet, which shares the memory it was read into. The buffer grows by doubling as bytes arrive. Where
/// `usize` has 32 bits, a packet above 512 MiB is a [`SizeLimit`](ErrorKind::SizeLimit) whatever the limits, since the
/// buffer cannot double any further.
///
/// # Examples
/// ```
/// use bytes::BytesMut;
/// use tokio_util::codec::Decoder;
/// use y3::{Limits, Packet, PacketCodec};
///
/// let mut codec = PacketCodec::new(Limits::DEFAULT);
/// let mut buffer = BytesMut::from(&[0x01, 0x01, 0x05, 0x02][..]);
/// let packet = codec.decode(&mut buffer)?.unwrap();
/// assert_eq!(Packet::from_slice(&packet)?.decode::<i32>()?, 5);
/// assert_eq!(codec.decode(&mut buffer)?, None);
/// assert_eq!(codec.decode_eof(&mut buffer).unwrap_err().to_string(), "input ends inside the packet at byte 3");
/// # Ok::<(), y3::ReadError>(())
/// ```
/// Source: [SPEC §3](crate::spec#3-packet-tag-length-value), [SPEC §8](crate::spec#8-decoder-duties-and-limits)
#[derive(Clone, Debug)]
pub struct PacketCodec {
    watcher: Watcher<PathSet<1>>,
    limits: Limits,
}

const ANY: PathSet<1> = PathSet::new([Path::ANY]);

/// The longest packet that fits a buffer that grows by doubling. It is longer than any packet where `usize` has 64 bits.
const LONGEST_PACKET: usize = 1 << (usize::BITS - 3);

impl PacketCodec {
    /// A codec for a stream that starts with the next byte.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        let len = limits.max_packet_len().min(LONGEST_PACKET);
        let whole = limits.with_max_packet_len(len).with_max_value_len(usize::MAX);
        Self { watcher: Watcher::new(ANY, whole), limits }
    }

    /// The same codec, which checks each packet that it decodes as [`check`](crate::check) does, to a depth of
    /// [`Limits::max_depth`]. Use it to forward packets to other readers.
    ///
    /// An item is a packet that is valid at every depth, or the first error inside a packet whose own header is valid. Such a
    /// packet is dropped and does not end the stream: the next item is the packet after it. So an item is a second `Result`:
    /// use `?` on it to stop at an invalid packet, `match` to continue. Offsets count from the first byte of the stream.
    /// Cost: O(n) per packet.
    ///
    /// # Examples
    /// ```
    /// use bytes::BytesMut;
    /// use tokio_util::codec::Decoder;
    ///
    /// let mut codec = y3::PacketCodec::new(y3::Limits::DEFAULT).checked();
    /// let mut buffer = BytesMut::from(&[0x81, 0x02, 0x05, 0x01, 0x02, 0x00][..]);
    /// let error = codec.decode(&mut buffer)?.unwrap().unwrap_err();
    /// assert_eq!(error.to_string(), "packet reaches past the end of its node at byte 2");
    /// assert_eq!(codec.decode(&mut buffer)?.unwrap()?[..], [0x02, 0x00]);
    /// # Ok::<(), y3::ReadError>(())
    /// ```
    #[must_use]
    pub fn checked(self) -> CheckedCodec {
        CheckedCodec { codec: self }
    }

    stream_methods!(watcher);

    /// Splits the packet at the front off, if it is whole.
    fn front(&mut self, buffer: &mut BytesMut) -> Result<Option<Bytes>, Error> {
        let Watcher { paths, machine } = &mut self.watcher;
        let mut cursor = machine.chunk(buffer);
        let front = match machine.next_output(paths, &mut cursor) {
            Some(Output::Hit(hit)) => Ok((hit.packet().as_bytes().len(), 0)),
            Some(Output::Split(packet)) => Ok((0, packet.header.packet_len())),
            Some(Output::Error(error)) => Err(error),
            Some(Output::Data(..) | Output::End(_)) | None => Ok((0, 0)),
        };
        // What of a packet is not wholly here stays in the buffer.
        let left = machine.leave(cursor).len() + usize::from(machine.give_back().len());
        let taken = buffer.len() - left;
        // After a packet that was refused, its bytes are skipped.
        let (whole, cut) = front.unwrap_or_default();
        buffer.advance(taken - whole);
        front?;
        // At most as many bytes as have arrived: the declared ones may never come.
        buffer.reserve(cut.saturating_sub(buffer.len()).min(buffer.len()));
        Ok((whole > 0).then(|| buffer.split_to(whole).freeze()))
    }

    fn last(&mut self, buffer: &mut BytesMut) -> Result<Option<Bytes>, Error> {
        let packet = self.front(buffer)?;
        if packet.is_none() {
            self.watcher.machine.end_before(buffer.len())?;
        }
        Ok(packet)
    }

    fn send(&self, packet: Packet<'_>, buffer: &mut BytesMut) -> Result<(), ReadError> {
        self.allow(packet.as_bytes().len(), packet.offset())?;
        buffer.extend_from_slice(packet.as_bytes());
        Ok(())
    }

    fn allow(&self, len: usize, offset: u64) -> Result<(), Error> {
        if len > self.limits.max_packet_len() { Err(Error::new(ErrorKind::SizeLimit, offset)) } else { Ok(()) }
    }
}

/// A [`PacketCodec`] that checks each packet that it decodes, made by [`PacketCodec::checked`].
#[derive(Clone, Debug)]
pub struct CheckedCodec {
    codec: PacketCodec,
}

impl CheckedCodec {
    stream_methods!(codec);

    /// The packet that was just split off, or the first error inside it.
    fn check(&self, packet: Bytes) -> Result<Bytes, Error> {
        let start = self.offset().saturating_sub(packet.len() as u64);
        match walk(&packet).with_max_depth(self.codec.limits.max_depth()).find_map(Result::err) {
            Some(error) => Err(error.rebased(start)),
            None => Ok(packet),
        }
    }
}

impl Default for PacketCodec {
    fn default() -> Self {
        Self::new(Limits::DEFAULT)
    }
}

/// # Errors
/// [`NegativeLength`](ErrorKind::NegativeLength), [`LengthOverflow`](ErrorKind::LengthOverflow) and
/// [`SizeLimit`](ErrorKind::SizeLimit) in the header of a packet; [`UnexpectedEnd`](ErrorKind::UnexpectedEnd) at the end of
/// the stream. Every later call returns the same error.
impl Decoder for PacketCodec {
    type Item = Bytes;
    type Error = ReadError;

    fn decode(&mut self, buffer: &mut BytesMut) -> Result<Option<Bytes>, ReadError> {
        Ok(self.front(buffer)?)
    }

    fn decode_eof(&mut self, buffer: &mut BytesMut) -> Result<Option<Bytes>, ReadError> {
        Ok(self.last(buffer)?)
    }
}

/// # Errors
/// Those of the other codec. Errors of [`check`](crate::check) are items.
impl Decoder for CheckedCodec {
    type Item = Result<Bytes, Error>;
    type Error = ReadError;

    fn decode(&mut self, buffer: &mut BytesMut) -> Result<Option<Self::Item>, ReadError> {
        Ok(self.codec.front(buffer)?.map(|packet| self.check(packet)))
    }

    fn decode_eof(&mut self, buffer: &mut BytesMut) -> Result<Option<Self::Item>, ReadError> {
        Ok(self.codec.last(buffer)?.map(|packet| self.check(packet)))
    }
}

/// Sends bytes that are exactly one packet, as [`Packet::from_slice`] checks; other bytes are an error and are not sent.
impl Encoder<Bytes> for PacketCodec {
    type Error = ReadError;

    fn encode(&mut self, packet: Bytes, buffer: &mut BytesMut) -> Result<(), ReadError> {
        self.send(Packet::from_slice(&packet)?, buffer)
    }
}

/// Sends a packet unchanged.
impl Encoder<Packet<'_>> for PacketCodec {
    type Error = ReadError;

    fn encode(&mut self, packet: Packet<'_>, buffer: &mut BytesMut) -> Result<(), ReadError> {
        self.send(packet, buffer)
    }
}

/// Sends a value as the packet with that key; a value that is an error or too long is not sent.
///
/// # Examples
/// ```
/// use bytes::BytesMut;
/// use tokio_util::codec::Encoder;
///
/// let (mut codec, mut buffer) = (y3::PacketCodec::new(y3::Limits::DEFAULT), BytesMut::new());
/// codec.encode((0x11, "Y3"), &mut buffer)?;
/// assert_eq!(buffer[..], [0x11, 0x02, 0x59, 0x33]);
/// # Ok::<(), y3::ReadError>(())
/// ```
impl<T: Encode> Encoder<(u8, T)> for PacketCodec {
    type Error = ReadError;

    fn encode(&mut self, (key, value): (u8, T), buffer: &mut BytesMut) -> Result<(), ReadError> {
        let start = buffer.len();
        crate::write::encoder::Encoder::new(buffer).put(key, value)?;
        self.allow(buffer.len() - start, 0).inspect_err(|_| buffer.truncate(start))?;
        Ok(())
    }
}

/// Sends what a [`PacketCodec`] sends.
impl<T> Encoder<T> for CheckedCodec
where
    PacketCodec: Encoder<T, Error = ReadError>,
{
    type Error = ReadError;

    fn encode(&mut self, item: T, buffer: &mut BytesMut) -> Result<(), ReadError> {
        self.codec.encode(item, buffer)
    }
}
