//! The parts of `tests/vectors/*.json` that the tests use. The README there describes the fields.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

use super::hex::unhex;
use super::oracle::trees::{Dialect, Tree, Value};

fn load<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).unwrap()
}

/// Bytes that the file has in hexadecimal.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(from = "String")]
pub struct Hex(pub Vec<u8>);

impl From<String> for Hex {
    fn from(text: String) -> Hex {
        Hex(unhex(&text))
    }
}

/// An item of a tree as the vectors' README describes it.
#[derive(Deserialize)]
struct Item {
    k: u8,
    t: String,
    v: Option<String>,
    bits: Option<String>,
    hex: Option<String>,
    c: Option<Vec<Tree>>,
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Tree, D::Error> {
        let item = Item::deserialize(deserializer)?;
        Ok(match item.t.as_str() {
            "node" => Tree::node(item.k, item.c.unwrap()),
            "slice" => Tree::slice(item.k, item.c.unwrap()),
            kind => Tree::leaf(item.k, described(kind, item.v, item.bits, item.hex)),
        })
    }
}

/// The value of an item: from the bits of a float, else from the hexadecimal of bytes, else from the text.
fn described(kind: &str, v: Option<String>, bits: Option<String>, hex: Option<String>) -> Value {
    match (kind, hex) {
        // A Go string may hold any bytes. If it is not valid text, it is bytes here.
        ("string", Some(hex)) => {
            String::from_utf8(unhex(&hex)).map_or_else(|_| Value::parse("bytes", &hex), Value::Text)
        }
        ("string", None) => Value::Text(v.unwrap()),
        (kind, Some(hex)) => Value::parse(kind, &hex),
        (kind, None) => Value::parse(kind, &bits.or(v).unwrap()),
    }
}

#[derive(Deserialize)]
pub struct Primitive {
    pub id: String,
    #[serde(rename = "type")]
    kind: String,
    key: u8,
    value: Option<String>,
    bits: Option<String>,
    value_hex: Option<String>,
    hex: Hex,
    hex_pvar: Hex,
}

impl Primitive {
    pub fn tree(&self) -> Tree {
        let (value, bits, hex) = (self.value.clone(), self.bits.clone(), self.value_hex.clone());
        Tree::leaf(self.key, described(&self.kind, value, bits, hex))
    }

    /// True if Go calls it a string but it is not UTF-8.
    pub fn is_broken_text(&self) -> bool {
        self.kind == "string" && !matches!(self.tree(), Tree::Leaf { value: Value::Text(_), .. })
    }

    pub fn bytes(&self, dialect: Dialect) -> &[u8] {
        in_dialect(dialect, &self.hex, &self.hex_pvar)
    }
}

fn in_dialect<'a>(dialect: Dialect, nvar: &'a Hex, pvar: &'a Hex) -> &'a [u8] {
    match dialect {
        Dialect::NVar => &nvar.0,
        Dialect::PVar => &pvar.0,
    }
}

pub fn primitives() -> Vec<Primitive> {
    #[derive(Deserialize)]
    struct File {
        cases: Vec<Primitive>,
    }
    load::<File>(include_str!("../vectors/primitives.json")).cases
}

#[derive(Deserialize)]
pub struct Lengths {
    pub encode: Vec<WrittenLength>,
    pub decode: Vec<ReadLength>,
    pub packet_headers: Vec<PacketHeader>,
}

#[derive(Deserialize)]
pub struct WrittenLength {
    pub length: u64,
    pub hex: Hex,
    pub size: usize,
}

#[derive(Deserialize)]
pub struct ReadLength {
    pub hex: Hex,
    pub kind: String,
    pub length: i64,
    pub size: usize,
}

#[derive(Deserialize)]
pub struct PacketHeader {
    pub key: u8,
    pub length: usize,
    pub prim_header: Hex,
    pub node_header: Hex,
}

pub fn lengths() -> Lengths {
    load(include_str!("../vectors/lengths.json"))
}

#[derive(Deserialize)]
pub struct NodeCase {
    pub id: String,
    pub tree: Tree,
    pub depth: usize,
    pub has_slice: bool,
    hex: Hex,
    hex_pvar: Hex,
}

impl NodeCase {
    pub fn bytes(&self, dialect: Dialect) -> &[u8] {
        in_dialect(dialect, &self.hex, &self.hex_pvar)
    }
}

pub fn nodes() -> Vec<NodeCase> {
    #[derive(Deserialize)]
    struct File {
        cases: Vec<NodeCase>,
    }
    load::<File>(include_str!("../vectors/nodes.json")).cases
}

#[derive(Deserialize)]
pub struct SliceFile {
    pub marshal: Vec<Marshal>,
    pub keys: Vec<KeyCase>,
    pub node_slices: Vec<NodeCase>,
}

#[derive(Deserialize)]
pub struct Marshal {
    pub id: String,
    pub go_type: String,
    pub key: u8,
    pub kind: String,
    pub hex: Option<Hex>,
    pub read_back: Option<serde_json::Value>,
}

#[derive(Deserialize)]
pub struct KeyCase {
    pub key: u8,
    pub codec_prim: Outcome,
    pub codec_node: Outcome,
    pub codec_slice: Outcome,
    pub y3_prim: Outcome,
    pub y3_node: Outcome,
}

#[derive(Deserialize)]
pub struct Outcome {
    pub hex: Option<Hex>,
}

pub fn slices() -> SliceFile {
    load(include_str!("../vectors/slices.json"))
}

#[derive(Deserialize)]
pub struct Scenario {
    pub name: String,
    pub key: u8,
    pub want: Tree,
    pub tree: Tree,
    pub seed_hex: Hex,
    nvar_hex: Hex,
    pvar_hex: Hex,
}

impl Scenario {
    pub fn bytes(&self, dialect: Dialect) -> &[u8] {
        in_dialect(dialect, &self.nvar_hex, &self.pvar_hex)
    }
}

pub fn scenarios() -> Vec<Scenario> {
    #[derive(Deserialize)]
    struct File {
        cases: Vec<Scenario>,
    }
    load::<File>(include_str!("../vectors/scenarios.json")).cases
}

#[derive(Deserialize)]
pub struct Malformed {
    pub packets: Vec<MalformedPacket>,
    pub values: Vec<BareValue>,
}

#[derive(Deserialize)]
pub struct MalformedPacket {
    pub id: String,
    pub hex: Hex,
    pub fault: String,
}

#[derive(Deserialize)]
pub struct BareValue {
    pub hex: Hex,
    pub y3: BTreeMap<String, GoValue>,
    pub codec: BTreeMap<String, GoValue>,
}

#[derive(Deserialize)]
pub struct GoValue {
    pub v: String,
    pub err: Option<String>,
}

pub fn malformed() -> Malformed {
    load(include_str!("../vectors/malformed.json"))
}

/// All byte strings in these vector files, whatever they show.
pub fn bytes_in(files: &[&str]) -> BTreeSet<Vec<u8>> {
    fn collect(value: &serde_json::Value, name: &str, all: &mut BTreeSet<Vec<u8>>) {
        match value {
            serde_json::Value::String(text) if name.contains("hex") || name.contains("header") => {
                all.insert(unhex(text));
            }
            serde_json::Value::Array(items) => items.iter().for_each(|item| collect(item, name, all)),
            serde_json::Value::Object(fields) => fields.iter().for_each(|(name, field)| collect(field, name, all)),
            _ => {}
        }
    }
    let mut all = BTreeSet::new();
    for file in files {
        collect(&load(file), "", &mut all);
    }
    all
}
