//! Codec: whole packets over tokio's framed reads and writes.
//!
//! In: bytes that have come, or a packet to be sent. Out: a packet as `Bytes`, split off without copying, or its bytes in
//! the send buffer.

use bytes::{Bytes, BytesMut};
use tokio_util::codec::{Decoder, Encoder};

use super::reader::ReadError;
use crate::error::{Error, ErrorKind};
use crate::limits::Limits;
use crate::read::packet::Packet;
use crate::read::packets::packets;
use crate::read::walk::Walk;
use crate::wire::header::{Header, Stop};

/// Outermost packets one by one, for `FramedRead`, `FramedWrite` and `Framed` of `tokio_util`.
///
/// A packet is waited for until it is whole, at most [`Limits::max_packet_len`] bytes of it; to get at values before that,
/// or out of packets too long to keep, watch them with an [`AsyncReader`](crate::AsyncReader).
/// Cost: O(1) a packet, which shares the memory it was read into. Memory grows with bytes that have come.
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
    is_checked: bool,
    fault: Option<Error>,
}

impl PacketCodec {
    /// A codec at the first byte of a stream.
    #[must_use]
    pub const fn new(limits: Limits) -> Self {
        Self { limits, offset: 0, is_checked: false, fault: None }
    }

    /// The same, but each packet it decodes is walked first, as [`check`](crate::check) does, to
    /// [`Limits::max_depth`]: for those who hand packets on.
    ///
    /// Cost: O(n) a packet. After a fault inside a packet the stream goes on behind it.
    ///
    /// # Examples
    /// ```
    /// use bytes::BytesMut;
    /// use tokio_util::codec::Decoder;
    ///
    /// let mut codec = y3::PacketCodec::new(y3::Limits::DEFAULT).checked();
    /// let mut buffer = BytesMut::from(&[0x81, 0x02, 0x05, 0x01, 0x02, 0x00][..]);
    /// let error = codec.decode(&mut buffer).unwrap_err();
    /// assert_eq!(error.to_string(), "packet reaches past the end of its node at byte 2");
    /// assert_eq!(codec.decode(&mut buffer)?.unwrap()[..], [0x02, 0x00]);
    /// # Ok::<(), y3::ReadError>(())
    /// ```
    #[must_use]
    pub const fn checked(self) -> Self {
        Self { is_checked: true, ..self }
    }

    fn fail<T>(&mut self, kind: ErrorKind, offset: u64) -> Result<T, Error> {
        let error = Error::new(kind, offset);
        self.fault = Some(error);
        Err(error)
    }

    fn front(&mut self, buffer: &mut BytesMut) -> Result<Option<Bytes>, Error> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let header = match Header::long(buffer) {
            Ok(header) => header,
            Err(Stop::Missing(_)) => return Ok(None),
            Err(Stop::Fault(kind)) => return self.fail(kind, self.offset.saturating_add(1)),
        };
        let len = header.packet_len();
        if len > self.limits.max_packet_len() {
            return self.fail(ErrorKind::SizeLimit, self.offset);
        }
        if let Some(missing) = len.checked_sub(buffer.len()).filter(|&missing| missing > 0) {
            // As much as has come, no more: what was declared may never come.
            buffer.reserve(missing.min(buffer.len()));
            return Ok(None);
        }
        let packet = buffer.split_to(len).freeze();
        let start = self.offset;
        self.offset = start.saturating_add(len as u64);
        if self.is_checked {
            check(&packet, self.limits.max_depth()).map_err(|error| error.rebased(start))?;
        }
        Ok(Some(packet))
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
/// [`SizeLimit`](ErrorKind::SizeLimit) in the header of a packet, for ever after; at the end
/// [`UnexpectedEnd`](ErrorKind::UnexpectedEnd). A [`checked`](PacketCodec::checked) codec also gives those of
/// [`check`](crate::check).
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
