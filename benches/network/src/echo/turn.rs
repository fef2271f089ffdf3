//! Turn: one connection of the server, from readable bytes to written replies.
//!
//! In: a stream, in turns of one read each. Out: the replies to all requests of that read in one vectored write, with bodies
//! borrowed from the read buffer.
//!
//! The read buffer belongs to the thread. A connection takes it away only if its peer does not read.
//! Between turns it keeps the bytes of a cut packet and nothing else, so that many quiet connections take little memory.

use std::cell::RefCell;
use std::future::Future;
use std::io::{self, IoSlice};
use std::ops::Range;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use super::limits::{Counts, Limits};
use gateway::message::{self, AROUND_A_BODY, Message, requests};
use gateway::refusal::Refusal;

/// What one read brings at most.
const READ: usize = 256 << 10;
/// Slices of one vectored write, the system's limit.
const SLICES: usize = 1024;
/// Read buffers that a thread keeps for later.
const SPARE: usize = 16;

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// What connections of a thread share during a turn.
#[derive(Default)]
struct Scratch {
    buffer: Vec<u8>,
    replies: Replies,
    spare: Vec<Vec<u8>>,
}

impl Scratch {
    fn fill(&mut self) {
        if self.buffer.is_empty() {
            self.buffer = self.spare.pop().unwrap_or_else(|| vec![0; READ]);
        }
    }

    fn give_back(&mut self, buffer: Vec<u8>) {
        if buffer.len() == READ && self.spare.len() < SPARE {
            self.spare.push(buffer);
        }
    }
}

/// Replies of one turn. First what stands before each body, and the place of each body in the read buffer; then slices to write.
#[derive(Default)]
struct Replies {
    fronts: Vec<u8>,
    each: Vec<Reply>,
    parts: Vec<Part>,
    /// Bytes left to write, and the place of the first of them: a part, and the bytes of it that are written.
    left: usize,
    part: usize,
    written: usize,
}

/// A range of `fronts`, and one of the read buffer.
struct Reply {
    front: Range<usize>,
    body: Range<usize>,
}

/// A range of `fronts`, if it is own, or of the read buffer.
struct Part {
    own: bool,
    range: Range<usize>,
}

impl Replies {
    fn clear(&mut self) {
        self.fronts.clear();
        self.each.clear();
        self.parts.clear();
        (self.left, self.part, self.written) = (0, 0, 0);
    }

    /// Adds the reply to one request.
    #[inline]
    fn put(&mut self, request: &Message<'_>, limit: usize) {
        let start = self.fronts.len();
        let mut range = 0..0;
        match &request.body {
            Some(body) if body.value().len() <= limit => {
                message::put_reply_front(&mut self.fronts, &request.id, body);
                // The offset counts from the front of the buffer.
                let at = usize::try_from(body.offset()).unwrap_or(usize::MAX);
                range = at..at + body.as_bytes().len();
            }
            Some(_) => message::put_refusal(&mut self.fronts, &request.id, "the body is too long"),
            None => message::put_refusal(&mut self.fronts, &request.id, "the request has no body"),
        }
        self.each.push(Reply { front: start..self.fronts.len(), body: range });
    }

    /// Puts each front into the read buffer right before its body, where the request's own front was, if it has the room.
    /// Replies of requests that stood in a row become one slice then, and one of a single slice leaves without the cost of a
    /// vectored write.
    fn place(&mut self, buffer: &mut [u8]) {
        // Bytes before belong to the reply before.
        let mut end = 0;
        for Reply { front, body } in &self.each {
            self.left += front.len() + body.len();
            if body.is_empty() {
                self.parts.push(Part { own: true, range: front.clone() });
                continue;
            }
            match body.start.checked_sub(front.len()).filter(|start| *start >= end) {
                Some(start) => {
                    buffer[start..body.start].copy_from_slice(&self.fronts[front.clone()]);
                    match self.parts.last_mut() {
                        Some(last) if !last.own && last.range.end == start => last.range.end = body.end,
                        _ => self.parts.push(Part { own: false, range: start..body.end }),
                    }
                }
                None => {
                    self.parts.push(Part { own: true, range: front.clone() });
                    self.parts.push(Part { own: false, range: body.clone() });
                }
            }
            end = body.end;
        }
    }

    /// The slices that are left to write.
    fn slices<'a>(&'a self, buffer: &'a [u8], most: usize) -> Vec<IoSlice<'a>> {
        let mut skip = self.written;
        let slice = |part: &Part| {
            let from = if part.own { &self.fronts } else { buffer };
            IoSlice::new(&from[part.range.start + std::mem::take(&mut skip)..part.range.end])
        };
        self.parts.iter().skip(self.part).take(most).map(slice).collect()
    }

    fn advance(&mut self, bytes: usize) {
        self.left -= bytes;
        self.written += bytes;
        while let Some(part) = self.parts.get(self.part).filter(|part| self.written >= part.range.len()) {
            self.written -= part.range.len();
            self.part += 1;
        }
    }

    /// Writes what is left.
    fn poll_write<S: AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        buffer: &[u8],
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        let most = if stream.is_write_vectored() { SLICES } else { 1 };
        while self.left > 0 {
            let slices = self.slices(buffer, most);
            let stream = Pin::new(&mut *stream);
            let wrote = match &slices[..] {
                [one] => stream.poll_write(cx, one),
                all => stream.poll_write_vectored(cx, all),
            };
            match ready!(wrote)? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                bytes => self.advance(bytes),
            }
        }
        Pin::new(stream).poll_flush(cx)
    }
}

/// One connection; a future that ends with it.
pub struct Connection<S> {
    stream: S,
    limits: Arc<Limits>,
    counts: Arc<Counts>,
    /// The packet that the last read cut.
    held: Vec<u8>,
    /// Bytes of the connection before `held`.
    offset: u64,
    /// Replies that the peer did not take in their turn, with the read buffer that they borrow from.
    waiting: Option<(Vec<u8>, Replies)>,
    /// The peer has closed its side.
    ended: bool,
    answered: u64,
    clock: Interval,
    answered_before: u64,
    /// Ticks in a row without an answer: with work to do, and without.
    stuck: u32,
    idle: u32,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    pub fn new(stream: S, limits: Arc<Limits>, counts: Arc<Counts>) -> Self {
        let mut clock = interval_at(Instant::now() + limits.timeout, limits.timeout);
        clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            stream,
            limits,
            counts,
            held: Vec::new(),
            offset: 0,
            waiting: None,
            ended: false,
            answered: 0,
            clock,
            answered_before: 0,
            stuck: 0,
            idle: 0,
        }
    }

    fn count(&mut self, replies: usize) {
        self.answered += replies as u64;
        self.counts.requests.fetch_add(replies as u64, Relaxed);
    }

    /// Writes replies that wait for the peer.
    fn poll_waiting(&mut self, cx: &mut Context<'_>) -> Result<(), Refusal> {
        let Some((buffer, replies)) = &mut self.waiting else { return Ok(()) };
        if replies.poll_write(&mut self.stream, buffer, cx)?.is_ready() {
            let count = replies.each.len();
            self.count(count);
            let buffer = self.waiting.take().map_or_else(Vec::new, |(buffer, _)| buffer);
            SCRATCH.with_borrow_mut(|scratch| scratch.give_back(buffer));
        }
        Ok(())
    }

    /// One read, and the replies to what it brought.
    fn poll_turn(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Refusal>> {
        if self.held.len() > READ / 2 {
            // A long packet grows in a buffer of its own, and is not copied from turn to turn.
            self.held.reserve(READ);
            let read = ready!(pin!(self.stream.read_buf(&mut self.held)).poll(cx))?;
            let mut buffer = std::mem::take(&mut self.held);
            let end = buffer.len();
            return Poll::Ready(self.reply(read, &mut buffer, end, &mut Replies::default(), cx));
        }
        SCRATCH.with_borrow_mut(|scratch| {
            scratch.fill();
            let start = self.held.len();
            let mut room = ReadBuf::new(&mut scratch.buffer[start..]);
            ready!(Pin::new(&mut self.stream).poll_read(cx, &mut room))?;
            let read = room.filled().len();
            scratch.buffer[..start].copy_from_slice(&self.held);
            self.held.clear();
            Poll::Ready(self.reply(read, &mut scratch.buffer, start + read, &mut scratch.replies, cx))
        })
    }

    /// Replies to the requests in `buffer[..end]`; the last `read` bytes are new.
    fn reply(
        &mut self,
        read: usize,
        buffer: &mut Vec<u8>,
        end: usize,
        replies: &mut Replies,
        cx: &mut Context<'_>,
    ) -> Result<(), Refusal> {
        if read == 0 {
            self.ended = true;
            return if end == 0 { Ok(()) } else { Err(Refusal::Cut { bytes: end }) };
        }
        replies.clear();
        let mut messages = requests(&buffer[..end], self.offset, self.limits.body + AROUND_A_BODY);
        let fault = loop {
            match messages.next_message() {
                Ok(Some(request)) => replies.put(&request, self.limits.body),
                Ok(None) => break None,
                Err(fault) => break Some(fault),
            }
        };
        let used = messages.used();
        replies.place(&mut buffer[..used]);
        let filled = &buffer[..end];
        if let Some(fault) = fault {
            // What was asked before gets its reply, if the peer takes it at once.
            let _ = replies.poll_write(&mut self.stream, filled, cx)?;
            return Err(fault.into());
        }
        if used == 0 && end > READ / 2 {
            // Still one long packet. The buffer of the thread is copied once, at the change.
            if buffer.len() == end {
                self.held = std::mem::take(buffer);
            } else {
                self.held.extend_from_slice(&buffer[..end]);
            }
            return Ok(());
        }
        self.held.extend_from_slice(&filled[used..]);
        self.offset += used as u64;
        if replies.each.is_empty() {
            return Ok(());
        }
        if replies.poll_write(&mut self.stream, filled, cx)?.is_ready() {
            self.count(replies.each.len());
        } else {
            self.waiting = Some((std::mem::take(buffer), std::mem::take(replies)));
        }
        Ok(())
    }

    /// Looks whether the connection goes on, once in each time-out.
    fn check(&mut self) -> Result<(), Refusal> {
        let busy = self.waiting.is_some() || !self.held.is_empty();
        let stands = self.answered == self.answered_before;
        self.answered_before = self.answered;
        self.stuck = if stands && busy { self.stuck + 1 } else { 0 };
        self.idle = if stands && !busy { self.idle + 1 } else { 0 };
        // One tick may come right after the first byte of a request; between two there is a whole time-out.
        match (self.stuck, self.idle) {
            (2.., _) if self.waiting.is_some() => Err(Refusal::Deaf),
            (2.., _) => Err(Refusal::Slow { bytes: self.held.len() }),
            (_, idle) if idle > self.limits.idle => Err(Refusal::Idle),
            _ => Ok(()),
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Future for Connection<S> {
    type Output = Result<(), Refusal>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        loop {
            this.poll_waiting(cx)?;
            if this.waiting.is_none() && !this.ended && this.poll_turn(cx)?.is_ready() {
                continue;
            }
            if this.ended && this.waiting.is_none() {
                return Poll::Ready(Ok(()));
            }
            if this.clock.poll_tick(cx).is_pending() {
                return Poll::Pending;
            }
            this.check()?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gateway::message::put_request;

    fn replies_to(buffer: &mut [u8]) -> Replies {
        let (mut replies, mut messages) = (Replies::default(), requests(buffer, 0, 1 << 20));
        while let Some(request) = messages.next_message().unwrap() {
            replies.put(&request, 1 << 14);
        }
        replies.place(buffer);
        replies
    }

    /// What is written, and how many bytes of it are in the read buffer.
    fn written(buffer: &mut [u8]) -> (Vec<u8>, usize, usize) {
        let replies = replies_to(buffer);
        let slices = replies.slices(buffer, SLICES);
        let inside = |slice: &&IoSlice<'_>| buffer.as_ptr_range().contains(&slice.as_ptr());
        let borrowed = slices.iter().filter(inside).map(|slice| slice.len()).sum();
        (slices.iter().flat_map(|slice| slice.to_vec()).collect(), borrowed, slices.len())
    }

    fn reply(id: u64, body: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let put = y3::Encoder::new(&mut out).node(message::REPLY, |node| {
            node.put(message::ID, id)?;
            node.put(message::BODY, body)
        });
        put.unwrap();
        out
    }

    #[test]
    fn replies_to_requests_in_a_row_are_one_slice_of_the_read_buffer() {
        let mut buffer = Vec::new();
        (0..10).for_each(|id| put_request(&mut buffer, id, &[7; 1000]));
        let expected: Vec<u8> = (0..10).flat_map(|id| reply(id, &[7; 1000])).collect();
        let len = expected.len();
        assert!(written(&mut buffer) == (expected, len, 1));
    }

    #[test]
    fn a_reply_without_room_before_its_body_and_a_refusal_have_slices_of_their_own() {
        let request = |children: &[u8]| [&[0x81, children.len() as u8], children].concat();
        // The body before the id, first in the buffer: no room for the reply's front. Then one whose body is too long, one without,
        // and one with a packet between id and body that its reply does not have.
        let first = request(&[0x11, 0x01, b'a', 0x10, 0x01, 0x05]);
        let mut buffer = first.clone();
        put_request(&mut buffer, 6, &[7; (1 << 14) + 1]);
        buffer.extend(request(&[0x10, 0x01, 0x07]));
        buffer.extend(request(&[0x10, 0x01, 0x08, 0x12, 0x02, 0x00, 0x00, 0x11, 0x01, b'b']));
        // Room that the request before leaves, whose body is not its last packet.
        buffer.extend(&first);
        let (all, ..) = written(&mut buffer.clone());
        let mut expected = reply(5, b"a");
        for (id, why) in [(6, "the body is too long"), (7, "the request has no body")] {
            let id = [message::ID, 0x01, id];
            message::put_refusal(&mut expected, &y3::Packet::from_slice(&id).unwrap(), why);
        }
        expected.extend(reply(8, b"b"));
        expected.extend(reply(5, b"a"));
        assert_eq!(all, expected);
    }

    #[test]
    fn a_write_goes_on_after_any_number_of_bytes() {
        // A reply that begins without room, a refusal, and replies in a row: several slices.
        let mut buffer = vec![0x81, 0x05, 0x11, 0x00, 0x10, 0x01, 0x05, 0x81, 0x03, 0x10, 0x01, 0x07];
        [0, 1, 70, 9000].into_iter().for_each(|len| put_request(&mut buffer, len as u64, &vec![7; len]));
        let request = buffer.clone();
        let replies = replies_to(&mut buffer);
        let joined =
            |replies: &Replies, most| replies.slices(&buffer, most).iter().flat_map(|slice| slice.to_vec()).collect();
        let all: Vec<u8> = joined(&replies, SLICES);
        for step in [1, 2, 3, 7, 50, 4000, all.len()] {
            for most in [1, 2, SLICES] {
                let (mut replies, mut written) = (replies_to(&mut request.clone()), Vec::new());
                while replies.left > 0 {
                    let next: Vec<u8> = joined(&replies, most);
                    let taken = step.min(next.len());
                    written.extend_from_slice(&next[..taken]);
                    replies.advance(taken);
                }
                assert!(written == all, "steps of {step}, at most {most} slices");
            }
        }
    }
}
