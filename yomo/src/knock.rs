//! Knock: asks whether a QUIC server is at an address, without connecting to it.
//!
//! In: addresses, and how often to ask. Out: the first that answers.

use std::future::{Future, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use crate::host::{any, random};

/// A server answers no shorter one.
const QUESTION: usize = 1200;

/// Asks all addresses until one answers. Cancel safe.
pub(crate) async fn knock(addresses: &[SocketAddr], pause: impl Fn() -> Duration) -> SocketAddr {
    let mut doors: Vec<Pin<Box<dyn Future<Output = SocketAddr> + Send + '_>>> = Vec::new();
    for &address in addresses {
        let pause = pause();
        doors.push(Box::pin(async move {
            while ask(address, pause).await.is_err() {
                sleep(pause).await;
            }
            address
        }));
    }
    let first = |cx: &mut std::task::Context<'_>| {
        let ready = doors.iter_mut().find_map(|door| match door.as_mut().poll(cx) {
            Poll::Ready(address) => Some(address),
            Poll::Pending => None,
        });
        ready.map_or(Poll::Pending, Poll::Ready)
    };
    poll_fn(first).await
}

/// Asks one address every `pause` until it answers. An error comes at once where nobody has the port.
async fn ask(address: SocketAddr, pause: Duration) -> io::Result<()> {
    let socket = UdpSocket::bind(any(address)).await?;
    socket.connect(address).await?;
    let id = random().to_le_bytes();
    let mut answer = [0; QUESTION];
    loop {
        socket.send(&question(id)).await?;
        let until = Instant::now() + pause;
        while let Ok(received) = timeout_at(until, socket.recv(&mut answer)).await {
            let received = received?;
            if answer.get(..received).is_some_and(|answer| is_answer(answer, id)) {
                return Ok(());
            }
        }
        sleep_until(until).await;
    }
}

/// A first packet of a version that no server speaks, to which each answers with those that it does: RFC 9000, section 6.
fn question(id: [u8; 8]) -> [u8; QUESTION] {
    let mut packet = [0; QUESTION];
    let head = [&[0xc0, 0x1a, 0x2a, 0x3a, 0x4a, 8][..], &id, &[8], &id].concat();
    for (byte, value) in packet.iter_mut().zip(head) {
        *byte = value;
    }
    packet
}

fn is_answer(packet: &[u8], id: [u8; 8]) -> bool {
    match packet {
        [form, 0, 0, 0, 0, 8, rest @ ..] => form & 0x80 != 0 && rest.starts_with(&id),
        _ => false,
    }
}
