//! Partial: a struct of three fields, the 16th, 32nd and 48th of the report's sixty-three pairs.

use serde::Deserialize;
use y3::{Error, Packet, keys};

/// For formats with names, for y3's derive, and for prost, which skips the fields that a message does not name.
#[derive(Clone, PartialEq, Deserialize, y3::Decode, prost::Message)]
pub struct Three {
    #[y3(0x10)]
    #[prost(sint32, tag = "16")]
    pub k16: i32,
    #[y3(0x20)]
    #[prost(sint64, tag = "32")]
    pub k32: i64,
    #[y3(0x30)]
    #[prost(float, tag = "48")]
    pub k48: f32,
}

/// For y3 with serde, where the name of a field is its key.
#[derive(Debug, PartialEq, Deserialize)]
pub struct Keyed {
    #[serde(rename = "0x10")]
    pub k16: i32,
    #[serde(rename = "0x20")]
    pub k32: i64,
    #[serde(rename = "0x30")]
    pub k48: f32,
}

pub const THREE: Three = Three { k16: -65, k32: -1, k48: 0.25 };
pub const KEYED: Keyed = Keyed { k16: THREE.k16, k32: THREE.k32, k48: THREE.k48 };

/// By hand: one pass that stops at the three keys.
pub fn decode(bytes: &[u8]) -> Result<Three, Error> {
    let (mut k16, mut k32, mut k48) = (0, 0, 0.0);
    for packet in Packet::from_slice(bytes)?.children().watch(keys![0x10, 0x20, 0x30]) {
        let packet = packet?;
        match packet.key().get() {
            0x10 => k16 = packet.decode()?,
            0x20 => k32 = packet.decode()?,
            _ => k48 = packet.decode()?,
        }
    }
    Ok(Three { k16, k32, k48 })
}
