//! Trees in the text notation of the vectors and SPEC.md, written by the crate and read by type.

use y3::{Error, PVarInt, Packet};

use super::hex::unhex;
use super::oracle::trees::{Dialect, Tree, Value};
use super::oracle::{trees, written};

/// The bytes of these packets in a dialect. All sinks must agree on them.
pub fn encode(trees: &[Tree], dialect: Dialect) -> Result<Vec<u8>, Error> {
    written::encode(&trees::in_dialect(trees, dialect))
}

impl Value {
    /// Parses `text` as the vectors and SPEC.md write values: numbers in decimal, floats as bits, bytes in hexadecimal.
    pub fn parse(kind: &str, text: &str) -> Value {
        match kind {
            "i32" => Value::I32(text.parse().unwrap()),
            "i64" => Value::I64(text.parse().unwrap()),
            "u32" => Value::U32(text.parse().unwrap()),
            "u64" => Value::U64(text.parse().unwrap()),
            "f32" => Value::F32(u32::from_str_radix(text, 16).unwrap()),
            "f64" => Value::F64(u64::from_str_radix(text, 16).unwrap()),
            "bool" => Value::Bool(text.parse().unwrap()),
            "text" => Value::Text(text.to_owned()),
            "bytes" => Value::Bytes(unhex(text)),
            _ => panic!("no type {kind}"),
        }
    }

    pub fn kind(&self) -> &'static str {
        match self {
            Value::I32(_) | Value::PVarI32(_) => "i32",
            Value::I64(_) | Value::PVarI64(_) => "i64",
            Value::U32(_) | Value::PVarU32(_) => "u32",
            Value::U64(_) | Value::PVarU64(_) => "u64",
            Value::F32(_) => "f32",
            Value::F64(_) => "f64",
            Value::Bool(_) => "bool",
            Value::Text(_) => "text",
            Value::Bytes(_) => "bytes",
        }
    }

    /// What the crate reads from a packet as this type.
    pub fn read(kind: &str, dialect: Dialect, packet: &Packet<'_>) -> Result<Value, Error> {
        Ok(match (kind, dialect) {
            ("i32", Dialect::NVar) => Value::I32(packet.decode()?),
            ("i32", Dialect::PVar) => Value::I32(packet.decode::<PVarInt<_>>()?.0),
            ("i64", Dialect::NVar) => Value::I64(packet.decode()?),
            ("i64", Dialect::PVar) => Value::I64(packet.decode::<PVarInt<_>>()?.0),
            ("u32", Dialect::NVar) => Value::U32(packet.decode()?),
            ("u32", Dialect::PVar) => Value::U32(packet.decode::<PVarInt<_>>()?.0),
            ("u64", Dialect::NVar) => Value::U64(packet.decode()?),
            ("u64", Dialect::PVar) => Value::U64(packet.decode::<PVarInt<_>>()?.0),
            ("f32", _) => Value::F32(packet.decode::<f32>()?.to_bits()),
            ("f64", _) => Value::F64(packet.decode::<f64>()?.to_bits()),
            ("bool", _) => Value::Bool(packet.decode()?),
            ("text", _) => Value::Text(packet.decode::<&str>()?.to_owned()),
            ("bytes", _) => Value::Bytes(packet.decode::<&[u8]>()?.to_owned()),
            _ => panic!("no type {kind}"),
        })
    }
}

impl Tree {
    /// What the crate reads from a packet, with primitives read as the types that the primitives of `like` have.
    pub fn read(packet: &Packet<'_>, like: Option<&Tree>, dialect: Dialect) -> Result<Tree, Error> {
        let key = packet.key().get();
        if !packet.is_node() {
            let kind = if let Some(Tree::Leaf { value, .. }) = like { value.kind() } else { "bytes" };
            return Ok(Tree::leaf(key, Value::read(kind, dialect, packet)?));
        }
        let known = if let Some(Tree::Node { inside, .. }) = like { inside } else { &Vec::new() };
        let inside = packet.children().enumerate().map(|(place, child)| Tree::read(&child?, known.get(place), dialect));
        let inside = inside.collect::<Result<_, _>>()?;
        Ok(if packet.is_slice() { Tree::slice(key, inside) } else { Tree::node(key, inside) })
    }
}

/// The packets of a buffer, with primitives as bytes.
pub fn untyped(bytes: &[u8]) -> Result<Vec<Tree>, Error> {
    y3::packets(bytes).map(|packet| Tree::read(&packet?, None, Dialect::NVar)).collect()
}

/// Parses a shape as appendix A draws it: `01{02=ff,03{04=43}}`.
pub fn shape(text: &str) -> Vec<Tree> {
    let mut rest = text;
    let trees = shapes(&mut rest);
    assert_eq!(rest, "", "in {text}");
    trees
}

fn shapes(rest: &mut &str) -> Vec<Tree> {
    let mut trees = Vec::new();
    while !rest.is_empty() && !rest.starts_with(['}', ']']) {
        let (key, opens) = (u8::from_str_radix(&rest[..2], 16).unwrap(), &rest[2..3]);
        *rest = &rest[3..];
        let mut inside = |close: &str| {
            let inside = shapes(rest);
            *rest = rest.strip_prefix(close).unwrap();
            inside
        };
        trees.push(match opens {
            "{" => Tree::node(key, inside("}")),
            "[" => Tree::slice(key, inside("]")),
            "=" => {
                let end = rest.find([',', '}', ']']).unwrap_or(rest.len());
                let value = unhex(&rest[..end]);
                *rest = &rest[end..];
                Tree::bytes(key, &value)
            }
            _ => panic!("no shape at {opens}{rest}"),
        });
        *rest = rest.strip_prefix(',').unwrap_or(rest);
    }
    trees
}
