//! `serde_json`: text with names. A reader has to look at every byte, since values have no lengths.
//!
//! Its documentation recommends a typed struct, which skips unknown fields. The published report and most scripts use
//! `Value`. `RawValue` finds the field and leaves its decoding to a second step.

use serde_json::Value;
use serde_json::value::RawValue;

use super::prelude::*;
use super::shape::{K2, K4, K8, K16, K17, K32};

pub fn readers(shape: Shape) -> Vec<Reader> {
    let json = Codec("serde_json", Node::to_json);
    macro_rules! value {
        ($message:ident $only:ident $type:ty, $($key:literal $field:ident $one:ident),+) => {
            vec![
                json.reader("Value", |bytes| {
                    let value: Value = serde_json::from_slice(bytes).ok()?;
                    let value = &value$([stringify!($field)])+;
                    Some(<$type>::of(value, Value::as_i64, Value::as_f64, Value::as_str)?.digest())
                }),
                json.reader("typed, one field", |bytes| {
                    Some(serde_json::from_slice::<only!($type, $($one)+)>(bytes).ok()?$(.$field)+.digest())
                }),
                json.reader("RawValue, one field", |bytes| {
                    let only: only!(&RawValue, $($one)+) = serde_json::from_slice(bytes).ok()?;
                    Some(serde_json::from_str::<$type>(only$(.$field)+.get()).ok()?.digest())
                }),
            ]
        };
    }
    of_shape!(shape, value)
}

pub fn writers() -> Vec<Writer> {
    vec![Writer::new("serde_json", "to_writer", record::<owned::C63>, |record, out| {
        serde_json::to_writer(out, record).expect("a vector takes all");
    })]
}
