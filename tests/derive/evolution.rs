//! Evolution of types with the derive and with serde, as the chapter of the guide describes it: what an old reader
//! makes of packets from a newer writer, and the reverse.

use std::collections::BTreeMap;
use std::fmt::Debug;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use testkit::options::{Bytes, Options};
use y3::serde::{Error, from_slice, to_vec};
use y3::value::UnknownFields;
use y3::{Decode, Encode, ErrorKind, PVarInt, Packet};

#[derive(Debug, PartialEq, Encode, Decode)]
struct Old<'a> {
    #[y3(0x10)]
    id: u32,
    #[y3(0x11)]
    name: &'a str,
    #[y3(0x12)]
    state: OldState,
}

#[derive(Debug, PartialEq, Encode, Decode)]
enum OldState {
    #[y3(1)]
    Idle,
    #[y3(2, other)]
    Unknown,
}

/// Has one more field at the front and at the end, one more variant, and a variant that gained a value.
#[derive(Debug, PartialEq, Encode, Decode)]
struct New<'a> {
    #[y3(0x0f)]
    place: Option<&'a str>,
    #[y3(0x10)]
    id: u64,
    #[y3(0x11)]
    name: &'a str,
    #[y3(0x12)]
    state: NewState,
    #[y3(0x13, default = 1.5)]
    weight: f32,
    #[y3(0x14, default)]
    tags: Vec<String>,
}

#[derive(Debug, PartialEq, Encode, Decode)]
enum NewState {
    #[y3(1)]
    Idle,
    #[y3(2)]
    Unknown,
    #[y3(3)]
    Busy,
    #[y3(4)]
    Failed {
        #[y3(0x01)]
        code: i32,
    },
}

/// An old type that keeps unknown fields.
#[derive(Debug, PartialEq, Encode, Decode)]
struct Relay<'a> {
    #[y3(0x10)]
    id: u32,
    #[y3(0x12)]
    state: RelayState<'a>,
    #[y3(rest)]
    newer: UnknownFields<'a>,
}

#[derive(Debug, PartialEq, Encode, Decode)]
enum RelayState<'a> {
    #[y3(1)]
    Idle,
    #[y3(other)]
    Other(Packet<'a>),
}

fn new(state: NewState) -> New<'static> {
    New { place: Some("lab"), id: 7, name: "a", state, weight: 0.5, tags: vec!["x".into()] }
}

#[test]
fn an_old_reader_jumps_over_what_is_newer() {
    for state in [NewState::Busy, NewState::Failed { code: -1 }] {
        let packet = y3::to_vec(0x01, &new(state)).unwrap();
        assert_eq!(y3::decode::<Old>(&packet).unwrap(), Old { id: 7, name: "a", state: OldState::Unknown });
    }
}

#[test]
fn a_new_reader_takes_an_old_packet() {
    let packet = y3::to_vec(0x01, &Old { id: 7, name: "a", state: OldState::Idle }).unwrap();
    let value = New { place: None, id: 7, name: "a", state: NewState::Idle, weight: 1.5, tags: vec![] };
    assert_eq!(y3::decode::<New>(&packet).unwrap(), value);
}

#[test]
fn an_old_relay_hands_on_what_is_newer() {
    for state in [NewState::Busy, NewState::Failed { code: -1 }] {
        let value = new(state);
        let packet = y3::to_vec(0x01, &value).unwrap();
        let relayed = y3::to_vec(0x01, &Relay { id: 8, ..y3::decode(&packet).unwrap() }).unwrap();
        assert_eq!(y3::decode::<New>(&relayed).unwrap(), New { id: 8, ..value });
    }
}

/// The kind of an error, and the name in it.
fn told(error: &Error) -> (ErrorKind, Option<&str>) {
    (error.kind(), error.name())
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Encode, Decode)]
struct Field<T> {
    #[serde(rename = "0x01")]
    #[y3(0x01)]
    field: T,
}

/// A type that both serde and the derive read and write.
trait Both: Debug + PartialEq + Serialize + DeserializeOwned + Encode + for<'a> Decode<'a> {}

impl<T: Debug + PartialEq + Serialize + DeserializeOwned + Encode + for<'a> Decode<'a>> Both for T {}

/// Reads a field that was written as `Old` into the type `New`. Asserts that serde and the derive agree.
fn retyped<Old: Both, New: Both>(is_pvar: bool, old: Old) -> Result<New, Error> {
    let options = if is_pvar { Options::DEFAULT.with_pvar() } else { Options::DEFAULT };
    let field = Field { field: old };
    let bytes = options.to_vec(&field).unwrap();
    let (written, packet) = (y3::to_vec(0x01, &field), Packet::from_slice(&bytes).unwrap());
    let (written, packet) =
        if is_pvar { (y3::to_vec(0x01, &PVarInt(&field)), packet.pvar()) } else { (written, packet) };
    assert_eq!(written.unwrap(), bytes);
    let read = options.from_slice::<Field<New>>(&bytes).map(|read| read.field);
    let derived = packet.decode::<Field<New>>().map(|read| read.field);
    assert_eq!(derived.as_ref().map_err(y3::Error::kind), read.as_ref().map_err(Error::kind));
    read
}

/// Asserts that the type `New` reads the same value in both dialects.
#[track_caller]
fn kept<Old: Copy + Both, New: From<Old> + Both>(values: &[Old]) {
    for is_pvar in [false, true] {
        for value in values {
            assert_eq!(retyped::<Old, New>(is_pvar, *value).unwrap(), New::from(*value));
        }
    }
}

#[track_caller]
fn refused<Old: Both, New: Both>(old: Old) {
    retyped::<Old, New>(false, old).unwrap_err();
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Encode, Decode)]
struct V1 {
    #[serde(rename = "0x01")]
    #[y3(0x01)]
    a: u32,
    #[serde(rename = "0x02")]
    #[y3(0x02)]
    b: u32,
}

#[test]
fn optional_and_required_fields_read_one_another_if_they_are_there() {
    assert_eq!(retyped::<u32, Option<u32>>(false, 7).unwrap(), Some(7));
    assert_eq!(retyped::<Option<u32>, u32>(false, Some(7)).unwrap(), 7);
    let absent = retyped::<Option<u32>, u32>(false, None).unwrap_err();
    assert_eq!(told(&absent), (ErrorKind::MissingField, Some("0x01")));
}

#[test]
fn signed_integers_and_unsigned_ones_of_16_bits_may_be_widened() {
    kept::<i8, i16>(&[i8::MIN, -1, 0, i8::MAX]);
    kept::<i8, i64>(&[i8::MIN, -1, 0, i8::MAX]);
    kept::<i16, i32>(&[i16::MIN, -1, 0, i16::MAX]);
    kept::<i32, i64>(&[i32::MIN, -1, 0, i32::MAX]);
    kept::<u8, u16>(&[0, 127, 128, u8::MAX]);
    kept::<u8, i32>(&[0, 127, 128, u8::MAX]);
    kept::<u8, u64>(&[0, 127, 128, u8::MAX]);
    kept::<u16, u32>(&[0, 128, u16::MAX]);
    kept::<u16, i64>(&[0, 128, u16::MAX]);
    // A narrower type refuses a number that does not fit.
    for is_pvar in [false, true] {
        assert_eq!(retyped::<i64, i32>(is_pvar, -7).unwrap(), -7);
        assert_eq!(retyped::<i64, i8>(is_pvar, 128).unwrap_err().kind(), ErrorKind::InvalidValue);
        assert_eq!(retyped::<i64, i32>(is_pvar, 1 << 40).unwrap_err().kind(), ErrorKind::InvalidValue);
    }
}

#[test]
fn unsigned_integers_of_32_bits_from_2_to_the_31_on_change_when_widened() {
    for is_pvar in [false, true] {
        let below = (1u32 << 31) - 1;
        assert_eq!(retyped::<u32, i64>(is_pvar, below).unwrap(), i64::from(below));
        assert_eq!(retyped::<u32, u64>(is_pvar, below).unwrap(), u64::from(below));
        assert_eq!(retyped::<u32, i64>(is_pvar, u32::MAX).unwrap(), -1);
        assert_eq!(retyped::<u32, u64>(is_pvar, u32::MAX).unwrap(), u64::MAX);
        assert_eq!(retyped::<u32, i32>(is_pvar, u32::MAX).unwrap(), -1);
        assert_eq!(retyped::<i32, u32>(is_pvar, -1).unwrap(), u32::MAX);
        assert_eq!(retyped::<i64, u64>(is_pvar, -1).unwrap(), u64::MAX);
    }
}

#[test]
fn floats_of_the_other_width_change_or_are_refused() {
    assert_eq!(retyped::<f32, f64>(false, 1.5).unwrap().to_bits(), 0.125f64.to_bits());
    assert_eq!(retyped::<f64, f32>(false, 0.125).unwrap().to_bits(), 1.5f32.to_bits());
    refused::<f64, f32>(0.1);
    // Integers and floats read the same bytes as different values.
    assert_eq!(retyped::<f32, u32>(false, 1.5).unwrap(), 0x3fc0);
}

#[test]
fn dialects_read_one_another_as_other_numbers() {
    let bytes = to_vec(&Field { field: 128u32 }).unwrap();
    assert!(Options::DEFAULT.with_pvar().from_slice::<Field<u32>>(&bytes).map_or(true, |read| read.field != 128));
    let bytes = Options::DEFAULT.with_pvar().to_vec(&Field { field: 128u32 }).unwrap();
    assert_ne!(from_slice::<Field<u32>>(&bytes).unwrap().field, 128);
}

#[test]
fn texts_bytes_and_numbers_are_bytes_to_one_another() {
    assert_eq!(retyped::<String, Bytes>(false, "Y3".into()).unwrap(), Bytes(b"Y3".to_vec().into()));
    assert_eq!(retyped::<Bytes, String>(false, Bytes(b"Y3".to_vec().into())).unwrap(), "Y3");
    assert_eq!(retyped::<u32, String>(false, 65).unwrap(), "A");
    assert_eq!(retyped::<String, u32>(false, "A".into()).unwrap(), 65);
    assert_eq!(retyped::<bool, u32>(false, true).unwrap(), 1);
    refused::<u32, bool>(2);
    refused::<String, u32>("a longer text".into());
}

#[test]
fn a_value_and_a_list_refuse_one_another_and_nodes_of_any_kind_are_lists() {
    refused::<u32, Vec<u32>>(7);
    refused::<Vec<u32>, u32>(vec![7]);
    refused::<(u32, u32, u32), (u32, u32)>((7, 8, 9));
    refused::<(u32, u32), (u32, u32, u32)>((7, 8));
    assert_eq!(retyped::<(u32, u32), Vec<u32>>(false, (7, 8)).unwrap(), [7, 8]);
    let inner = V1 { a: 1, b: 2 };
    assert_eq!(retyped::<V1, Vec<u32>>(false, inner).unwrap(), [1, 2]);
    let map = retyped::<V1, BTreeMap<u8, u32>>(false, V1 { a: 1, b: 2 }).unwrap();
    assert_eq!(map.into_iter().collect::<Vec<_>>(), [(1, 1), (2, 2)]);
}
