//! Partial: a struct of three fields, the 16th, 32nd and 48th of the report's sixty-three pairs.

use serde::Deserialize;
use y3::{Error, Packet, keys};

use super::keyed;

pub type Fields = (i32, i64, f32);

pub const THREE: Fields = (-65, -1, 0.25);

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

keyed! {
    Keyed {
        "0x10" k16: i32,
        "0x20" k32: i64,
        "0x30" k48: f32,
    }
}

macro_rules! fields {
    ($($name:ident)*) => {$(
        impl $name {
            pub fn fields(&self) -> Fields {
                (self.k16, self.k32, self.k48)
            }
        }
    )*};
}

fields! { Three Keyed }

/// By hand: one pass that stops at the three keys.
pub fn decode(bytes: &[u8]) -> Result<Fields, Error> {
    let (mut k16, mut k32, mut k48) = (0, 0, 0.0);
    for packet in Packet::from_slice(bytes)?.children().watch(keys![0x10, 0x20, 0x30]) {
        let packet = packet?;
        match packet.key().get() {
            0x10 => k16 = packet.decode()?,
            0x20 => k32 = packet.decode()?,
            _ => k48 = packet.decode()?,
        }
    }
    Ok((k16, k32, k48))
}
