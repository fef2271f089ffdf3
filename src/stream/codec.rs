//! Codec: whole packets over tokio's framed reads and writes.
//!
//! In: bytes that have come, or a packet to be sent. Out: a packet as `Bytes`, split off without copying, or its bytes in
//! the send buffer.

use bytes::{Bytes, BytesMut};
use tokio_util::codec::{Decoder, Encoder};

use super::error::ReadError;
use crate::error::{Error, ErrorKind};
use crate::limits::Limits;
use crate::read::packet::Packet;
use crate::read::packets::packets;
use crate::read::walk::Walk;
use crate::wire::header::{Header, Stop};

/// Outermost packets one by one, for `FramedRead`, `FramedWrite` and `Framed` of `tokio_util`.
///
/// A packet is waited for until it is whole, at most [`Limits::max_packet_len`] bytes of it; to get at values before that,
/// or out of packets too long to keep, watch them with an [`AsyncReader`](crate::AsyncReader). What is inside a packet is
/// not looked at; [`checked`](Self::checked) gives a codec that does.
///
/// An error of a codec ends the stream, as `tokio_util` has it: `FramedRead` gives the error once and then `None`. Asked
/// again, it gives the same error.
/// Cost: O(1) a packet, which shares the memory it was read into. Memory grows with bytes that have come, by doubling:
/// where `usize` has 32 bits, packets above 512 MiB are a [`SizeLimit`](ErrorKind::SizeLimit) whatever the limits, since the
/// buffer could not double any more.
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
/// Source: SPEC §3, §8
#[derive(Clone, Debug, Default)]
pub struct PacketCodec {
    limits: Limits,
    /// Where the packet at the front of the buffer begins.
    offset: u64,
    error: Option<Error>,
}

/// The longest packet that a buffer which doubles can hold, with room behind it; beyond any length where `usize` has 64 bits.
const LONGEST_PACKET: usize = 1 << (usize::BITS - 3);

impl PacketCodec {
    /// A codec at the first byte of a stream.
    #[must_use]
    pub const fn new(limits: Limits) -> Self {
        Self { limits, offset: 0, error: None }
    }

    /// The same, but each packet it decodes is walked first, as [`check`](crate::check) does, to
    /// [`Limits::max_depth`]: for those who hand packets on.
    #[must_use]
    pub const fn checked(self) -> CheckedPacketCodec {
        CheckedPacketCodec { codec: self }
    }

    fn fail<T>(&mut self, kind: ErrorKind, offset: u64) -> Result<T, Error> {
        let error = Error::new(kind, offset);
        self.error = Some(error);
        Err(error)
    }

    fn front(&mut self, buffer: &mut BytesMut) -> Result<Option<Bytes>, Error> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let header = match Header::long(buffer) {
            Ok(header) => header,
            Err(Stop::Missing(_)) => return Ok(None),
            Err(Stop::Fault(kind)) => return self.fail(kind, self.offset.saturating_add(1)),
        };
        let len = header.packet_len();
        if len > self.limits.max_packet_len().min(LONGEST_PACKET) {
            return self.fail(ErrorKind::SizeLimit, self.offset);
        }
        if let Some(missing) = len.checked_sub(buffer.len()).filter(|&missing| missing > 0) {
            // As much as has come, no more: what was declared may never come.
            buffer.reserve(missing.min(buffer.len()));
            return Ok(None);
        }
        self.offset = self.offset.saturating_add(len as u64);
        Ok(Some(buffer.split_to(len).freeze()))
    }
}

/// A [`PacketCodec`] that walks each packet it decodes, made by [`PacketCodec::checked`].
///
/// An item is a packet that is good at every depth, or the error inside one whose length was good. Such a packet is dropped
/// and does not end the stream: the next item is the packet behind it. So a second `?` is for those who stop at a faulty
/// packet, a `match` for those who go on. Errors in an outermost header, and beyond the limits, end the stream as with
/// [`PacketCodec`]. Offsets count from the first byte of the stream. It sends as [`PacketCodec`] does.
/// Cost: O(n) a packet.
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
/// Source: SPEC §8
#[derive(Clone, Debug, Default)]
pub struct CheckedPacketCodec {
    codec: PacketCodec,
}

impl CheckedPacketCodec {
    /// A packet that begins at `start`, or the error inside it.
    fn check(&self, packet: Bytes, start: u64) -> Result<Bytes, Error> {
        check(&packet, self.codec.limits.max_depth()).map_err(|error| error.rebased(start))?;
        Ok(packet)
    }
}

/// As [`check`](crate::check), to a depth known at run time.
fn check(bytes: &[u8], max_depth: usize) -> Result<(), Error> {
    let mut walk = Walk::new(packets(bytes));
    while let Some(packet) = walk.next().transpose()? {
        if packet.is_node() && walk.depth() >= max_depth {
            return Err(Error::new(ErrorKind::DepthLimit, packet.offset()));
        }
    }
    Ok(())
}

/// # Errors
/// [`NegativeLength`](ErrorKind::NegativeLength), [`LengthOverflow`](ErrorKind::LengthOverflow) and
/// [`SizeLimit`](ErrorKind::SizeLimit) in the header of a packet; at the end
/// [`UnexpectedEnd`](ErrorKind::UnexpectedEnd). Each stays: it is the answer to every call after it.
impl Decoder for PacketCodec {
    type Item = Bytes;
    type Error = ReadError;

    fn decode(&mut self, buffer: &mut BytesMut) -> Result<Option<Bytes>, ReadError> {
        Ok(self.front(buffer)?)
    }

    fn decode_eof(&mut self, buffer: &mut BytesMut) -> Result<Option<Bytes>, ReadError> {
        match self.front(buffer)? {
            None if !buffer.is_empty() => Ok(self.fail(ErrorKind::UnexpectedEnd, self.offset)?),
            packet => Ok(packet),
        }
    }
}

/// # Errors
/// As [`PacketCodec`]; those of [`check`](crate::check) are items.
impl Decoder for CheckedPacketCodec {
    type Item = Result<Bytes, Error>;
    type Error = ReadError;

    fn decode(&mut self, buffer: &mut BytesMut) -> Result<Option<Self::Item>, ReadError> {
        let start = self.codec.offset;
        Ok(self.codec.decode(buffer)?.map(|packet| self.check(packet, start)))
    }

    fn decode_eof(&mut self, buffer: &mut BytesMut) -> Result<Option<Self::Item>, ReadError> {
        let start = self.codec.offset;
        Ok(self.codec.decode_eof(buffer)?.map(|packet| self.check(packet, start)))
    }
}

impl PacketCodec {
    fn send(&self, packet: &Packet<'_>, buffer: &mut BytesMut) -> Result<(), ReadError> {
        if packet.as_bytes().len() > self.limits.max_packet_len() {
            return Err(Error::new(ErrorKind::SizeLimit, packet.offset()).into());
        }
        buffer.extend_from_slice(packet.as_bytes());
        Ok(())
    }
}

/// Sends bytes that are exactly one packet, as [`Packet::from_slice`] understands it; others are an error and not sent.
impl Encoder<Bytes> for PacketCodec {
    type Error = ReadError;

    fn encode(&mut self, packet: Bytes, buffer: &mut BytesMut) -> Result<(), ReadError> {
        self.send(&Packet::from_slice(&packet)?, buffer)
    }
}

/// Sends a packet as it is.
impl Encoder<Packet<'_>> for PacketCodec {
    type Error = ReadError;

    fn encode(&mut self, packet: Packet<'_>, buffer: &mut BytesMut) -> Result<(), ReadError> {
        self.send(&packet, buffer)
    }
}

/// Sends what a [`PacketCodec`] sends.
impl<T> Encoder<T> for CheckedPacketCodec
where
    PacketCodec: Encoder<T, Error = ReadError>,
{
    type Error = ReadError;

    fn encode(&mut self, packet: T, buffer: &mut BytesMut) -> Result<(), ReadError> {
        self.codec.encode(packet, buffer)
    }
}
