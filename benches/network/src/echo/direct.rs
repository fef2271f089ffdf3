//! A connection with a single caller. Clients without multiplexing use a pool of such connections.

use std::future::{Future, poll_fn};
use std::marker::PhantomData;
use std::pin::pin;
use std::task::{Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use super::protocol::{CallError, Protocol, ended};

/// The number of clock ticks per time-out.
const TICKS: u32 = 4;

/// A connection with at most one request that has no reply yet.
pub struct Direct<P, S> {
    stream: S,
    /// The request to write. If its call was dropped, the next call writes the rest.
    out: Vec<u8>,
    written: usize,
    read: Vec<u8>,
    /// The length of the previous reply at the front of `read`.
    used: usize,
    base: u64,
    id: u64,
    clock: Interval,
    protocol: PhantomData<P>,
}

impl<P: Protocol, S: AsyncRead + AsyncWrite + Unpin> Direct<P, S> {
    /// Creates a caller for a stream. A call fails after `timeout`, or at most a quarter of `timeout` later.
    pub fn new(stream: S, timeout: Duration) -> Self {
        let period = timeout / TICKS;
        let mut clock = interval_at(Instant::now() + period, period);
        clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            stream,
            out: Vec::new(),
            written: 0,
            read: Vec::new(),
            used: 0,
            base: 0,
            id: 0,
            clock,
            protocol: PhantomData,
        }
    }

    /// Sends a request and waits for its reply. A call can be dropped: the next call writes the rest of its request and
    /// skips its reply.
    ///
    /// # Errors
    /// Returns an error if the time is over, the server refuses the request, or the connection ends.
    pub async fn call(&mut self, body: &[u8]) -> Result<&[u8], CallError> {
        self.id += 1;
        P::request(&mut self.out, self.id, body);
        self.read.reserve(self.out.len());
        let mut ticks = 0;
        let range = poll_fn(|cx| {
            loop {
                if let Poll::Ready(done) = self.poll(cx) {
                    return Poll::Ready(done);
                }
                ready!(self.clock.poll_tick(cx));
                ticks += 1;
                if ticks > TICKS {
                    return Poll::Ready(Err(CallError::TimedOut));
                }
            }
        })
        .await?;
        self.read.get(range).ok_or(CallError::Different)
    }

    fn poll(&mut self, cx: &mut std::task::Context<'_>) -> Poll<Result<std::ops::Range<usize>, CallError>> {
        while let Some(rest @ [_, ..]) = self.out.get(self.written..) {
            self.written += ready!(pin!(self.stream.write(rest)).poll(cx))?;
        }
        if self.written > 0 {
            ready!(pin!(self.stream.flush()).poll(cx))?;
            self.out.clear();
            self.written = 0;
        }
        loop {
            if self.used > 0 {
                self.read.drain(..std::mem::take(&mut self.used));
            }
            if ready!(pin!(self.stream.read_buf(&mut self.read)).poll(cx))? == 0 {
                return Poll::Ready(Err(ended()));
            }
            let mut found = None;
            let id = self.id;
            let used = P::replies(&self.read, self.base, |(of, reply)| {
                if of == id {
                    found = Some(reply);
                }
            });
            self.used =
                used.map_err(|why| CallError::Closed(format!("the peer uses another protocol: {why}").into()))?;
            self.base += self.used as u64;
            if let Some(reply) = found {
                return Poll::Ready(reply.map_err(CallError::Refused));
            }
        }
    }
}
