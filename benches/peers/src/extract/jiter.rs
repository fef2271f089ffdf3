//! `jiter`: reads JSON as a value of any kind, or step by step. It does not write.
//!
//! Its documentation begins with `JsonValue`, whose objects are vectors of pairs, and shows structs with serde. A program that knows the
//! shape of the text reads it with `Jiter`, skips the other values and stops after the field.

use jiter::{Jiter, JsonValue, NumberInt};

use super::prelude::*;

readers! {
    ($message:ident $only:ident $type:ty, $($key:literal $field:ident $one:ident),+) => {
        Ways::of("jiter", Node::to_json)
            .reader("JsonValue", |bytes| {
                let value = &JsonValue::parse(bytes, false).ok()?;
                $(let value = member(value, stringify!($field))?;)+
                let integer = |value: &JsonValue<'_>| if let JsonValue::Int(number) = value { Some(*number) } else { None };
                <$type>::of(value, integer, float, |value| if let JsonValue::Str(text) = value { Some(&**text) } else { None }).digest()
            })
            .reader("typed, one field", |bytes| jiter::serde::from_slice::<only!($type, $($one)+)>(bytes).ok().digest())
            .reader("Jiter", |bytes| {
                let mut jiter = Jiter::new(bytes);
                $(seek(&mut jiter, stringify!($field))?;)+
                let integer = |jiter: &mut Jiter<'_>| match jiter.next_int().ok()? {
                    NumberInt::Int(number) => Some(number),
                    NumberInt::BigInt(_) => None,
                };
                let float = |jiter: &mut Jiter<'_>| jiter.next_float().ok();
                <$type>::of(&mut jiter, integer, float, |jiter| jiter.next_str().ok()).digest()
            })
    }
}

fn member<'a, 'b>(value: &'b JsonValue<'a>, name: &str) -> Option<&'b JsonValue<'a>> {
    match value {
        JsonValue::Object(pairs) => Some(&pairs.iter().find(|pair| pair.0 == name)?.1),
        _ => None,
    }
}

/// Whole numbers are written without a point, so jiter reads them as integers.
#[allow(clippy::cast_precision_loss, reason = "the nearest one is what was written")]
fn float(value: &JsonValue<'_>) -> Option<f64> {
    match value {
        JsonValue::Int(number) => Some(*number as f64),
        JsonValue::Float(number) => Some(*number),
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
