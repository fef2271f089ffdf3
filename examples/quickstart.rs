//! The README's code: write a packet and show its bytes, watch two paths, read a packet.

use y3::show::escape;
use y3::{Encoder, Packet, PathSet, path};

/// The compiler rejects a key above 63 and a path of more than 8 keys.
const WATCHED: PathSet<2> = PathSet::new([path!(0x01, 0x10, 0x11), path!(0x01, 0x10, 0x13)]);

fn main() -> Result<(), y3::Error> {
    let mut bytes = Vec::new();
    Encoder::new(&mut bytes).node(0x01, |root| {
        root.node(0x10, |reading| {
            reading.put(0x11, 45.12f32)?;
            reading.put(0x12, "nobody watches this")?;
            reading.put(0x13, "10.0.3.113")
        })
    })?;

    println!("{}", y3::dump(&bytes));

    for hit in WATCHED.watch(&bytes) {
        let hit = hit?;
        match hit.path_index() {
            0 => println!("noise {} at byte {}", hit.decode::<f32>()?, hit.offset()),
            // Escape the text, because it comes from the sender of the packet.
            _ => println!("from {}", escape(hit.decode()?)),
        }
    }

    let root = Packet::from_slice(&bytes)?;
    let reading = root.find(0x10)?.expect("just written");
    for packet in reading.children() {
        let packet = packet?;
        println!("{} holds {} bytes", packet.key(), packet.value().len());
    }
    Ok(())
}
