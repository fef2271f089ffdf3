//! Backend: the connection to one backend. Receives replies and sends each to its client, with the client's id.

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

/// Removes the gateway's own id from a reply.
const ANONYMOUS: Edit<'static> = Edit::from_rules(&[Rule::remove(path!(ID))]);
/// A reply may be longer than the longest request by this many bytes, because the gateway's ids are longer than those of
/// clients, and rules add packets to requests.
const LONGER: usize = 64 << 10;
/// The first and the longest pause between attempts to connect.
const PAUSES: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(2));

/// Keeps the backend connected until no policy names it and all its calls have ended.
pub async fn run(upstream: Rc<Upstream>, hub: Rc<Hub>) {
    let address = upstream.address;
    let mut pause = PAUSES.0;
    let mut told = false;
    loop {
        match connect(&upstream, &hub).await {
            Ok(stream) => {
                info!(%address, "backend connected");
                let replies = upstream.replies.get();
                let stream = upstream.connection.open(stream);
                upstream.set(Status::Up);
                let why = turns(&stream, &upstream, &hub).await;
                // Clients wait until the first attempt to reconnect has ended.
                upstream.set(Status::Connecting);
                upstream.connection.close();
                // The backend may have processed these calls, so they are not sent again.
                let lost =
                    hub.give_up(|call| Rc::ptr_eq(&call.upstream, &upstream), "the connection to the backend broke");
                hub.metrics.refused_for("backend lost").inc_by(lost);
                let Err(why) = why else { return info!(%address, "backend retired") };
                warn!(%address, %why, lost, "backend lost");
                if upstream.replies.get() > replies {
                    (pause, told) = (PAUSES.0, false);
                } else {
                    // A backend that accepts connections and closes them must not be tried without a pause.
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(PAUSES.1);
                }
            }
            Err(error) => {
                upstream.set(Status::Down);
                if !std::mem::replace(&mut told, true) {
                    warn!(%address, %error, "backend not reachable; trying again");
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
        anyhow::ensure!(!connection.input.borrow().ended, "the backend closed the connection");
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

/// Sends complete replies to their clients, and returns their number of bytes. Replies before a fault are sent.
fn deliver(upstream: &Rc<Upstream>, hub: &Hub, bytes: &[u8], offset: u64) -> anyhow::Result<(usize, bool)> {
    let mut messages = replies(bytes, offset, hub.limits.packet + LONGER);
    // Consecutive replies to the same client are sent with one write.
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
                .inspect_err(|_| call.client.refuse(&call.id, "the backend's reply is malformed"))?;
            upstream.replies.inc();
            last = Some(call.client);
        }
        Ok(())
    };
    let done = each();
    send(&mut last, &mut out);
    done.map(|()| (messages.used(), false))
}
