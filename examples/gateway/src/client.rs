//! Client: the connection of one client, from readable bytes to requests that wait for a backend.
//!
//! In: a peer. Out: its requests, each under the policy at the time of its read; the reason why the connection ended.

use std::rc::Rc;

use tokio::net::TcpStream;

use crate::connection::{readable, writable};
use crate::hub::Hub;
use crate::input::Input;
use crate::message::{Fault, Id, Message, REQUEST, put_edited, requests};
use crate::peer::Peer;
use crate::refusal::Refusal;
use crate::upstream::Status;

/// Serves a client until its connection ends.
pub async fn serve(stream: TcpStream, peer: Rc<Peer>, hub: Rc<Hub>) -> Result<(), Refusal> {
    let stream = peer.connection.open(stream);
    let result = turns(&stream, &peer, &hub).await;
    // Replies on their way find no stream.
    peer.connection.close();
    result
}

async fn turns(stream: &TcpStream, peer: &Rc<Peer>, hub: &Hub) -> Result<(), Refusal> {
    let (connection, mut input) = (&peer.connection, Input::default());
    loop {
        if let Some(why) = peer.over.take() {
            return Err(why);
        }
        if connection.flush()? > 0 {
            connection.moved.set(true);
        }
        if peer.shrink.take() {
            input.shrink();
            connection.out.borrow_mut().shrink_to_fit();
        }
        let unread = connection.has_unwritten();
        let takes = !unread && connection.in_flight.get() < hub.limits.in_flight;
        let before = input.offset;
        if input.stopped && takes {
            input.again(|bytes, offset| forward(peer, hub, bytes, offset))?;
        }
        if input.ended && !input.stopped {
            peer.ended.set(true);
            match input.held().len() {
                0 if connection.in_flight.get() == 0 && !connection.has_unwritten() => return Ok(()),
                0 => {}
                bytes => return Err(Refusal::Cut { bytes }),
            }
        }
        let reads = takes && !input.stopped && !input.ended;
        tokio::select! {
            () = connection.news.notified() => {}
            ready = writable(stream), if unread => ready?,
            ready = readable(stream), if reads => {
                ready?;
                if hub.stopping.get() {
                    continue;
                }
                let shared = &mut hub.shared.borrow_mut();
                let read = input.read(stream, shared, |bytes, offset| forward(peer, hub, bytes, offset))?;
                hub.metrics.read.inc_by(read as u64);
            }
        }
        // A request that comes byte by byte does not move.
        if input.offset > before {
            connection.moved.set(true);
        }
        peer.begun.set(Some(input.held().len()).filter(|len| *len > 0 && !input.stopped));
    }
}

/// Forwards the requests in `bytes`. Returns their number of bytes, and whether a request has to wait.
fn forward(peer: &Rc<Peer>, hub: &Hub, bytes: &[u8], offset: u64) -> Result<(usize, bool), Refusal> {
    let mut messages = requests(bytes, offset, hub.limits.packet);
    loop {
        let used = messages.used();
        if peer.connection.in_flight.get() >= hub.limits.in_flight {
            // It is told of the next reply.
            return Ok((used, used < bytes.len()));
        }
        let Some(message) = messages.next_message()? else { return Ok((used, false)) };
        let id = Id::of(&message.id).ok_or(Fault::NoId { offset: offset + used as u64 })?;
        match request(peer, hub, &id, &message) {
            Ok(true) => {}
            Ok(false) => return Ok((used, true)),
            Err(why) => peer.refuse(&id, &why),
        }
    }
}

/// Forwards a request. Returns `false` if it has to wait, or the reason why it is refused.
fn request(peer: &Rc<Peer>, hub: &Hub, id: &Id, message: &Message<'_>) -> Result<bool, String> {
    let (active, metrics, content) = (hub.active(), &hub.metrics, message.packet.value());
    let unsafe_ = |error: y3::Error| {
        metrics.unsafe_.inc();
        format!("not forwarded: {error} of the request's value")
    };
    let rule = active.policy.rule(content).map_err(unsafe_)?;
    let Some(upstream) = rule.backend.and_then(|index| active.upstreams.get(index)) else {
        metrics.dropped.inc();
        return Err(format!("dropped by the policy: {}", rule.name));
    };
    if upstream.status.get() == Status::Down {
        metrics.unreachable.inc();
        return Err("not forwarded: the backend is not reachable".to_owned());
    }
    if upstream.is_full() {
        upstream.wait(peer);
        return Ok(false);
    }
    let mut calls = hub.calls.borrow_mut();
    let Some(number) = calls.next() else {
        metrics.full.inc();
        return Err("not forwarded: too many requests in flight".to_owned());
    };
    let mut out = upstream.connection.out.borrow_mut();
    put_edited(&mut out, REQUEST, &Id::new(number), content, &rule.edit, &rule.set).map_err(unsafe_)?;
    // The backend's task runs after the clients that are ready now: one write for all of them.
    upstream.connection.news.notify_one();
    calls.begin(number, peer, *id, upstream, hub.tick.get());
    upstream.requests.inc();
    metrics.in_flight.inc();
    if rule.redacts {
        metrics.redacted.inc();
    }
    Ok(true)
}
