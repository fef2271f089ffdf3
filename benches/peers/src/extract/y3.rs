//! y3: keys and lengths come before the values; a reader jumps from header to header.
//!
//! `find` returns the first child with a key; a `PathSet` is for several values or deep ones, a `KeySet` for several
//! siblings; serde reads a struct of the one field and jumps over the others.

use serde::Deserialize;
use y3::hint::Hint;
use y3::{Encoder, Error, PVarInt, Packet, PathSet, Sink, keys, path};

use super::mode::{Hostile, Reader, Way, Writer};
use super::record::{C63, FromItem, from_node, take};
use super::scenario::{Digest, Shape};
use super::schema::flat_messages;
use kit::data::{Item, Node};

fn reader(mode: &'static str, way: Way, read: impl FnMut(&[u8]) -> Option<u64> + Clone + 'static) -> Reader {
    Reader::new("y3", mode, way, Hostile::Safe, encode, read)
}

/// A hint, which remembers the headers of the messages before; in the loop that is timed it is one and the same.
macro_rules! hinted {
    ($set:expr, $type:ty) => {{
        let mut hint = Hint::new(const { &$set });
        move |bytes: &[u8]| Some(hint.watch(bytes).next()?.ok()?.decode::<$type>().ok()?.digest())
    }};
}

/// Readers of batches: one message after the other, or several in turns.
macro_rules! batches {
    ($set:expr, $type:ty, $find:expr) => {{
        vec![
            Reader::looped("y3", "batch: find", Way::Recommended, Hostile::Safe, encode, $find),
            Reader::looped("y3", "batch: hint", Way::Expert, Hostile::Safe, encode, hinted!($set, $type)),
            Reader::batch("y3", "batch: first_each", Way::Expert, Hostile::Safe, encode, |batch, answers| {
                y3::batch::first_each(const { &$set }, batch, |index, hit| {
                    answers[index] = hit.and_then(|hit| Some(hit.ok()?.decode::<$type>().ok()?.digest()));
                });
            }),
        ]
    }};
}

/// Readers of a value among the children of the root.
macro_rules! flat {
    ($key:literal, $name:literal, $type:ty) => {{
        const SET: PathSet<1> = PathSet::new([path!(0, $key)]);
        #[derive(Deserialize)]
        struct Only<T> {
            #[serde(rename = $name)]
            value: T,
        }
        let find =
            |bytes: &[u8]| Some(Packet::from_slice(bytes).ok()?.find($key).ok()??.decode::<$type>().ok()?.digest());
        let mut readers = vec![
            reader("find", Way::Recommended, find),
            reader("PathSet", Way::Recommended, |bytes| {
                Some(const { &SET }.watch(bytes).next()?.ok()?.decode::<$type>().ok()?.digest())
            }),
            reader("hint", Way::Expert, hinted!(SET, $type)),
            reader("KeySet", Way::Expert, |bytes| {
                let mut hits = Packet::from_slice(bytes).ok()?.children().watch(keys![$key]);
                Some(hits.next()?.ok()?.decode::<$type>().ok()?.digest())
            }),
            reader("serde, one field", Way::Recommended, |bytes| {
                Some(y3::serde::from_slice::<Only<$type>>(bytes).ok()?.value.digest())
            }),
        ];
        readers.extend(batches!(SET, $type, find));
        readers
    }};
}

pub fn readers(shape: Shape) -> Vec<Reader> {
    match shape {
        Shape::C63 => flat!(32, "0x20", i64),
        Shape::C32 => flat!(16, "0x10", i32),
        Shape::C16 => flat!(8, "0x08", &str),
        Shape::C03 => flat!(2, "0x02", i32),
        Shape::Texts => flat!(32, "0x20", &str),
        Shape::Floats => flat!(32, "0x20", f32),
        Shape::Nested => nested(),
        Shape::Frame => frame(),
    }
}

fn nested() -> Vec<Reader> {
    const SET: PathSet<1> = PathSet::new([path!(0, 4, 4, 4)]);
    #[derive(Deserialize)]
    struct Only<T> {
        #[serde(rename = "0x04")]
        value: T,
    }
    let find = |bytes: &[u8]| {
        let outer = Packet::from_slice(bytes).ok()?.find(4).ok()??;
        Some(outer.find(4).ok()??.find(4).ok()??.decode::<i64>().ok()?.digest())
    };
    let mut readers = vec![
        reader("find", Way::Recommended, find),
        reader("PathSet", Way::Recommended, |bytes| {
            Some(const { &SET }.watch(bytes).next()?.ok()?.decode::<i64>().ok()?.digest())
        }),
        reader("hint", Way::Expert, hinted!(SET, i64)),
        reader("KeySet", Way::Expert, |bytes| {
            let outer = Packet::from_slice(bytes).ok()?.children().watch(keys![4]).next()?.ok()?;
            let middle = outer.children().watch(keys![4]).next()?.ok()?;
            Some(middle.children().watch(keys![4]).next()?.ok()?.decode::<i64>().ok()?.digest())
        }),
        reader("serde, one field", Way::Recommended, |bytes| {
            let outer = y3::serde::from_slice::<Only<Only<Only<i64>>>>(bytes).ok()?;
            Some(outer.value.value.value.digest())
        }),
    ];
    readers.extend(batches!(SET, i64, find));
    readers
}

/// A data frame carries its reading as packets inside a primitive, so it is read in two steps.
fn frame() -> Vec<Reader> {
    const PAYLOAD: PathSet<1> = PathSet::new([path!(0x3f, 0x02)]);
    const NOISE: PathSet<1> = PathSet::new([path!(0x01, 0x10, 0x11)]);
    const ENTERED: PathSet<1> = PathSet::new([path!(0x3f, 0x02 => 0x01, 0x10, 0x11)]);
    #[derive(Deserialize)]
    struct Frame<'a> {
        #[serde(rename = "0x02")]
        payload: &'a [u8],
    }
    #[derive(Deserialize)]
    struct Root {
        #[serde(rename = "0x10")]
        reading: Reading,
    }
    #[derive(Deserialize)]
    struct Reading {
        #[serde(rename = "0x11")]
        noise: f32,
    }
    let find = |bytes: &[u8]| {
        let payload = Packet::from_slice(bytes).ok()?.find(0x02).ok()??;
        let reading = Packet::from_slice(payload.value()).ok()?.find(0x10).ok()??;
        Some(reading.find(0x11).ok()??.decode::<f32>().ok()?.digest())
    };
    let mut readers = vec![
        reader("find", Way::Recommended, find),
        reader("PathSet", Way::Recommended, |bytes| {
            let payload = const { &PAYLOAD }.watch(bytes).next()?.ok()?;
            Some(const { &NOISE }.watch(payload.value()).next()?.ok()?.decode::<f32>().ok()?.digest())
        }),
        reader("hint", Way::Expert, hinted!(ENTERED, f32)),
        reader("KeySet", Way::Expert, |bytes| {
            let payload = Packet::from_slice(bytes).ok()?.children().watch(keys![0x02]).next()?.ok()?;
            let root = Packet::from_slice(payload.value()).ok()?;
            let reading = root.children().watch(keys![0x10]).next()?.ok()?;
            Some(reading.children().watch(keys![0x11]).next()?.ok()?.decode::<f32>().ok()?.digest())
        }),
        reader("serde, one field", Way::Recommended, |bytes| {
            let frame = y3::serde::from_slice::<Frame<'_>>(bytes).ok()?;
            Some(y3::serde::from_slice::<Root>(frame.payload).ok()?.reading.noise.digest())
        }),
    ];
    readers.extend(batches!(ENTERED, f32, find));
    readers
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
macro_rules! write_record {
    (C63 $watched:ident { $($key:literal $field:ident [$kind:ident];)* }) => {
        #[inline(always)]
        fn write_record(record: &C63, sink: &mut impl Sink) -> Result<(), Error> {
            Encoder::new(sink).node(0, |root| {
                $(root.put($key, borrowed!($kind, record.$field))?;)*
                Ok(())
            })
        }
    };
    ($($other:tt)*) => {};
}

macro_rules! borrowed {
    (Text, $text:expr) => {
        $text.as_str()
    };
    ($number:ident, $value:expr) => {
        $value
    };
}

flat_messages!(write_record);

/// The same pairs as a struct whose fields have their keys, with types that the derive can read: it sees macros before they expand.
macro_rules! derived {
    (@ [$($fields:tt)*] $key:literal $field:ident [Text]; $($rest:tt)*) => {
        derived! { @ [$($fields)* #[y3($key)] $field: String,] $($rest)* }
    };
    (@ [$($fields:tt)*] $key:literal $field:ident [I32]; $($rest:tt)*) => {
        derived! { @ [$($fields)* #[y3($key)] $field: i32,] $($rest)* }
    };
    (@ [$($fields:tt)*] $key:literal $field:ident [U32]; $($rest:tt)*) => {
        derived! { @ [$($fields)* #[y3($key)] $field: u32,] $($rest)* }
    };
    (@ [$($fields:tt)*] $key:literal $field:ident [I64]; $($rest:tt)*) => {
        derived! { @ [$($fields)* #[y3($key)] $field: i64,] $($rest)* }
    };
    (@ [$($fields:tt)*] $key:literal $field:ident [U64]; $($rest:tt)*) => {
        derived! { @ [$($fields)* #[y3($key)] $field: u64,] $($rest)* }
    };
    (@ [$($fields:tt)*] $key:literal $field:ident [F32]; $($rest:tt)*) => {
        derived! { @ [$($fields)* #[y3($key)] $field: f32,] $($rest)* }
    };
    (@ [$($fields:tt)*] $key:literal $field:ident [F64]; $($rest:tt)*) => {
        derived! { @ [$($fields)* #[y3($key)] $field: f64,] $($rest)* }
    };
    (@ [$($fields:tt)*]) => {
        #[derive(y3::Encode)]
        struct Derived { $($fields)* }
    };
    (C63 $watched:ident { $($key:literal $field:ident [$kind:ident];)* }) => {
        derived! { @ [] $($key $field [$kind];)* }
        from_node!(Derived, Derived, $($key $field)*);
    };
    ($($other:tt)*) => {};
}

flat_messages!(derived);

pub fn writers() -> Vec<Writer> {
    vec![
        Writer::new("y3", "Encoder", Way::Recommended, |record: &C63, out| {
            write_record(record, out).expect("keys are below 64");
        }),
        Writer::new("y3", "derive", Way::Recommended, |record: &Derived, out| {
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
        for model in Scenario::Session.models(Regime::InOrder) {
            let frame = frames.next().expect("as many as models");
            assert_eq!(encode(&model), frame.as_bytes());
        }
        assert!(frames.next().is_none());
    }
}
