//! The derive: what each shape of type is on the wire, in both directions.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;

use y3::record::{ErrorKind, Items, Rest};
use y3::{FromPacket, Key, KeySet, PVarInt, Packet, ToPacket, keys};

/// Written as these bytes and read back as the same value, with `encoded_len` and `MAX_LEN` that fit.
fn is<T: ToPacket + for<'a> FromPacket<'a> + Debug + PartialEq>(value: &T, bytes: &[u8]) {
    writes(value, bytes);
    assert_eq!(&T::from_slice(bytes).unwrap(), value);
}

fn writes<T: ToPacket + Debug>(value: &T, bytes: &[u8]) {
    assert_eq!(ToPacket::encode_to_vec(value).unwrap(), bytes, "{value:?}");
    assert_eq!(value.encoded_len().unwrap(), bytes.len());
    assert!(T::MAX_LEN.is_none_or(|len| bytes.len() <= len), "{:?} < {}", T::MAX_LEN, bytes.len());
    let mut buffer = vec![0; bytes.len()];
    assert_eq!(value.encode_to_slice(&mut buffer).unwrap(), bytes);
    let short = bytes.len() - 1;
    assert_eq!(value.encode_to_slice(&mut buffer[..short]).unwrap_err().kind(), y3::ErrorKind::BufferTooSmall);
}

fn refuses<T: for<'a> FromPacket<'a> + Debug>(bytes: &[u8], kind: ErrorKind, offset: u64, path: &[u8]) {
    let error = T::from_slice(bytes).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (kind, offset), "{error}");
    assert_eq!(error.path().collect::<Vec<_>>(), path, "{error}");
}

#[derive(Debug, Default, PartialEq, ToPacket, FromPacket)]
#[y3(root = 0x3f)]
struct Scalars {
    #[y3(0x00)]
    a: i8,
    #[y3(0x01)]
    b: u8,
    #[y3(0x02)]
    c: i16,
    #[y3(0x03)]
    d: u16,
    #[y3(0x04)]
    e: i32,
    #[y3(0x05)]
    f: u32,
    #[y3(0x06)]
    g: i64,
    #[y3(0x07)]
    h: u64,
    #[y3(0x08)]
    i: f32,
    #[y3(0x09)]
    j: f64,
    #[y3(0x0a)]
    k: bool,
    #[y3(0x0b)]
    l: char,
    #[y3(0x0c)]
    m: (),
    #[y3(0x0d)]
    n: Option<i32>,
    #[y3(0x3f, pvar)]
    o: i32,
}

#[test]
fn scalars_are_primitives_of_their_types() {
    let value = Scalars {
        a: -1,
        b: 128,
        c: -129,
        d: 65535,
        e: i32::MIN,
        f: u32::MAX,
        g: -1,
        h: 1,
        i: 0.25,
        j: 23.0,
        k: true,
        l: 'é',
        m: (),
        n: None,
        o: -65,
    };
    let bytes = [
        0xbf, 0x33, 0x00, 0x01, 0xff, 0x01, 0x02, 0x00, 0x80, 0x02, 0x02, 0xff, 0x7f, 0x03, 0x03, 0x00, 0xff, 0xff,
        0x04, 0x04, 0x80, 0, 0, 0, 0x05, 0x01, 0xff, 0x06, 0x01, 0xff, 0x07, 0x01, 0x01, 0x08, 0x02, 0x3e, 0x80, 0x09,
        0x02, 0x40, 0x37, 0x0a, 0x01, 0x01, 0x0b, 0x02, 0xc3, 0xa9, 0x0c, 0x00, 0x3f, 0x02, 0xff, 0x3f,
    ];
    let mut bytes = bytes.to_vec();
    bytes[1] = u8::try_from(bytes.len() - 2).unwrap();
    is(&value, &bytes);
    assert_eq!(Scalars::KEYS, (0..=0x0d).chain([0x3f]).filter_map(Key::new).collect::<KeySet>());
    let present = Scalars { n: Some(7), ..Default::default() };
    assert_eq!(Scalars::from_slice(&ToPacket::encode_to_vec(&present).unwrap()).unwrap(), present);
}

#[test]
fn bounds_are_met_by_the_longest_values() {
    fn bound<T: ToPacket>(value: T) {
        assert_eq!(T::MAX_LEN, Some(value.encoded_len().unwrap()));
    }
    bound(i8::MIN);
    bound(u8::MAX);
    bound(i16::MIN);
    bound(u16::MAX);
    bound(i32::MIN);
    bound(i64::MIN);
    bound(u32::MAX / 2);
    bound(u64::MAX / 2);
    bound(PVarInt(i8::MIN));
    bound(PVarInt(u8::MAX));
    bound(PVarInt(i16::MIN));
    bound(PVarInt(u16::MAX));
    bound(PVarInt(i32::MIN));
    bound(PVarInt(i64::MIN));
    bound(PVarInt(u32::MAX / 2));
    bound(PVarInt(u64::MAX / 2));
    bound(0.1f32);
    bound(0.1f64);
    bound(false);
    bound(char::MAX);
    bound(());
    bound(Key::MAX);
    bound(PVarInt(Key::MAX));
    bound([0u8; 64]);
    bound([i32::MIN; 64]);
    bound(PVarInt([i32::MIN; 3]));
    assert_eq!(<&str>::MAX_LEN, None);
    assert_eq!(Vec::<u8>::MAX_LEN, None);
}

#[derive(Debug, PartialEq, ToPacket, FromPacket)]
struct Part {
    #[y3(0x01)]
    name: String,
}

#[derive(Debug, PartialEq, ToPacket, FromPacket)]
struct Owned {
    #[y3(0x10)]
    text: String,
    #[y3(0x11)]
    bytes: Vec<u8>,
    #[y3(0x12)]
    array: [u8; 2],
    #[y3(0x13)]
    list: Vec<i32>,
    #[y3(0x14)]
    pair: [i32; 2],
    #[y3(0x15)]
    parts: Vec<Part>,
    #[y3(0x16)]
    part: Box<Part>,
    #[y3(0x17)]
    map: BTreeMap<u8, Part>,
    #[y3(0x18)]
    hash: HashMap<Key, bool>,
    #[y3(0x19)]
    lists: Vec<Vec<u8>>,
    #[y3(0x1a, pvar)]
    numbers: Vec<Option1>,
}

/// A newtype takes the dialect of the field.
#[derive(Debug, PartialEq, ToPacket, FromPacket)]
struct Option1(i32);

#[test]
fn collections_are_slices_nodes_and_byte_strings() {
    let part = |name: &str| Part { name: name.to_owned() };
    is(
        &Owned {
            text: "ab".into(),
            bytes: vec![1, 2],
            array: [3, 4],
            list: vec![1, -1],
            pair: [5, 6],
            parts: vec![part("a"), part("b")],
            part: Box::new(part("c")),
            map: [(0, part("d")), (63, part(""))].into(),
            hash: [(Key::ROOT, true)].into(),
            lists: vec![vec![], vec![7]],
            numbers: vec![Option1(-65)],
        },
        &[
            0x81, 0x80, 0x4a, 0x10, 0x02, 0x61, 0x62, 0x11, 0x02, 0x01, 0x02, 0x12, 0x02, 0x03, 0x04, 0xd3, 0x06, 0x00,
            0x01, 0x01, 0x00, 0x01, 0xff, 0xd4, 0x06, 0x00, 0x01, 0x05, 0x00, 0x01, 0x06, 0xd5, 0x0a, 0x80, 0x03, 0x01,
            0x01, 0x61, 0x80, 0x03, 0x01, 0x01, 0x62, 0x96, 0x03, 0x01, 0x01, 0x63, 0x97, 0x09, 0x80, 0x03, 0x01, 0x01,
            0x64, 0xbf, 0x02, 0x01, 0x00, 0x98, 0x03, 0x01, 0x01, 0x01, 0xd9, 0x05, 0x00, 0x00, 0x00, 0x01, 0x07, 0xda,
            0x04, 0x00, 0x02, 0xff, 0x3f,
        ],
    );
}

#[derive(Debug, PartialEq, ToPacket, FromPacket)]
struct Borrowed<'a, 'b> {
    #[y3(0x01)]
    text: &'a str,
    #[y3(0x02)]
    bytes: &'b [u8],
    #[y3(0x03)]
    cow: Cow<'a, str>,
    #[y3(0x04)]
    packet: Packet<'a>,
    #[y3(0x05)]
    items: Items<'b, i32>,
    #[y3(rest)]
    rest: Rest<'a>,
}

#[test]
fn borrowed_fields_point_into_the_input() {
    let bytes = [
        0x81, 0x1b, 0x05, 0x00, 0x01, 0x01, 0x61, 0x02, 0x01, 0xff, 0x3e, 0x00, 0x03, 0x01, 0x62, 0x84, 0x02, 0x01,
        0x00, 0xbf, 0x80, 0x02, 0x01, 0x00, 0xc5, 0x03, 0x00, 0x01, 0x07,
    ];
    // Key 05 comes twice.
    assert_eq!(Borrowed::from_slice(&bytes).unwrap_err().kind(), ErrorKind::Wire(y3::ErrorKind::NotANode));
    let bytes = [
        0x81, 0x19, 0x01, 0x01, 0x61, 0x02, 0x01, 0xff, 0x3e, 0x00, 0x03, 0x01, 0x62, 0x84, 0x02, 0x01, 0x00, 0xbf,
        0x80, 0x02, 0x01, 0x00, 0xc5, 0x03, 0x00, 0x01, 0x07,
    ];
    let value = Borrowed::from_slice(&bytes).unwrap();
    assert_eq!((value.text, value.bytes, &*value.cow), ("a", &[0xff][..], "b"));
    assert!(bytes.as_ptr_range().contains(&value.text.as_ptr()));
    assert_eq!(value.packet.offset(), 13);
    assert_eq!(value.items.clone().map(Result::unwrap).collect::<Vec<_>>(), [7]);
    assert_eq!(value.rest.packets().map(|packet| packet.key().get()).collect::<Vec<_>>(), [0x3e, 0x3f]);
    // Behind the fields, in order, with shortest lengths.
    writes(
        &value,
        &[
            0x81, 0x18, 0x01, 0x01, 0x61, 0x02, 0x01, 0xff, 0x03, 0x01, 0x62, 0x84, 0x02, 0x01, 0x00, 0xc5, 0x03, 0x00,
            0x01, 0x07, 0x3e, 0x00, 0xbf, 0x02, 0x01, 0x00,
        ],
    );
}

#[derive(Debug, PartialEq, ToPacket, FromPacket)]
enum Event {
    #[y3(0x01)]
    Started,
    #[y3(200)]
    Stopped,
    #[y3(0x02)]
    Said(String),
    #[y3(0x03)]
    Moved(#[y3(0x01)] i32, #[y3(0x02)] i32),
    #[y3(0x04)]
    Read {
        #[y3(0x01)]
        at: i64,
        #[y3(0x02)]
        then: Option<Box<Event>>,
    },
    #[y3(0x05)]
    Many(Vec<Event>),
    #[y3(0x06)]
    Nothing {},
    #[y3(0x07)]
    Parted(#[y3(pvar)] i32),
}

#[test]
fn variants_are_numbers_or_nodes_with_one_key() {
    is(&Event::Started, &[0x01, 0x01, 0x01]);
    is(&Event::Stopped, &[0x01, 0x02, 0x00, 0xc8]);
    is(&Event::Said("a".into()), &[0x81, 0x03, 0x02, 0x01, 0x61]);
    is(&Event::Moved(1, -1), &[0x81, 0x08, 0x83, 0x06, 0x01, 0x01, 0x01, 0x02, 0x01, 0xff]);
    is(&Event::Read { at: 7, then: None }, &[0x81, 0x05, 0x84, 0x03, 0x01, 0x01, 0x07]);
    is(
        &Event::Read { at: 7, then: Some(Box::new(Event::Started)) },
        &[0x81, 0x08, 0x84, 0x06, 0x01, 0x01, 0x07, 0x02, 0x01, 0x01],
    );
    is(&Event::Many(vec![Event::Started]), &[0x81, 0x05, 0xc5, 0x03, 0x00, 0x01, 0x01]);
    is(&Event::Nothing {}, &[0x81, 0x02, 0x86, 0x00]);
    is(&Event::Parted(-65), &[0x81, 0x04, 0x07, 0x02, 0xff, 0x3f]);
    assert_eq!(Event::KEYS, keys![0x02, 0x03, 0x04, 0x05, 0x06, 0x07]);
}

#[test]
fn what_is_no_variant_is_refused() {
    refuses::<Event>(&[0x01, 0x01, 0x02], ErrorKind::UnknownVariant, 0, &[0x01]);
    refuses::<Event>(&[0x01, 0x00], ErrorKind::Wire(y3::ErrorKind::InvalidValue), 2, &[0x01]);
    refuses::<Event>(&[0x81, 0x02, 0x01, 0x00], ErrorKind::UnknownVariant, 2, &[0x01, 0x01]);
    refuses::<Event>(&[0x81, 0x00], ErrorKind::NotOneVariant, 0, &[0x01]);
    refuses::<Event>(&[0x81, 0x04, 0x02, 0x00, 0x02, 0x00], ErrorKind::NotOneVariant, 0, &[0x01]);
    refuses::<Event>(&[0x81, 0x02, 0x82, 0x00], ErrorKind::NotAPrimitive, 2, &[0x01, 0x02]);
    refuses::<Event>(&[0x81, 0x02, 0x83, 0x00], ErrorKind::MissingField("0"), 2, &[0x01, 0x03]);
    refuses::<Event>(&[0x81, 0x02, 0x02], ErrorKind::Wire(y3::ErrorKind::UnexpectedEnd), 0, &[]);
    refuses::<Event>(&[0x81, 0x01, 0x02], ErrorKind::Wire(y3::ErrorKind::Overrun), 2, &[0x01]);
}

#[derive(Debug, PartialEq, ToPacket, FromPacket)]
enum Newer<'a> {
    #[y3(0x01)]
    Known,
    #[y3(0x02)]
    Text(&'a str),
    #[y3(other)]
    Other(Packet<'a>),
}

#[derive(Clone, Copy, Debug, PartialEq, ToPacket, FromPacket)]
enum Level {
    #[y3(1)]
    Low,
    #[y3(2)]
    High,
    #[y3(0, other)]
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, ToPacket, FromPacket)]
enum Code {
    #[y3(1)]
    One,
    #[y3(other)]
    Other(u32),
}

#[test]
fn other_takes_what_is_newer() {
    for packet in [&[0x01, 0x01, 0x05][..], &[0x81, 0x03, 0x3f, 0x01, 0x07]] {
        let Newer::Other(kept) = Newer::from_slice(packet).unwrap() else { panic!("{packet:?}") };
        assert_eq!(kept.as_bytes(), packet);
        writes(&Newer::Other(kept), packet);
    }
    assert_eq!(Newer::from_slice(&[0x01, 0x01, 0x01]).unwrap(), Newer::Known);
    assert_eq!(Newer::from_slice(&[0x81, 0x02, 0x02, 0x00]).unwrap(), Newer::Text(""));
    assert_eq!(Newer::from_slice(&[0x81, 0x00]).unwrap_err().kind(), ErrorKind::NotOneVariant);

    is(&Level::High, &[0x01, 0x01, 0x02]);
    is(&Level::Unknown, &[0x01, 0x01, 0x00]);
    assert_eq!(Level::from_slice(&[0x01, 0x01, 0x09]).unwrap(), Level::Unknown);
    assert_eq!(Level::from_slice(&[0x81, 0x02, 0x09, 0x00]).unwrap(), Level::Unknown);
    assert_eq!(Level::MAX_LEN, Some(3));

    is(&Code::Other(9), &[0x01, 0x01, 0x09]);
    is(&Code::One, &[0x01, 0x01, 0x01]);
    refuses::<Code>(&[0x81, 0x02, 0x09, 0x00], ErrorKind::NotAPrimitive, 0, &[0x01]);
}

mod millis {
    use core::time::Duration;

    pub fn encode(time: &Duration) -> u64 {
        u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
    }

    pub fn decode(millis: u64) -> Result<Duration, y3::ErrorKind> {
        if millis < 1_000_000 { Ok(Duration::from_millis(millis)) } else { Err(y3::ErrorKind::InvalidValue) }
    }
}

/// Zero is absent.
mod nonzero {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the derive hands over a reference")]
    pub fn encode(number: &u32) -> Option<u32> {
        (*number != 0).then_some(*number)
    }

    pub fn decode(number: Option<u32>) -> Result<u32, y3::ErrorKind> {
        match number {
            Some(0) => Err(y3::ErrorKind::InvalidValue),
            number => Ok(number.unwrap_or_default()),
        }
    }
}

mod text {
    pub fn encode(text: &String) -> &str {
        text
    }

    pub fn decode(text: &str) -> Result<String, y3::ErrorKind> {
        if text.is_ascii() { Ok(text.to_uppercase()) } else { Err(y3::ErrorKind::InvalidUtf8) }
    }
}

const TWENTY: u8 = 20;

#[derive(Debug, PartialEq, ToPacket, FromPacket)]
struct Attributes {
    #[y3(0x01, with = millis)]
    time: std::time::Duration,
    #[y3(0x02, with = nonzero)]
    count: u32,
    #[y3(0x03, default)]
    text: String,
    #[y3(0x04, default = TWENTY + 1)]
    age: u8,
    #[y3(0x05, skip_if = Vec::is_empty, default)]
    list: Vec<u16>,
    #[y3(0x06, with = text, default = "none".to_owned(), skip_if = |text: &String| text == "none")]
    note: String,
    #[y3(skip)]
    cache: Option<u64>,
    #[y3(0x07, duplicates = first)]
    first: Option<u8>,
    #[y3(0x08, duplicates = last)]
    last: Option<u8>,
    #[y3(0x09, default = 5, pvar, with = nonzero)]
    r#in: u32,
}

#[test]
fn attributes_of_fields_do_what_they_say() {
    let value = Attributes {
        time: std::time::Duration::from_millis(5),
        count: 0,
        text: String::new(),
        age: 21,
        list: vec![],
        note: "none".into(),
        cache: None,
        first: None,
        last: Some(2),
        r#in: 64,
    };
    is(&value, &[0x81, 0x0f, 0x01, 0x01, 0x05, 0x03, 0x00, 0x04, 0x01, 0x15, 0x08, 0x01, 0x02, 0x09, 0x02, 0x80, 0x40]);
    // Absent: what `default` says; twice: what `duplicates` says.
    let read = Attributes::from_slice(&[
        0x81, 0x14, 0x01, 0x01, 0x05, 0x07, 0x01, 0x01, 0x07, 0x01, 0x02, 0x08, 0x01, 0x01, 0x08, 0x01, 0x02, 0x06,
        0x01, 0x62,
    ]);
    assert!(read.is_err(), "the length says 20");
    let read = Attributes::from_slice(&[
        0x81, 0x12, 0x01, 0x01, 0x05, 0x07, 0x01, 0x01, 0x07, 0x01, 0x02, 0x08, 0x01, 0x01, 0x08, 0x01, 0x02, 0x06,
        0x01, 0x62,
    ]);
    assert_eq!(read.unwrap(), Attributes { note: "B".into(), first: Some(1), r#in: 5, ..value });
}

#[test]
fn a_conversion_that_fails_is_at_its_value() {
    let packet = [0x81, 0x06, 0x01, 0x04, 0x00, 0x0f, 0x42, 0x40];
    refuses::<Attributes>(&packet, ErrorKind::Wire(y3::ErrorKind::InvalidValue), 4, &[0x01, 0x01]);
    refuses::<Attributes>(&[0x81, 0x00], ErrorKind::MissingField("time"), 0, &[0x01]);
    let packet = [0x81, 0x06, 0x02, 0x01, 0x00, 0x01, 0x01, 0x00];
    refuses::<Attributes>(&packet, ErrorKind::Wire(y3::ErrorKind::InvalidValue), 4, &[0x01, 0x02]);
}

#[derive(Debug, PartialEq, ToPacket, FromPacket)]
#[y3(duplicates = last)]
struct Last {
    #[y3(0x01)]
    number: u8,
    #[y3(0x02, duplicates = error)]
    other: Option<u8>,
}

#[test]
fn duplicates_are_refused_unless_asked_for() {
    let twice = [0x81, 0x06, 0x01, 0x01, 0x61, 0x01, 0x01, 0x62];
    refuses::<Part>(&twice, ErrorKind::RepeatedField("name"), 5, &[0x01, 0x01]);
    assert_eq!(Last::from_slice(&[0x81, 0x06, 0x01, 0x01, 0x01, 0x01, 0x01, 0x02]).unwrap().number, 2);
    let twice = [0x81, 0x09, 0x01, 0x01, 0x01, 0x02, 0x01, 0x01, 0x02, 0x01, 0x02];
    refuses::<Last>(&twice, ErrorKind::RepeatedField("other"), 8, &[0x01, 0x02]);
    let map = [0x81, 0x06, 0x01, 0x01, 0x01, 0x01, 0x01, 0x00];
    refuses::<BTreeMap<u8, u8>>(&map, ErrorKind::RepeatedKey, 5, &[0x01, 0x01]);
}

/// Every integer inside, whatever holds it.
#[derive(Debug, PartialEq, ToPacket, FromPacket)]
#[y3(pvar)]
struct Codec {
    #[y3(0x10)]
    number: i32,
    #[y3(0x11)]
    part: Inner,
    #[y3(0x12)]
    list: Vec<i64>,
    #[y3(0x13)]
    event: Event,
}

#[derive(Debug, PartialEq, ToPacket, FromPacket)]
struct Inner {
    #[y3(0x10)]
    number: i32,
}

#[test]
fn pvar_goes_down_into_all_that_is_inside() {
    is(
        &Codec { number: -65, part: Inner { number: -65 }, list: vec![-65], event: Event::Stopped },
        &[
            0x81, 0x14, 0x10, 0x02, 0xff, 0x3f, 0x91, 0x04, 0x10, 0x02, 0xff, 0x3f, 0xd2, 0x04, 0x00, 0x02, 0xff, 0x3f,
            0x13, 0x02, 0x81, 0x48,
        ],
    );
    is(&Inner { number: -65 }, &[0x81, 0x03, 0x10, 0x01, 0xbf]);
}

#[derive(Debug, PartialEq, ToPacket, FromPacket)]
struct Generic<'a, T, U, const N: usize>
where
    U: Default,
{
    #[y3(0x01)]
    one: T,
    #[y3(0x02)]
    many: [U; N],
    #[y3(0x03)]
    text: Option<&'a str>,
    #[y3(skip)]
    nothing: std::marker::PhantomData<fn() -> T>,
}

#[test]
fn generic_types_are_packets_of_their_arguments() {
    let value = Generic { one: vec![1i32], many: [true, false], text: None, nothing: std::marker::PhantomData };
    let bytes = [0x81, 0x0d, 0xc1, 0x03, 0x00, 0x01, 0x01, 0xc2, 0x06, 0x00, 0x01, 0x01, 0x00, 0x01, 0x00];
    writes(&value, &bytes);
    assert_eq!(Generic::from_slice(&bytes).unwrap(), value);
    let error = Generic::<u8, bool, 2>::from_slice(&bytes).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::NotAPrimitive, 2));
    refuses::<[bool; 3]>(&bytes[7..], ErrorKind::MissingItems, 0, &[0x02]);
    refuses::<[bool; 1]>(&bytes[7..], ErrorKind::ExtraItems, 5, &[0x02, 0x00]);
}

#[derive(Debug, PartialEq, ToPacket, FromPacket)]
struct Unit;

#[derive(Debug, PartialEq, ToPacket, FromPacket)]
struct Empty {}

#[derive(Debug, PartialEq, ToPacket, FromPacket)]
struct Wrapper<T>(T);

#[derive(Debug, PartialEq, ToPacket, FromPacket)]
struct Single(#[y3(0x01)] i32);

#[derive(Debug, PartialEq, ToPacket, FromPacket)]
struct Converted(#[y3(pvar, with = nonzero_always)] u32);

mod nonzero_always {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the derive hands over a reference")]
    pub fn encode(number: &u32) -> u32 {
        number + 1
    }

    pub fn decode(number: u32) -> Result<u32, y3::ErrorKind> {
        number.checked_sub(1).ok_or(y3::ErrorKind::InvalidValue)
    }
}

#[test]
fn structs_without_fields_and_with_one() {
    is(&Unit, &[0x01, 0x00]);
    is(&Empty {}, &[0x81, 0x00]);
    is(&Wrapper(Wrapper(true)), &[0x01, 0x01, 0x01]);
    is(&Single(1), &[0x81, 0x03, 0x01, 0x01, 0x01]);
    is(&Converted(63), &[0x01, 0x02, 0x80, 0x40]);
    refuses::<Unit>(&[0x01, 0x01, 0x00], ErrorKind::Wire(y3::ErrorKind::InvalidValue), 2, &[0x01]);
    refuses::<Wrapper<Empty>>(&[0x01, 0x00], ErrorKind::Wire(y3::ErrorKind::NotANode), 0, &[0x01]);
}

#[test]
fn the_outermost_key_is_written_and_not_looked_at() {
    assert_eq!(Scalars::ROOT, Key::MAX);
    assert_eq!(Single::from_slice(&[0xbf, 0x03, 0x01, 0x01, 0x01]).unwrap(), Single(1));
}

/// A map's keys by name.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    A,
    TooHigh,
}

impl y3::record::MapKey for Name {
    fn to_key(&self) -> Option<Key> {
        match self {
            Self::A => Key::new(1),
            Self::TooHigh => None,
        }
    }

    fn from_key(key: Key) -> Option<Self> {
        (key == 1).then_some(Self::A)
    }
}

#[test]
fn map_keys_that_are_no_keys_are_refused() {
    is(&BTreeMap::from([(Name::A, true)]), &[0x81, 0x03, 0x01, 0x01, 0x01]);
    for error in [
        ToPacket::encode_to_vec(&BTreeMap::from([(Name::A, 1), (Name::TooHigh, 1)])).unwrap_err(),
        ToPacket::encode_to_vec(&BTreeMap::from([(1u8, 1), (64, 1)])).unwrap_err(),
        ToPacket::encode_to_vec(&BTreeMap::from([(1i8, 1), (-1, 1)])).map_or_else(|error| error, |_| panic!("-1")),
    ] {
        assert_eq!(error.kind(), y3::ErrorKind::InvalidKey);
    }
    refuses::<BTreeMap<Name, u8>>(&[0x81, 0x02, 0x02, 0x00], ErrorKind::MapKey, 2, &[0x01, 0x02]);
}

#[test]
fn a_failed_packet_leaves_the_sink_as_it_was() {
    let mut out = vec![0xff];
    BTreeMap::from([(1u8, "long enough"), (64, "")]).encode_to_sink(&mut out).unwrap_err();
    assert_eq!(out, [0xff]);
}

#[derive(Debug, PartialEq, ToPacket, FromPacket)]
struct Kept {
    #[y3(0x01)]
    a: u8,
    #[y3(rest)]
    others: Vec<u8>,
}

#[test]
fn an_owned_rest_is_written_back_without_the_fields_keys() {
    is(&Kept { a: 1, others: vec![0x02, 0x01, 0x07] }, &[0x81, 0x06, 0x01, 0x01, 0x01, 0x02, 0x01, 0x07]);
    // A packet that would be the field a second time, and one that is cut.
    let kept = Kept { a: 1, others: vec![0x01, 0x01, 0x02, 0x03, 0x00, 0x04] };
    assert_eq!(ToPacket::encode_to_vec(&kept).unwrap(), [0x81, 0x05, 0x01, 0x01, 0x01, 0x03, 0x00]);
}

#[test]
fn items_end_after_a_fault_and_say_where_it_is() {
    let packet = [0x81, 0x0b, 0xd5, 0x09, 0x00, 0x01, 0x01, 0x00, 0x00, 0x00, 0x01, 0x02, 0x00];
    let error = Vec::<Items<i32>>::from_slice(&packet).unwrap()[0].clone().nth(1).unwrap().unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::Wire(y3::ErrorKind::InvalidValue), 9));
    assert_eq!(error.path().collect::<Vec<_>>(), [0x15, 0x00]);
    // The last byte is the tag of a packet that is not there.
    let kinds = <Items<u8>>::from_slice(&[0xd5, 0x04, 0x00, 0x01, 0x01, 0x00]).unwrap();
    let kinds: Vec<_> = kinds.map(|item| item.map_err(|error| (error.kind(), error.offset()))).collect();
    assert_eq!(kinds, [Ok(1), Err((ErrorKind::Wire(y3::ErrorKind::Overrun), 5))]);
    let whole = [0xd5, 0x08, 0x00, 0x01, 0x01, 0x00, 0x00, 0x00, 0x01, 0x02];
    let mut items = <Items<i32>>::from_slice(&whole).unwrap();
    assert_eq!(items.next(), Some(Ok(1)));
    assert!(items.next().unwrap().is_err());
    assert_eq!((items.next(), items.next()), (None, None));
    writes(&items, &[&[0xc1, 0x08], &whole[2..]].concat());
}

/// Room is made behind what a sink holds, and what is not used is cut off.
#[test]
fn a_packet_of_bounded_size_stands_behind_what_the_sink_held() {
    for held in [0, 1, 100] {
        let mut out = vec![0xff; held];
        Single(1).encode_to_sink(&mut out).unwrap();
        assert_eq!(out, [vec![0xff; held], vec![0x81, 0x03, 0x01, 0x01, 0x01]].concat());
        y3::Encoder::new(&mut out).node(0x01, |node| node.put_record(0x02, &Single(2))).unwrap();
        assert_eq!(out[held + 5..], [0x81, 0x05, 0x82, 0x03, 0x01, 0x01, 0x02]);
    }
}
