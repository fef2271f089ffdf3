//! Client: one client's connection, from readable bytes to requests in a backend's batch.
//!
//! In: a peer. Out: its requests, each under the policy of the turn that read it; the reason why the connection ended.

use std::future::poll_fn;
use std::io;
use std::rc::Rc;
use std::task::{Context, Poll, Waker, ready};

use crate::batch::Id;
use crate::hub::{Active, Hub};
use crate::input::{Chunk, Input};
use crate::message::{Fault, Message, REQUEST, requests};
use crate::peer::Peer;
use crate::refusal::Refusal;
use crate::upstream::Status;

/// Turns of a client before others have theirs.
const TURNS: usize = 8;
const NODE: u8 = 0x80;

/// Serves a client until its connection ends.
///
/// # Errors
/// Why the proxy ends it.
pub async fn serve(peer: Rc<Peer>, hub: Rc<Hub>) -> Result<(), Refusal> {
    let mut input = Input::default();
    let result = poll_fn(|cx| poll(&peer, &hub, &mut input, cx)).await;
    // Replies on their way find no stream.
    *peer.stream.borrow_mut() = None;
    result
}

fn poll(peer: &Rc<Peer>, hub: &Hub, input: &mut Input, cx: &mut Context<'_>) -> Poll<Result<(), Refusal>> {
    if !peer.waker.borrow().as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
        *peer.waker.borrow_mut() = Some(cx.waker().clone());
    }
    if peer.shrink.take() {
        input.shrink();
    }
    for _ in 0..TURNS {
        if let Some(why) = peer.over.borrow_mut().take() {
            return Poll::Ready(Err(why));
        }
        if !peer.out.borrow().is_empty() && !peer.write()? {
            let stream = peer.stream.borrow();
            let Some(stream) = &*stream else { return Poll::Ready(Ok(())) };
            ready!(stream.poll_write_ready(cx))?;
            continue;
        }
        if input.ended && !input.stopped {
            let over = peer.in_flight.get() == 0 && peer.out.borrow().is_empty();
            return match (input.held().len(), over) {
                (0, true) => Poll::Ready(Ok(())),
                (0, false) => Poll::Pending,
                (bytes, _) => Poll::Ready(Err(Refusal::Cut { bytes })),
            };
        }
        if peer.in_flight.get() >= hub.limits.in_flight || (hub.stopping.get() && !input.stopped) {
            return Poll::Pending;
        }
        ready!(turn(peer, hub, input, cx))?;
    }
    cx.waker().wake_by_ref();
    Poll::Pending
}

/// One read, and the requests in it. Pending if there is nothing to read, or no backend that takes what there is.
fn turn(peer: &Rc<Peer>, hub: &Hub, input: &mut Input, cx: &mut Context<'_>) -> Poll<Result<(), Refusal>> {
    let stream = peer.stream.borrow();
    let Some(stream) = &*stream else { return Poll::Ready(Ok(())) };
    if !input.stopped {
        ready!(stream.poll_read_ready(cx))?;
    }
    let (at, end) = if input.is_own() { (0, 0) } else { hub.room(input.held().len()) };
    let chunk = match input.next(stream, hub.requests.borrow_mut().bytes.get_mut(..end).unwrap_or_default(), at) {
        Ok(chunk) => chunk,
        // The readiness is cleared now: the waker is registered in the next turn.
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Poll::Ready(Ok(())),
        Err(error) => return Poll::Ready(Err(error.into())),
    };
    let active = hub.active();
    let turn = Turn { peer, hub, active: &active, waker: cx.waker() };
    let before = input.offset;
    let stopped = match chunk {
        Chunk::Ended => {
            peer.ended.set(true);
            false
        }
        Chunk::Shared(range) => {
            let mut buffers = hub.requests.borrow_mut();
            hub.metrics.read.inc_by(range.len() as u64);
            let done = turn.requests(&buffers.bytes, &buffers.bytes[range.clone()], input.offset);
            // What is forwarded stays until the flush, before a fault too.
            buffers.used = range.end;
            let (used, stopped) = done?;
            buffers.used = range.start + used;
            input.keep(&buffers.bytes[range.start + used..range.end], used);
            stopped
        }
        Chunk::Held => {
            // The batches borrow from one buffer at a time.
            hub.flush();
            let done = turn.requests(input.held(), input.held(), input.offset);
            hub.flush_from(input.held());
            let (used, stopped) = done?;
            input.used(used);
            stopped
        }
    };
    input.stopped = stopped;
    // A request that comes byte by byte does not move.
    if input.offset > before {
        peer.moved.set(true);
    }
    peer.begun.set(!input.held().is_empty() && !stopped);
    peer.held.set(input.held().len());
    if stopped { Poll::Pending } else { Poll::Ready(Ok(())) }
}

struct Turn<'a> {
    peer: &'a Rc<Peer>,
    hub: &'a Hub,
    active: &'a Active,
    waker: &'a Waker,
}

impl Turn<'_> {
    /// Forwards the requests in `bytes`, a part of `source`. Returns how many bytes they have, and whether one has to wait.
    fn requests(&self, source: &[u8], bytes: &[u8], offset: u64) -> Result<(usize, bool), Refusal> {
        let mut messages = requests(bytes, offset, self.hub.limits.packet);
        loop {
            let used = messages.used();
            if self.peer.in_flight.get() >= self.hub.limits.in_flight {
                // It is woken with the next reply.
                return Ok((used, used < bytes.len()));
            }
            match messages.next_message()? {
                None => return Ok((used, false)),
                Some(message) => {
                    if !self.request(source, &message, offset + used as u64)? {
                        return Ok((used, true));
                    }
                }
            }
        }
    }

    /// Forwards a request, or refuses it with a reply; `false` if it has to wait.
    #[inline]
    fn request(&self, source: &[u8], message: &Message<'_>, offset: u64) -> Result<bool, Refusal> {
        let id = Id::of(&message.id).ok_or(Fault::NoId { offset })?;
        let content = message.packet.value();
        let metrics = &self.hub.metrics;
        let rule = match self.active.policy.rule(content) {
            Ok(rule) => rule,
            Err(error) => {
                metrics.unsafe_.inc();
                self.peer.refuse(&id, &format!("not forwarded: {error} of the request's value"));
                return Ok(true);
            }
        };
        let Some(upstream) = rule.backend.and_then(|index| self.active.upstreams.get(index)) else {
            metrics.dropped.inc();
            self.peer.refuse(&id, &format!("dropped by the policy: {}", rule.name));
            return Ok(true);
        };
        if upstream.status.get() == Status::Down {
            metrics.unreachable.inc();
            self.peer.refuse(&id, "not forwarded: the backend is not reachable");
            return Ok(true);
        }
        if upstream.is_full() {
            upstream.wait(self.waker);
            return Ok(false);
        }
        let mut calls = self.hub.calls.borrow_mut();
        let Some(number) = calls.next() else {
            metrics.full.inc();
            self.peer.refuse(&id, "not forwarded: too many requests in flight");
            return Ok(true);
        };
        let mut batch = upstream.batch.borrow_mut();
        let first = batch.is_empty();
        match batch.message(NODE | REQUEST, &Id::new(number), source, content, &rule.edit, &rule.set) {
            Ok(()) => {}
            Err(error) => {
                metrics.unsafe_.inc();
                self.peer.refuse(&id, &format!("not forwarded: {error} of the request's value"));
                return Ok(true);
            }
        }
        calls.begin(number, self.peer, id, upstream, self.hub.tick.get());
        upstream.requests.inc();
        if rule.redacts {
            metrics.redacted.inc();
        }
        if first {
            self.hub.is_dirty(upstream);
        }
        Ok(true)
    }
}
