//! y3: each value follows its key and length, so a reader jumps from header to header.
//!
//! `find` returns the first child with a key. A `PathSet` finds several values or deep ones, a `KeySet` several siblings. serde reads a
//! struct with the one field and jumps over the others. A hint remembers the headers of earlier messages; one hint serves the whole loop
//! that is timed.

use y3::hint::Hint;
use y3::{Encoder, PVarInt, Packet, PathSet, keys, path};

use super::prelude::*;

/// All readers of the value at one path of keys, or at several paths joined by `=>`. A path before `=>` leads to a value whose bytes are
/// packets. A hint and `first_each` follow joined paths at once, the other readers one by one.
macro_rules! ways {
    ($message:ident $only:ident $type:ty, $($path:tt)+) => { ways!($type; 0, $($path)+) };
    ($type:ty; $($root:literal, $($key:literal $field:ident $one:ident),+)=>+) => {{
        const SET: PathSet<1> = PathSet::new([path!($($root, $($key),+)=>+)]);
        let mut hint = Hint::new(const { &SET });
        Ways::of("y3", encode)
            .both("find", |bytes| {
                $(
                    let packet = Packet::from_slice(bytes).ok()?;
                    $(let packet = packet.find($key).ok()??;)+
                    let bytes = packet.value();
                )+
                packet.decode::<$type>().ok().digest()
            })
            .reader("PathSet", |bytes| {
                $(
                    let hit = const { &PathSet::new([path!($root, $($key),+)]) }.watch(bytes).next()?.ok()?;
                    let bytes = hit.value();
                )+
                hit.decode::<$type>().ok().digest()
            })
            .both("hint", move |bytes| hint.watch(bytes).next()?.ok()?.decode::<$type>().ok().digest())
            .both("KeySet", |bytes| {
                $(
                    let packet = Packet::from_slice(bytes).ok()?;
                    $(let packet = packet.children().watch(keys![$key]).next()?.ok()?;)+
                    let bytes = packet.value();
                )+
                packet.decode::<$type>().ok().digest()
            })
            .reader("serde, one field", |bytes| {
                $(let bytes = formats::y3::read::<only!(in keyed, _, $($one)+)>(bytes)?$(.$field)+;)+
                let value: $type = bytes;
                value.digest()
            })
            .batch("first_each", |batch, answers| {
                y3::batch::first_each(const { &SET }, batch, |index, hit| {
                    answers[index] = hit.and_then(|hit| hit.ok()?.decode::<$type>().ok().digest());
                });
            })
    }};
}

#[allow(unused_variables, reason = "the bytes of a value that has no packets")]
pub fn readers(shape: Shape) -> Ways {
    match shape {
        // In a data frame the reading is a primitive whose bytes are packets.
        Shape::Frame => ways!(f32; 0x3f, 0x02 k2 K2 => 0x01, 0x10 k16 K16, 0x11 k17 K17),
        _ => of_shape!(shape, ways),
    }
}

/// Encodes the model. A data frame has the form that `YoMo` writes.
pub fn encode(model: &Node) -> Vec<u8> {
    let [(1, Item::U32(tag)), (3, Item::Text(metadata)), (2, Item::Node(Node(reading)))] = &*model.0 else {
        return model.to_y3();
    };
    let [(_, Item::F32(noise)), (_, Item::I64(time)), (_, Item::Text(from))] = &**reading else {
        unreachable!("a reading has no other values")
    };
    let (mut payload, mut frame) = (Vec::new(), Vec::new());
    let reading = Encoder::new(&mut payload).node(0x01, |root| {
        root.node(0x10, |node| {
            node.put(0x11, noise)?;
            node.put(0x12, PVarInt(*time))?;
            node.put(0x13, from.as_str())
        })
    });
    reading.expect("keys are below 64");
    let written = Encoder::new(&mut frame).node(0x3f, |frame| {
        frame.put(0x01, tag)?;
        frame.put(0x03, metadata.as_str())?;
        frame.put(0x02, payload.as_slice())
    });
    written.expect("keys are below 64");
    frame
}

pub fn write_derived(record: &owned::C63, out: &mut Vec<u8>) {
    Encoder::new(out).put(0, record).expect("keys are below 64");
}
