//! The bytes of each shape of type, in both directions.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;

use super::keys_to;
use y3::value::UnknownFields;
use y3::{Decode, Encode, Encoder, ErrorKind, Key, Packet, SliceSink};

/// Asserts that the value is written as these bytes and read back.
fn is<T: Encode + for<'a> Decode<'a> + Debug + PartialEq>(value: &T, bytes: &[u8]) {
    writes(value, bytes);
    assert_eq!(&y3::decode::<T>(bytes).unwrap(), value);
}

fn writes<T: Encode + Debug>(value: &T, bytes: &[u8]) {
    let key = bytes[0] & 0x3f;
    assert_eq!(y3::to_vec(key, value).unwrap(), bytes, "{value:?}");
    assert_eq!(y3::encoded_len(|encoder| encoder.put(key, value)).unwrap(), bytes.len());
    let mut buffer = vec![0; bytes.len()];
    let mut sink = SliceSink::new(&mut buffer);
    Encoder::new(&mut sink).put(key, value).unwrap();
    assert_eq!(sink.written(), bytes);
    let short = bytes.len() - 1;
    let error = Encoder::new(&mut SliceSink::new(&mut buffer[..short])).put(key, value).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BufferTooSmall);
}

fn refuses<T: for<'a> Decode<'a> + Debug>(bytes: &[u8], kind: ErrorKind, offset: u64, path: &[u8]) {
    let error = y3::decode::<T>(bytes).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (kind, offset), "{error}");
    assert_eq!(keys_to(bytes, error), path, "{error}");
}

#[derive(Debug, PartialEq, Encode, Decode)]
struct Part {
    #[y3(0x01)]
    name: String,
}

#[derive(Debug, PartialEq, Encode, Decode)]
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
#[derive(Debug, PartialEq, Encode, Decode)]
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

#[derive(Debug, PartialEq, Encode, Decode)]
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
    items: Packet<'b>,
    #[y3(rest)]
    rest: UnknownFields<'a>,
}

#[test]
fn borrowed_fields_point_into_the_input() {
    let bytes = [
        0x81, 0x1b, 0x05, 0x00, 0x01, 0x01, 0x61, 0x02, 0x01, 0xff, 0x3e, 0x00, 0x03, 0x01, 0x62, 0x84, 0x02, 0x01,
        0x00, 0xbf, 0x80, 0x02, 0x01, 0x00, 0xc5, 0x03, 0x00, 0x01, 0x07,
    ];
    // Key 0x05 occurs twice.
    assert_eq!(y3::decode::<Borrowed>(&bytes).unwrap_err().kind(), ErrorKind::RepeatedField);
    let bytes = [
        0x81, 0x19, 0x01, 0x01, 0x61, 0x02, 0x01, 0xff, 0x3e, 0x00, 0x03, 0x01, 0x62, 0x84, 0x02, 0x01, 0x00, 0xbf,
        0x80, 0x02, 0x01, 0x00, 0xc5, 0x03, 0x00, 0x01, 0x07,
    ];
    let value = y3::decode::<Borrowed>(&bytes).unwrap();
    assert_eq!((value.text, value.bytes, &*value.cow), ("a", &[0xff][..], "b"));
    assert!(bytes.as_ptr_range().contains(&value.text.as_ptr()));
    assert_eq!(value.packet.offset(), 13);
    assert_eq!(value.items.decode(), Ok([7]));
    assert_eq!(value.rest.packets().map(|packet| packet.unwrap().key().get()).collect::<Vec<_>>(), [0x3e, 0x3f]);
    // Unknown packets follow the fields, in their order, with the shortest length fields.
    writes(
        &value,
        &[
            0x81, 0x18, 0x01, 0x01, 0x61, 0x02, 0x01, 0xff, 0x03, 0x01, 0x62, 0x84, 0x02, 0x01, 0x00, 0xc5, 0x03, 0x00,
            0x01, 0x07, 0x3e, 0x00, 0xbf, 0x02, 0x01, 0x00,
        ],
    );
}

#[derive(Debug, PartialEq, Encode, Decode)]
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
}

#[test]
fn what_is_no_variant_is_refused() {
    refuses::<Event>(&[0x01, 0x01, 0x02], ErrorKind::UnknownVariant, 0, &[0x01]);
    refuses::<Event>(&[0x01, 0x00], ErrorKind::InvalidValue, 2, &[0x01]);
    refuses::<Event>(&[0x81, 0x02, 0x01, 0x00], ErrorKind::UnknownVariant, 2, &[0x01, 0x01]);
    refuses::<Event>(&[0x81, 0x00], ErrorKind::NotOneVariant, 0, &[0x01]);
    refuses::<Event>(&[0x81, 0x04, 0x02, 0x00, 0x02, 0x00], ErrorKind::NotOneVariant, 0, &[0x01]);
    refuses::<Event>(&[0x81, 0x02, 0x82, 0x00], ErrorKind::NotAPrimitive, 2, &[0x01, 0x02]);
    refuses::<Event>(&[0x81, 0x02, 0x83, 0x00], ErrorKind::MissingField, 2, &[0x01, 0x03]);
    refuses::<Event>(&[0x81, 0x02, 0x02], ErrorKind::UnexpectedEnd, 0, &[0x01, 0x02]);
    refuses::<Event>(&[0x81, 0x01, 0x02], ErrorKind::Overrun, 2, &[0x01, 0x02]);
}

#[derive(Debug, PartialEq, Encode, Decode)]
enum Newer<'a> {
    #[y3(0x01)]
    Known,
    #[y3(0x02)]
    Text(&'a str),
    #[y3(other)]
    Other(Packet<'a>),
}

#[derive(Clone, Copy, Debug, PartialEq, Encode, Decode)]
enum Level {
    #[y3(1)]
    Low,
    #[y3(2)]
    High,
    #[y3(0, other)]
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Encode, Decode)]
enum Code {
    #[y3(1)]
    One,
    #[y3(other)]
    Other(u32),
}

#[test]
fn other_takes_what_is_newer() {
    for packet in [&[0x01, 0x01, 0x05][..], &[0x81, 0x03, 0x3f, 0x01, 0x07]] {
        let Newer::Other(kept) = y3::decode::<Newer>(packet).unwrap() else { panic!("{packet:?}") };
        assert_eq!(kept.as_bytes(), packet);
        writes(&Newer::Other(kept), packet);
    }
    assert_eq!(y3::decode::<Newer>(&[0x01, 0x01, 0x01]).unwrap(), Newer::Known);
    assert_eq!(y3::decode::<Newer>(&[0x81, 0x02, 0x02, 0x00]).unwrap(), Newer::Text(""));
    assert_eq!(y3::decode::<Newer>(&[0x81, 0x00]).unwrap_err().kind(), ErrorKind::NotOneVariant);

    is(&Level::High, &[0x01, 0x01, 0x02]);
    is(&Level::Unknown, &[0x01, 0x01, 0x00]);
    assert_eq!(y3::decode::<Level>(&[0x01, 0x01, 0x09]).unwrap(), Level::Unknown);
    assert_eq!(y3::decode::<Level>(&[0x81, 0x02, 0x09, 0x00]).unwrap(), Level::Unknown);

    is(&Code::Other(9), &[0x01, 0x01, 0x09]);
    is(&Code::One, &[0x01, 0x01, 0x01]);
    refuses::<Code>(&[0x81, 0x02, 0x09, 0x00], ErrorKind::NotAPrimitive, 0, &[0x01]);
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

/// Attributes that `arguments` does not test: other conversions, closures, names that are Rust keywords.
#[derive(Debug, PartialEq, Encode, Decode)]
struct Attributes {
    #[y3(0x02, with = nonzero)]
    count: u32,
    #[y3(0x06, with = text, default = "none".to_owned(), skip_if = |text: &String| text == "none")]
    note: String,
    #[y3(0x09, default = 5, pvar, with = nonzero)]
    r#in: u32,
}

#[test]
fn attributes_of_fields_do_what_they_say() {
    let value = Attributes { count: 0, note: "none".into(), r#in: 64 };
    is(&value, &[0x81, 0x04, 0x09, 0x02, 0x80, 0x40]);
    let read = y3::decode::<Attributes>(&[0x81, 0x03, 0x06, 0x01, 0x62]);
    assert_eq!(read.unwrap(), Attributes { note: "B".into(), r#in: 5, ..value });
    // The offset of a failed conversion is that of its value.
    refuses::<Attributes>(&[0x81, 0x03, 0x02, 0x01, 0x00], ErrorKind::InvalidValue, 4, &[0x01, 0x02]);
}

/// Keys in ascending order except one, with required and optional fields.
#[derive(Debug, PartialEq, Decode)]
struct Ordered<T: Default> {
    #[y3(0x01)]
    first: Option<T>,
    #[y3(0x03)]
    needed: T,
    #[y3(0x02)]
    second: Option<T>,
    #[y3(0x04, default)]
    last: T,
}

/// Compares all sequences of up to five packets with an oracle that counts. The struct is flat if its values are.
#[test]
fn fields_are_found_in_any_order_and_only_once() {
    fn read<T: From<u8> + Default>(keys: &[u8]) -> Result<Ordered<T>, ErrorKind> {
        let is_twice = |key| keys.iter().filter(|there| **there == key).nth(1).is_some();
        let value = |key| keys.iter().zip(1..).find(|(there, _)| **there == key).map(|(_, value)| T::from(value));
        if (1..=4).any(is_twice) {
            return Err(ErrorKind::RepeatedField);
        }
        let needed = value(0x03).ok_or(ErrorKind::MissingField)?;
        Ok(Ordered { first: value(0x01), needed, second: value(0x02), last: value(0x04).unwrap_or_default() })
    }

    const KEYS: [u8; 6] = [0x00, 0x01, 0x02, 0x03, 0x04, 0x3f];
    let mut sequences = vec![vec![]];
    for _ in 0..5 {
        let longer = |keys: &Vec<u8>| KEYS.map(|key| [&keys[..], &[key]].concat());
        sequences = sequences.iter().flat_map(longer).chain([vec![]]).collect();
    }
    for keys in sequences {
        let body: Vec<u8> = keys.iter().zip(1..).flat_map(|(key, value)| [*key, 1, value]).collect();
        let packet = [&[0x81, u8::try_from(body.len()).unwrap()], &*body].concat();
        assert_eq!(y3::decode(&packet).map_err(|error| error.kind()), read::<u8>(&keys), "{keys:02x?}");
        assert_eq!(y3::decode(&packet).map_err(|error| error.kind()), read::<Wrapper<u8>>(&keys), "{keys:02x?}");
        assert_eq!(y3::decode(&packet).map_err(|error| error.kind()), read::<Box<u8>>(&keys), "{keys:02x?}");
    }
}

/// True if a struct of such values uses the fast path for absent fields.
#[test]
fn a_newtype_is_flat_if_its_value_is() {
    assert_eq!([<u8 as Decode>::IS_FLAT.0, <Wrapper<u8> as Decode>::IS_FLAT.0], [true; 2]);
    assert_eq!(
        [<Box<u8> as Decode>::IS_FLAT.0, <Wrapper<Box<u8>> as Decode>::IS_FLAT.0, Converted::IS_FLAT.0],
        [false; 3]
    );
}

/// Integers inside every type that can hold them.
#[derive(Debug, PartialEq, Encode, Decode)]
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

#[derive(Debug, PartialEq, Encode, Decode)]
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

#[derive(Debug, PartialEq, Encode, Decode)]
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
    assert_eq!(y3::decode::<Generic<'_, Vec<i32>, bool, 2>>(&bytes).unwrap(), value);
    let error = y3::decode::<Generic<u8, bool, 2>>(&bytes).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::NotAPrimitive, 2));
    refuses::<[bool; 3]>(&bytes[7..], ErrorKind::MissingItems, 0, &[0x02]);
    refuses::<[bool; 1]>(&bytes[7..], ErrorKind::ExtraItems, 5, &[0x02, 0x00]);
}

#[derive(Debug, PartialEq, Encode, Decode)]
struct Unit;

#[derive(Debug, PartialEq, Encode, Decode)]
struct Empty {}

#[derive(Debug, Default, PartialEq, Encode, Decode)]
struct Wrapper<T>(T);

impl From<u8> for Wrapper<u8> {
    fn from(number: u8) -> Self {
        Self(number)
    }
}

#[derive(Debug, PartialEq, Encode, Decode)]
struct Single(#[y3(0x01)] i32);

#[derive(Debug, PartialEq, Encode, Decode)]
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
    refuses::<Unit>(&[0x01, 0x01, 0x00], ErrorKind::InvalidValue, 2, &[0x01]);
    refuses::<Wrapper<Empty>>(&[0x01, 0x00], ErrorKind::NotANode, 0, &[0x01]);
}

/// The keys of a map as an enum.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    A,
    TooHigh,
}

impl y3::value::MapKey for Name {
    fn number(&self) -> u8 {
        match self {
            Self::A => 1,
            Self::TooHigh => 64,
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
        y3::to_vec(0x01, &BTreeMap::from([(Name::A, 1), (Name::TooHigh, 1)])).unwrap_err(),
        y3::to_vec(0x01, &BTreeMap::from([(1u8, 1), (64, 1)])).unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::InvalidKey);
    }
    refuses::<BTreeMap<Name, u8>>(&[0x81, 0x02, 0x02, 0x00], ErrorKind::UnexpectedKey, 2, &[0x01, 0x02]);
}

#[derive(Debug, PartialEq, Encode, Decode)]
struct Kept {
    #[y3(0x01)]
    a: u8,
    #[y3(rest)]
    others: Vec<u8>,
}

#[test]
fn an_owned_rest_is_written_back_without_the_fields_keys() {
    is(&Kept { a: 1, others: vec![0x02, 0x01, 0x07] }, &[0x81, 0x06, 0x01, 0x01, 0x01, 0x02, 0x01, 0x07]);
    // `others` contains a packet with the key of the field, which would repeat the field.
    let kept = Kept { a: 1, others: vec![0x01, 0x01, 0x02, 0x03, 0x00] };
    assert_eq!(y3::to_vec(0x01, &kept).unwrap(), [0x81, 0x05, 0x01, 0x01, 0x01, 0x03, 0x00]);
}

#[test]
fn bytes_that_are_no_packets_are_not_written_as_the_rest() {
    for (others, kind) in [
        (vec![0x03, 0x00, 0x04], ErrorKind::UnexpectedEnd),
        (vec![0x03, 0x02, 0x04], ErrorKind::UnexpectedEnd),
        (vec![0x03, 0x7f], ErrorKind::NegativeLength),
    ] {
        let mut out = vec![9; 3];
        let error = Encoder::new(&mut out).put(0x01, Kept { a: 1, others }).unwrap_err();
        // The unknown packets would begin at this offset, after the node's header and the field.
        assert_eq!((error.kind(), error.offset(), out), (kind, 8, vec![9; 3]));
    }
}

#[test]
fn items_of_a_packet_are_decoded_one_by_one_and_say_where_a_fault_is() {
    let packet = [0x81, 0x0b, 0xd5, 0x09, 0x00, 0x01, 0x01, 0x00, 0x00, 0x00, 0x01, 0x02, 0x00];
    let slice = y3::decode::<Vec<Packet>>(&packet).unwrap()[0];
    let items: Vec<_> = slice.children().map(|item| item?.decode::<i32>()).collect();
    let [Ok(1), Err(error), Ok(2), Err(cut)] = items[..] else { panic!("{items:?}") };
    assert_eq!((error.kind(), error.offset()), (ErrorKind::InvalidValue, 9));
    assert_eq!(keys_to(&packet, error), [0x01, 0x15, 0x00]);
    // The last byte is the tag of a packet that is cut off.
    assert_eq!((cut.kind(), cut.offset()), (ErrorKind::Overrun, 12));
    writes(&slice, &packet[2..]);
}

#[test]
fn unknown_fields_are_compared_and_shown_by_their_packets() {
    #[derive(Debug, PartialEq, Decode)]
    struct Known<'a> {
        #[y3(rest)]
        rest: UnknownFields<'a>,
    }
    let read = |bytes| y3::decode::<Known>(bytes).unwrap();
    let one = read(&[0x81, 0x03, 0x10, 0x01, 0x07]);
    assert_eq!(one, read(&[0x82, 0x03, 0x10, 0x01, 0x07]));
    assert_ne!(one, read(&[0x81, 0x03, 0x10, 0x01, 0x08]));
    assert_ne!(one, read(&[0x81, 0x00]));
    assert_eq!(format!("{:?}", one.rest), "[Ok([16, 1, 7])]");
}
