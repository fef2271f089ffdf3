//! Sends and receives whole packets in the framed streams of tokio.
//!
//! A received packet is split off from the read buffer without a copy. A sent packet is written to the send buffer.

use bytes::{Buf as _, Bytes, BytesMut};
use tokio_util::codec::{Decoder, Encoder};

use super::error::ReadError;
use super::machine::Output;
use super::watcher::Watcher;
use crate::error::Error;
use crate::limits::Limits;
use crate::read::packet::Packet;
use crate::read::path::Path;
use crate::read::path_set::PathSet;
use crate::value::Encode;

/// A codec of top-level packets for `FramedRead`, `FramedWrite` and `Framed` of `tokio_util`.
///
/// The codec returns a packet when the whole packet has arrived. It buffers at most [`Limits::max_packet_len`] bytes.
/// If you need values before their packet is complete, or if a packet is too long to buffer, use an
/// [`AsyncReader`](crate::AsyncReader). The codec does not check the bytes inside a packet. Before you forward packets
/// to other readers, call [`check`](crate::check) for each packet.
///
/// To send an encoded packet, pass its [`Bytes`]. To encode and send a value, pass a pair of a key and a value that
/// implements [`Encode`].
///
/// An error ends the stream, as `tokio_util` requires: `FramedRead` yields the error once and then `None`. Later calls
/// of the codec return the same error until [`resume`](Self::resume) succeeds.
///
/// Cost: O(1) per packet, because the packet shares the memory of the read buffer. The buffer doubles when more bytes
/// arrive. If `usize` has 32 bits, a buffer of more than 512 MiB cannot double. On such targets, a longer packet is a
/// [`SizeLimit`](crate::ErrorKind::SizeLimit) error, even if the limits allow it.
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

/// The longest packet that fits in a buffer that grows by doubling. If `usize` has 64 bits, every packet is shorter.
const LONGEST_PACKET: usize = 1 << (usize::BITS - 3);

impl PacketCodec {
    /// Makes a codec for a stream that starts with the next byte.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        let len = limits.max_packet_len().min(LONGEST_PACKET);
        let whole = limits.with_max_packet_len(len).with_max_value_len(usize::MAX);
        Self { watcher: Watcher::new(ANY, whole), limits }
    }

    stream_methods!(watcher);

    /// Removes the packet at the front of the buffer and returns it, if the packet is complete.
    fn front(&mut self, buffer: &mut BytesMut) -> Result<Option<Bytes>, Error> {
        let Watcher { paths, machine } = &mut self.watcher;
        let mut cursor = machine.chunk(buffer);
        let front = match machine.next_output(paths, &mut cursor) {
            Some(Output::Hit(hit)) => Ok((hit.packet().as_bytes().len(), 0)),
            Some(Output::Split(packet)) => Ok((0, packet.header.packet_len())),
            Some(Output::Error(error)) => Err(error),
            Some(Output::Data(..) | Output::End(_)) | None => Ok((0, 0)),
        };
        // The bytes of an incomplete packet stay in the buffer.
        let left = machine.leave(cursor).len() + usize::from(machine.give_back().len());
        let taken = buffer.len() - left;
        // The bytes of a refused packet are skipped.
        let (whole, cut) = front.unwrap_or_default();
        buffer.advance(taken - whole);
        front?;
        // Reserves at most as many bytes as have arrived, because the declared bytes may never arrive.
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

    fn allow(&self, len: usize) -> Result<(), Error> {
        self.limits.refuse_packet(len, 0).map_or(Ok(()), Err)
    }
}

/// # Errors
/// Returns [`NegativeLength`](crate::ErrorKind::NegativeLength), [`LengthOverflow`](crate::ErrorKind::LengthOverflow)
/// or [`SizeLimit`](crate::ErrorKind::SizeLimit) for the header of a packet. Returns
/// [`UnexpectedEnd`](crate::ErrorKind::UnexpectedEnd) if the stream ends inside a packet. Every later call returns the
/// same error until `resume` succeeds.
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

/// Sends bytes that are exactly one packet, as [`Packet::from_slice`] checks. For any other bytes, this encoder returns
/// an error and sends nothing.
impl Encoder<Bytes> for PacketCodec {
    type Error = ReadError;

    fn encode(&mut self, packet: Bytes, buffer: &mut BytesMut) -> Result<(), ReadError> {
        Packet::from_slice(&packet)?;
        self.allow(packet.len())?;
        buffer.extend_from_slice(&packet);
        Ok(())
    }
}

/// Sends a value as a packet with the given key. If the value cannot be encoded or is too long, the encoder sends
/// nothing.
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
        self.allow(buffer.len() - start).inspect_err(|_| buffer.truncate(start))?;
        Ok(())
    }
}
