//! Shown: the Rust types that the rows name, and conversions between their values and JSON.
//!
//! The library's tests use this file too. The file that includes this file defines the macro `derived!`, which derives
//! two traits for a type: `Encode` and `Decode` in the command, and serde's traits in the library's tests.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

derived!();

/// A type whose values the rows represent as JSON.
pub trait Shown: Sized {
    fn show(&self) -> Value;
    fn parse(value: &Value) -> Option<Self>;
}

macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl Shown for $type {
            fn show(&self) -> Value {
                self.to_string().into()
            }

            fn parse(value: &Value) -> Option<Self> {
                value.as_str()?.parse().ok()
            }
        }
    )*};
}

numbers!(u8, i8, u16, i16, i32, u32, i64, u64, bool, char, String);

macro_rules! floats {
    ($($type:ident $bits:ident $width:literal),*) => {$(
        impl Shown for $type {
            fn show(&self) -> Value {
                format!(concat!("{:#0", $width, "x}"), self.to_bits()).into()
            }

            fn parse(value: &Value) -> Option<Self> {
                $bits::from_str_radix(value.as_str()?.strip_prefix("0x")?, 16).ok().map($type::from_bits)
            }
        }
    )*};
}

floats!(f32 u32 10, f64 u64 18);

impl Shown for () {
    fn show(&self) -> Value {
        Value::Null
    }

    fn parse(value: &Value) -> Option<Self> {
        value.is_null().then_some(())
    }
}

impl<T: Shown> Shown for Vec<T> {
    fn show(&self) -> Value {
        self.iter().map(Shown::show).collect()
    }

    fn parse(value: &Value) -> Option<Self> {
        value.as_array()?.iter().map(T::parse).collect()
    }
}

impl<T: Shown> Shown for Box<T> {
    fn show(&self) -> Value {
        (**self).show()
    }

    fn parse(value: &Value) -> Option<Self> {
        T::parse(value).map(Box::new)
    }
}

impl<T: Shown, U: Shown> Shown for (T, U) {
    fn show(&self) -> Value {
        json!([self.0.show(), self.1.show()])
    }

    fn parse(value: &Value) -> Option<Self> {
        Some((T::parse(value.get(0)?)?, U::parse(value.get(1)?)?))
    }
}

impl<T: Shown> Shown for BTreeMap<u8, T> {
    fn show(&self) -> Value {
        self.iter().map(|(key, value)| (format!("{key:02x}"), value.show())).collect::<Map<_, _>>().into()
    }

    fn parse(value: &Value) -> Option<Self> {
        let entry = |(key, value): (&String, &Value)| Some((u8::from_str_radix(key, 16).ok()?, T::parse(value)?));
        value.as_object()?.iter().map(entry).collect()
    }
}

/// A field, which can be absent if it is an `Option`.
trait Field: Sized {
    fn put(&self, key: &str, into: &mut Map<String, Value>);
    fn take(value: Option<&Value>) -> Option<Self>;
}

impl<T: Shown> Field for T {
    fn put(&self, key: &str, into: &mut Map<String, Value>) {
        into.insert(key.into(), self.show());
    }

    fn take(value: Option<&Value>) -> Option<Self> {
        T::parse(value?)
    }
}

impl<T: Shown> Field for Option<T> {
    fn put(&self, key: &str, into: &mut Map<String, Value>) {
        if let Some(value) = self {
            value.put(key, into);
        }
    }

    fn take(value: Option<&Value>) -> Option<Self> {
        value.map_or(Some(None), |value| T::parse(value).map(Some))
    }
}

macro_rules! structs {
    ($($name:ident { $($field:ident $key:literal $number:literal $named:literal: $type:ty),* })*) => {$(
        derived! { struct $name { $($number $named $field: $type,)* } }

        impl Shown for $name {
            fn show(&self) -> Value {
                let mut fields = Map::new();
                $(self.$field.put($key, &mut fields);)*
                fields.into()
            }

            fn parse(value: &Value) -> Option<Self> {
                Some(Self { $($field: Field::take(value.get($key))?,)* })
            }
        }
    )*};
}

structs! {
    Reading { noise "11" 0x11 "0x11": f32, at "12" 0x12 "0x12": Option<i64>, from "13" 0x13 "0x13": String }
    Point { x "10" 0x10 "0x10": i32, y "11" 0x11 "0x11": i32 }
    Holder { point "10" 0x10 "0x10": Option<Point>, list "11" 0x11 "0x11": Option<Vec<u16>> }
    Moved { to "10" 0x10 "0x10": i32 }
    Chain { next "01" 0x01 "0x01": Option<Box<Chain>> }
}

derived! {
    enum State {
        0x01 "0x01" Started,
        0x02 "0x02" Stopped(u64),
        0x03 "0x03" Moved(Moved),
        0x04 "0x04" Pair((i32, i32)),
    }
}

impl Shown for State {
    fn show(&self) -> Value {
        match self {
            State::Started => json!({ "01": null }),
            State::Stopped(after) => json!({ "02": after.show() }),
            State::Moved(moved) => json!({ "03": moved.show() }),
            State::Pair(pair) => json!({ "04": pair.show() }),
        }
    }

    fn parse(value: &Value) -> Option<Self> {
        let (key, content) = value.as_object()?.iter().next()?;
        Some(match key.as_str() {
            "01" => State::Started,
            "02" => State::Stopped(Shown::parse(content)?),
            "03" => State::Moved(Shown::parse(content)?),
            "04" => State::Pair(Shown::parse(content)?),
            _ => return None,
        })
    }
}

/// A generic function that [`with_type`] calls with one of the types in its list.
pub trait Call {
    type Out;

    fn of<T: Shown + Encode + for<'a> Decode<'a>>(self) -> Self::Out;
}

/// Calls `call` with the Rust type that `name` describes. Returns `None` if the type is not in the list.
pub fn with_type<C: Call>(name: &Value, call: C) -> Option<C::Out> {
    Some(match name.to_string().as_str() {
        r#""u8""# => call.of::<u8>(),
        r#""i8""# => call.of::<i8>(),
        r#""u16""# => call.of::<u16>(),
        r#""i16""# => call.of::<i16>(),
        r#""i32""# => call.of::<i32>(),
        r#""u32""# => call.of::<u32>(),
        r#""i64""# => call.of::<i64>(),
        r#""u64""# => call.of::<u64>(),
        r#""f32""# => call.of::<f32>(),
        r#""bool""# => call.of::<bool>(),
        r#""char""# => call.of::<char>(),
        r#""text""# => call.of::<String>(),
        r#""unit""# => call.of::<()>(),
        r#"{"list":"u16"}"# => call.of::<Vec<u16>>(),
        r#"{"list":"text"}"# => call.of::<Vec<String>>(),
        r#"{"list":{"list":"i32"}}"# => call.of::<Vec<Vec<i32>>>(),
        r#"{"list":{"struct":{"10":"i32","11":"i32"}}}"# => call.of::<Vec<Point>>(),
        r#"{"tuple":["i32","text"]}"# => call.of::<(i32, String)>(),
        r#"{"map":"text"}"# => call.of::<BTreeMap<u8, String>>(),
        r#"{"struct":{"10":"i32","11":"i32"}}"# => call.of::<Point>(),
        r#"{"struct":{"11":"f32","12?":"i64","13":"text"}}"# => call.of::<Reading>(),
        r#"{"struct":{"10?":{"struct":{"10":"i32","11":"i32"}},"11?":{"list":"u16"}}}"# => call.of::<Holder>(),
        r#"{"struct":{"01?":"self"}}"# => call.of::<Chain>(),
        r#"{"one of":{"01":null,"02":"u64","03":{"struct":{"10":"i32"}},"04":{"tuple":["i32","i32"]}}}"# => {
            call.of::<State>()
        }
        _ => return None,
    })
}
