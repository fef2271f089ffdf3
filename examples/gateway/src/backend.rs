//! Backend: the connection to one backend, which connects again after each loss.
//!
//! In: an upstream with requests. Out: replies to the clients, each under the id that its client gave.

use std::io;
use std::rc::Rc;
use std::time::Duration;

use tokio::net::TcpStream;
use tracing::{info, warn};
use y3::edit::{Edit, Rule};
use y3::path;

use crate::connection::Connection;
use crate::hub::{Hub, ROUND, Status, Upstream};
use crate::message::{ID, REPLY, put_edited, replies};

/// The id of a reply is the proxy's own id.
const ANONYMOUS: Edit<'static> = Edit::from_rules(&[Rule::remove(path!(ID))]);
/// Pauses between attempts to connect.
const PAUSES: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(2));

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
                let stream = upstream.connection.open(stream);
                upstream.set(Status::Up);
                let why = turns(&stream, &upstream, &hub).await;
                // Clients wait for the first attempt to connect again.
                upstream.set(Status::Connecting);
                upstream.connection.close();
                // Whether the backend has done them is not known.
                let lost =
                    hub.give_up(|call| Rc::ptr_eq(&call.upstream, &upstream), "the connection to the backend broke");
                hub.metrics.refused_for("backend lost").inc_by(lost);
                let Err(why) = why else { return info!(%address, "backend retired") };
                warn!(%address, %why, lost, "backend lost");
            }
            Err(error) => {
                upstream.set(Status::Down);
                if !std::mem::replace(&mut told, true) {
                    warn!(%address, %error, "backend not reachable; tried again until it is");
                }
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(PAUSES.1);
            }
        }
        if upstream.retired.get() {
            return upstream.set(Status::Down);
        }
    }
}

async fn connect(upstream: &Upstream, hub: &Hub) -> io::Result<TcpStream> {
    let stream = tokio::time::timeout(PAUSES.1, TcpStream::connect(upstream.address)).await??;
    hub.limits.set_on(&stream, 0)?;
    Ok(stream)
}

/// Serves the connection until the backend is retired and has no calls.
async fn turns(stream: &TcpStream, upstream: &Rc<Upstream>, hub: &Hub) -> anyhow::Result<()> {
    let connection = &upstream.connection;
    loop {
        connection.flush()?;
        if connection.out.borrow().len() < ROUND {
            upstream.go_on();
        }
        anyhow::ensure!(!connection.input.borrow().ended, "it closed the connection");
        if upstream.retired.get() && connection.in_flight.get() == 0 {
            return Ok(());
        }
        if connection.may_read(stream, true).await? {
            let take = |bytes: &[u8], offset| deliver(upstream, hub, bytes, offset);
            if connection.input.borrow_mut().read(stream, &mut hub.shared.borrow_mut(), take)? > 0 {
                connection.moved.set(true);
            }
        }
    }
}

/// Sends whole replies to their clients, and returns their number of bytes. Replies before a fault are delivered.
fn deliver(upstream: &Rc<Upstream>, hub: &Hub, bytes: &[u8], offset: u64) -> anyhow::Result<(usize, bool)> {
    let mut messages = replies(bytes, offset, hub.limits.packet);
    // The replies in a row that go to one client leave in one write.
    let (mut out, mut last) = (hub.replies.borrow_mut(), None::<Rc<Connection>>);
    let send = |last: &mut Option<Rc<Connection>>, out: &mut Vec<u8>| {
        if let Some(client) = last.take() {
            client.send(out);
        }
        out.clear();
    };
    let mut each = || -> anyhow::Result<()> {
        while let Some(message) = messages.next_message()? {
            let Some(call) = hub.end(message.id.decode()?, upstream) else {
                hub.metrics.late.inc();
                continue;
            };
            if last.as_ref().is_some_and(|before| !Rc::ptr_eq(before, &call.client)) {
                send(&mut last, &mut out);
            }
            put_edited(&mut out, REPLY, &call.id, message.packet.value(), &ANONYMOUS, &[])
                .inspect_err(|_| call.client.refuse(&call.id, "the reply is not a message"))?;
            upstream.replies.inc();
            last = Some(call.client);
        }
        Ok(())
    };
    let done = each();
    send(&mut last, &mut out);
    done.map(|()| (messages.used(), false))
}
