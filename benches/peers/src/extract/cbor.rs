//! CBOR: maps, where each item follows a head with its type and its length or value.
//!
//! `minicbor` has numbers as names, like Y3: its documentation derives a struct with `#[cbor(map)]`, which skips unknown
//! keys. An expert calls the `Decoder`, skips values, and stops at the key. `ciborium` works through serde, with names, and
//! copies texts; for more speed its documentation recommends a larger buffer of the caller's.

use std::convert::Infallible;

use ciborium::Value;
use minicbor::{Decode, Decoder, Encode, Encoder};

use super::json::{K2, K4, K8, K16, K17, K32};
use super::mode::{Hostile, Reader, Way, Writer};
use super::named::Named;
use super::record::{self, kind, take};
use super::scenario::{Digest, Shape};
use super::schema::flat_messages;
use kit::data::{Item, Node};

fn minicbor(mode: &'static str, way: Way, read: impl FnMut(&[u8]) -> Option<u64> + Clone + 'static) -> Reader {
    Reader::new("minicbor", mode, way, Hostile::Safe, encode_keys, read)
}

fn ciborium(mode: &'static str, way: Way, read: impl FnMut(&[u8]) -> Option<u64> + Clone + 'static) -> Reader {
    Reader::new("ciborium", mode, way, Hostile::Safe, encode_names, read)
}

/// One field of a message with keys, the others skipped: one type per key.
macro_rules! only {
    ($($name:ident $key:literal;)*) => {$(
        #[derive(Decode)]
        #[cbor(map)]
        struct $name<T> {
            #[n($key)]
            value: T,
        }
    )*};
}

only! { N2 2; N4 4; N8 8; N16 16; N17 17; N32 32; }

/// The readers of a value. Arguments for minicbor: the decoder's call, a struct of the one field, the keys on its path; for
/// ciborium: how to convert it from a `Value`, a struct of the one field, the names on its path.
macro_rules! value {
    (
        $decode:ident, $keyed:ty, $only_key:ident $($more:ident)*, $($key:literal)+;
        $of_value:expr, $named:ty, $($name:ident).+
    ) => {
        vec![
            minicbor("typed, one field", Way::Recommended, |bytes| {
                let only: $keyed = minicbor::decode(bytes).ok()?;
                Some(only.$only_key$(.$more)*.digest())
            }),
            minicbor("Decoder", Way::Expert, |bytes| {
                let mut decoder = Decoder::new(bytes);
                $(seek(&mut decoder, $key)?;)+
                Some(decoder.$decode().ok()?.digest())
            }),
            ciborium("Value", Way::Recommended, |bytes| {
                let value: &Value = &ciborium::from_reader(bytes).ok()?;
                $(let value = member(value, stringify!($name))?;)+
                Some($of_value(value)?.digest())
            }),
            ciborium("typed, one field", Way::Recommended, |bytes| {
                let only: $named = ciborium::from_reader(bytes).ok()?;
                Some(only.$($name).+.digest())
            }),
            ciborium("typed, buffer kept", Way::Expert, {
                let mut buffer = vec![0; BUFFER];
                move |bytes| {
                    let only: $named = ciborium::from_reader_with_buffer(bytes, &mut buffer).ok()?;
                    Some(only.$($name).+.digest())
                }
            }),
        ]
    };
}

/// The size that `ciborium`'s documentation proposes.
const BUFFER: usize = 64 * 1024;

pub fn readers(shape: Shape) -> Vec<Reader> {
    match shape {
        Shape::C63 => value!(i64, N32<i64>, value, 32; i64_of, K32<i64>, k32),
        Shape::C32 => value!(i32, N16<i32>, value, 16; i32_of, K16<i32>, k16),
        Shape::C16 => value!(str, N8<&str>, value, 8; Value::as_text, K8<String>, k8),
        Shape::C03 => value!(i32, N2<i32>, value, 2; i32_of, K2<i32>, k2),
        Shape::Texts => value!(str, N32<&str>, value, 32; Value::as_text, K32<String>, k32),
        Shape::Nested => value!(i64, N4<N4<N4<i64>>>, value value value, 4 4 4; i64_of, K4<K4<K4<i64>>>, k4.k4.k4),
        Shape::Frame => value!(f32, N2<N17<f32>>, value value, 2 17; f32_of, K2<K17<f32>>, k2.k17),
    }
}

/// Enters the next map, up to the value with this key.
fn seek(decoder: &mut Decoder<'_>, key: u8) -> Option<()> {
    let pairs = decoder.map().ok()??;
    for _ in 0..pairs {
        if decoder.u8().ok()? == key {
            return Some(());
        }
        decoder.skip().ok()?;
    }
    None
}

fn member<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    Some(&value.as_map()?.iter().find(|(key, _)| key.as_text() == Some(name))?.1)
}

fn i64_of(value: &Value) -> Option<i64> {
    i64::try_from(value.as_integer()?).ok()
}

fn i32_of(value: &Value) -> Option<i32> {
    i32::try_from(value.as_integer()?).ok()
}

#[allow(clippy::cast_possible_truncation, reason = "the nearest one is what was written")]
fn f32_of(value: &Value) -> Option<f32> {
    Some(value.as_float()? as f32)
}

type EncodeError = minicbor::encode::Error<Infallible>;

/// With the model's keys.
pub fn encode_keys(model: &Node) -> Vec<u8> {
    let mut encoder = Encoder::new(Vec::new());
    write_pairs(&mut encoder, model).expect("a vector takes all");
    encoder.into_writer()
}

fn write_pairs(encoder: &mut Encoder<Vec<u8>>, model: &Node) -> Result<(), EncodeError> {
    encoder.map(model.0.len() as u64)?;
    model.0.iter().try_for_each(|(key, item)| {
        encoder.u8(*key)?;
        match item {
            Item::Text(text) => encoder.str(text)?.ok(),
            Item::I32(number) => encoder.i32(*number)?.ok(),
            Item::U32(number) => encoder.u32(*number)?.ok(),
            Item::I64(number) => encoder.i64(*number)?.ok(),
            Item::U64(number) => encoder.u64(*number)?.ok(),
            Item::F32(number) => encoder.f32(*number)?.ok(),
            Item::F64(number) => encoder.f64(*number)?.ok(),
            Item::Node(node) => write_pairs(encoder, node),
        }
    })
}

/// With the names `k1`, `k2` and so on.
pub fn encode_names(model: &Node) -> Vec<u8> {
    let mut out = Vec::new();
    ciborium::into_writer(&Named(model), &mut out).expect("a vector takes all");
    out
}

/// The report's 63 pairs with a number for each field.
macro_rules! keyed_record {
    (C63 $watched:ident { $($key:literal $field:ident [$kind:ident];)* }) => {
        #[derive(Encode)]
        #[cbor(map)]
        struct C63 {
            $(#[n($key)] $field: kind!($kind),)*
        }

        impl From<&Node> for C63 {
            fn from(model: &Node) -> Self {
                C63 { $($field: take(model, $key),)* }
            }
        }
    };
    ($($other:tt)*) => {};
}

flat_messages!(keyed_record);

pub fn writers() -> Vec<Writer> {
    vec![
        Writer::new("minicbor", "encode", Way::Recommended, |record: &C63, out| {
            minicbor::encode(record, out).expect("a vector takes all");
        }),
        Writer::new("ciborium", "into_writer", Way::Recommended, |record: &record::C63, out| {
            ciborium::into_writer(record, out).expect("a vector takes all");
        }),
    ]
}
