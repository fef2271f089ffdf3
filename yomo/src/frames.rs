//! Frames: reads whole frames from a stream.
//!
//! In: any `AsyncRead` of tokio. Out: the frames one after the other, without copies of their bytes. A frame that is too
//! long is skipped while it arrives. Silence inside a frame is an error.

use std::future::poll_fn;
use std::pin::Pin;
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use futures_core::Stream;
use tokio::io::AsyncRead;
use tokio::time::{Instant, timeout_at};
use tokio_util::codec::{Decoder, FramedRead};
use y3::parser::{Parser, header};
use y3::{Limits, PacketCodec, ReadError};

use crate::error::Error;
use crate::frame::Frame;

/// The number of bytes to read at a time. The buffer grows if the bytes of a longer frame arrive.
const BUFFER: usize = 64 << 10;

/// After a pause longer than this between two requests for a frame, the time limit for silence starts again, because
/// nothing was read during the pause.
const PAUSE: Duration = Duration::from_secs(1);

/// The next item on a stream.
#[derive(Debug)]
pub(crate) enum Next {
    Frame(Frame),
    /// A frame of this many bytes, which is longer than the limit. Its bytes are dropped as they arrive.
    TooLong(u64),
    End,
}

#[derive(Debug)]
pub(crate) struct Frames<R> {
    packets: FramedRead<R, Skipping>,
    silence: Duration,
    /// The number of bytes that had arrived at the last successful read, and the time of that read.
    seen: (u64, Instant),
    /// The time of the last request for a frame.
    asked: Instant,
}

impl<R: AsyncRead + Unpin> Frames<R> {
    pub(crate) fn new(source: R, max_frame: usize, silence: Duration) -> Self {
        // This codec of packets never gets one above the limit.
        let packets = PacketCodec::new(Limits::NONE);
        let codec = Skipping { packets, max: max_frame, skip: 0, skipped: 0, taken: 0 };
        let now = Instant::now();
        Self { packets: FramedRead::with_capacity(source, codec, BUFFER), silence, seen: (0, now), asked: now }
    }

    /// Reads the next frame. The wait between two frames has no limit, but silence inside a frame is an error. Cancel safe.
    pub(crate) async fn next(&mut self) -> Result<Next, Error> {
        // After a pause without reads, the server may be waiting for this side.
        if self.asked.elapsed() > PAUSE {
            self.seen.1 = Instant::now();
        }
        self.asked = Instant::now();
        let packet = loop {
            match timeout_at(self.seen.1 + self.silence, poll_fn(|cx| Pin::new(&mut self.packets).poll_next(cx))).await
            {
                Ok(Some(packet)) => break packet.map_err(|error| self.broken(error))?,
                Ok(None) if self.is_inside() => {
                    return Err(Error::Lost("the server ended the stream inside a frame".into()));
                }
                Ok(None) => return Ok(Next::End),
                Err(_) if self.is_inside() && self.arrived() == self.seen.0 => {
                    return Err(Error::Lost(format!("silent for {:?} inside a frame", self.silence)));
                }
                Err(_) => self.seen = (self.arrived(), Instant::now()),
            }
        };
        self.seen = (self.arrived(), Instant::now());
        let (packet, start) = match packet {
            Packet::Whole(packet, start) => (packet, start),
            Packet::TooLong(len) => return Ok(Next::TooLong(len)),
        };
        match Frame::parse(&packet) {
            Ok(Some(frame)) => Ok(Next::Frame(frame)),
            Ok(None) => {
                let tag = packet.first().copied().unwrap_or_default();
                Err(Error::Protocol(format!("no frame has the tag {tag:02x}, at byte {start}")))
            }
            Err(error) => Err(invalid(error, start)),
        }
    }

    /// The number of bytes that have arrived so far.
    fn arrived(&self) -> u64 {
        self.packets.decoder().taken + self.packets.read_buffer().len() as u64
    }

    fn is_inside(&self) -> bool {
        self.packets.decoder().skip > 0 || !self.packets.read_buffer().is_empty()
    }

    fn broken(&self, error: ReadError) -> Error {
        match error {
            ReadError::Packet(error) => invalid(error, self.packets.decoder().skipped),
            ReadError::Io(error) => Error::Lost(error.to_string()),
            error => Error::Lost(error.to_string()),
        }
    }
}

/// Creates an error for a packet that starts at the offset `start`.
fn invalid(error: y3::Error, start: u64) -> Error {
    Error::Protocol(y3::Error::new(error.kind(), start + error.offset()).to_string())
}

/// A codec that splits the stream into whole packets. After a packet that is too long, the codec continues with the next
/// packet.
#[derive(Debug)]
struct Skipping {
    packets: PacketCodec,
    max: usize,
    /// If a packet is too long, the number of its bytes that have not arrived yet.
    skip: u64,
    /// The number of bytes skipped so far.
    skipped: u64,
    /// The number of bytes removed from the buffer.
    taken: u64,
}

#[derive(Debug)]
enum Packet {
    /// A whole packet and its offset, which error messages contain.
    Whole(Bytes, u64),
    TooLong(u64),
}

impl Decoder for Skipping {
    type Item = Packet;
    type Error = ReadError;

    fn decode(&mut self, buffer: &mut BytesMut) -> Result<Option<Packet>, ReadError> {
        let now = buffer.len().min(usize::try_from(self.skip).unwrap_or(usize::MAX));
        buffer.advance(now);
        (self.skip, self.skipped, self.taken) =
            (self.skip - now as u64, self.skipped + now as u64, self.taken + now as u64);
        if self.skip > 0 {
            return Ok(None);
        }
        let declared = header::<y3::ErrorKind>().parse(buffer).map_or(0, |(_, header)| header.packet_len());
        if declared > self.max {
            self.skip = declared as u64;
            return Ok(Some(Packet::TooLong(self.skip)));
        }
        Ok(self.packets.decode(buffer)?.map(|packet| {
            let start = self.taken;
            self.taken += packet.len() as u64;
            Packet::Whole(packet, start)
        }))
    }
}
