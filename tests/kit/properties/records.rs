//! Records: the derive and serde read the same values and write the same bytes, serde in every mode. An error has an
//! offset in the input and the keys that lead there.
//!
//! The bytes are packets. The input is accepted if one of the types reads them.

use std::collections::BTreeMap;
use std::fmt::Debug;

use arbitrary::Unstructured;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use y3::value::UnknownFields;
use y3::{Decode, Encode, Encoder, ErrorKind, Key, KeySet, MAX_DEPTH, PVarInt, Packet, SliceSink};

use crate::input::packets;
use crate::options::{Bytes, Options};

/// A struct with a field of each kind, with the same keys for the derive and serde.
#[derive(Debug, PartialEq, Serialize, Deserialize, Encode, Decode)]
struct Message {
    #[serde(rename = "0x01")]
    #[y3(0x01)]
    small: Option<[i8; 2]>,
    #[serde(rename = "0x02", default)]
    #[y3(0x02, default)]
    wide: u64,
    #[serde(rename = "0x03", default)]
    #[y3(0x03, default)]
    text: String,
    #[serde(rename = "0x04", default)]
    #[y3(0x04, default)]
    bytes: Bytes,
    #[serde(rename = "0x05", default, skip_serializing_if = "Vec::is_empty")]
    #[y3(0x05, default, skip_if = Vec::is_empty)]
    flags: Vec<bool>,
    #[serde(rename = "0x06", default, skip_serializing_if = "BTreeMap::is_empty")]
    #[y3(0x06, default, skip_if = BTreeMap::is_empty)]
    by_key: BTreeMap<Key, PVarInt<i64>>,
    #[serde(rename = "0x07")]
    #[y3(0x07)]
    event: Option<Event>,
    #[serde(rename = "0x08", default)]
    #[y3(0x08, default)]
    letter: char,
    #[serde(rename = "0x09")]
    #[y3(0x09)]
    inner: Option<Box<Message>>,
    #[serde(rename = "0x0a", default)]
    #[y3(0x0a, default)]
    unit: (),
    #[serde(rename = "0x0b")]
    #[y3(0x0b)]
    number: Option<f64>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Encode, Decode)]
enum Event {
    #[serde(rename = "0x01")]
    #[y3(0x01)]
    Started,
    #[serde(rename = "0x02")]
    #[y3(0x02)]
    Said(u16),
    #[serde(rename = "0x03")]
    #[y3(0x03)]
    Read {
        #[serde(rename = "0x01")]
        #[y3(0x01)]
        at: i64,
        #[serde(rename = "0x02")]
        #[y3(0x02)]
        then: Option<Box<Event>>,
    },
    #[serde(rename = "0x04")]
    #[y3(0x04)]
    Many(Vec<Event>),
}

/// A recursive type, so that the input decides how deep it is read.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize, Encode, Decode)]
struct Tree {
    #[serde(rename = "0x01")]
    #[y3(0x01)]
    leaf: Option<i32>,
    #[serde(rename = "0x02")]
    #[y3(0x02)]
    child: Option<Box<Tree>>,
    #[serde(rename = "0x03", default, skip_serializing_if = "Vec::is_empty")]
    #[y3(0x03, default, skip_if = Vec::is_empty)]
    children: Vec<Tree>,
}

/// A type that borrows, keeps one packet undecoded, and keeps unknown packets.
#[derive(Debug, PartialEq, Encode, Decode)]
struct Borrowed<'a> {
    #[y3(0x01, default)]
    text: &'a str,
    #[y3(0x02, default)]
    bytes: &'a [u8],
    #[y3(0x03)]
    packet: Option<Packet<'a>>,
    #[y3(0x04)]
    items: Option<Vec<&'a [u8]>>,
    #[y3(rest)]
    rest: UnknownFields<'a>,
}

/// A type that reads the first or the last of repeated fields.
#[derive(Debug, PartialEq, Encode, Decode)]
struct Repeated {
    #[y3(0x01, duplicates = first)]
    first: Option<u16>,
    #[y3(0x02, duplicates = last, pvar)]
    last: Option<i64>,
    #[y3(0x03)]
    bytes: Option<[u8; 4]>,
    #[y3(0x04)]
    level: Option<Level>,
}

#[derive(Debug, PartialEq, Encode, Decode)]
enum Level {
    #[y3(1)]
    Low,
    #[y3(2, other)]
    Other,
}

pub fn property(bytes: &[u8]) -> bool {
    packets(&mut Unstructured::new(bytes)).is_ok_and(|input| holds(&input))
}

/// True if one of the types reads the bytes.
pub fn holds(input: &[u8]) -> bool {
    assert_eq!(read::<Packet>(input).ok(), Packet::from_slice(input).ok());
    assert_eq!(serde_read::<IgnoredAny>(Options::DEFAULT, input).is_some(), Packet::from_slice(input).is_ok());
    [
        agrees::<Message>(input),
        agrees::<Tree>(input),
        agrees::<Event>(input),
        agrees::<Vec<Tree>>(input),
        agrees::<BTreeMap<u8, Vec<Bytes>>>(input),
        serde_keeps::<Message>(Options::DEFAULT.with_pvar(), input),
        serde_keeps::<(Option<u32>, [i16; 2], PVarInt<u64>)>(Options::DEFAULT.with_pvar(), input),
        serde_keeps::<Vec<Tree>>(Options::DEFAULT.with_watched(0x10), input),
        serde_keeps::<Message>(Options::DEFAULT.with_max_depth(3), input),
        borrowed(input),
        repeated(input),
    ]
    .contains(&true)
}

/// The bytes of a value with every field present.
pub fn full() -> Vec<u8> {
    let events =
        || vec![Event::Started, Event::Said(300), Event::Read { at: -65, then: Some(Box::new(Event::Many(vec![]))) }];
    let inner = || Message {
        small: Some([-1, 64]),
        wide: u64::MAX,
        text: "né".into(),
        bytes: Bytes([0xff, 0x81].to_vec().into()),
        flags: vec![true, false],
        by_key: [(Key::ROOT, PVarInt(-65))].into(),
        event: Some(Event::Many(events())),
        letter: '中',
        inner: None,
        unit: (),
        number: Some(0.1),
    };
    y3::to_vec(0x01, &Message { inner: Some(Box::new(inner())), ..inner() }).unwrap()
}

/// The value, or `Err` after the error's offset and keys are tested.
fn read<'a, T: Decode<'a>>(input: &'a [u8]) -> Result<T, ErrorKind> {
    let error = match y3::decode::<T>(input) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    assert!(error.offset() <= input.len() as u64, "{error}, but the input has {} bytes", input.len());
    let message = error.to_string();
    assert!(message.contains(&format!("at byte {}", error.offset())), "{error}");
    // An error of the top-level packet is the error that other readers report.
    if let Err(other) = Packet::from_slice(input) {
        assert_eq!(error, other);
        return Err(error.kind());
    }
    let (context, tag) =
        (y3::show::explain(input, error), usize::try_from(error.offset()).ok().and_then(|at| input.get(at)));
    assert!(context.keys().len() <= MAX_DEPTH + 1, "{error}");
    match error.kind() {
        ErrorKind::DepthLimit | ErrorKind::NotAPrimitive => assert!(tag.is_some_and(|tag| *tag >= 0x80), "{error}"),
        ErrorKind::NotANode => assert!(tag.is_some_and(|tag| *tag < 0x80), "{error}"),
        _ => {}
    }
    // The last key is that of the packet with the error. The packet's tag is at the offset, except for errors of
    // lengths and values.
    let key = context.keys().last().unwrap_or_else(|| panic!("no key leads to {error}")).get();
    match error.kind() {
        ErrorKind::NegativeLength | ErrorKind::LengthOverflow | ErrorKind::InvalidValue | ErrorKind::InvalidUtf8 => {}
        _ => assert!(tag.is_some_and(|tag| tag & 0x3f == key), "{error}"),
    }
    Err(error.kind())
}

/// Asserts that the derive and serde read the same value and write the same bytes, or that both reject the input.
fn agrees<T>(input: &[u8]) -> bool
where
    T: Debug + PartialEq + Serialize + for<'a> Deserialize<'a> + Encode + for<'a> Decode<'a>,
{
    match (read::<T>(input), serde_read::<T>(Options::DEFAULT, input).ok_or(())) {
        (Ok(value), Ok(serde)) => {
            assert!(same(&value, &serde), "serde reads {serde:?}, not {value:?}");
            let written = y3::to_vec(0x01, &value).unwrap_or_else(|error| panic!("{value:?}: {error}"));
            assert_eq!(y3::serde::to_vec(&serde).unwrap(), written, "{value:?}");
            stable(&value, &written);
            true
        }
        // Serde also reads a variant without content from the node of a variant with the content `()`.
        (Err(ErrorKind::UnknownVariant), _) | (Err(_), Err(())) => false,
        (Ok(value), Err(())) => panic!("serde refuses {value:?}"),
        (Err(kind), Ok(value)) => panic!("serde reads {value:?}, the derive gives {kind:?}"),
    }
}

/// Equal, or both hold NaN.
fn same<T: Debug + PartialEq>(left: &T, right: &T) -> bool {
    left == right || format!("{left:?}") == format!("{right:?}")
}

/// Asserts that the output has the length `encoded_len` and is read back as the same value.
fn stable<'a, T: Debug + PartialEq + Encode + Decode<'a>>(value: &T, written: &'a [u8]) {
    y3::check(written).unwrap();
    assert_eq!(y3::encoded_len(|encoder| encoder.put(0x01, value)), Ok(written.len()));
    let again = y3::decode::<T>(written).unwrap_or_else(|error| panic!("{value:?}: {error}"));
    assert!(same(&again, value), "{again:?}, written as {value:?}");
    assert_eq!(y3::to_vec(0x01, &again).unwrap(), written);
    let mut buffer = vec![0; written.len()];
    let mut sink = SliceSink::new(&mut buffer);
    Encoder::new(&mut sink).put(0x01, value).unwrap();
    assert_eq!(sink.written(), written);
    let short = written.len() - 1;
    let done = Encoder::new(&mut SliceSink::new(&mut buffer[..short])).put(0x01, value);
    assert!(done.is_err(), "the value fits in a slice that is too short");
}

/// The value that serde reads, or `None` after the error's offset and keys are tested.
fn serde_read<'a, T: Deserialize<'a>>(options: Options, input: &'a [u8]) -> Option<T> {
    let error = match options.from_slice::<T>(input) {
        Ok(value) => return Some(value),
        Err(error) => error,
    };
    assert!(error.offset() <= input.len() as u64, "{error}, but the input has {} bytes", input.len());
    assert!(error.path().count() <= MAX_DEPTH + 1 && error.path().all(|key| key <= Key::MAX.get()), "{error}");
    assert!(error.to_string().ends_with(&format!("at byte {}", error.offset())), "{error}");
    // An error of the top-level packet is the error that other readers report.
    if let Err(other) = Packet::from_slice(input) {
        assert_eq!((error.kind(), error.offset()), (other.kind(), other.offset()), "{error}");
    }
    None
}

/// Asserts that serde reads what it wrote, and needs no more space than the bytes take.
fn serde_keeps<T: Debug + PartialEq + Serialize + for<'a> Deserialize<'a>>(options: Options, input: &[u8]) -> bool {
    let Some(value) = serde_read::<T>(options, input) else { return false };
    let written = options.to_vec(&value).unwrap_or_else(|error| panic!("{value:?}: {error}"));
    y3::check(&written).unwrap();
    let again: T = options.from_slice(&written).unwrap_or_else(|error| panic!("{value:?}: {error}"));
    assert!(same(&again, &value), "{written:02x?}");
    let mut buffer = vec![0; written.len()];
    assert_eq!(options.to_slice(&mut buffer, &value).unwrap(), written);
    for room in [0, written.len() / 2, written.len() - 1] {
        let error = options.to_slice(&mut buffer[..room], &value).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BufferTooSmall, "{room} of {}", written.len());
    }
    true
}

fn borrowed(input: &[u8]) -> bool {
    let Ok(value) = read::<Borrowed>(input) else { return false };
    let range = input.as_ptr_range();
    let packet = value.packet.map_or(&[][..], |packet| packet.as_bytes());
    let items = value.items.iter().flatten().copied();
    for part in [value.text.as_bytes(), value.bytes, packet].into_iter().chain(items) {
        assert!(part.is_empty() || range.contains(&part.as_ptr()), "a copy");
    }
    let keys: KeySet = value.rest.packets().map(|packet| packet.unwrap().key()).collect();
    assert!((1..=4).filter_map(Key::new).all(|key| !keys.contains(key)), "a field is among the unknown packets");
    let written = y3::to_vec(0x01, &value).unwrap();
    let again: Borrowed = y3::decode(&written).unwrap();
    assert_eq!((again.text, again.bytes, &again.items), (value.text, value.bytes, &value.items));
    let kept = |packets: &mut dyn Iterator<Item = Packet<'_>>| -> Vec<(u8, Vec<u8>)> {
        packets.map(|packet| (packet.key().get(), packet.value().to_vec())).collect()
    };
    assert_eq!(kept(&mut again.rest.packets().flatten()), kept(&mut value.rest.packets().flatten()));
    assert_eq!(kept(&mut again.packet.into_iter()), kept(&mut value.packet.into_iter()));
    true
}

fn repeated(input: &[u8]) -> bool {
    let Ok(value) = read::<Repeated>(input) else { return false };
    stable(&value, &y3::to_vec(0x01, &value).unwrap());
    // The first and the last of the packets with these keys.
    let numbers = |key: u8| {
        let packets = Packet::from_slice(input).unwrap().children().map(Result::unwrap);
        packets.filter(move |packet| packet.key() == key)
    };
    assert_eq!(value.first, numbers(1).next().map(|packet| packet.decode().unwrap()));
    assert_eq!(value.last, numbers(2).last().map(|packet| packet.pvar().decode().unwrap()));
    true
}
