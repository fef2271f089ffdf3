//! What this host has: sockets without a port of their own, numbers nobody else has.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Any port of this host, to reach an address from.
pub(crate) fn any(address: SocketAddr) -> SocketAddr {
    let any = if address.is_ipv4() { IpAddr::V4(Ipv4Addr::UNSPECIFIED) } else { IpAddr::V6(Ipv6Addr::UNSPECIFIED) };
    SocketAddr::new(any, 0)
}

/// A random number, good enough to tell peers apart.
pub(crate) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}
