//! Partial: a struct of three fields, the 16th, 32nd and 48th of sixty-three pairs.
//!
//! In: nothing. Out: the pairs of the Y3 evaluation report in each format, and the three fields as each serializer wants to
//! see them.

use std::collections::BTreeMap;

use prost::encoding;
use serde::{Deserialize, Serialize};

pub const THREE: (i32, i64, f32) = (-65, -1, 0.25);

/// How many pairs there are.
pub const PAIRS: u8 = 63;

/// A value of one of the report's seven types, which follow each other by position.
#[derive(Clone, Copy, Serialize)]
#[serde(untagged)]
pub enum Value {
    Text(&'static str),
    I32(i32),
    U32(u32),
    I64(i64),
    U64(u64),
    F32(f32),
    F64(f64),
}

impl Value {
    const CYCLE: [Self; 7] = [
        Self::Text("a"),
        Self::I32(-65),
        Self::U32(128),
        Self::I64(-1),
        Self::U64(u64::MAX),
        Self::F32(0.25),
        Self::F64(23.0),
    ];
}

/// The pairs, numbered from 1.
pub fn pairs() -> impl Iterator<Item = (u8, Value)> {
    (1..=PAIRS).zip(Value::CYCLE.into_iter().cycle())
}

/// The pairs by name, for the formats that carry names: k01 to k63.
pub fn named() -> BTreeMap<String, Value> {
    pairs().map(|(key, value)| (format!("k{key:02}"), value)).collect()
}

/// For the formats that carry names.
#[derive(Debug, Deserialize)]
pub struct Three {
    k16: i32,
    k32: i64,
    k48: f32,
}

impl Three {
    pub fn fields(&self) -> (i32, i64, f32) {
        (self.k16, self.k32, self.k48)
    }
}

/// For y3.
pub mod keyed {
    use serde::Deserialize;
    use y3::{Encoder, Error, Packet};

    use super::{Value, pairs};

    #[derive(Debug, Deserialize)]
    pub struct Three {
        #[serde(rename = "0x10")]
        k16: i32,
        #[serde(rename = "0x20")]
        k32: i64,
        #[serde(rename = "0x30")]
        k48: f32,
    }

    impl Three {
        pub fn fields(&self) -> (i32, i64, f32) {
            (self.k16, self.k32, self.k48)
        }
    }

    /// The pairs in one node.
    ///
    /// # Errors
    /// Never; the vector grows.
    pub fn encode() -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        Encoder::new(&mut out).node(0x01, |node| {
            pairs().try_for_each(|(key, value)| match value {
                Value::Text(value) => node.put(key, value),
                Value::I32(value) => node.put(key, value),
                Value::U32(value) => node.put(key, value),
                Value::I64(value) => node.put(key, value),
                Value::U64(value) => node.put(key, value),
                Value::F32(value) => node.put(key, value),
                Value::F64(value) => node.put(key, value),
            })
        })?;
        Ok(out)
    }

    /// By hand: one pass that stops at the three keys.
    ///
    /// # Errors
    /// Those of packets and values.
    pub fn decode(bytes: &[u8]) -> Result<(i32, i64, f32), Error> {
        let (mut k16, mut k32, mut k48) = (0, 0, 0.0);
        for packet in Packet::from_slice(bytes)?.children().watch(y3::keys![0x10, 0x20, 0x30]) {
            let packet = packet?;
            match packet.key().get() {
                0x10 => k16 = packet.decode()?,
                0x20 => k32 = packet.decode()?,
                _ => k48 = packet.decode()?,
            }
        }
        Ok((k16, k32, k48))
    }
}

/// For prost: a message that has three of the fields; it reads over the others.
pub mod protobuf {
    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Three {
        #[prost(sint32, tag = "16")]
        pub k16: i32,
        #[prost(sint64, tag = "32")]
        pub k32: i64,
        #[prost(float, tag = "48")]
        pub k48: f32,
    }

    impl Three {
        pub fn fields(&self) -> (i32, i64, f32) {
            (self.k16, self.k32, self.k48)
        }
    }
}

/// The pairs as fields of a protobuf message.
pub fn protobuf_bytes() -> Vec<u8> {
    let mut out = Vec::new();
    for (key, value) in pairs() {
        let tag = u32::from(key);
        match value {
            Value::Text(value) => encoding::string::encode(tag, &value.to_owned(), &mut out),
            Value::I32(value) => encoding::sint32::encode(tag, &value, &mut out),
            Value::U32(value) => encoding::uint32::encode(tag, &value, &mut out),
            Value::I64(value) => encoding::sint64::encode(tag, &value, &mut out),
            Value::U64(value) => encoding::uint64::encode(tag, &value, &mut out),
            Value::F32(value) => encoding::float::encode(tag, &value, &mut out),
            Value::F64(value) => encoding::double::encode(tag, &value, &mut out),
        }
    }
    out
}
