//! A local DNS cache that stores encoded entries. A lookup decodes only the address.
//! `cargo run --features serde --example dns_cache`

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use y3::{Packet, serde::from_slice, serde::to_vec, show::escape};

#[derive(Serialize, Deserialize)]
struct Entry<'a> {
    #[serde(rename = "0x10", borrow)]
    v4: Vec<Address<'a>>,
    #[serde(rename = "0x11", borrow)]
    v6: Vec<Address<'a>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Address<'a> {
    #[serde(rename = "0x10")]
    ip: &'a str,
    #[serde(rename = "0x11")]
    expiry: u64,
    #[serde(rename = "0x12")]
    hits: u32,
}

/// The first IPv4 address that has not expired. The function decodes only the expiry of earlier addresses.
fn alive(entry: &[u8], now: u64) -> Result<Option<&str>, y3::Error> {
    let Some(v4) = Packet::from_slice(entry)?.find(0x10)? else { return Ok(None) };
    for address in v4.children() {
        let address = address?;
        let expiry: u64 = address.get(0x11)?.unwrap_or_default();
        if expiry > now {
            return address.get(0x10);
        }
    }
    Ok(None)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let now = 1_700_000_000;
    let entry = Entry {
        v4: vec![
            Address { ip: "192.0.2.7", expiry: now - 60, hits: 812 },
            Address { ip: "192.0.2.8", expiry: now + 240, hits: 3 },
        ],
        v6: vec![Address { ip: "2001:db8::8", expiry: now + 240, hits: 1 }],
    };
    let mut cache = HashMap::new();
    cache.insert(("example.com", "Zhejiang"), to_vec(&entry)?);

    // The fast path borrows the address from the cached bytes and allocates nothing.
    let bytes = &cache[&("example.com", "Zhejiang")];
    let address = escape(alive(bytes, now)?.unwrap_or("nowhere"));
    println!("example.com is at {address}, read from {} cached bytes", bytes.len());

    // The slow path decodes the whole entry and borrows its text from the cache.
    let Entry { v4, v6 } = from_slice(bytes)?;
    for address in v4.iter().chain(&v6) {
        println!("  {address:?}");
    }
    Ok(())
}
