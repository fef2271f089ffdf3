//! Probes whether a QUIC server answers at an address, without connecting to it. This module also opens sockets and
//! makes random numbers.

use std::collections::hash_map::RandomState;
use std::future::pending;
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout_at};

/// The size of a probe in bytes. Servers ignore shorter probes.
const QUESTION: usize = 1200;

/// Probes all addresses at intervals of `pause`, until an address answers. Returns this address. Cancel safe.
pub(crate) async fn knock(addresses: &[SocketAddr], pause: Duration) -> SocketAddr {
    let mut doors: JoinSet<SocketAddr> = addresses.iter().map(|&address| ask(address, pause)).collect();
    match doors.join_next().await {
        Some(Ok(address)) => address,
        _ => pending().await,
    }
}

async fn ask(address: SocketAddr, pause: Duration) -> SocketAddr {
    let mut next = Instant::now();
    // If nobody listens at the port, the system refuses the probe at once. If there is no host, it refuses the probe later.
    while probe(address, pause, &mut next).await.is_err() {
        sleep_until(next).await;
    }
    address
}

/// Sends probes from one socket until the answer to any of them arrives. Sets `next` to the time of the next probe.
async fn probe(address: SocketAddr, pause: Duration, next: &mut Instant) -> io::Result<()> {
    let (id, mut answer) = (random().to_le_bytes(), [0; QUESTION]);
    *next = Instant::now() + pause;
    let socket = UdpSocket::bind(any(address)).await?;
    socket.connect(address).await?;
    loop {
        socket.send(&question(id)).await?;
        while let Ok(received) = timeout_at(*next, socket.recv(&mut answer)).await {
            if answer.get(..received?).is_some_and(|answer| is_answer(answer, id)) {
                return Ok(());
            }
        }
        *next = Instant::now() + pause;
    }
}

/// An initial packet with a version that no server supports. A server replies with the list of its versions (RFC 9000,
/// section 6).
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

/// The local address of a socket for `address`: any port, with the same IP version.
pub(crate) fn any(address: SocketAddr) -> SocketAddr {
    if address.is_ipv4() { (Ipv4Addr::UNSPECIFIED, 0).into() } else { (Ipv6Addr::UNSPECIFIED, 0).into() }
}

/// Returns a random number for identifiers of peers.
pub(crate) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}
