//! `jiter`: JSON as a value of any kind, or step by step.
//!
//! Its documentation begins with `JsonValue`, whose objects are vectors of pairs, and has serde's structs. A reader that
//! knows the shape of the text reads it with `Jiter`, skips the other values and stops after the field. It does not write.

use jiter::{Jiter, JsonValue, NumberInt};

use super::json::{self, K2, K4, K8, K16, K17, K32};
use super::mode::{Hostile, Reader, Way};
use super::scenario::{Digest, Shape};

fn reader(mode: &'static str, way: Way, read: impl FnMut(&[u8]) -> Option<u64> + Clone + 'static) -> Reader {
    Reader::new("jiter", mode, way, Hostile::Safe, json::encode, read)
}

/// The readers of a value. Arguments: how to read it from text, how to convert it from a `JsonValue`, a struct of the one field,
/// the names on its path.
macro_rules! value {
    ($next:expr, $of_value:expr, $only:ty, $($field:ident).+) => {
        vec![
            reader("JsonValue", Way::Recommended, |bytes| {
                let value = &JsonValue::parse(bytes, false).ok()?;
                $(let value = member(value, stringify!($field))?;)+
                Some($of_value(value)?.digest())
            }),
            reader("typed, one field", Way::Recommended, |bytes| {
                let only: $only = jiter::serde::from_slice(bytes).ok()?;
                Some(only.$($field).+.digest())
            }),
            reader("Jiter", Way::Expert, |bytes| {
                let mut jiter = Jiter::new(bytes);
                $(seek(&mut jiter, stringify!($field))?;)+
                Some($next(&mut jiter)?.digest())
            }),
        ]
    };
}

pub fn readers(shape: Shape) -> Vec<Reader> {
    match shape {
        Shape::C63 => value!(next_i64, i64_of, K32<i64>, k32),
        Shape::C32 => value!(next_i32, i32_of, K16<i32>, k16),
        Shape::C16 => value!(next_str, str_of, K8<&str>, k8),
        Shape::C03 => value!(next_i32, i32_of, K2<i32>, k2),
        Shape::Texts => value!(next_str, str_of, K32<&str>, k32),
        Shape::Floats => value!(next_f32, f32_of, K32<f32>, k32),
        Shape::Nested => value!(next_i64, i64_of, K4<K4<K4<i64>>>, k4.k4.k4),
        Shape::Frame => value!(next_f32, f32_of, K2<K17<f32>>, k2.k17),
    }
}

fn member<'a, 'b>(value: &'b JsonValue<'a>, name: &str) -> Option<&'b JsonValue<'a>> {
    match value {
        JsonValue::Object(pairs) => Some(&pairs.iter().find(|pair| pair.0 == name)?.1),
        _ => None,
    }
}

fn i64_of(value: &JsonValue<'_>) -> Option<i64> {
    match value {
        JsonValue::Int(number) => Some(*number),
        _ => None,
    }
}

fn i32_of(value: &JsonValue<'_>) -> Option<i32> {
    i32::try_from(i64_of(value)?).ok()
}

fn str_of<'a>(value: &'a JsonValue<'_>) -> Option<&'a str> {
    match value {
        JsonValue::Str(text) => Some(text),
        _ => None,
    }
}

/// A whole number is written without a point and becomes an integer.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "the nearest one is what was written")]
fn f32_of(value: &JsonValue<'_>) -> Option<f32> {
    match value {
        JsonValue::Int(number) => Some(*number as f32),
        JsonValue::Float(number) => Some(*number as f32),
        _ => None,
    }
}

/// Enters the next object, up to the value with this name.
fn seek(jiter: &mut Jiter<'_>, name: &str) -> Option<()> {
    let mut found = jiter.next_object().ok()?? == name;
    while !found {
        jiter.next_skip().ok()?;
        found = jiter.next_key().ok()?? == name;
    }
    Some(())
}

fn next_i64(jiter: &mut Jiter<'_>) -> Option<i64> {
    match jiter.next_int().ok()? {
        NumberInt::Int(number) => Some(number),
        NumberInt::BigInt(_) => None,
    }
}

fn next_i32(jiter: &mut Jiter<'_>) -> Option<i32> {
    i32::try_from(next_i64(jiter)?).ok()
}

fn next_str<'a>(jiter: &'a mut Jiter<'_>) -> Option<&'a str> {
    jiter.next_str().ok()
}

#[allow(clippy::cast_possible_truncation, reason = "the nearest one is what was written")]
fn next_f32(jiter: &mut Jiter<'_>) -> Option<f32> {
    Some(jiter.next_float().ok()? as f32)
}
