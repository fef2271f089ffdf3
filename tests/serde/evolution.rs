//! The chapter "Evolution" of docs/GUIDE.md: what old and new readers do with types that have changed.

use std::fmt::Debug;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use testkit::options::Options;
use y3::ErrorKind;
use y3::serde::{Error, from_slice, to_vec};

use super::told;

/// A field under the key 0x01.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Field<T> {
    #[serde(rename = "0x01")]
    field: T,
}

/// What a reader of the type `New` gets for a field that was written as `Old`.
fn retyped<Old: Serialize, New: DeserializeOwned>(options: Options, old: Old) -> Result<New, Error> {
    let bytes = options.to_vec(&Field { field: old }).unwrap();
    options.from_slice::<Field<New>>(&bytes).map(|read| read.field)
}

/// The same value in both dialects.
#[track_caller]
fn kept<Old: Copy + Serialize, New: Debug + PartialEq + From<Old> + DeserializeOwned>(values: &[Old]) {
    for options in dialects() {
        for value in values {
            assert_eq!(retyped::<Old, New>(options, *value).unwrap(), New::from(*value));
        }
    }
}

fn dialects() -> [Options; 2] {
    [Options::DEFAULT, Options::DEFAULT.with_pvar()]
}

#[track_caller]
fn refused<Old: Serialize, New: Debug + DeserializeOwned>(old: Old) {
    retyped::<Old, New>(Options::DEFAULT, old).unwrap_err();
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct V1 {
    #[serde(rename = "0x01")]
    a: u32,
    #[serde(rename = "0x02")]
    b: u32,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct V2 {
    #[serde(rename = "0x01")]
    a: u32,
    #[serde(rename = "0x03")]
    c: Option<u32>,
    #[serde(rename = "0x04", default)]
    d: u32,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Strict {
    #[serde(rename = "0x01")]
    a: u32,
}

#[test]
fn added_fields_are_skipped_by_old_readers_and_absent_to_new_ones() {
    let old = to_vec(&V1 { a: 1, b: 2 }).unwrap();
    let new = to_vec(&V2 { a: 1, c: Some(3), d: 4 }).unwrap();
    assert_eq!(from_slice::<V2>(&old).unwrap(), V2 { a: 1, c: None, d: 0 });
    // A field that was removed is missing to an old reader that asks for it.
    assert_eq!(told(&from_slice::<V1>(&new).unwrap_err()), (ErrorKind::MissingField, "0x02"));
    assert_eq!(from_slice::<Strict>(&new).unwrap_err().kind(), ErrorKind::UnexpectedKey);
}

#[test]
fn optional_and_required_fields_read_one_another_if_they_are_there() {
    assert_eq!(retyped::<u32, Option<u32>>(Options::DEFAULT, 7).unwrap(), Some(7));
    assert_eq!(retyped::<Option<u32>, u32>(Options::DEFAULT, Some(7)).unwrap(), 7);
    let absent = retyped::<Option<u32>, u32>(Options::DEFAULT, None).unwrap_err();
    assert_eq!(told(&absent), (ErrorKind::MissingField, "0x01"));
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
    // And narrowed: a number that does not fit is an error.
    for options in dialects() {
        assert_eq!(retyped::<i64, i32>(options, -7).unwrap(), -7);
        assert_eq!(retyped::<i64, i8>(options, 128).unwrap_err().kind(), ErrorKind::InvalidValue);
        assert_eq!(retyped::<i64, i32>(options, 1 << 40).unwrap_err().kind(), ErrorKind::InvalidValue);
    }
}

#[test]
fn unsigned_integers_of_32_bits_from_2_to_the_31_on_change_when_widened() {
    for options in dialects() {
        let below = (1u32 << 31) - 1;
        assert_eq!(retyped::<u32, i64>(options, below).unwrap(), i64::from(below));
        assert_eq!(retyped::<u32, u64>(options, below).unwrap(), u64::from(below));
        assert_eq!(retyped::<u32, i64>(options, u32::MAX).unwrap(), -1);
        assert_eq!(retyped::<u32, u64>(options, u32::MAX).unwrap(), u64::MAX);
        assert_eq!(retyped::<u32, i32>(options, u32::MAX).unwrap(), -1);
        assert_eq!(retyped::<i32, u32>(options, -1).unwrap(), u32::MAX);
        assert_eq!(retyped::<i64, u64>(options, -1).unwrap(), u64::MAX);
    }
}

#[test]
fn floats_of_the_other_width_change_or_are_refused() {
    assert_eq!(retyped::<f32, f64>(Options::DEFAULT, 1.5).unwrap().to_bits(), 0.125f64.to_bits());
    assert_eq!(retyped::<f64, f32>(Options::DEFAULT, 0.125).unwrap().to_bits(), 1.5f32.to_bits());
    refused::<f64, f32>(0.1);
    // Integers and floats are bytes to one another.
    assert_eq!(retyped::<f32, u32>(Options::DEFAULT, 1.5).unwrap(), 0x3fc0);
}

#[test]
fn dialects_read_one_another_as_other_numbers() {
    let bytes = to_vec(&Field { field: 128u32 }).unwrap();
    assert!(dialects()[1].from_slice::<Field<u32>>(&bytes).map_or(true, |read| read.field != 128));
    let bytes = dialects()[1].to_vec(&Field { field: 128u32 }).unwrap();
    assert_ne!(from_slice::<Field<u32>>(&bytes).unwrap().field, 128);
}

#[test]
fn texts_bytes_and_numbers_are_bytes_to_one_another() {
    assert_eq!(retyped::<&str, ByteBuf>(Options::DEFAULT, "Y3").unwrap(), ByteBuf::from("Y3"));
    assert_eq!(retyped::<ByteBuf, String>(Options::DEFAULT, ByteBuf::from("Y3")).unwrap(), "Y3");
    assert_eq!(retyped::<u32, String>(Options::DEFAULT, 65).unwrap(), "A");
    assert_eq!(retyped::<&str, u32>(Options::DEFAULT, "A").unwrap(), 65);
    assert_eq!(retyped::<bool, u32>(Options::DEFAULT, true).unwrap(), 1);
    refused::<u32, bool>(2);
    refused::<&str, u32>("a longer text");
}

#[test]
fn a_value_and_a_list_refuse_one_another_and_nodes_of_any_kind_are_lists() {
    refused::<u32, Vec<u32>>(7);
    refused::<Vec<u32>, u32>(vec![7]);
    refused::<(u32, u32), (u32,)>((7, 8));
    refused::<(u32,), (u32, u32)>((7,));
    assert_eq!(retyped::<(u32, u32), Vec<u32>>(Options::DEFAULT, (7, 8)).unwrap(), [7, 8]);
    let inner = V1 { a: 1, b: 2 };
    assert_eq!(retyped::<V1, Vec<u32>>(Options::DEFAULT, inner).unwrap(), [1, 2]);
    let map = retyped::<V1, std::collections::BTreeMap<u8, u32>>(Options::DEFAULT, V1 { a: 1, b: 2 }).unwrap();
    assert_eq!(map.into_iter().collect::<Vec<_>>(), [(1, 1), (2, 2)]);
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Event1 {
    #[serde(rename = "0x01")]
    Started,
    #[serde(rename = "0x02")]
    Stopped,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Event2 {
    #[serde(rename = "0x01")]
    Started,
    #[serde(rename = "0x02")]
    Stopped(u32),
    #[serde(rename = "0x03")]
    Failed {},
    #[serde(rename = "0x3f", other)]
    Other,
}

#[test]
fn added_variants_are_other_or_an_error_to_old_readers() {
    let failed = to_vec(&Event2::Failed {}).unwrap();
    assert_eq!(from_slice::<Event1>(&failed).unwrap_err().kind(), ErrorKind::UnknownVariant);
    assert_eq!(from_slice::<Event2>(&[0x01, 0x01, 0x09]).unwrap(), Event2::Other);
    assert_eq!(from_slice::<Event2>(&to_vec(&Event1::Started).unwrap()).unwrap(), Event2::Started);
    // What is read as another is written as that, and its content is gone.
    let other: Event2 = from_slice(&[0x81, 0x03, 0x09, 0x01, 0x07]).unwrap();
    assert_eq!(to_vec(&other).unwrap(), [0x01, 0x01, 0x3f]);
    // A variant that gets content, or loses it, is refused by the other side.
    assert!(from_slice::<Event1>(&to_vec(&Event2::Stopped(7)).unwrap()).is_err());
    assert!(from_slice::<Event2>(&to_vec(&Event1::Stopped).unwrap()).is_err());
}
