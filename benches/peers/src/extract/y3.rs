//! y3: keys and lengths come before the values; a reader jumps from header to header.
//!
//! `find` returns the first child with a key; a `PathSet` is for several values or deep ones, a `KeySet` for several
//! siblings; serde reads a struct of the one field and jumps over the others. A hint remembers the headers of the messages before; in
//! the loop that is timed it is one and the same.

use kit::data::Item;
use serde::Deserialize;
use y3::hint::Hint;
use y3::{Encoder, Error, PVarInt, Packet, PathSet, Sink, keys, path};

use super::prelude::*;
use super::shape::c63_fields;

const Y3: Codec = Codec("y3", encode);

/// All readers of a value: by `find`, through a `PathSet`, through a `KeySet`, through serde; and of batches, one message after the other
/// or several in turns.
macro_rules! ways {
    ($set:expr, $type:ty, $find:expr, $watch:expr, $keys:expr, $serde:expr) => {{
        const SET: PathSet<1> = $set;
        let (find, keys) = ($find, $keys);
        let hinted = || {
            let mut hint = Hint::new(const { &SET });
            move |bytes: &[u8]| Some(hint.watch(bytes).next()?.ok()?.decode::<$type>().ok()?.digest())
        };
        vec![
            Y3.reader("find", find),
            Y3.reader("PathSet", $watch),
            Y3.reader("hint", hinted()),
            Y3.reader("KeySet", keys),
            Y3.reader("serde, one field", $serde),
            Y3.looped("batch: find", find),
            Y3.looped("batch: KeySet", keys),
            Y3.looped("batch: hint", hinted()),
            Y3.batch("batch: first_each", |batch, answers| {
                y3::batch::first_each(const { &SET }, batch, |index, hit| {
                    answers[index] = hit.and_then(|hit| Some(hit.ok()?.decode::<$type>().ok()?.digest()));
                });
            }),
        ]
    }};
}

/// One field of a message, named by its key.
macro_rules! one_field {
    ($($one:ident $field:ident $key:literal;)*) => {$(
        #[derive(Deserialize)]
        struct $one<T> {
            #[serde(rename = $key)]
            $field: T,
        }
    )*};
}

one_field! { K2 k2 "0x02"; K4 k4 "0x04"; K8 k8 "0x08"; K16 k16 "0x10"; K17 k17 "0x11"; K32 k32 "0x20"; }

pub fn readers(shape: Shape) -> Vec<Reader> {
    macro_rules! value {
        ($message:ident $only:ident $type:ty, $($key:literal $field:ident $one:ident),+) => {
            ways!(
                PathSet::new([path!(0, $($key),+)]),
                $type,
                |bytes: &[u8]| {
                    let packet = Packet::from_slice(bytes).ok()?;
                    $(let packet = packet.find($key).ok()??;)+
                    Some(packet.decode::<$type>().ok()?.digest())
                },
                |bytes| Some(const { &SET }.watch(bytes).next()?.ok()?.decode::<$type>().ok()?.digest()),
                |bytes: &[u8]| {
                    let packet = Packet::from_slice(bytes).ok()?;
                    $(let packet = packet.children().watch(keys![$key]).next()?.ok()?;)+
                    Some(packet.decode::<$type>().ok()?.digest())
                },
                |bytes| Some(y3::serde::from_slice::<only!($type, $($one)+)>(bytes).ok()?$(.$field)+.digest())
            )
        };
    }
    if shape == Shape::Frame { frame() } else { of_shape!(shape, value) }
}

/// A data frame carries its reading as packets inside a primitive, so it is read in two steps.
fn frame() -> Vec<Reader> {
    const PAYLOAD: PathSet<1> = PathSet::new([path!(0x3f, 0x02)]);
    const NOISE: PathSet<1> = PathSet::new([path!(0x01, 0x10, 0x11)]);
    ways!(
        PathSet::new([path!(0x3f, 0x02 => 0x01, 0x10, 0x11)]),
        f32,
        |bytes: &[u8]| {
            let payload = Packet::from_slice(bytes).ok()?.find(0x02).ok()??;
            let reading = Packet::from_slice(payload.value()).ok()?.find(0x10).ok()??;
            Some(reading.find(0x11).ok()??.decode::<f32>().ok()?.digest())
        },
        |bytes| {
            let payload = const { &PAYLOAD }.watch(bytes).next()?.ok()?;
            Some(const { &NOISE }.watch(payload.value()).next()?.ok()?.decode::<f32>().ok()?.digest())
        },
        |bytes: &[u8]| {
            let payload = Packet::from_slice(bytes).ok()?.children().watch(keys![0x02]).next()?.ok()?;
            let root = Packet::from_slice(payload.value()).ok()?;
            let reading = root.children().watch(keys![0x10]).next()?.ok()?;
            Some(reading.children().watch(keys![0x11]).next()?.ok()?.decode::<f32>().ok()?.digest())
        },
        |bytes| {
            let payload = y3::serde::from_slice::<K2<&[u8]>>(bytes).ok()?.k2;
            Some(y3::serde::from_slice::<K16<K17<f32>>>(payload).ok()?.k16.k17.digest())
        }
    )
}

/// Encodes the model; a data frame as `YoMo` writes it.
pub fn encode(model: &Node) -> Vec<u8> {
    match &*model.0 {
        [(1, Item::U32(tag)), (3, Item::Text(metadata)), (2, Item::Node(reading))] => {
            data_frame(*tag, metadata, reading)
        }
        _ => model.to_pair().y3,
    }
}

fn data_frame(tag: u32, metadata: &str, reading: &Node) -> Vec<u8> {
    let (mut payload, mut frame) = (Vec::new(), Vec::new());
    Encoder::new(&mut payload)
        .node(0x01, |root| {
            root.node(0x10, |node| {
                reading.0.iter().try_for_each(|(key, item)| match item {
                    Item::F32(noise) => node.put(*key, noise),
                    Item::I64(time) => node.put(*key, PVarInt(*time)),
                    Item::Text(from) => node.put(*key, from.as_str()),
                    other => unreachable!("no reading holds {other:?}"),
                })
            })
        })
        .and_then(|()| {
            Encoder::new(&mut frame).node(0x3f, |frame| {
                frame.put(0x01, tag)?;
                frame.put(0x03, metadata)?;
                frame.put(0x02, payload.as_slice())
            })
        })
        .expect("keys are below 64");
    frame
}

/// The fields of the report's 63 pairs, one after the other.
macro_rules! write_fields {
    ($($key:literal $field:ident;)*) => {
        #[inline(always)]
        fn write_fields(record: &owned::C63, sink: &mut impl Sink) -> Result<(), Error> {
            Encoder::new(sink).node(0, |root| {
                $(root.put($key, &record.$field)?;)*
                Ok(())
            })
        }
    };
}

c63_fields!(write_fields);

pub fn writers() -> Vec<Writer> {
    vec![
        Writer::new("y3", "Encoder", record::<owned::C63>, |record, out| {
            write_fields(record, out).expect("keys are below 64");
        }),
        Writer::new("y3", "derive", record::<owned::C63>, |record, out| {
            Encoder::new(out).put(0, record).expect("keys are below 64");
        }),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::scenario::{Regime, Scenario, data_frames, recording};
    use super::encode;

    #[test]
    fn session_is_the_recorded_one() {
        let recording = recording();
        let mut frames = data_frames(&recording);
        for model in Scenario::SESSION.models(Regime::InOrder) {
            let frame = frames.next().expect("as many as models");
            assert_eq!(encode(&model), frame.as_bytes());
        }
        assert!(frames.next().is_none());
    }
}
