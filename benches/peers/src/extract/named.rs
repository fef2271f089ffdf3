//! Named: a model for serde, as a map from names to values.
//!
//! In: a model. Out: `k1`, `k2` and so on with their values, in the model's order, for the formats that carry names.

use serde::ser::{Serialize, SerializeMap, Serializer};

use kit::data::{Item, Node};

pub struct Named<'a>(pub &'a Node);

impl Serialize for Named<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let pairs = &self.0.0;
        let mut map = serializer.serialize_map(Some(pairs.len()))?;
        for (key, item) in pairs {
            map.serialize_key(&format!("k{key}"))?;
            match item {
                Item::Text(text) => map.serialize_value(text),
                Item::I32(number) => map.serialize_value(number),
                Item::U32(number) => map.serialize_value(number),
                Item::I64(number) => map.serialize_value(number),
                Item::U64(number) => map.serialize_value(number),
                Item::F32(number) => map.serialize_value(number),
                Item::F64(number) => map.serialize_value(number),
                Item::Node(node) => map.serialize_value(&Named(node)),
            }?;
        }
        map.end()
    }
}
