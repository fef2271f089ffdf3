//! Builds a packet and prints it in hex, with a line for each packet inside it.
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
            reading.slice(0x14, |items| [1i32, -1, 300].iter().try_for_each(|item| items.put(item)))
        })
    })?;

    println!("{}", hex(&out));
    let mut walk = y3::walk(&out);
    while let Some(packet) = walk.next() {
        let packet = packet?;
        let indent = 2 * walk.depth();
        let value = if packet.is_node() { String::new() } else { hex(packet.value()) };
        println!("{:>4} {:indent$}{:?} {value}", packet.offset(), "", packet.tag());
    }
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}
