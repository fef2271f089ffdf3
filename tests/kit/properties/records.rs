//! Records: the derive and serde read the same values and write the same bytes; an error has an offset in the input and the keys
//! that lead there.
//!
//! In: packets. Accepted: one of the types reads them.

use std::collections::BTreeMap;
use std::fmt::Debug;

use arbitrary::Unstructured;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use y3::record::{ErrorKind, Items, Rest};
use y3::serde::Options;
use y3::{ErrorKind as Wire, FromPacket, Key, KeySet, MAX_DEPTH, PVarInt, Packet, Sink, ToPacket};

use super::input::packets;

/// Bytes for serde, which reads and writes a `Vec<u8>` as a list of numbers.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Bytes(ByteBuf);

impl ToPacket for Bytes {
    fn write<S: Sink, const PVAR: bool>(
        &self,
        place: y3::record::Place<'_, S, PVAR>,
    ) -> Result<y3::record::Written, y3::Error> {
        place.content()?.bytes(&self.0)
    }
}

impl<'a> FromPacket<'a> for Bytes {
    fn read<const PVAR: bool>(source: y3::record::Source<'a, PVAR>) -> Result<Self, y3::record::Cause> {
        Vec::read(source.content()?).map(|bytes| Self(ByteBuf::from(bytes)))
    }
}

/// A struct with a field of each kind, with the same keys for the derive and serde.
#[derive(Debug, PartialEq, Serialize, Deserialize, ToPacket, FromPacket)]
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

#[derive(Debug, PartialEq, Serialize, Deserialize, ToPacket, FromPacket)]
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
#[derive(Debug, Default, PartialEq, Serialize, Deserialize, ToPacket, FromPacket)]
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

/// A type that borrows, keeps a packet undecoded, and keeps unknown packets.
#[derive(Debug, PartialEq, ToPacket, FromPacket)]
struct Borrowed<'a> {
    #[y3(0x01, default)]
    text: &'a str,
    #[y3(0x02, default)]
    bytes: &'a [u8],
    #[y3(0x03)]
    packet: Option<Packet<'a>>,
    #[y3(0x04)]
    items: Option<Items<'a, u32>>,
    #[y3(rest)]
    rest: Rest<'a>,
}

/// A type of bounded size.
#[derive(Debug, PartialEq, ToPacket, FromPacket)]
struct Bounded {
    #[y3(0x01, duplicates = first)]
    first: Option<u16>,
    #[y3(0x02, duplicates = last, pvar)]
    last: Option<i64>,
    #[y3(0x03)]
    bytes: Option<[u8; 4]>,
    #[y3(0x04)]
    level: Option<Level>,
}

#[derive(Debug, PartialEq, ToPacket, FromPacket)]
enum Level {
    #[y3(1)]
    Low,
    #[y3(2, other)]
    Other,
}

pub fn property(bytes: &[u8]) -> bool {
    let Ok(input) = packets(&mut Unstructured::new(bytes)) else { return false };
    assert_eq!(read::<Packet>(&input).ok(), Packet::from_slice(&input).ok());
    [
        agrees::<Message>(&input),
        agrees::<Tree>(&input),
        agrees::<Event>(&input),
        agrees::<Vec<Tree>>(&input),
        agrees::<BTreeMap<u8, Vec<Bytes>>>(&input),
        borrowed(&input),
        bounded(&input),
    ]
    .contains(&true)
}

/// The value, or `Err` after the error's offset and keys are tested.
fn read<'a, T: FromPacket<'a>>(input: &'a [u8]) -> Result<T, ErrorKind> {
    let error = match T::from_slice(input) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    assert!(error.offset() <= input.len() as u64, "{error}, but the input has {} bytes", input.len());
    assert!(error.path().count() <= MAX_DEPTH + 1, "{error}");
    assert!(error.path().all(|key| key <= Key::MAX.get()), "{error}");
    assert!(error.to_string().ends_with(&format!("at byte {}", error.offset())), "{error}");
    // An error of the outermost packet is the same as that of the other readers.
    if let (ErrorKind::Wire(kind), Err(fault)) = (error.kind(), Packet::from_slice(input)) {
        assert_eq!((kind, error.offset()), (fault.kind(), fault.offset()), "{error}");
    }
    let at = usize::try_from(error.offset()).ok().and_then(|place| input.get(place));
    match error.kind() {
        ErrorKind::Wire(Wire::DepthLimit) | ErrorKind::NotAPrimitive => {
            assert!(at.is_some_and(|tag| *tag >= 0x80), "{error}");
        }
        ErrorKind::Wire(Wire::NotANode) => assert!(at.is_some_and(|tag| *tag < 0x80), "{error}"),
        _ => {}
    }
    // The last key is that of the packet whose tag is at the offset.
    if let (Some(tag), Some(key)) = (at, error.path().last()) {
        let is_tag =
            !matches!(error.kind(), ErrorKind::Wire(kind) if !matches!(kind, Wire::DepthLimit | Wire::NotANode));
        assert!(!is_tag || tag & 0x3f == key, "{error}");
    }
    Err(error.kind())
}

/// Asserts that both read the same value and write the same bytes, or that both reject the input.
fn agrees<T>(input: &[u8]) -> bool
where
    T: Debug + PartialEq + Serialize + for<'a> Deserialize<'a> + ToPacket + for<'a> FromPacket<'a>,
{
    match (read::<T>(input), Options::DEFAULT.from_slice::<T>(input)) {
        (Ok(value), Ok(serde)) => {
            assert!(same(&value, &serde), "{value:?}, to serde {serde:?}");
            let written = value.encode_to_vec().unwrap_or_else(|error| panic!("{value:?}: {error}"));
            assert_eq!(Options::DEFAULT.to_vec(&serde).unwrap(), written, "{value:?}");
            stable(&value, &written);
            true
        }
        // serde reads a variant without content also from the node of one with the content `()`.
        (Err(ErrorKind::UnknownVariant), _) | (Err(_), Err(_)) => false,
        (Ok(value), Err(error)) => panic!("{value:?}, to serde {error}"),
        (Err(kind), Ok(value)) => panic!("{kind:?}, to serde {value:?}"),
    }
}

/// Equal, also if both hold NaN.
fn same<T: Debug + PartialEq>(left: &T, right: &T) -> bool {
    left == right || format!("{left:?}") == format!("{right:?}")
}

/// Asserts that the output is as long as `encoded_len`, no longer than the bound, and read back as the same value.
fn stable<'a, T: Debug + PartialEq + ToPacket + FromPacket<'a>>(value: &T, written: &'a [u8]) {
    y3::check(written).unwrap();
    assert_eq!(value.encoded_len(), Ok(written.len()));
    assert!(T::MAX_LEN.is_none_or(|len| written.len() <= len), "{value:?} is longer than its bound");
    let again = T::from_slice(written).unwrap_or_else(|error| panic!("{value:?}: {error}"));
    assert!(same(&again, value), "{again:?}, written as {value:?}");
    assert_eq!(again.encode_to_vec().unwrap(), written);
    let mut buffer = vec![0; written.len()];
    assert_eq!(value.encode_to_slice(&mut buffer).unwrap(), written);
    let short = written.len() - 1;
    assert!(value.encode_to_slice(&mut buffer[..short]).is_err(), "written into too little room");
}

fn borrowed(input: &[u8]) -> bool {
    let Ok(value) = read::<Borrowed>(input) else { return false };
    let range = input.as_ptr_range();
    let packet = value.packet.map_or(&[][..], |packet| packet.as_bytes());
    for part in [value.text.as_bytes(), value.bytes, packet] {
        assert!(part.is_empty() || range.contains(&part.as_ptr()), "a copy");
    }
    // The iterator over the items returns their first error, and then ends.
    if let Some(items) = value.items.clone() {
        let count = items.clone().count();
        assert!(items.take(count.saturating_sub(1)).all(|item| item.is_ok()));
    }
    let keys: KeySet = value.rest.packets().map(|packet| packet.key()).collect();
    assert!((1..=4).filter_map(Key::new).all(|key| !keys.contains(key)), "a field among the rest");
    let written = value.encode_to_vec().unwrap();
    let again = Borrowed::from_slice(&written).unwrap();
    assert_eq!((again.text, again.bytes, &again.items), (value.text, value.bytes, &value.items));
    let kept = |packets: &mut dyn Iterator<Item = Packet<'_>>| -> Vec<(u8, Vec<u8>)> {
        packets.map(|packet| (packet.key().get(), packet.value().to_vec())).collect()
    };
    assert_eq!(kept(&mut again.rest.packets()), kept(&mut value.rest.packets()));
    assert_eq!(kept(&mut again.packet.into_iter()), kept(&mut value.packet.into_iter()));
    assert_eq!(value.encoded_len(), Ok(written.len()));
    true
}

fn bounded(input: &[u8]) -> bool {
    let Ok(value) = read::<Bounded>(input) else { return false };
    let mut buffer = [0; const { Bounded::MAX_LEN.unwrap() }];
    let written = value.encode_to_slice(&mut buffer).unwrap();
    stable(&value, written);
    // The first and the last of the packets with these keys.
    let numbers = |key: u8| {
        let packets = Packet::from_slice(input).unwrap().children().map(Result::unwrap);
        packets.filter(move |packet| packet.key() == key)
    };
    assert_eq!(value.first, numbers(1).next().map(|packet| u16::from_packet(packet).unwrap()));
    assert_eq!(value.last, numbers(2).last().map(|packet| PVarInt::<i64>::from_packet(packet).unwrap().0));
    true
}
