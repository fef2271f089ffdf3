//! `serde_json`: text with names. Values have no lengths, so a reader must look at every byte.
//!
//! Its documentation recommends a typed struct, which skips unknown fields. The published report uses `Value`. `RawValue` finds the field
//! and leaves its decoding to a second step.

use formats::serde_json::read;
use serde_json::Value;
use serde_json::value::RawValue;

use super::prelude::*;

readers! {
    ($message:ident $only:ident $type:ty, $($key:literal $field:ident $one:ident),+) => {
        Ways::of("serde_json", Node::to_json)
            .reader("Value", |bytes| {
                let value = &read::<Value>(bytes)?$([stringify!($field)])+;
                <$type>::of(value, Value::as_i64, Value::as_f64, Value::as_str).digest()
            })
            .reader("typed, one field", |bytes| read::<only!($type, $($one)+)>(bytes).digest())
            .reader("RawValue, one field", |bytes| {
                let only: only!(&RawValue, $($one)+) = read(bytes)?;
                serde_json::from_str::<$type>(only$(.$field)+.get()).ok().digest()
            })
    }
}
