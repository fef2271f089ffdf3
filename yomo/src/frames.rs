//! Reads whole frames from a stream, without copying their bytes. A frame that is too long is skipped while it arrives.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::{Buf, BytesMut};
use quinn::RecvStream;
use tokio::io::AsyncReadExt;
use tokio::time::{Instant, timeout_at};
use y3::ErrorKind;
use y3::parser::{Parser, header};

use crate::error::Error;
use crate::frame::Frame;
use crate::message::Message;

/// The number of bytes to read at a time. The buffer grows while a longer frame arrives.
const BUFFER: usize = 64 << 10;

/// The longest frame that fits in a buffer that grows by doubling.
const LONGEST: usize = 1 << (usize::BITS - 3);

/// If the caller does not request a frame for longer than this, the time limit for silence starts again, because
/// nothing was read during the pause.
const PAUSE: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(crate) struct Frames {
    /// Messages that arrived before the server accepted the peer. They are returned before the frames of the stream.
    pub(crate) early: VecDeque<Message>,
    source: RecvStream,
    buffer: BytesMut,
    max_frame: usize,
    silence: Duration,
    /// If a frame is too long, the number of its bytes that have not arrived yet.
    skip: usize,
    /// The number of bytes removed from the buffer.
    taken: u64,
    /// The time of the last read or frame.
    seen: Instant,
    /// The time of the last request for a frame.
    asked: Instant,
}

impl Frames {
    pub(crate) fn new(source: RecvStream, max_frame: usize, silence: Duration) -> Self {
        let (early, buffer, seen) = (VecDeque::new(), BytesMut::with_capacity(BUFFER), Instant::now());
        let max_frame = max_frame.min(LONGEST);
        Self { early, source, buffer, max_frame, silence, skip: 0, taken: 0, seen, asked: seen }
    }

    /// Reads the next frame. The wait between two frames has no limit, but silence inside a frame is an error. Cancel safe.
    pub(crate) async fn next(&mut self) -> Result<Frame, Error> {
        if let Some(message) = self.early.pop_front() {
            return Ok(Frame::Data(message));
        }
        // After a pause without reads, the server may be waiting for this side.
        if self.asked.elapsed() > PAUSE {
            self.seen = Instant::now();
        }
        self.asked = Instant::now();
        loop {
            if let Some(frame) = self.buffered()? {
                self.seen = Instant::now();
                return Ok(frame);
            }
            self.buffer.reserve(1);
            let until = self.seen + self.silence;
            let read = timeout_at(until, self.source.read_buf(&mut self.buffer)).await;
            let is_inside = self.skip > 0 || !self.buffer.is_empty();
            match read {
                Ok(Err(error)) => return Err(Error::Lost(error.to_string())),
                Ok(Ok(0)) => {
                    let inside = if is_inside { " inside a frame" } else { "" };
                    return Err(Error::Lost(format!("the server ended the stream{inside}")));
                }
                // If the time limit is noticed late, this process was stopped, not the server.
                Err(_) if is_inside && until.elapsed() < PAUSE => {
                    return Err(Error::Lost(format!("the server was silent for {:?} inside a frame", self.silence)));
                }
                Ok(Ok(_)) | Err(_) => self.seen = Instant::now(),
            }
        }
    }

    /// Takes the next frame from the buffer, if it has arrived completely or is too long.
    fn buffered(&mut self) -> Result<Option<Frame>, Error> {
        let skipped = self.skip.min(self.buffer.len());
        self.buffer.advance(skipped);
        self.skip -= skipped;
        let start = self.taken + skipped as u64;
        self.taken = start;
        if self.skip > 0 {
            return Ok(None);
        }
        let Ok((_, header)) = header::<ErrorKind>().parse(&self.buffer) else {
            return match y3::packets(&self.buffer).next() {
                Some(Err(error)) if error.kind() != ErrorKind::UnexpectedEnd => Err(invalid(error, start)),
                _ => Ok(None),
            };
        };
        let len = header.packet_len();
        if len > self.max_frame {
            self.skip = len;
            return Ok(Some(Frame::TooLong(len as u64)));
        }
        if len > self.buffer.len() {
            return Ok(None);
        }
        self.taken += len as u64;
        let tag = header.tag().get();
        match Frame::parse(&self.buffer.split_to(len).freeze()) {
            Ok(Some(frame)) => Ok(Some(frame)),
            Ok(None) => Err(Error::Protocol(format!("unexpected frame with the tag {tag:02x} at byte {start}"))),
            Err(error) => Err(invalid(error, start)),
        }
    }
}

/// Creates an error for a packet that starts at the offset `start`.
fn invalid(error: y3::Error, start: u64) -> Error {
    Error::Protocol(y3::Error::new(error.kind(), start + error.offset()).to_string())
}
