//! Structs with the feature `serde`: what is written, read and refused, and the offset of each error.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_bytes::{ByteBuf, Bytes};
use y3::serde::{Error, from_packet, from_slice, to_vec};
use y3::{ErrorKind, Key, PVarInt, Packet};

use super::{both_ways, fails, told};

use testkit::hex::{hex, unhex};
use testkit::options::Options;

const PVAR: Options = Options::DEFAULT.with_pvar();

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Message<'a> {
    #[serde(rename = "0x10")]
    error: u32,
    #[serde(rename = "0x11")]
    msg: &'a str,
    #[serde(rename = "0x12", borrow)]
    data: Data<'a>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Data<'a> {
    #[serde(rename = "0x10")]
    name: &'a str,
    #[serde(rename = "0x11")]
    age_number: u32,
}

#[test]
fn writes_the_message_in_29_bytes_and_reads_it_back() {
    let message = Message { error: 0, msg: "success", data: Data { name: "testName", age_number: 18 } };
    let bytes = to_vec(&message).unwrap();
    assert_eq!(hex(&bytes), "811b100100110773756363657373920d1008746573744e616d65110112");
    let read: Message = from_slice(&bytes).unwrap();
    assert_eq!(read, message);
    // The text must borrow from the input.
    assert!(bytes.as_ptr_range().contains(&read.data.name.as_ptr()));
}

#[test]
fn leaves_the_sink_as_it_was_after_an_error() {
    let mut out = vec![0xaa; 3];
    assert!(Options::DEFAULT.to_sink(&mut out, &(1, 2u128)).is_err());
    assert_eq!(out, [0xaa; 3]);
}

#[test]
fn writes_numbers_texts_and_bytes_as_primitives() {
    both_ways(&-65i32, "0101bf");
    both_ways(&u32::MAX, "0101ff");
    both_ways(&u64::MAX, "0101ff");
    both_ways(&i64::MIN, "01088000000000000000");
    both_ways(&i8::MIN, "010180");
    both_ways(&u8::MAX, "010200ff");
    both_ways(&i16::MIN, "01028000");
    both_ways(&u16::MAX, "010300ffff");
    // Serde treats a `usize` as a `u64`, so the highest `usize` of 32 bits is not -1.
    both_ways(&usize::MAX, if cfg!(target_pointer_width = "64") { "0101ff" } else { "010500ffffffff" });
    both_ways(&0.25f32, "01023e80");
    both_ways(&23.0f64, "01024037");
    both_ways(&true, "010101");
    both_ways(&'中', "0103e4b8ad");
    both_ways(&String::from("yomo"), "0104796f6d6f");
    both_ways(&ByteBuf::from([1, 2]), "01020102");
    both_ways(&(), "0100");
    assert_eq!(from_slice::<&Bytes>(&[0x01, 0x01, 0xff]).unwrap(), Bytes::new(&[0xff]));
    assert_eq!(from_slice::<&[u8]>(&[0x01, 0x01, 0xff]).unwrap(), [0xff]);
}

#[test]
fn takes_the_dialect_from_the_options_or_the_type() {
    assert_eq!(hex(&PVAR.to_vec(&(-65, 128u8, u64::MAX)).unwrap()), "c10b0002ff3f0002810000017f");
    assert_eq!(PVAR.from_slice::<(i32, u8, u64)>(&unhex("c10b0002ff3f0002810000017f")).unwrap(), (-65, 128, u64::MAX));
    both_ways(&PVarInt(-65i32), "0102ff3f");
    both_ways(&(128, PVarInt(vec![128u16])), "c10a00020080c00400028100");
    assert_eq!(from_slice::<i32>(&unhex("01028100")).unwrap(), -32512);
}

#[test]
fn rejects_numbers_that_do_not_fit_at_their_first_byte() {
    let kind = ErrorKind::InvalidValue;
    fails(from_slice::<u8>(&unhex("01020100")), kind, &[1], 2);
    fails(from_slice::<u8>(&unhex("0101ff")), kind, &[1], 2);
    fails(from_slice::<i8>(&unhex("01020080")), kind, &[1], 2);
    fails(from_slice::<u16>(&unhex("0103010000")), kind, &[1], 2);
    fails(from_slice::<i16>(&unhex("0103008000")), kind, &[1], 2);
    fails(from_slice::<i32>(&unhex("01050000000001")), kind, &[1], 2);
    fails(from_slice::<u64>(&unhex("0100")), kind, &[1], 2);
    fails(from_slice::<f32>(&unhex("01053e80000000")), kind, &[1], 2);
    fails(from_slice::<bool>(&unhex("010102")), kind, &[1], 2);
    fails(from_slice::<()>(&unhex("010100")), kind, &[1], 2);
    fails(PVAR.from_slice::<u8>(&unhex("01020105")), kind, &[1], 2);
    fails(from_slice::<&str>(&unhex("010261ff")), ErrorKind::InvalidUtf8, &[1], 3);
    fails(from_slice::<char>(&unhex("01026161")), kind, &[1], 2);
}

#[test]
fn writes_sequences_as_slices_and_reads_them_from_any_node() {
    both_ways(&vec![1, -1], "c1060001010001ff");
    both_ways(&[true; 3], "c109000101000101000101");
    both_ways(&(1, String::from("a")), "c106000101000161");
    both_ways(&Vec::<u32>::new(), "c100");
    both_ways(&vec![vec![1], vec![]], "c107c003000101c000");
    // A node without the slice bit, whose items have keys other than 0.
    assert_eq!(from_slice::<Vec<u32>>(&unhex("8106010101020102")).unwrap(), [1, 2]);
    fails(from_slice::<Vec<u32>>(&unhex("010101")), ErrorKind::NotANode, &[1], 0);
    fails(from_slice::<(u32,)>(&unhex("c106000101000102")), ErrorKind::ExtraItems, &[1, 0], 5);
    fails(from_slice::<(u32, u32)>(&unhex("c103000101")), ErrorKind::MissingItems, &[1], 0);
    fails(from_slice::<[u32; 2]>(&unhex("c100")), ErrorKind::MissingItems, &[1], 0);
}

#[test]
fn writes_newtypes_as_their_content_and_tuples_as_slices() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Celsius(f32);
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Pair(u32, bool);
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Unit;
    both_ways(&Celsius(23.0), "010241b8");
    both_ways(&Pair(1, true), "c106000101000101");
    both_ways(&Unit, "0100");
}

/// Different values can become the same packet key.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key8(u8);

impl Serialize for Key8 {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(self.0 % 8)
    }
}

#[test]
fn rejects_map_keys_that_are_no_integers_below_64() {
    both_ways(&BTreeMap::from([(0, true), (63, false)]), "81060001013f0100");
    both_ways(&BTreeMap::from([(Key::ROOT, 5)]), "8103010105");
    both_ways(&BTreeMap::from([(-0i64, BTreeMap::from([(17u128, 5)]))]), "81058003110105");
    both_ways(&BTreeMap::<u8, u8>::new(), "8100");
    fails(to_vec(&BTreeMap::from([(1, None), (2, Some(3))])), ErrorKind::AbsentValue, &[1, 1], 2);
    fails(to_vec(&BTreeMap::from([(1, Some(3)), (2, None)])), ErrorKind::AbsentValue, &[1, 2], 5);
    fails(to_vec(&BTreeMap::from([(1, 1), (64, 1)])), ErrorKind::InvalidKey, &[1], 5);
    fails(to_vec(&BTreeMap::from([(-1, 1)])), ErrorKind::InvalidKey, &[1], 2);
    fails(to_vec(&BTreeMap::from([("name", 1)])), ErrorKind::InvalidKey, &[1], 2);
    fails(to_vec(&BTreeMap::from([("0x11", 1)])), ErrorKind::InvalidKey, &[1], 2);
    let said = |error: y3::serde::Error| error.to_string();
    let number = to_vec(&vec![BTreeMap::from([(64, 1)])]).map_err(said);
    assert_eq!(number, Err("map key 64 is not from 0x00 to 0x3f in 0x01/0x00 at byte 4".into()));
    let text = to_vec(&BTreeMap::from([("name", 1)])).map_err(said).unwrap_err();
    assert!(text.starts_with("map key `name` is text, not an integer of 0..=63"), "{text}");
    fails(from_slice::<BTreeMap<String, u8>>(&unhex("8103110105")), ErrorKind::InvalidKey, &[1, 0x11], 2);
    fails(to_vec(&BTreeMap::from([(Key8(1), 1), (Key8(9), 1)])), ErrorKind::RepeatedKey, &[1, 1], 5);
    fails(to_vec(&BTreeMap::from([(vec![1], 1)])), ErrorKind::InvalidKey, &[1], 2);
    fails(from_slice::<BTreeMap<u8, u8>>(&unhex("8106010101010102")), ErrorKind::RepeatedKey, &[1, 1], 5);
    fails(from_slice::<BTreeMap<bool, u8>>(&unhex("8103010101")), ErrorKind::Refused, &[1, 1], 2);
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Shape {
    #[serde(rename = "0x10")]
    Empty,
    #[serde(rename = "0x11")]
    Circle(u32),
    #[serde(rename = "0x12")]
    Box(u32, u32),
    #[serde(rename = "0x13")]
    Named {
        #[serde(rename = "0x20")]
        name: String,
    },
}

#[test]
fn writes_variants_under_their_own_keys() {
    both_ways(&Shape::Empty, "010110");
    both_ways(&Shape::Circle(5), "8103110105");
    both_ways(&Shape::Box(1, 2), "8108d206000101000102");
    both_ways(&Shape::Named { name: "a".into() }, "81059303200161");
    both_ways(&vec![Shape::Circle(5), Shape::Empty], "c1088003110105000110");
    assert_eq!(from_slice::<Shape>(&unhex("81021000")).unwrap(), Shape::Empty);
    fails(from_slice::<Shape>(&unhex("010111")), ErrorKind::UnknownVariant, &[1], 0);
    fails(from_slice::<Shape>(&unhex("010120")), ErrorKind::UnknownVariant, &[1], 0);
    fails(from_slice::<Shape>(&unhex("8103200105")), ErrorKind::UnknownVariant, &[1, 0x20], 2);
    fails(from_slice::<Shape>(&unhex("8100")), ErrorKind::NotOneVariant, &[1], 0);
    fails(from_slice::<Shape>(&unhex("8106110105110105")), ErrorKind::NotOneVariant, &[1], 0);
    fails(from_slice::<Shape>(&unhex("810711050000000001")), ErrorKind::InvalidValue, &[1, 0x11], 4);
    fails(from_slice::<Shape>(&unhex("81059303200205")), ErrorKind::Overrun, &[1, 0x13], 4);
    fails(from_slice::<Shape>(&unhex("810593032001ff")), ErrorKind::InvalidUtf8, &[1, 0x13, 0x20], 6);
    fails(from_slice::<Shape>(&unhex("010140")), ErrorKind::UnknownVariant, &[1], 0);
}

#[test]
fn rejects_names_that_are_no_keys_and_keys_used_twice() {
    #[derive(Debug, Default, Serialize, Deserialize)]
    struct Unnamed {
        temperature: u32,
    }
    #[derive(Debug, Default, Serialize, Deserialize)]
    struct TooHigh {
        #[serde(rename = "0x40")]
        a: u32,
    }
    #[derive(Debug, Default, Serialize, Deserialize)]
    struct Twice {
        #[serde(rename = "0x01")]
        a: u32,
        #[serde(rename = "0x1")]
        b: u32,
    }
    #[derive(Debug, Default, Serialize, Deserialize)]
    struct Outer<T> {
        #[serde(rename = "0x10")]
        inner: T,
    }
    for (written, read, kind) in [
        (
            to_vec(&Unnamed::default()).err(),
            from_slice::<Unnamed>(&[0x81, 0x00]).err(),
            (ErrorKind::InvalidKey, "temperature"),
        ),
        (
            to_vec(&TooHigh::default()).err(),
            from_slice::<TooHigh>(&[0x81, 0x00]).err(),
            (ErrorKind::InvalidKey, "0x40"),
        ),
        (to_vec(&Twice::default()).err(), from_slice::<Twice>(&[0x81, 0x00]).err(), (ErrorKind::RepeatedKey, "0x1")),
    ] {
        assert_eq!(told(&written.unwrap()), kind);
        assert_eq!(told(&read.unwrap()), kind);
    }
    fails(to_vec(&Outer::<Unnamed>::default()), (ErrorKind::InvalidKey, "temperature"), &[1, 0x10], 2);
    let error = from_slice::<Outer<Unnamed>>(&unhex("81029000")).unwrap_err();
    assert_eq!(error.to_string(), "name `temperature` is not a key from 0x00 to 0x3f in 0x01/0x10 at byte 2");
}

#[test]
fn reads_fields_in_any_order_and_skips_unknown_ones() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Three {
        #[serde(rename = "0x01")]
        a: u32,
        #[serde(rename = "0x02", default)]
        b: u32,
        #[serde(rename = "0x03")]
        c: Option<u32>,
    }
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Strict {
        #[serde(rename = "0x01")]
        a: u32,
    }
    assert_eq!(from_slice::<Three>(&unhex("8106020102010101")).unwrap(), Three { a: 1, b: 2, c: None });
    // Unknown packets: a primitive, a node with an error inside, and a second packet with the same key.
    let read: Three = from_slice(&unhex("810f0401ff8502017f0400010107850101")).unwrap();
    assert_eq!(read, Three { a: 7, b: 0, c: None });
    fails(from_slice::<Three>(&unhex("8103020102")), (ErrorKind::MissingField, "0x01"), &[1], 0);
    fails(from_slice::<Three>(&unhex("8106010101010101")), (ErrorKind::RepeatedField, "0x01"), &[1], 0);
    fails(from_slice::<Strict>(&unhex("8106010101020102")), ErrorKind::UnexpectedKey, &[1, 2], 5);
    fails(from_slice::<Three>(&unhex("010101")), ErrorKind::NotANode, &[1], 0);
    fails(from_slice::<Three>(&unhex("81038101ff")), ErrorKind::NotAPrimitive, &[1, 1], 2);
}

#[test]
fn keeps_a_packet_undecoded_and_writes_it_unchanged() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Frame<'a> {
        #[serde(rename = "0x10")]
        to: u32,
        #[serde(rename = "0x11", borrow)]
        body: Packet<'a>,
        #[serde(rename = "0x12", borrow, skip_serializing_if = "Option::is_none")]
        rest: Option<Packet<'a>>,
        #[serde(rename = "0x13", borrow, default)]
        more: Vec<Packet<'a>>,
    }
    let bytes = unhex("8118100107910c20026869d106000101000102d3050001618000");
    let frame: Frame = from_slice(&bytes).unwrap();
    assert_eq!((frame.body.offset(), frame.body.key().get(), frame.rest), (5, 0x11, None));
    assert_eq!(from_packet::<Vec<u8>>(frame.body.find(0x11).unwrap().unwrap()).unwrap(), [1, 2]);
    assert_eq!(frame.body.find(0x20).unwrap().unwrap().offset(), 7);
    assert_eq!(to_vec(&frame).unwrap(), bytes);
    // The packet under another key, and alone.
    assert_eq!(hex(&to_vec(&frame.body).unwrap()), "810c20026869d106000101000102");
    // Other formats store the bytes of the packet.
    assert_eq!(serde_json::to_string(&frame.more[1]).unwrap(), "[128,0]");
}

#[test]
fn writes_and_reads_the_value_under_a_watched_key_in_the_root() {
    let options = Options::DEFAULT.with_watched(0x10);
    assert_eq!(hex(&options.to_vec(&7).unwrap()), "8103100107");
    assert_eq!(options.from_slice::<u32>(&unhex("8106110108100107")).unwrap(), 7);
    fails(options.from_slice::<u32>(&unhex("8103110107")), ErrorKind::AbsentValue, &[], 0);
    fails(options.from_slice::<u8>(&unhex("810410020107")), ErrorKind::InvalidValue, &[0x10], 4);
    fails(options.from_slice::<u8>(&unhex("010107")), ErrorKind::NotANode, &[], 0);
    fails(options.to_vec(&2u128), ErrorKind::Unsupported, &[0x10], 2);
    fails(Options::DEFAULT.with_watched(64).to_vec(&7), ErrorKind::InvalidKey, &[], 2);
}

#[test]
fn writes_displayed_text_without_a_buffer_and_reports_where_its_packet_begins() {
    struct Shown(String);

    impl Serialize for Shown {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_str(&format_args!("<{}>", self.0))
        }
    }
    struct Careless;

    impl std::fmt::Display for Careless {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            let _ = f.write_str("too long for the room");
            f.write_str("short")
        }
    }

    impl Serialize for Careless {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_str(self)
        }
    }
    for len in [0, 5, 61, 62, 63, 8190] {
        let text = "x".repeat(len);
        let bytes = to_vec(&(1, Shown(text.clone()), 2)).unwrap();
        assert_eq!(from_slice::<(u32, String, u32)>(&bytes).unwrap(), (1, format!("<{text}>"), 2));
        y3::check(&bytes).unwrap();
    }
    // A part that did not fit is an error even if `Display` hides it.
    fails(Options::DEFAULT.to_slice(&mut [0; 8], &Careless), ErrorKind::BufferTooSmall, &[1], 0);
    fails(Options::DEFAULT.to_slice(&mut [0; 8], &Shown("too long".into())), ErrorKind::BufferTooSmall, &[1], 0);
    // After another packet, inside a node: the error is at the start of the struct, whichever part did not fit.
    for room in 5..=11 {
        let error = Options::DEFAULT.to_slice(&mut [0; 16][..room], &(1, Shown("text".into()))).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (ErrorKind::BufferTooSmall, 5), "{room}");
    }
}

#[test]
fn errors_name_the_keys_and_the_byte() {
    let error = from_slice::<Message>(&unhex("810610010711020561")).unwrap_err();
    assert_eq!(error.to_string(), "unexpected bytes after the packet at byte 8");
    let error = from_slice::<Message>(&unhex("810510010711ff")).unwrap_err();
    assert_eq!(error.to_string(), "negative length in 0x01 at byte 6");
    let error = from_slice::<Message>(&unhex("8100")).unwrap_err();
    assert_eq!(error.to_string(), "field `0x10` is missing in 0x01 at byte 0");
    let error = from_slice::<(u8, u8)>(&unhex("c103000101")).unwrap_err();
    assert_eq!(error.to_string(), "invalid length 1, expected a tuple of size 2 in 0x01 at byte 0");
    assert_eq!(format!("{error:?}"), format!("Error({error})"));
    assert!(size_of::<Error>() <= size_of::<usize>());
}

#[test]
fn reserves_nothing_for_a_declared_length() {
    // A slice that announces 2^31-1 bytes, and a slice of the smallest possible items.
    let error = from_slice::<Vec<u64>>(&[0xc1, 0x87, 0xff, 0xff, 0xff, 0x7f]).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::UnexpectedEnd, 0));
    let items: Vec<()> = from_slice(&[&[0xc1, 0x06][..], &[0; 6]].concat()).unwrap();
    assert_eq!(items.len(), 3);
}

/// Upper and lower case.
#[test]
fn every_hexadecimal_digit_is_a_digit_of_a_name() {
    macro_rules! named {
        ($($name:literal $key:literal),*) => {$({
            #[derive(Serialize)]
            struct Named {
                #[serde(rename = $name)]
                value: u8,
            }
            assert_eq!(to_vec(&Named { value: 7 }).unwrap(), [0x81, 0x03, $key, 0x01, 0x07], $name);
        })*};
    }
    named!("0x09" 0x09, "0x0a" 0x0a, "0x0B" 0x0b, "0x0C" 0x0c, "0x0D" 0x0d, "0x0E" 0x0e, "0x0F" 0x0f, "0x3A" 0x3a, "0x3f" 0x3f);
}
