//! DNS: an entry of a local cache, {IPv4 list, IPv6 list}, each address with expiry and hit count.
//!
//! In: a number. Out: the same entry in each format, and the answer of a lookup: the first IPv4 address that has not
//! expired.

use kit::data::Random;
use y3::{Error, Packet};

use super::records;

/// The key of a lookup in the cache.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    pub domain: String,
    pub country: String,
    pub region: String,
    pub isp: String,
}

/// The time at which lookups are made, in seconds of Unix time.
pub const NOW: u64 = 1_700_000_000;

records! {
    Entry {
        0 1 0x10 v4: Vec<Address<Text>>,
        1 2 0x11 v6: Vec<Address<Text>>,
    }
    Address {
        0 1 0x10 ip: Text,
        1 2 0x11 expiry: u64,
        2 3 0x12 hits: u32,
    }
}

/// For y3 with serde.
pub mod keyed {
    super::super::keyed! {
        Entry<Text> {
            "0x10" v4: Vec<Address<Text>>,
            "0x11" v6: Vec<Address<Text>>,
        }
        Address<Text> {
            "0x10" ip: Text,
            "0x11" expiry: u64,
            "0x12" hits: u32,
        }
    }
}

/// For prost. Made of an entry by their names.
pub mod protobuf {
    #[derive(Clone, PartialEq, serde::Deserialize, prost::Message)]
    pub struct Entry {
        #[prost(message, repeated, tag = "1")]
        pub v4: Vec<Address>,
        #[prost(message, repeated, tag = "2")]
        pub v6: Vec<Address>,
    }

    #[derive(Clone, PartialEq, serde::Deserialize, prost::Message)]
    pub struct Address {
        #[prost(string, tag = "1")]
        pub ip: String,
        #[prost(uint64, tag = "2")]
        pub expiry: u64,
        #[prost(uint32, tag = "3")]
        pub hits: u32,
    }
}

macro_rules! alive {
    ($($entry:ty)*) => {$(
        impl $entry {
            /// The answer to a lookup.
            pub fn alive(&self) -> Option<&[u8]> {
                self.v4.iter().find(|address| address.expiry > NOW).map(|address| address.ip.as_bytes())
            }
        }
    )*};
}

alive! {
    Entry<String> Entry<&str> ArchivedEntry<String> protobuf::Entry keyed::Entry<String> keyed::Entry<&str>
}

impl Entry<String> {
    /// An entry for a number: two to five IPv4 addresses, of which some have expired, and one to three IPv6 addresses.
    pub fn example(number: u64) -> Self {
        let mut random = Random::new(number + 1);
        let alive = random.below(2);
        let v4 = (0..2 + random.below(4)).map(|place| {
            let [a, b, c, d, ..] = random.number().to_le_bytes();
            let expiry = if place < alive { NOW - 60 } else { NOW + 1 + random.number() % 3600 };
            Address { ip: format!("{a}.{b}.{c}.{d}"), expiry, hits: u32::from(a) * u32::from(b) }
        });
        let v4 = v4.collect();
        let v6 = (0..=random.below(3)).map(|_| {
            let [a, b, c, d, ..] = random.number().to_le_bytes();
            let ip = format!("2001:db8:{a:x}:{b:x}::{c:x}{d:02x}");
            Address { ip, expiry: NOW + random.number() % 3600, hits: u32::from(a) }
        });
        Self { v4, v6: v6.collect() }
    }
}

impl Key {
    pub fn example(number: u32) -> Self {
        Self {
            domain: format!("host-{number}.example.com"),
            country: "CN".into(),
            region: format!("region-{}", number % 32),
            isp: format!("isp-{}", number % 7),
        }
    }
}

/// The answer from the bytes in the cache: nodes are entered only on the way to it.
///
/// # Errors
/// Those of packets and values.
pub fn alive(entry: &[u8]) -> Result<Option<&str>, Error> {
    alive_packet(entry)?.map(y3::Packet::decode).transpose()
}

/// The answer as bytes, for a server that forwards stored bytes without checking UTF-8 again.
///
/// # Errors
/// Those of packets and values.
pub fn alive_bytes(entry: &[u8]) -> Result<Option<&[u8]>, Error> {
    Ok(alive_packet(entry)?.map(|ip| ip.value()))
}

#[inline]
fn alive_packet(entry: &[u8]) -> Result<Option<Packet<'_>>, Error> {
    let Some(v4) = Packet::from_slice(entry)?.find(0x10)? else { return Ok(None) };
    for address in v4.children() {
        let (mut ip, mut expiry) = (None, 0);
        for field in address?.children() {
            let field = field?;
            match field.key().get() {
                0x10 => ip = Some(field),
                0x11 => {
                    expiry = field.decode()?;
                    break;
                }
                _ => {}
            }
        }
        if expiry > NOW {
            return Ok(ip);
        }
    }
    Ok(None)
}
