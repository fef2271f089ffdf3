//! Client: the connection of one client. Forwards its requests under the policy that applies when a request is read.

use std::rc::Rc;

use tokio::net::TcpStream;

use crate::connection::Connection;
use crate::hub::{Call, Hub, IN_FLIGHT, Status};
use crate::message::{Fault, Id, Message, REQUEST, put_edited, requests};
use crate::refusal::Refusal;

/// Serves a client until its connection ends, and returns the reason.
pub async fn serve(stream: TcpStream, client: &Rc<Connection>, hub: &Hub) -> Result<(), Refusal> {
    let stream = client.open(stream);
    let result = turns(&stream, client, hub).await;
    // Drops replies that arrive later.
    client.close();
    result
}

async fn turns(stream: &TcpStream, client: &Rc<Connection>, hub: &Hub) -> Result<(), Refusal> {
    let take = |bytes: &[u8], offset| forward(client, hub, bytes, offset);
    loop {
        if client.flush()? > 0 {
            client.moved.set(true);
        }
        let takes = !client.has_unwritten() && client.in_flight.get() < IN_FLIGHT;
        let before = client.input.borrow().offset;
        let reads = {
            let input = &mut client.input.borrow_mut();
            if input.stopped && takes {
                input.again(take)?;
            }
            if input.ended && !input.stopped {
                match input.begun() {
                    0 if client.in_flight.get() == 0 && !client.has_unwritten() => return Ok(()),
                    0 => {}
                    bytes => return Err(Refusal::Cut { bytes }),
                }
            }
            takes && !input.stopped && !input.ended && !hub.stopping.get()
        };
        if client.may_read(stream, reads).await? && !hub.stopping.get() {
            let read = client.input.borrow_mut().read(stream, &mut hub.shared.borrow_mut(), take)?;
            hub.metrics.read.inc_by(read as u64);
        }
        // Single bytes of an incomplete request do not count as progress.
        if client.input.borrow().offset > before {
            client.moved.set(true);
        }
    }
}

/// Forwards the requests in `bytes`. Returns the number of bytes used, and true if a request has to wait.
fn forward(client: &Rc<Connection>, hub: &Hub, bytes: &[u8], offset: u64) -> Result<(usize, bool), Refusal> {
    let mut messages = requests(bytes, offset, hub.limits.packet);
    loop {
        let used = messages.used();
        if client.in_flight.get() >= IN_FLIGHT {
            // The next reply wakes the client's task.
            return Ok((used, used < bytes.len()));
        }
        let Some(message) = messages.next_message()? else { return Ok((used, false)) };
        let id = Id::of(&message.id).ok_or(Fault::NoId { offset: offset + used as u64 })?;
        match request(client, hub, id, &message) {
            Ok(true) => {}
            Ok(false) => return Ok((used, true)),
            Err((reason, why)) => {
                hub.metrics.refused_for(reason).inc();
                client.refuse(&id, &why);
            }
        }
    }
}

/// Forwards a request. Returns false if it has to wait. An error is the reason for a refusal, for the metrics and for
/// the client.
fn request(client: &Rc<Connection>, hub: &Hub, id: Id, message: &Message<'_>) -> Result<bool, (&'static str, String)> {
    let (active, content) = (hub.active(), message.packet.value());
    let unsafe_ = |error| ("a path cannot be followed", format!("not forwarded: {error} of the request's value"));
    let rule = active.policy.rule(content).map_err(unsafe_)?;
    let Some(upstream) = rule.backend.and_then(|index| active.upstreams.get(index)) else {
        return Err(("dropped by the policy", format!("dropped by the policy: {}", rule.name)));
    };
    if upstream.status.get() == Status::Down {
        return Err(("backend not reachable", "not forwarded: the backend is not reachable".to_owned()));
    }
    if hub.is_full() {
        return Err(("too many pending requests", "not forwarded: too many requests are pending".to_owned()));
    }
    if upstream.is_full() {
        upstream.waiting.borrow_mut().push(Rc::clone(client));
        return Ok(false);
    }
    let (number, out) = (hub.next(), &mut upstream.connection.out.borrow_mut());
    put_edited(out, REQUEST, &Id::new(number), content, &rule.edit, &rule.set).map_err(unsafe_)?;
    // The backend's task runs after all clients that are ready now, and sends their requests with one write.
    upstream.connection.news.notify_one();
    let (client, upstream) = (Rc::clone(client), Rc::clone(upstream));
    upstream.requests.inc();
    hub.begin(Call { number, client, id, upstream, since: hub.tick.get() });
    if rule.redacts {
        hub.metrics.redacted.inc();
    }
    Ok(true)
}
