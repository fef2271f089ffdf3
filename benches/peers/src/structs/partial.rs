//! A struct of three fields: the 16th, 32nd and 48th of the report's sixty-three pairs.

use y3::{Error, Packet, keys};

use super::records;

records! {
    Three {
        0 16 0x10 "0x10" k16: i32, [sint32] i32;
        1 32 0x20 "0x20" k32: i64, [sint64] i64;
        2 48 0x30 "0x30" k48: f32, [float] f32;
    }
}

/// Reads the fields by hand: one pass that decodes the values at the three keys.
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
