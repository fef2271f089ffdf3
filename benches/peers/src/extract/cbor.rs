//! CBOR: maps of items. Each item begins with a head that has its type and its length or value.
//!
//! `minicbor` uses numbers as keys, like Y3. Its documentation derives a struct with `#[cbor(map)]`, which skips unknown keys. An expert
//! calls the `Decoder`, skips values, and stops at the key. `ciborium` uses serde and therefore names, and copies texts. For more speed
//! its documentation recommends that the caller provides a larger buffer.

use std::convert::Infallible;

use ciborium::Value;
use minicbor::{Decoder, Encoder};

use super::prelude::*;

/// The size that `ciborium`'s documentation proposes.
const BUFFER: usize = 64 * 1024;

readers! {
    ($message:ident $only:ident $type:ty, $($key:literal $field:ident $one:ident),+) => {
        Ways::of("minicbor", encode_keys)
            .reader("typed, one field", |bytes| formats::minicbor::read::<only!($type, $($one)+)>(bytes).digest())
            .reader("Decoder", |bytes| {
                let mut decoder = Decoder::new(bytes);
                $(seek(&mut decoder, $key)?;)+
                decoder.decode::<$type>().ok().digest()
            })
            .and_of("ciborium", encode_names)
            .reader("Value", |bytes| {
                let value: &Value = &ciborium::from_reader(bytes).ok()?;
                $(let value = member(value, stringify!($field))?;)+
                let integer = |value: &Value| i64::try_from(value.as_integer()?).ok();
                <$type>::of(value, integer, Value::as_float, Value::as_text).digest()
            })
            .reader("typed, one field", |bytes| {
                ciborium::from_reader::<only!(<$type as Scalar<'_>>::Owned, $($one)+), _>(bytes).ok().digest()
            })
            .reader("typed, buffer kept", {
                let mut buffer = vec![0; BUFFER];
                move |bytes| {
                    let only: only!(<$type as Scalar<'_>>::Owned, $($one)+) =
                        ciborium::from_reader_with_buffer(bytes, &mut buffer).ok()?;
                    only$(.$field)+.digest()
                }
            })
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

/// Writes maps whose keys are the model's.
fn encode_keys(model: &Node) -> Vec<u8> {
    let mut encoder = Encoder::new(Vec::new());
    write_pairs(&mut encoder, model).expect("a vector takes all");
    encoder.into_writer()
}

fn write_pairs(encoder: &mut Encoder<Vec<u8>>, model: &Node) -> Result<(), minicbor::encode::Error<Infallible>> {
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

/// Writes maps whose keys are the names `k1`, `k2` and so on.
fn encode_names(model: &Node) -> Vec<u8> {
    formats::written(model, formats::ciborium::write)
}
