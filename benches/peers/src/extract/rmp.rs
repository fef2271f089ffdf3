//! `MessagePack`: maps from names to values, each value after a marker with its type and, if short, its length.
//!
//! `rmp-serde` reads a struct of the one field and skips the others. It writes structs without names by default, and then
//! no single field could be read. `rmpv` reads everything into a value of any kind, which borrows its texts as `ValueRef`.
//! `rmp` itself is for reading by hand: an expert compares the names and stops at the field. Its own function to jump over
//! a value, `MessageLen`, panics on extension types, so the jump is by hand as well.

use rmp::Marker;
use rmp::decode::{RmpRead, read_f32, read_int, read_map_len, read_marker, read_str_len};
use rmpv::{Value, ValueRef};

use super::json::{K2, K4, K8, K16, K17, K32};
use super::mode::{Hostile, Reader, Way, Writer};
use super::named::Named;
use super::record::C63;
use super::scenario::{Digest, Shape};
use kit::data::Node;

fn reader(
    codec: &'static str,
    mode: &'static str,
    way: Way,
    read: impl FnMut(&[u8]) -> Option<u64> + Clone + 'static,
) -> Reader {
    Reader::new(codec, mode, way, Hostile::Safe, encode, read)
}

/// The readers of a value. Arguments: how to read it by hand, how to convert it from a `Value` and from a `ValueRef`, a struct of
/// the one field, the names on its path.
macro_rules! value {
    ($read:expr, $of_value:expr, $of_ref:expr, $only:ty, $($field:ident).+) => {
        vec![
            reader("rmp-serde", "typed, one field", Way::Recommended, |bytes| {
                let only: $only = rmp_serde::from_slice(bytes).ok()?;
                Some(only.$($field).+.digest())
            }),
            reader("rmpv", "Value", Way::Recommended, |mut bytes| {
                let value = &rmpv::decode::read_value(&mut bytes).ok()?$([stringify!($field)])+;
                Some($of_value(value)?.digest())
            }),
            reader("rmpv", "ValueRef", Way::Recommended, |mut bytes| {
                let value = &rmpv::decode::read_value_ref(&mut bytes).ok()?;
                $(let value = member(value, stringify!($field))?;)+
                Some($of_ref(value)?.digest())
            }),
            reader("rmp", "decode by hand", Way::Expert, |mut bytes| {
                $(seek(&mut bytes, stringify!($field))?;)+
                Some($read(&mut bytes)?.digest())
            }),
        ]
    };
}

pub fn readers(shape: Shape) -> Vec<Reader> {
    match shape {
        Shape::C63 => value!(int::<i64>, Value::as_i64, i64_of, K32<i64>, k32),
        Shape::C32 => value!(int::<i32>, i32_of_value, i32_of, K16<i32>, k16),
        Shape::C16 => value!(text, Value::as_str, str_of, K8<&str>, k8),
        Shape::C03 => value!(int::<i32>, i32_of_value, i32_of, K2<i32>, k2),
        Shape::Texts => value!(text, Value::as_str, str_of, K32<&str>, k32),
        Shape::Nested => value!(int::<i64>, Value::as_i64, i64_of, K4<K4<K4<i64>>>, k4.k4.k4),
        Shape::Frame => value!(float, f32_of_value, f32_of, K2<K17<f32>>, k2.k17),
    }
}

fn i32_of_value(value: &Value) -> Option<i32> {
    i32::try_from(value.as_i64()?).ok()
}

fn f32_of_value(value: &Value) -> Option<f32> {
    match value {
        Value::F32(number) => Some(*number),
        _ => None,
    }
}

fn member<'a, 'b>(value: &'b ValueRef<'a>, name: &str) -> Option<&'b ValueRef<'a>> {
    match value {
        ValueRef::Map(pairs) => Some(&pairs.iter().find(|(key, _)| str_of(key) == Some(name))?.1),
        _ => None,
    }
}

fn i64_of(value: &ValueRef<'_>) -> Option<i64> {
    match value {
        ValueRef::Integer(number) => number.as_i64(),
        _ => None,
    }
}

fn i32_of(value: &ValueRef<'_>) -> Option<i32> {
    i32::try_from(i64_of(value)?).ok()
}

fn str_of<'a>(value: &'a ValueRef<'_>) -> Option<&'a str> {
    match value {
        ValueRef::String(text) => text.as_str(),
        _ => None,
    }
}

fn f32_of(value: &ValueRef<'_>) -> Option<f32> {
    match value {
        ValueRef::F32(number) => Some(*number),
        _ => None,
    }
}

/// Enters the next map, up to the value with this name.
fn seek(bytes: &mut &[u8], name: &str) -> Option<()> {
    let pairs = read_map_len(bytes).ok()?;
    for _ in 0..pairs {
        if text_bytes(bytes)? == name.as_bytes() {
            return Some(());
        }
        skip(bytes)?;
    }
    None
}

/// Jumps over the next value and everything inside it.
fn skip(bytes: &mut &[u8]) -> Option<()> {
    let mut values = 1_u64;
    while values > 0 {
        values -= 1;
        let (len, inner) = match read_marker(bytes).ok()? {
            Marker::Null | Marker::False | Marker::True | Marker::FixPos(_) | Marker::FixNeg(_) => (0, 0),
            Marker::U8 | Marker::I8 => (1, 0),
            Marker::U16 | Marker::I16 | Marker::FixExt1 => (2, 0),
            Marker::FixExt2 => (3, 0),
            Marker::U32 | Marker::I32 | Marker::F32 => (4, 0),
            Marker::FixExt4 => (5, 0),
            Marker::U64 | Marker::I64 | Marker::F64 => (8, 0),
            Marker::FixExt8 => (9, 0),
            Marker::FixExt16 => (17, 0),
            Marker::FixStr(len) => (u64::from(len), 0),
            Marker::Str8 | Marker::Bin8 => (bytes.read_data_u8().ok()?.into(), 0),
            Marker::Str16 | Marker::Bin16 => (bytes.read_data_u16().ok()?.into(), 0),
            Marker::Str32 | Marker::Bin32 => (bytes.read_data_u32().ok()?.into(), 0),
            Marker::Ext8 => (1 + u64::from(bytes.read_data_u8().ok()?), 0),
            Marker::Ext16 => (1 + u64::from(bytes.read_data_u16().ok()?), 0),
            Marker::Ext32 => (1 + u64::from(bytes.read_data_u32().ok()?), 0),
            Marker::FixArray(len) => (0, len.into()),
            Marker::Array16 => (0, bytes.read_data_u16().ok()?.into()),
            Marker::Array32 => (0, bytes.read_data_u32().ok()?.into()),
            Marker::FixMap(len) => (0, 2 * u64::from(len)),
            Marker::Map16 => (0, 2 * u64::from(bytes.read_data_u16().ok()?)),
            Marker::Map32 => (0, 2 * u64::from(bytes.read_data_u32().ok()?)),
            Marker::Reserved => return None,
        };
        *bytes = bytes.get(usize::try_from(len).ok()?..)?;
        values += inner;
    }
    Some(())
}

fn text_bytes<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let len = usize::try_from(read_str_len(bytes).ok()?).ok()?;
    let (text, rest) = bytes.split_at_checked(len)?;
    *bytes = rest;
    Some(text)
}

fn text<'a>(bytes: &mut &'a [u8]) -> Option<&'a str> {
    str::from_utf8(text_bytes(bytes)?).ok()
}

fn int<T: TryFrom<i64>>(bytes: &mut &[u8]) -> Option<T> {
    T::try_from(read_int(bytes).ok()?).ok()
}

fn float(bytes: &mut &[u8]) -> Option<f32> {
    read_f32(bytes).ok()
}

pub fn encode(model: &Node) -> Vec<u8> {
    rmp_serde::to_vec_named(&Named(model)).expect("a vector takes all")
}

pub fn writers() -> Vec<Writer> {
    vec![
        Writer::new("rmp-serde", "write_named", Way::Recommended, |record: &C63, out| {
            rmp_serde::encode::write_named(out, record).expect("a vector takes all");
        }),
        // A user of `rmpv` already has the message as a `Value`.
        Writer::new("rmpv", "write_value", Way::Recommended, |Held(value), out| {
            rmpv::encode::write_value(out, value).expect("a vector takes all");
        }),
    ]
}

/// A value of any kind.
struct Held(Value);

impl From<&Node> for Held {
    fn from(model: &Node) -> Self {
        Held(rmpv::decode::read_value(&mut encode(model).as_slice()).expect("just written"))
    }
}
