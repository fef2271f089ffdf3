//! Builds a packet and shows it: its bytes, and a line for each packet inside it.
//!
//! `cargo run --example encode`

use y3::{Encoder, PVarInt};

fn main() -> Result<(), y3::Error> {
    let mut out = Vec::new();
    Encoder::new(&mut out).node(0x01, |root| {
        root.node(0x10, |reading| {
            reading.put(0x11, 45.12f32)?;
            reading.put(0x12, PVarInt(1_604_920_320_000i64))?;
            reading.put(0x13, "10.0.3.113")?;
            reading.put(0x14, [1i32, -1, 300])
        })
    })?;

    println!("{}", y3::dump(&out));
    Ok(())
}
