//! Data: one model, written as Y3 and as JSON.
//!
//! The packet has the root tag `80`. The JSON text has the same values under `k1`, `k2` and so on.

use std::io::{Result as Written, Write};

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::ser::{Formatter, Serializer as Json};
use y3::{Encoder, Error, Sink, SliceSink, encoded_len};

/// A value of one of the report's seven kinds, or a nested node.
#[derive(Clone, Debug, serde::Serialize)]
#[serde(untagged)]
pub enum Item {
    Text(String),
    I32(i32),
    U32(u32),
    I64(i64),
    U64(u64),
    F32(f32),
    F64(f64),
    Node(Node),
}

/// Pairs of key and value, in the order in which they are written.
#[derive(Clone, Debug)]
pub struct Node(pub Vec<(u8, Item)>);

/// The same model, encoded in both formats.
pub struct Pair {
    pub y3: Vec<u8>,
    pub json: Vec<u8>,
}

/// The JSON names of the keys.
#[rustfmt::skip]
pub const NAMES: [&str; 64] = [
    "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8", "k9", "k10", "k11", "k12", "k13", "k14", "k15", "k16", "k17", "k18", "k19",
    "k20", "k21", "k22", "k23", "k24", "k25", "k26", "k27", "k28", "k29", "k30", "k31", "k32", "k33", "k34", "k35", "k36", "k37", "k38",
    "k39", "k40", "k41", "k42", "k43", "k44", "k45", "k46", "k47", "k48", "k49", "k50", "k51", "k52", "k53", "k54", "k55", "k56", "k57",
    "k58", "k59", "k60", "k61", "k62", "k63",
];

impl Item {
    /// The report's value at an index. The seven kinds repeat.
    pub fn cycle(place: u8) -> Item {
        match place % 7 {
            0 => Item::Text("a".into()),
            1 => Item::I32(-65),
            2 => Item::U32(128),
            3 => Item::I64(-1),
            4 => Item::U64(u64::MAX),
            5 => Item::F32(0.25),
            _ => Item::F64(23.0),
        }
    }

    fn varied(&self, random: &mut Random, shuffles: bool) -> Item {
        match self {
            Item::Text(text) => {
                // Short texts get 1 to 32 bytes, and long texts get 0.5 to 1.5 times their length.
                let (least, spread) = if text.len() < 32 { (1, 32) } else { (text.len() / 2, text.len() + 1) };
                let letter = char::from(b'a' + random.byte() % 26);
                Item::Text(letter.to_string().repeat(least + random.below(spread)))
            }
            Item::Node(node) => Item::Node(node.varied(random, shuffles)),
            number => number.clone(),
        }
    }
}

/// Writes floats as Go does, `23` instead of `23.0`, because Go wrote the report's JSON.
struct AsGo;

impl Formatter for AsGo {
    fn write_f32<W: ?Sized + Write>(&mut self, writer: &mut W, value: f32) -> Written<()> {
        write!(writer, "{value}")
    }

    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, value: f64) -> Written<()> {
        write!(writer, "{value}")
    }
}

impl Node {
    /// A node with the keys 1..=`count`. `item` makes the item at each index.
    pub fn new(count: u8, mut item: impl FnMut(u8) -> Item) -> Node {
        Node((0..count).map(|place| (place + 1, item(place))).collect())
    }

    /// The same keys with texts of other lengths. If `shuffles`, the order changes at each level.
    #[must_use]
    pub fn varied(&self, random: &mut Random, shuffles: bool) -> Node {
        let mut pairs: Vec<_> = self.0.iter().map(|(key, item)| (*key, item.varied(random, shuffles))).collect();
        for place in (1..pairs.len()).rev().filter(|_| shuffles) {
            pairs.swap(place, random.below(place + 1));
        }
        Node(pairs)
    }

    /// The root has the tag `80`.
    #[inline]
    pub fn encode(&self, sink: &mut impl Sink) -> Result<(), Error> {
        Encoder::new(sink).node(0, |root| self.write(root))
    }

    pub fn to_y3(&self) -> Vec<u8> {
        let len = encoded_len(|encoder| encoder.node(0, |root| self.write(root))).expect("keys are below 64");
        let mut y3 = vec![0; len];
        self.encode(&mut SliceSink::new(&mut y3)).expect("there is room");
        y3
    }

    pub fn to_json(&self) -> Vec<u8> {
        let mut json = Vec::new();
        self.serialize(&mut Json::with_formatter(&mut json, AsGo)).expect("a vector takes all");
        json
    }

    pub fn to_pair(&self) -> Pair {
        Pair { y3: self.to_y3(), json: self.to_json() }
    }

    fn write<S: Sink>(&self, encoder: &mut Encoder<'_, S>) -> Result<(), Error> {
        self.0.iter().try_for_each(|(key, item)| match item {
            Item::Text(text) => encoder.put(*key, text.as_str()),
            Item::I32(number) => encoder.put(*key, number),
            Item::U32(number) => encoder.put(*key, number),
            Item::I64(number) => encoder.put(*key, number),
            Item::U64(number) => encoder.put(*key, number),
            Item::F32(number) => encoder.put(*key, number),
            Item::F64(number) => encoder.put(*key, number),
            Item::Node(node) => encoder.node(*key, |inner| node.write(inner)),
        })
    }
}

/// A map from names to values in the model's order, for formats that contain names.
impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, item) in &self.0 {
            map.serialize_entry(NAMES[usize::from(*key)], item)?;
        }
        map.end()
    }
}

/// A small random generator with a fixed seed (xorshift64), so that every run times the same data.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn byte(&mut self) -> u8 {
        self.number().to_be_bytes()[0]
    }

    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.number() >> 33).expect("31 bits") % limit
    }
}
