//! Backend: one backend's connection, connected again whenever it breaks.
//!
//! In: an upstream with requests. Out: replies to the clients, each under the id that its client gave.

use std::cell::Cell;
use std::future::poll_fn;
use std::io;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::net::TcpStream;
use tracing::{info, warn};
use y3::edit::{Edit, Rule};
use y3::path;

use crate::batch::Batch;
use crate::hub::{Hub, REPLIES};
use crate::input::{Chunk, Input};
use crate::message::{REPLY, replies};
use crate::peer::Peer;
use crate::upstream::{Status, Upstream};

/// Reads before others have their turn.
const TURNS: usize = 8;
const NODE: u8 = 0x80;
/// A reply's id is the proxy's own.
const ANONYMOUS: Edit<'static> = Edit::from_rules(&[Rule::remove(path!(0x10))]);
/// Pauses between attempts to connect.
const PAUSES: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(2));

thread_local! {
    /// Connections are counted, so that a reply of an earlier one is nobody's.
    static NUMBER: Cell<u64> = const { Cell::new(1) };
}

/// Keeps the connection until no policy names the backend and all its calls have ended.
pub async fn run(upstream: Rc<Upstream>, hub: Rc<Hub>) {
    let address = upstream.address;
    let mut pause = PAUSES.0;
    let mut told = false;
    loop {
        match connect(&upstream, &hub).await {
            Ok(stream) => {
                info!(%address, "backend connected");
                (pause, told) = (PAUSES.0, false);
                upstream.number.set(NUMBER.replace(NUMBER.get() + 1));
                *upstream.stream.borrow_mut() = Some(stream);
                upstream.still.set(0);
                upstream.silent.set(false);
                upstream.broken.take();
                upstream.status.set(Status::Up);
                upstream.up.set(1);
                upstream.go_on();
                let mut input = Input::default();
                let why = poll_fn(|cx| poll(&upstream, &hub, &mut input, cx)).await;
                // Clients wait for the first attempt to connect again.
                upstream.status.set(Status::Connecting);
                upstream.up.set(0);
                let lost = fail(&upstream, &hub);
                let Err(why) = why else { return info!(%address, "backend retired") };
                warn!(%address, %why, lost, "backend lost");
            }
            Err(error) => {
                upstream.status.set(Status::Down);
                upstream.go_on();
                if !std::mem::replace(&mut told, true) {
                    warn!(%address, %error, "backend not reachable; tried again until it is");
                }
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(PAUSES.1);
            }
        }
        if upstream.retired.get() {
            upstream.status.set(Status::Down);
            return upstream.go_on();
        }
    }
}

async fn connect(upstream: &Upstream, hub: &Hub) -> io::Result<TcpStream> {
    let stream = tokio::time::timeout(PAUSES.1, TcpStream::connect(upstream.address)).await??;
    hub.limits.set_on(&stream, 0)?;
    Ok(stream)
}

/// Ends the connection and refuses its calls: whether the backend has done them is not known.
fn fail(upstream: &Rc<Upstream>, hub: &Hub) -> u64 {
    *upstream.stream.borrow_mut() = None;
    upstream.pending.take();
    upstream.batch.borrow_mut().clear();
    let lost = hub.give_up(|call| Rc::ptr_eq(&call.upstream, upstream), "the connection to the backend broke");
    hub.metrics.lost.inc_by(lost);
    lost
}

/// Ready with `Ok` when the backend is retired and done.
fn poll(upstream: &Rc<Upstream>, hub: &Hub, input: &mut Input, cx: &mut Context<'_>) -> Poll<Result<(), String>> {
    if !upstream.waker.borrow().as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
        *upstream.waker.borrow_mut() = Some(cx.waker().clone());
    }
    for _ in 0..TURNS {
        if let Some(error) = upstream.broken.take() {
            return Poll::Ready(Err(error.to_string()));
        }
        if upstream.silent.take() {
            return Poll::Ready(Err("it sends nothing while requests wait".to_owned()));
        }
        write(upstream, cx).map_err(|error| error.to_string())?;
        if upstream.retired.get() && upstream.in_flight.get() == 0 {
            return Poll::Ready(Ok(()));
        }
        ready!(turn(upstream, hub, input, cx))?;
    }
    cx.waker().wake_by_ref();
    Poll::Pending
}

/// Writes requests that wait, as far as the backend takes them now.
fn write(upstream: &Upstream, cx: &mut Context<'_>) -> io::Result<()> {
    let mut pending = upstream.pending.borrow_mut();
    if pending.is_empty() {
        return Ok(());
    }
    let stream = upstream.stream.borrow();
    let Some(stream) = &*stream else { return Ok(()) };
    let mut written = 0;
    while written < pending.len() && stream.poll_write_ready(cx)?.is_ready() {
        match stream.try_write(&pending[written..]) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(bytes) => written += bytes,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    pending.drain(..written);
    if pending.is_empty() {
        drop(pending);
        upstream.go_on();
    }
    Ok(())
}

/// One read, and the replies in it.
fn turn(upstream: &Rc<Upstream>, hub: &Hub, input: &mut Input, cx: &mut Context<'_>) -> Poll<Result<(), String>> {
    let stream = upstream.stream.borrow();
    let Some(stream) = &*stream else { return Poll::Ready(Err("no connection".to_owned())) };
    ready!(stream.poll_read_ready(cx)).map_err(|error| error.to_string())?;
    let mut buffers = hub.replies.borrow_mut();
    let (bytes, batch) = &mut *buffers;
    if bytes.is_empty() {
        *bytes = vec![0; REPLIES];
    }
    let chunk = match input.next(stream, bytes, 0) {
        Ok(chunk) => chunk,
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Poll::Ready(Ok(())),
        Err(error) => return Poll::Ready(Err(error.to_string())),
    };
    upstream.moved.set(true);
    let (used, fault) = match &chunk {
        Chunk::Ended => return Poll::Ready(Err("it closed the connection".to_owned())),
        Chunk::Shared(range) => deliver(upstream, hub, batch, &bytes[range.clone()], input.offset),
        Chunk::Held => deliver(upstream, hub, batch, input.held(), input.offset),
    };
    if let Some(fault) = fault {
        return Poll::Ready(Err(fault));
    }
    match chunk {
        Chunk::Shared(range) => input.keep(&bytes[used..range.end], used),
        _ => input.used(used),
    }
    Poll::Ready(Ok(()))
}

/// Sends the whole replies of a buffer to their clients. Returns how many bytes they have, and why there can be no more.
fn deliver(
    upstream: &Rc<Upstream>,
    hub: &Hub,
    batch: &mut Batch,
    source: &[u8],
    offset: u64,
) -> (usize, Option<String>) {
    let mut messages = replies(source, offset, hub.limits.packet);
    // The replies in a row that go to one client leave in one write.
    let mut last: Option<Rc<Peer>> = None;
    let mut next = |last: &mut Option<Rc<Peer>>| -> Result<bool, String> {
        let Some(message) = messages.next_message().map_err(|fault| fault.to_string())? else { return Ok(false) };
        let number = message.id.decode().map_err(|error| error.to_string())?;
        let Some(call) = hub.calls.borrow_mut().end(number, upstream) else {
            hub.metrics.late.inc();
            return Ok(true);
        };
        hub.ended(&call);
        if let Some(before) = last.take_if(|before| !Rc::ptr_eq(before, &call.peer)) {
            before.deliver(batch, source, hub.limits.unread);
            batch.clear();
        }
        let content = message.packet.value();
        match batch.message(NODE | REPLY, &call.id, source, content, &ANONYMOUS, &[]) {
            Ok(()) => upstream.replies.inc(),
            Err(error) => {
                call.peer.refuse(&call.id, "the reply is not a message");
                return Err(error.to_string());
            }
        };
        *last = Some(call.peer);
        Ok(true)
    };
    let fault = loop {
        match next(&mut last) {
            Ok(true) => {}
            Ok(false) => break None,
            Err(fault) => break Some(fault),
        }
    };
    let used = messages.used();
    if let Some(last) = last {
        last.deliver(batch, source, hub.limits.unread);
        batch.clear();
    }
    (used, fault)
}
