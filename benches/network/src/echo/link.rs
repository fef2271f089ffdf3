//! A connection for many callers. Replies may arrive in any order, and are matched by their id.
//!
//! All requests that callers send in the same turn of the event loop are sent in one write.

use std::future::poll_fn;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use slab::Slab;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::task::AbortHandle;

use super::protocol::{CallError, Protocol, Reply, ended};

const READ: usize = 256 << 10;
/// The low bits of an id are the caller's number. The other bits count calls, so a late reply is not returned to the
/// next call.
const CALLER_BITS: u32 = 16;
/// The number of checks for late replies per time-out.
const TICKS: u32 = 4;

/// A connection that callers share.
#[derive(Debug)]
pub struct Link<P> {
    shared: Arc<Mutex<Shared>>,
    tasks: [AbortHandle; 3],
    protocol: PhantomData<P>,
}

#[derive(Debug, Default)]
struct Shared {
    /// Requests that are not written yet.
    out: Vec<u8>,
    writer: Option<Waker>,
    slots: Slab<Slot>,
    over: Option<CallError>,
    tick: u32,
    /// The number of calls of all callers, so that each id is used once.
    calls: u64,
}

/// The state of a caller: its request and its reply.
#[derive(Debug, Default)]
struct Slot {
    /// The id of the reply that the caller waits for.
    waits: Option<u64>,
    reply: Option<Result<Bytes, CallError>>,
    waker: Option<Waker>,
    since: u32,
}

impl Slot {
    fn answer(&mut self, reply: Result<Bytes, CallError>) {
        self.waits = None;
        self.reply = Some(reply);
        if let Some(waker) = &self.waker {
            waker.wake_by_ref();
        }
    }
}

impl Shared {
    fn slot_of(&mut self, id: u64) -> Option<&mut Slot> {
        let index = usize::try_from(id & ((1 << CALLER_BITS) - 1)).ok()?;
        // Replies that nobody waits for are dropped.
        self.slots.get_mut(index).filter(|slot| slot.waits == Some(id))
    }

    /// Queues a caller's request.
    fn request<P: Protocol>(&mut self, index: usize, body: &[u8]) {
        // The counter wraps after 2^46 calls, which keeps ids positive.
        self.calls = (self.calls + 1) & ((1 << 46) - 1);
        let id = self.calls << CALLER_BITS | index as u64;
        let slot = &mut self.slots[index];
        (slot.waits, slot.since, slot.reply) = (Some(id), self.tick, None);
        P::request(&mut self.out, id, body);
        if let Some(writer) = self.writer.take() {
            writer.wake();
        }
    }

    /// Ends the link. Every waiting caller gets the reason.
    fn end(&mut self, error: &CallError) {
        if self.over.is_none() {
            self.over = Some(error.clone());
        }
        for (_, slot) in self.slots.iter_mut().filter(|(_, slot)| slot.waits.is_some()) {
            slot.answer(Err(error.clone()));
        }
        if let Some(writer) = self.writer.take() {
            writer.wake();
        }
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<P> Drop for Link<P> {
    fn drop(&mut self) {
        self.tasks.iter().for_each(AbortHandle::abort);
        lock(&self.shared).end(&CallError::Closed("the link was dropped".into()));
    }
}

impl<P: Protocol> Link<P> {
    /// Creates a link over the two directions of a connection. A call fails after `timeout`, or at most a quarter of
    /// `timeout` later.
    pub fn new(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        timeout: Duration,
    ) -> Self {
        let shared = Arc::new(Mutex::new(Shared::default()));
        let tasks = [
            tokio::spawn(read::<P>(reader, Arc::clone(&shared))).abort_handle(),
            tokio::spawn(write(writer, Arc::clone(&shared))).abort_handle(),
            tokio::spawn(watch(Arc::clone(&shared), timeout / TICKS)).abort_handle(),
        ];
        Self { shared, tasks, protocol: PhantomData }
    }

    /// Creates a caller, or returns `None` if the link has 65,536 callers.
    pub fn caller(&self) -> Option<Caller<P>> {
        let slots = &mut lock(&self.shared).slots;
        let slot = (slots.len() < 1 << CALLER_BITS).then(|| slots.insert(Slot::default()))?;
        Some(Caller { shared: Arc::clone(&self.shared), slot, protocol: PhantomData })
    }
}

/// A caller of a link, with at most one request that has no reply yet.
#[derive(Debug)]
pub struct Caller<P> {
    shared: Arc<Mutex<Shared>>,
    slot: usize,
    protocol: PhantomData<P>,
}

impl<P: Protocol> Caller<P> {
    /// Sends a request and waits for its reply, which borrows the read buffer. If the call is dropped, its reply is
    /// ignored.
    ///
    /// # Errors
    /// Returns an error if the time is over, the server refuses the request, or the connection ends.
    pub async fn call(&mut self, body: &[u8]) -> Result<Bytes, CallError> {
        {
            let mut shared = lock(&self.shared);
            if let Some(over) = &shared.over {
                return Err(over.clone());
            }
            shared.request::<P>(self.slot, body);
        }
        poll_fn(|cx| {
            let mut shared = lock(&self.shared);
            let slot = &mut shared.slots[self.slot];
            if let Some(reply) = slot.reply.take() {
                return Poll::Ready(reply);
            }
            if !slot.waker.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
                slot.waker = Some(cx.waker().clone());
            }
            Poll::Pending
        })
        .await
    }
}

impl<P> Drop for Caller<P> {
    fn drop(&mut self) {
        lock(&self.shared).slots.remove(self.slot);
    }
}

/// Writes all requests in `out` in one write.
async fn write(mut writer: impl AsyncWrite + Unpin, shared: Arc<Mutex<Shared>>) {
    let mut batch = Vec::new();
    loop {
        poll_fn(|cx| {
            let mut shared = lock(&shared);
            if shared.out.is_empty() && shared.over.is_none() {
                shared.writer = Some(cx.waker().clone());
                return Poll::Pending;
            }
            std::mem::swap(&mut shared.out, &mut batch);
            Poll::Ready(())
        })
        .await;
        if batch.is_empty() {
            return;
        }
        let written = async {
            writer.write_all(&batch).await?;
            writer.flush().await
        };
        if let Err(error) = written.await {
            return lock(&shared).end(&error.into());
        }
        batch.clear();
    }
}

/// Reads replies and passes them to their callers.
async fn read<P: Protocol>(mut reader: impl AsyncRead + Unpin, shared: Arc<Mutex<Shared>>) {
    let mut buffer = BytesMut::with_capacity(READ);
    let mut base = 0;
    let mut replies = Vec::new();
    let error = loop {
        if buffer.capacity() - buffer.len() < READ / 4 {
            buffer.reserve(READ);
        }
        match reader.read_buf(&mut buffer).await {
            Ok(0) => break ended(),
            Ok(_) => {}
            Err(error) => break error.into(),
        }
        let used = match P::replies(&buffer, base, |reply| replies.push(reply)) {
            Ok(used) => used,
            Err(why) => break CallError::Closed(format!("the peer uses another protocol: {why}").into()),
        };
        base += used as u64;
        hand_out(&shared, &mut replies, &buffer.split_to(used).freeze());
        // Callers take their replies before the next read, so the next read can reuse this buffer.
        tokio::task::yield_now().await;
    };
    lock(&shared).end(&error);
}

/// Passes each reply in the chunk to the caller that waits for it, without a copy.
fn hand_out(shared: &Mutex<Shared>, replies: &mut Vec<Reply>, chunk: &Bytes) {
    let mut shared = lock(shared);
    for (id, reply) in replies.drain(..) {
        if let Some(slot) = shared.slot_of(id) {
            slot.answer(reply.map(|body| chunk.slice(body)).map_err(CallError::Refused));
        }
    }
}

/// Ends calls whose reply is late. All callers share one clock, because a timer per call would cost more than the call.
async fn watch(shared: Arc<Mutex<Shared>>, period: Duration) {
    let mut clock = tokio::time::interval(period);
    loop {
        clock.tick().await;
        let mut shared = lock(&shared);
        shared.tick = shared.tick.wrapping_add(1);
        let now = shared.tick;
        let is_late = |slot: &Slot| slot.waits.is_some() && now.wrapping_sub(slot.since) > TICKS;
        for (_, slot) in shared.slots.iter_mut().filter(|(_, slot)| is_late(slot)) {
            slot.answer(Err(CallError::TimedOut));
        }
    }
}
