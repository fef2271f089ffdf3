//! An entry of a local DNS cache: a list of IPv4 addresses and one of IPv6 addresses, each address with its expiry and hit count.
//! The answer of a lookup is the first IPv4 address that has not expired.

use kit::data::Random;
use y3::{Error, Packet};

use super::records;

/// The time of all lookups, in seconds of Unix time.
pub const NOW: u64 = 1_700_000_000;

records! {
    Entry<Text> {
        0 1 0x10 "0x10" v4: Vec<Address<Text>>, [message, repeated] Vec<Address>;
        1 2 0x11 "0x11" v6: Vec<Address<Text>>, [message, repeated] Vec<Address>;
    }
    Address<Text> {
        0 1 0x10 "0x10" ip: Text, [string] String;
        1 2 0x11 "0x11" expiry: u64, [uint64] u64;
        2 3 0x12 "0x12" hits: u32, [uint32] u32;
    }
}

/// An entry in any form, or an answer that was found in its bytes.
pub trait Lookup {
    /// The answer of a lookup.
    fn alive(&self) -> Option<&[u8]>;
}

macro_rules! lookups {
    ($($entry:ty)*) => {$(
        impl Lookup for $entry {
            fn alive(&self) -> Option<&[u8]> {
                self.v4.iter().find(|address| address.expiry > NOW).map(|address| address.ip.as_bytes())
            }
        }
    )*};
}

lookups! {
    Entry<String> Entry<&str> ArchivedEntry<String> protobuf::Entry keyed::Entry<String> keyed::Entry<&str>
}

impl Lookup for Option<&[u8]> {
    fn alive(&self) -> Option<&[u8]> {
        *self
    }
}

impl Entry<String> {
    /// The entry with this number. It has two to five IPv4 addresses, of which at most one has expired, and one to three IPv6 addresses.
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

/// The key of an entry in the cache: domain, country, region and internet service provider.
pub fn key(number: u32) -> (String, String, String, String) {
    let [region, isp] = [("region", 32), ("isp", 7)].map(|(name, count)| format!("{name}-{}", number % count));
    (format!("host-{number}.example.com"), "CN".into(), region, isp)
}

/// Finds the answer in the bytes of an entry. Enters only the nodes that lead to it.
#[inline]
pub fn alive(entry: &[u8]) -> Result<Option<Packet<'_>>, Error> {
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
