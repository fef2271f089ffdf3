//! One connection of the server. In a turn, it reads once, and sends the replies to all requests of this read in one
//! write. Each reply is written over its request in the read buffer, and mostly the body is not moved.
//!
//! All connections of a thread share the read buffer. Between turns, a connection stores only the bytes of an
//! incomplete packet and the replies that its peer has not read, so an idle connection takes little memory.

use std::cell::RefCell;
use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use super::limits::{Counts, Limits};
use gateway::message::{AROUND_A_BODY, Fault, put_refusal, put_reply_front, requests};
use gateway::refusal::Refusal;

/// The maximum size of a read in bytes.
const READ: usize = 256 << 10;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = RefCell::new(vec![0; READ]);
}

/// The result of replacing the requests at the front of a buffer.
#[derive(Debug, Default)]
struct Replies {
    /// `used` is the length of the complete requests, and `len` is the length of the replies that replace them.
    used: usize,
    len: usize,
    /// Replies to refused requests.
    refusals: Vec<u8>,
    count: u64,
    /// Set if the next bytes are not a request.
    fault: Option<Fault>,
}

/// Replaces the requests at the front of a buffer by their replies. A reply contains some packets of its request, so it
/// is not longer than the request.
fn replace(buffer: &mut [u8], base: u64, limit: usize) -> Replies {
    let (mut replies, mut fronts, mut each) = (Replies::default(), Vec::new(), Vec::new());
    let mut messages = requests(buffer, base, limit + AROUND_A_BODY);
    loop {
        let request = match messages.next_message() {
            Ok(Some(request)) => request,
            Ok(None) => break,
            Err(fault) => {
                replies.fault = Some(fault);
                break;
            }
        };
        replies.count += 1;
        match &request.body {
            Some(body) if body.value().len() <= limit => {
                let start = fronts.len();
                put_reply_front(&mut fronts, &request.id, body);
                // The offset is relative to the buffer.
                let at = usize::try_from(body.offset()).unwrap_or(usize::MAX);
                each.push((start..fronts.len(), at..at + body.as_bytes().len()));
            }
            Some(_) => put_refusal(&mut replies.refusals, &request.id, "the body is too long"),
            None => put_refusal(&mut replies.refusals, &request.id, "the request has no body"),
        }
    }
    replies.used = messages.used();
    for (front, body) in each {
        let (len, start) = (replies.len, replies.len + front.len());
        replies.len = start + body.len();
        if start != body.start {
            buffer.copy_within(body, start);
        }
        buffer[len..start].copy_from_slice(&fronts[front]);
    }
    replies
}

/// A connection. It is a future that ends when the connection ends.
pub struct Connection<S> {
    stream: S,
    limits: Arc<Limits>,
    counts: Arc<Counts>,
    /// The incomplete packet at the end of the last read.
    held: Vec<u8>,
    /// The offset of `held` in the connection.
    offset: u64,
    /// Bytes that the peer has not read in their turn, how many of them were written since, and the number of replies
    /// in them.
    waiting: Vec<u8>,
    written: usize,
    replies: u64,
    /// The peer has closed its side.
    ended: bool,
    answered: u64,
    clock: Interval,
    answered_before: u64,
    /// The number of ticks in a row without a reply: `stuck` while there is work to do, `idle` otherwise.
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
            waiting: Vec::new(),
            written: 0,
            replies: 0,
            ended: false,
            answered: 0,
            clock,
            answered_before: 0,
            stuck: 0,
            idle: 0,
        }
    }

    /// Writes waiting replies. Ready when all are written, and counts them.
    fn poll_written(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Refusal>> {
        if !self.waiting.is_empty() {
            while let Some(rest @ [_, ..]) = self.waiting.get(self.written..) {
                self.written += ready!(pin!(self.stream.write(rest)).poll(cx))?;
            }
            (self.waiting, self.written) = (Vec::new(), 0);
        }
        ready!(Pin::new(&mut self.stream).poll_flush(cx))?;
        self.answered += self.replies;
        self.counts.requests.fetch_add(std::mem::take(&mut self.replies), Relaxed);
        Poll::Ready(Ok(()))
    }

    /// Reads once, and replies to the requests.
    fn poll_turn(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Refusal>> {
        if self.held.len() > READ / 2 {
            // A long packet is collected in its own buffer, so it is not copied in each turn.
            self.held.reserve(READ);
            let read = ready!(pin!(self.stream.read_buf(&mut self.held)).poll(cx))?;
            let mut buffer = std::mem::take(&mut self.held);
            let used = self.reply(read, &mut buffer, cx)?;
            self.held = if used == 0 { buffer } else { buffer[used..].to_vec() };
            return Poll::Ready(Ok(()));
        }
        BUFFER.with_borrow_mut(|buffer| {
            let start = self.held.len();
            let mut room = ReadBuf::new(&mut buffer[start..]);
            ready!(Pin::new(&mut self.stream).poll_read(cx, &mut room))?;
            let read = room.filled().len();
            buffer[..start].copy_from_slice(&self.held);
            let used = self.reply(read, &mut buffer[..start + read], cx)?;
            self.held.clear();
            self.held.extend_from_slice(&buffer[used..start + read]);
            Poll::Ready(Ok(()))
        })
    }

    /// Replies to the requests in a buffer, and returns the length of these requests. The last `read` bytes of the
    /// buffer are new.
    fn reply(&mut self, read: usize, buffer: &mut [u8], cx: &mut Context<'_>) -> Result<usize, Refusal> {
        if read == 0 {
            self.ended = true;
            return if buffer.is_empty() { Ok(0) } else { Err(Refusal::Cut { bytes: buffer.len() }) };
        }
        let replies = replace(buffer, self.offset, self.limits.body);
        self.offset += replies.used as u64;
        self.replies += replies.count;
        self.send(&buffer[..replies.len], cx)?;
        self.send(&replies.refusals, cx)?;
        // Earlier requests have their replies by now, if the peer reads.
        replies.fault.map_or(Ok(replies.used), |fault| Err(fault.into()))
    }

    /// Writes bytes after the waiting bytes. Stores the bytes that cannot be written yet.
    fn send(&mut self, mut bytes: &[u8], cx: &mut Context<'_>) -> io::Result<()> {
        while self.waiting.is_empty() && !bytes.is_empty() {
            match Pin::new(&mut self.stream).poll_write(cx, bytes)? {
                Poll::Ready(0) => return Err(io::ErrorKind::WriteZero.into()),
                Poll::Ready(written) => bytes = &bytes[written..],
                Poll::Pending => break,
            }
        }
        self.waiting.extend_from_slice(bytes);
        Ok(())
    }

    /// Checks at each tick whether the connection may stay open.
    fn check(&mut self) -> Result<(), Refusal> {
        let busy = !self.waiting.is_empty() || !self.held.is_empty();
        let stands = self.answered == self.answered_before;
        self.answered_before = self.answered;
        self.stuck = if stands && busy { self.stuck + 1 } else { 0 };
        self.idle = if stands && !busy { self.idle + 1 } else { 0 };
        // The first tick may come right after the first byte of a request. Between two ticks, there is a whole
        // time-out.
        match (self.stuck, self.idle) {
            (2.., _) if !self.waiting.is_empty() => Err(Refusal::Deaf),
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
            let is_written = this.poll_written(cx)?.is_ready();
            if is_written && this.ended {
                return Poll::Ready(Ok(()));
            }
            if is_written && this.poll_turn(cx)?.is_ready() {
                continue;
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
    use gateway::message::{self, put_request};

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
    fn replies_take_the_place_of_requests_whatever_stands_in_them_and_refusals_follow() {
        let request = |children: &[u8]| [&[0x81, children.len() as u8], children].concat();
        // The body is before the id, at the front of the buffer, so the reply's header overwrites a part of the
        // request's body.
        let first = request(&[0x11, 0x01, b'a', 0x10, 0x01, 0x05]);
        let mut buffer = first.clone();
        put_request(&mut buffer, 6, &[7; (1 << 14) + 1]);
        buffer.extend(request(&[0x10, 0x01, 0x07]));
        // A packet between id and body and a packet after the body are not part of the reply.
        buffer.extend(request(&[0x10, 0x01, 0x08, 0x12, 0x02, 0x00, 0x00, 0x11, 0x01, b'b', 0x13, 0x00]));
        buffer.extend(&first);
        (9..20).for_each(|id| put_request(&mut buffer, id, &[7; 1000]));
        let used = buffer.len();
        buffer.push(message::REPLY);
        let replies = replace(&mut buffer, 1000, 1 << 14);
        let mut expected = [reply(5, b"a"), reply(8, b"b"), reply(5, b"a")].concat();
        expected.extend((9..20).flat_map(|id| reply(id, &[7; 1000])));
        assert_eq!(buffer[..replies.len], expected);
        let mut refusals = Vec::new();
        for (id, why) in [(6, "the body is too long"), (7, "the request has no body")] {
            let id = [message::ID, 0x01, id];
            message::put_refusal(&mut refusals, &y3::Packet::from_slice(&id).unwrap(), why);
        }
        assert_eq!((replies.used, replies.count, replies.refusals), (used, 16, refusals));
        let offset = 1000 + used as u64;
        assert_eq!(replies.fault, Some(Fault::Other { tag: message::REPLY, offset }));
    }
}
