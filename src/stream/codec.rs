//! Codec: whole packets over tokio's framed reads and writes.
//!
//! In: bytes that have arrived, or a packet to send. Out: a packet as `Bytes`, split off without copying, or its bytes in
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

/// A codec of outermost packets for `FramedRead`, `FramedWrite` and `Framed` of `tokio_util`.
///
/// It yields a packet once all of it has arrived, and buffers at most [`Limits::max_packet_len`] bytes. To read values
/// earlier, or out of packets too long to buffer, watch them with an [`AsyncReader`](crate::AsyncReader). The bytes inside
/// a packet are not checked; the codec made by [`checked`](Self::checked) checks them.
///
/// An error of a codec ends the stream, as `tokio_util` requires: `FramedRead` yields the error once and then `None`. Later
/// calls of the codec return the same error.
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
#[derive(Clone, Debug, Default)]
pub struct PacketCodec {
    limits: Limits,
    /// The offset of the packet at the front of the buffer.
    offset: u64,
    error: Option<Error>,
}

/// The longest packet that fits a buffer that grows by doubling. It is longer than any packet where `usize` has 64 bits.
const LONGEST_PACKET: usize = 1 << (usize::BITS - 3);

impl PacketCodec {
    /// A codec for a stream that starts with the next byte.
    #[must_use]
    pub const fn new(limits: Limits) -> Self {
        Self { limits, offset: 0, error: None }
    }

    /// A codec with the same limits that checks each packet it decodes as [`check`](crate::check) does, to a depth of
    /// [`Limits::max_depth`]. Use it to forward packets to other readers.
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
            // At most as many bytes as have arrived: the declared ones may never come.
            buffer.reserve(missing.min(buffer.len()));
            return Ok(None);
        }
        self.offset = self.offset.saturating_add(len as u64);
        Ok(Some(buffer.split_to(len).freeze()))
    }
}

/// A [`PacketCodec`] that checks each packet it decodes, made by [`PacketCodec::checked`].
///
/// An item is a packet that is valid at every depth, or the first error inside a packet whose own header is valid. Such a
/// packet is dropped and does not end the stream: the next item is the packet after it. So an item is a second `Result`:
/// use `?` on it to stop at an invalid packet, `match` to continue. Errors in an outermost header and packets beyond the
/// limits end the stream as with [`PacketCodec`]. Offsets count from the first byte of the stream. Sending is the same as
/// with [`PacketCodec`].
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
/// Source: [SPEC §8](crate::spec#8-decoder-duties-and-limits)
#[derive(Clone, Debug, Default)]
pub struct CheckedPacketCodec {
    codec: PacketCodec,
}

impl CheckedPacketCodec {
    /// The packet, which begins at `start`, or the first error inside it.
    fn check(&self, packet: Bytes, start: u64) -> Result<Bytes, Error> {
        check(&packet, self.codec.limits.max_depth()).map_err(|error| error.rebased(start))?;
        Ok(packet)
    }
}

/// Checks packets as [`check`](crate::check) does, to a depth known at run time.
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
/// [`SizeLimit`](ErrorKind::SizeLimit) in the header of a packet; [`UnexpectedEnd`](ErrorKind::UnexpectedEnd) at the end of
/// the stream. Every later call returns the same error.
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
/// Those of [`PacketCodec`]. Errors of [`check`](crate::check) are items.
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

/// Sends bytes that are exactly one packet, as [`Packet::from_slice`] checks; other bytes are an error and are not sent.
impl Encoder<Bytes> for PacketCodec {
    type Error = ReadError;

    fn encode(&mut self, packet: Bytes, buffer: &mut BytesMut) -> Result<(), ReadError> {
        self.send(&Packet::from_slice(&packet)?, buffer)
    }
}

/// Sends a packet unchanged.
impl Encoder<Packet<'_>> for PacketCodec {
    type Error = ReadError;

    fn encode(&mut self, packet: Packet<'_>, buffer: &mut BytesMut) -> Result<(), ReadError> {
        self.send(&packet, buffer)
    }
}

/// Sends whatever a [`PacketCodec`] can send.
impl<T> Encoder<T> for CheckedPacketCodec
where
    PacketCodec: Encoder<T, Error = ReadError>,
{
    type Error = ReadError;

    fn encode(&mut self, packet: T, buffer: &mut BytesMut) -> Result<(), ReadError> {
        self.codec.encode(packet, buffer)
    }
}
