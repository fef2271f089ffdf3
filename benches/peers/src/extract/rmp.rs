//! `MessagePack`: maps from names to values. Each value follows a marker with its type and, if it is short, its length.
//!
//! `rmp-serde` reads a struct with the one field and skips the others. It writes structs without names by default, and then nobody could
//! read a single field; so names are switched on. `rmpv` reads the whole message into a value of any kind: `Value` copies texts, `ValueRef`
//! borrows them. With `rmp` an expert reads by hand, compares the names and stops at the field. `rmp`'s own function that jumps over a
//! value, `MessageLen`, panics on extension types, so this file has one.

use rmp::Marker;
use rmp::decode::{RmpRead, read_f32, read_int, read_map_len, read_marker, read_str_len};
use rmpv::{Value, ValueRef};

use super::prelude::*;

readers! {
    ($message:ident $only:ident $type:ty, $($key:literal $field:ident $one:ident),+) => {
        Ways::of("rmp-serde", encode)
            .reader("typed, one field", |bytes| formats::rmp_serde::read::<only!($type, $($one)+)>(bytes).digest())
            .and_of("rmpv", encode)
            .reader("Value", |mut bytes| {
                let value = &rmpv::decode::read_value(&mut bytes).ok()?$([stringify!($field)])+;
                <$type>::of(value, Value::as_i64, Value::as_f64, Value::as_str).digest()
            })
            .reader("ValueRef", |mut bytes| {
                let value = &rmpv::decode::read_value_ref(&mut bytes).ok()?;
                $(let value = member(value, stringify!($field))?;)+
                <$type>::by(
                    value,
                    |value| i64_of(value),
                    |value| i32::try_from(i64_of(value)?).ok(),
                    |value| if let ValueRef::F32(number) = value { Some(*number) } else { None },
                    text_of,
                ).digest()
            })
            .and_of("rmp", encode)
            .reader("decode by hand", |mut bytes| {
                $(seek(&mut bytes, stringify!($field))?;)+
                <$type>::by(
                    &mut bytes,
                    |bytes| read_int(bytes).ok(),
                    |bytes| i32::try_from(read_int::<i64, _>(bytes).ok()?).ok(),
                    |bytes| read_f32(bytes).ok(),
                    |bytes| str::from_utf8(text_bytes(bytes)?).ok(),
                ).digest()
            })
    }
}

fn member<'a, 'b>(value: &'b ValueRef<'a>, name: &str) -> Option<&'b ValueRef<'a>> {
    match value {
        ValueRef::Map(pairs) => Some(&pairs.iter().find(|(key, _)| text_of(key) == Some(name))?.1),
        _ => None,
    }
}

fn i64_of(value: &ValueRef<'_>) -> Option<i64> {
    if let ValueRef::Integer(number) = value { number.as_i64() } else { None }
}

fn text_of<'a>(value: &'a ValueRef<'_>) -> Option<&'a str> {
    if let ValueRef::String(text) = value { text.as_str() } else { None }
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

pub fn encode(model: &Node) -> Vec<u8> {
    rmp_serde::to_vec_named(model).expect("a vector takes all")
}

pub fn write_named(record: &owned::C63, out: &mut Vec<u8>) {
    rmp_serde::encode::write_named(out, record).expect("a vector takes all");
}

/// The form in which a user of `rmpv` keeps a message.
pub fn value(model: &Node) -> Value {
    rmpv::decode::read_value(&mut encode(model).as_slice()).expect("just written")
}

pub fn write_value(value: &Value, out: &mut Vec<u8>) {
    rmpv::encode::write_value(out, value).expect("a vector takes all");
}
