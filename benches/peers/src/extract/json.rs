//! `serde_json`: text with names. A reader has to look at every byte, since values have no lengths.
//!
//! Its documentation recommends a typed struct, which skips unknown fields. The published report and most scripts use
//! `Value`. `RawValue` finds the field and leaves its decoding to a second step.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::mode::{Hostile, Reader, Way, Writer};
use super::record::C63;
use super::scenario::{Digest, Shape};
use kit::data::Node;

fn reader(mode: &'static str, way: Way, read: impl FnMut(&[u8]) -> Option<u64> + Clone + 'static) -> Reader {
    Reader::new("serde_json", mode, way, Hostile::Safe, encode, read)
}

/// One field of a message, the others skipped: one type per name.
macro_rules! only {
    ($($name:ident $field:ident;)*) => {$(
        #[derive(Deserialize)]
        pub struct $name<T> {
            pub $field: T,
        }
    )*};
}

only! { K2 k2; K4 k4; K8 k8; K16 k16; K17 k17; K32 k32; }

/// The readers of a value. Arguments: its type, how to convert it from a `Value`, the names on its path.
macro_rules! value {
    ($type:ty, $of_value:expr, $($only:ident.$field:ident)+) => {
        vec![
            reader("Value", Way::Recommended, |bytes| {
                let value: Value = serde_json::from_slice(bytes).ok()?;
                let value = &value$([stringify!($field)])+;
                Some($of_value(value)?.digest())
            }),
            reader("typed, one field", Way::Recommended, |bytes| {
                let only: nested!($type, $($only)+) = serde_json::from_slice(bytes).ok()?;
                Some(only$(.$field)+.digest())
            }),
            reader("RawValue, one field", Way::Expert, |bytes| {
                let only: nested!(&RawValue, $($only)+) = serde_json::from_slice(bytes).ok()?;
                Some(serde_json::from_str::<$type>(only$(.$field)+.get()).ok()?.digest())
            }),
        ]
    };
}

macro_rules! nested {
    ($type:ty, $only:ident) => { $only<$type> };
    ($type:ty, $only:ident $($inner:ident)+) => { $only<nested!($type, $($inner)+)> };
}

pub fn readers(shape: Shape) -> Vec<Reader> {
    match shape {
        Shape::C63 => value!(i64, Value::as_i64, K32.k32),
        Shape::C32 => value!(i32, i32_of, K16.k16),
        Shape::C16 => value!(&str, Value::as_str, K8.k8),
        Shape::C03 => value!(i32, i32_of, K2.k2),
        Shape::Texts => value!(&str, Value::as_str, K32.k32),
        Shape::Nested => value!(i64, Value::as_i64, K4.k4 K4.k4 K4.k4),
        Shape::Frame => value!(f32, f32_of, K2.k2 K17.k17),
    }
}

fn i32_of(value: &Value) -> Option<i32> {
    i32::try_from(value.as_i64()?).ok()
}

#[allow(clippy::cast_possible_truncation, reason = "the nearest one is what was written")]
fn f32_of(value: &Value) -> Option<f32> {
    Some(value.as_f64()? as f32)
}

/// Pairs under the names `k1`, `k2` and so on, in the order of the model.
pub fn encode(model: &Node) -> Vec<u8> {
    model.to_pair().json
}

pub fn writers() -> Vec<Writer> {
    vec![Writer::new("serde_json", "to_writer", Way::Recommended, |record: &C63, out| {
        serde_json::to_writer(out, record).expect("a vector takes all");
    })]
}
