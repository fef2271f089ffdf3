//! Structs: a value that serde reads is written and read back as the same value; an error has an offset in the input and the keys
//! that lead there.
//!
//! In: packets. Accepted: one of the types reads them.

use std::collections::BTreeMap;
use std::fmt::Debug;

use crate::options::Options;
use arbitrary::Unstructured;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use y3::{ErrorKind, Key, MAX_DEPTH, PVarInt, Packet};

use super::input::packets;

/// A message with a field of each kind. A node that was absent is not written, so that the output is not deeper than the input.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Message {
    #[serde(rename = "0x01")]
    small: Option<(i8, u8, i16, u16)>,
    #[serde(rename = "0x02")]
    wide: Option<(i32, u32, i64, u64)>,
    #[serde(rename = "0x03", default)]
    text: String,
    #[serde(rename = "0x04", default)]
    bytes: ByteBuf,
    #[serde(rename = "0x05", default, skip_serializing_if = "Vec::is_empty")]
    flags: Vec<bool>,
    #[serde(rename = "0x06", default, skip_serializing_if = "BTreeMap::is_empty")]
    by_key: BTreeMap<Key, PVarInt<i64>>,
    #[serde(rename = "0x07")]
    event: Option<Event>,
    #[serde(rename = "0x08", default)]
    letter: char,
    #[serde(rename = "0x09")]
    inner: Option<Box<Message>>,
    #[serde(rename = "0x0a", default)]
    unit: (),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Event {
    #[serde(rename = "0x01")]
    Started,
    #[serde(rename = "0x02")]
    Moved(i32, i32),
    #[serde(rename = "0x03")]
    Read {
        #[serde(rename = "0x01")]
        at: i64,
        #[serde(rename = "0x02")]
        then: Option<Box<Event>>,
    },
    #[serde(rename = "0x04")]
    Many(Vec<Event>),
}

/// An enum with fewer variants than the input, which reads all others as one variant.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Level {
    #[serde(rename = "0x00")]
    Low,
    #[serde(rename = "0x01")]
    Middle,
    #[serde(rename = "0x02", other)]
    High,
}

/// A recursive type, so that the input decides how deep it is read.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Tree {
    #[serde(rename = "0x01")]
    leaf: Option<i32>,
    #[serde(rename = "0x02")]
    child: Option<Box<Tree>>,
    #[serde(rename = "0x03", default, skip_serializing_if = "Vec::is_empty")]
    children: Vec<Tree>,
}

/// A type that borrows, and keeps a packet undecoded.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Borrowed<'a> {
    #[serde(rename = "0x01", default)]
    text: &'a str,
    #[serde(rename = "0x02", default, with = "serde_bytes")]
    bytes: &'a [u8],
    #[serde(rename = "0x03", borrow)]
    packet: Option<Packet<'a>>,
}

pub fn property(bytes: &[u8]) -> bool {
    let Ok(input) = packets(&mut Unstructured::new(bytes)) else { return false };
    // Types that decode nothing, `Packet` and `IgnoredAny`, read every valid top-level packet.
    let packet = Packet::from_slice(&input);
    assert_eq!(read::<Packet>(Options::DEFAULT, &input), packet.ok());
    assert_eq!(read::<IgnoredAny>(Options::DEFAULT, &input).is_some(), packet.is_ok());

    let mut taken = borrowed(&input);
    for options in [Options::DEFAULT, Options::DEFAULT.with_pvar()] {
        taken |= [
            stable::<Message>(options, &input),
            stable::<Tree>(options, &input),
            stable::<Event>(options, &input),
            stable::<Vec<Level>>(options, &input),
            stable::<BTreeMap<u8, Vec<ByteBuf>>>(options, &input),
            stable::<(Option<u32>, [i16; 2], PVarInt<u64>)>(options, &input),
            stable::<Vec<Tree>>(options.with_watched(0x10), &input),
            stable::<Message>(options.with_max_depth(3), &input),
        ]
        .contains(&true);
    }
    taken
}

/// The value, or `None` after the error's offset and keys are tested.
fn read<'a, T: Deserialize<'a>>(options: Options, input: &'a [u8]) -> Option<T> {
    let error = match options.from_slice::<T>(input) {
        Ok(value) => return Some(value),
        Err(error) => error,
    };
    assert!(error.offset() <= input.len() as u64, "{error}, but the input has {} bytes", input.len());
    assert!(error.path().count() <= MAX_DEPTH + 1, "{error}");
    assert!(error.path().all(|key| key <= Key::MAX.get()), "{error}");
    assert!(error.to_string().ends_with(&format!("at byte {}", error.offset())), "{error}");
    // An error of the top-level packet is the same as that of the other readers.
    if let Err(fault) = Packet::from_slice(input) {
        assert_eq!((error.kind(), error.offset()), (fault.kind(), fault.offset()), "{error}");
    }
    let at = usize::try_from(error.offset()).ok().and_then(|place| input.get(place));
    match error.kind() {
        ErrorKind::DepthLimit => assert!(at.is_some_and(|tag| *tag >= 0x80), "{error}"),
        ErrorKind::NotANode => assert!(at.is_some_and(|tag| *tag < 0x80), "{error}"),
        _ => {}
    }
    None
}

fn stable<T: Debug + PartialEq + Serialize + for<'a> Deserialize<'a>>(options: Options, input: &[u8]) -> bool {
    let Some(value) = read::<T>(options, input) else { return false };
    let written = options.to_vec(&value).unwrap_or_else(|error| panic!("{value:?}: {error}"));
    y3::check(&written).unwrap();
    let again: T = options.from_slice(&written).unwrap_or_else(|error| panic!("{value:?}: {error}"));
    assert_eq!(again, value, "{written:02x?}");
    assert_eq!(options.to_vec(&again).unwrap(), written);
    let mut buffer = vec![0; written.len()];
    assert_eq!(options.to_slice(&mut buffer, &value).unwrap(), written);
    let short = written.len() - 1;
    assert!(options.to_slice(&mut buffer[..short], &value).is_err(), "written into too little room");
    true
}

fn borrowed(input: &[u8]) -> bool {
    let Some(value) = read::<Borrowed>(Options::DEFAULT, input) else { return false };
    let range = input.as_ptr_range();
    for part in [value.text.as_bytes(), value.bytes, value.packet.map_or(&[], |packet| packet.as_bytes())] {
        assert!(part.is_empty() || range.contains(&part.as_ptr()), "a copy");
    }
    let written = Options::DEFAULT.to_vec(&value).unwrap();
    let again: Borrowed = Options::DEFAULT.from_slice(&written).unwrap();
    assert_eq!((again.text, again.bytes), (value.text, value.bytes));
    let kept = |packet: Option<Packet<'_>>| packet.map(|packet| (packet.is_node(), packet.value().to_vec()));
    assert_eq!(kept(again.packet), kept(value.packet));
    true
}
