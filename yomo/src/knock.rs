//! Knock: probes addresses for a QUIC server without connecting to it.
//!
//! In: addresses, and the time between probes. Out: the first address that answers. The module also opens sockets on any port
//! and makes random numbers.

use std::collections::hash_map::RandomState;
use std::future::pending;
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout_at};

/// The size of a probe. Servers do not answer a shorter one.
const QUESTION: usize = 1200;

/// Probes each address once every `pause`, until one answers. Cancel safe.
pub(crate) async fn knock(addresses: &[SocketAddr], pause: Duration) -> SocketAddr {
    let mut doors: JoinSet<SocketAddr> = addresses.iter().map(|&address| ask(address, pause)).collect();
    match doors.join_next().await {
        Some(Ok(address)) => address,
        _ => pending().await,
    }
}

async fn ask(address: SocketAddr, pause: Duration) -> SocketAddr {
    let id = random().to_le_bytes();
    let mut socket = None;
    loop {
        let until = Instant::now() + pause;
        match timeout_at(until, asked(&mut socket, address, id)).await {
            Ok(Ok(())) => return address,
            // The refusal comes at once if nobody listens at the port, and later if there is no host.
            Ok(Err(_)) => socket = None,
            Err(_) => {}
        }
        sleep_until(until).await;
    }
}

/// Sends one probe. The answer may belong to an earlier probe over this socket.
async fn asked(socket: &mut Option<UdpSocket>, address: SocketAddr, id: [u8; 8]) -> io::Result<()> {
    let socket = match socket {
        Some(socket) => socket,
        None => socket.insert(UdpSocket::bind(any(address)).await?),
    };
    socket.connect(address).await?;
    socket.send(&question(id)).await?;
    let mut answer = [0; QUESTION];
    loop {
        let received = socket.recv(&mut answer).await?;
        if answer.get(..received).is_some_and(|answer| is_answer(answer, id)) {
            return Ok(());
        }
    }
}

/// A first packet with a version that no server supports. A server replies with the versions that it supports: RFC
/// 9000, section 6.
fn question(id: [u8; 8]) -> Vec<u8> {
    let mut packet = [&[0xc0, 0x1a, 0x2a, 0x3a, 0x4a, 8][..], &id, &[8], &id].concat();
    packet.resize(QUESTION, 0);
    packet
}

fn is_answer(packet: &[u8], id: [u8; 8]) -> bool {
    match packet {
        [form, 0, 0, 0, 0, 8, rest @ ..] => form & 0x80 != 0 && rest.starts_with(&id),
        _ => false,
    }
}

/// The local address to send from: any port, in the IP version of `address`.
pub(crate) fn any(address: SocketAddr) -> SocketAddr {
    if address.is_ipv4() { (Ipv4Addr::UNSPECIFIED, 0).into() } else { (Ipv6Addr::UNSPECIFIED, 0).into() }
}

/// A random number, good enough to tell peers apart.
pub(crate) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}
