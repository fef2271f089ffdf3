//! Link: many callers on one connection; replies are matched by their id.
//!
//! In: bodies of callers. Out: their replies, in any order. Requests of all callers that run in one turn of the event loop leave in
//! one write.

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
/// Low bits of an id: the caller. The bits above count calls, so that a late reply is not taken for the next one.
const CALLER_BITS: u32 = 16;
/// Looks for late replies happen this often in a time-out.
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
    /// Requests that wait for the writer.
    out: Vec<u8>,
    writer: Option<Waker>,
    slots: Slab<Slot>,
    over: Option<CallError>,
    tick: u32,
    /// Calls of all callers: an id is not used again.
    calls: u64,
}

/// A caller's place: the request on its way, and its reply.
#[derive(Debug, Default)]
struct Slot {
    /// The id of the reply that it waits for.
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
        // A reply that nobody waits for any more is dropped.
        self.slots.get_mut(index).filter(|slot| slot.waits == Some(id))
    }

    /// Queues a caller's request.
    fn request<P: Protocol>(&mut self, index: usize, body: &[u8]) {
        // Wraps after 2^46 calls, and an id stays positive.
        self.calls = (self.calls + 1) & ((1 << 46) - 1);
        let id = self.calls << CALLER_BITS | index as u64;
        let slot = &mut self.slots[index];
        (slot.waits, slot.since, slot.reply) = (Some(id), self.tick, None);
        P::request(&mut self.out, id, body);
        if let Some(writer) = self.writer.take() {
            writer.wake();
        }
    }

    /// Ends the link: every waiting caller learns why.
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
    /// A link over the two directions of a connection; a call fails after `timeout`, at most a quarter later.
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

    /// A new caller; `None` if 65,536 are there.
    pub fn caller(&self) -> Option<Caller<P>> {
        let slots = &mut lock(&self.shared).slots;
        let slot = (slots.len() < 1 << CALLER_BITS).then(|| slots.insert(Slot::default()))?;
        Some(Caller { shared: Arc::clone(&self.shared), slot, protocol: PhantomData })
    }
}

/// One caller of a link, with at most one request on its way.
#[derive(Debug)]
pub struct Caller<P> {
    shared: Arc<Mutex<Shared>>,
    slot: usize,
    protocol: PhantomData<P>,
}

impl<P: Protocol> Caller<P> {
    /// Sends a request and waits for its reply, which borrows the read buffer. A call that is dropped is forgotten: its
    /// late reply goes to nobody.
    ///
    /// # Errors
    /// A time-out, the server's refusal, or the end of the connection.
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

/// Writes what callers left in `out`, all of it at once.
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

/// Hands replies to their callers.
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
            Err(why) => break CallError::Closed(format!("the peer speaks something else: {why}").into()),
        };
        base += used as u64;
        hand_out(&shared, &mut replies, &buffer.split_to(used).freeze());
        // Callers take their replies before the next read, which then finds this buffer free.
        tokio::task::yield_now().await;
    };
    lock(&shared).end(&error);
}

/// Gives each caller the reply that it waits for, borrowed from the chunk.
fn hand_out(shared: &Mutex<Shared>, replies: &mut Vec<Reply>, chunk: &Bytes) {
    let mut shared = lock(shared);
    for (id, reply) in replies.drain(..) {
        if let Some(slot) = shared.slot_of(id) {
            slot.answer(reply.map(|body| chunk.slice(body)).map_err(CallError::Refused));
        }
    }
}

/// Ends calls without a reply in time. One clock for all callers: a timer for each call would cost more than the call.
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
