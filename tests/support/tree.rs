//! Trees of typed packets: as the vectors describe them, as SPEC.md draws their shapes, as the crate reads and writes them.

use serde::Deserialize;
use y3::{Encode, Encoder, Error, PVarInt, Packet, Sink, SliceEncoder};

use super::hex::unhex;

/// How integers are written; the wire does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    NVar,
    PVar,
}

pub const DIALECTS: [Dialect; 2] = [Dialect::NVar, Dialect::PVar];

/// A primitive's value with its type. Floats are their bits, since a NaN is not equal to itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leaf {
    I32(i32),
    I64(i64),
    U32(u32),
    U64(u64),
    F32(u32),
    F64(u64),
    Bool(bool),
    Text(String),
    Bytes(Vec<u8>),
}

impl Leaf {
    /// `text` as the vectors and SPEC.md write values: numbers in decimal, floats as bits, bytes in hexadecimal.
    pub fn parse(kind: &str, text: &str) -> Leaf {
        match kind {
            "i32" => Leaf::I32(text.parse().unwrap()),
            "i64" => Leaf::I64(text.parse().unwrap()),
            "u32" => Leaf::U32(text.parse().unwrap()),
            "u64" => Leaf::U64(text.parse().unwrap()),
            "f32" => Leaf::F32(u32::from_str_radix(text, 16).unwrap()),
            "f64" => Leaf::F64(u64::from_str_radix(text, 16).unwrap()),
            "bool" => Leaf::Bool(text.parse().unwrap()),
            "text" => Leaf::Text(text.to_owned()),
            "bytes" => Leaf::Bytes(unhex(text)),
            _ => panic!("no type {kind}"),
        }
    }

    pub fn kind(&self) -> &'static str {
        match self {
            Leaf::I32(_) => "i32",
            Leaf::I64(_) => "i64",
            Leaf::U32(_) => "u32",
            Leaf::U64(_) => "u64",
            Leaf::F32(_) => "f32",
            Leaf::F64(_) => "f64",
            Leaf::Bool(_) => "bool",
            Leaf::Text(_) => "text",
            Leaf::Bytes(_) => "bytes",
        }
    }

    /// What the crate reads from a packet asked for that type.
    pub fn read(kind: &str, dialect: Dialect, packet: &Packet<'_>) -> Result<Leaf, Error> {
        Ok(match (kind, dialect) {
            ("i32", Dialect::NVar) => Leaf::I32(packet.to()?),
            ("i32", Dialect::PVar) => Leaf::I32(packet.to::<PVarInt<_>>()?.0),
            ("i64", Dialect::NVar) => Leaf::I64(packet.to()?),
            ("i64", Dialect::PVar) => Leaf::I64(packet.to::<PVarInt<_>>()?.0),
            ("u32", Dialect::NVar) => Leaf::U32(packet.to()?),
            ("u32", Dialect::PVar) => Leaf::U32(packet.to::<PVarInt<_>>()?.0),
            ("u64", Dialect::NVar) => Leaf::U64(packet.to()?),
            ("u64", Dialect::PVar) => Leaf::U64(packet.to::<PVarInt<_>>()?.0),
            ("f32", _) => Leaf::F32(packet.to::<f32>()?.to_bits()),
            ("f64", _) => Leaf::F64(packet.to::<f64>()?.to_bits()),
            ("bool", _) => Leaf::Bool(packet.to()?),
            ("text", _) => Leaf::Text(packet.to::<&str>()?.to_owned()),
            ("bytes", _) => Leaf::Bytes(packet.to::<&[u8]>()?.to_owned()),
            _ => panic!("no type {kind}"),
        })
    }

    fn encodable(&self, dialect: Dialect) -> Box<dyn Encode + '_> {
        match (self, dialect) {
            (Leaf::I32(number), Dialect::NVar) => Box::new(*number),
            (Leaf::I32(number), Dialect::PVar) => Box::new(PVarInt(*number)),
            (Leaf::I64(number), Dialect::NVar) => Box::new(*number),
            (Leaf::I64(number), Dialect::PVar) => Box::new(PVarInt(*number)),
            (Leaf::U32(number), Dialect::NVar) => Box::new(*number),
            (Leaf::U32(number), Dialect::PVar) => Box::new(PVarInt(*number)),
            (Leaf::U64(number), Dialect::NVar) => Box::new(*number),
            (Leaf::U64(number), Dialect::PVar) => Box::new(PVarInt(*number)),
            (Leaf::F32(bits), _) => Box::new(f32::from_bits(*bits)),
            (Leaf::F64(bits), _) => Box::new(f64::from_bits(*bits)),
            (Leaf::Bool(value), _) => Box::new(*value),
            (Leaf::Text(text), _) => Box::new(text.as_str()),
            (Leaf::Bytes(bytes), _) => Box::new(bytes.as_slice()),
        }
    }
}

/// A packet and what is inside it. The keys of a slice's items are kept too, though a writer makes them 0.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "Described")]
pub enum Tree {
    Leaf(u8, Leaf),
    Node(u8, Vec<Tree>),
    Slice(u8, Vec<Tree>),
}

/// A tree item as the vectors' README describes it.
#[derive(Deserialize)]
struct Described {
    k: u8,
    t: String,
    v: Option<String>,
    bits: Option<String>,
    hex: Option<String>,
    c: Option<Vec<Tree>>,
}

impl From<Described> for Tree {
    fn from(item: Described) -> Tree {
        match item.t.as_str() {
            "node" => Tree::Node(item.k, item.c.unwrap()),
            "slice" => Tree::Slice(item.k, item.c.unwrap()),
            kind => Tree::Leaf(item.k, described_leaf(kind, item.v, item.bits, item.hex)),
        }
    }
}

/// The bits of a float come first, then the hexadecimal of bytes, then what is written out.
pub fn described_leaf(kind: &str, v: Option<String>, bits: Option<String>, hex: Option<String>) -> Leaf {
    match (kind, hex) {
        // A Go string may hold anything: what is not text is bytes here.
        ("string", Some(hex)) => String::from_utf8(unhex(&hex)).map_or_else(|_| Leaf::parse("bytes", &hex), Leaf::Text),
        ("string", None) => Leaf::Text(v.unwrap()),
        (kind, Some(hex)) => Leaf::parse(kind, &hex),
        (kind, None) => Leaf::parse(kind, &bits.or(v).unwrap()),
    }
}

impl Tree {
    /// A primitive of bytes: what a reader sees that does not know the types.
    pub fn bytes(key: u8, value: &[u8]) -> Tree {
        Tree::Leaf(key, Leaf::Bytes(value.to_vec()))
    }

    /// What the crate reads from a packet, its primitives asked for the types that the primitives of `like` have.
    pub fn read(packet: &Packet<'_>, like: Option<&Tree>, dialect: Dialect) -> Result<Tree, Error> {
        let key = packet.key().get();
        if !packet.is_node() {
            let kind = if let Some(Tree::Leaf(_, leaf)) = like { leaf.kind() } else { "bytes" };
            return Ok(Tree::Leaf(key, Leaf::read(kind, dialect, packet)?));
        }
        let known = if let Some(Tree::Node(_, inside) | Tree::Slice(_, inside)) = like { inside } else { &Vec::new() };
        let inside = packet.children().enumerate().map(|(place, child)| Tree::read(&child?, known.get(place), dialect));
        let inside = inside.collect::<Result<_, _>>()?;
        Ok(if packet.is_slice() { Tree::Slice(key, inside) } else { Tree::Node(key, inside) })
    }

    pub fn write<S: Sink, const NESTED: bool>(
        &self,
        encoder: &mut Encoder<'_, S, NESTED>,
        dialect: Dialect,
    ) -> Result<(), Error> {
        match self {
            Tree::Leaf(key, leaf) => encoder.put(*key, &*leaf.encodable(dialect)),
            Tree::Node(key, inside) => {
                encoder.node(*key, |node| inside.iter().try_for_each(|tree| tree.write(node, dialect)))
            }
            Tree::Slice(key, inside) => {
                encoder.slice(*key, |items| inside.iter().try_for_each(|tree| tree.write_item(items, dialect)))
            }
        }
    }

    fn write_item<S: Sink>(&self, items: &mut SliceEncoder<'_, '_, S>, dialect: Dialect) -> Result<(), Error> {
        match self {
            Tree::Leaf(_, leaf) => items.put(&*leaf.encodable(dialect)),
            Tree::Node(_, inside) => items.node(|node| inside.iter().try_for_each(|tree| tree.write(node, dialect))),
            Tree::Slice(_, inside) => {
                items.slice(|items| inside.iter().try_for_each(|tree| tree.write_item(items, dialect)))
            }
        }
    }
}

/// The packets of a buffer, put together from a walk.
pub fn walked(bytes: &[u8]) -> Result<Vec<Tree>, Error> {
    // The nodes around the packet at hand, and what has been read of them.
    let mut open: Vec<(Packet<'_>, Vec<Tree>)> = Vec::new();
    let mut outermost = Vec::new();
    let mut walk = y3::walk(bytes);
    while let Some(packet) = walk.next() {
        let packet = packet?;
        while open.len() > walk.depth() {
            close(&mut open, &mut outermost);
        }
        if packet.is_node() {
            open.push((packet, Vec::new()));
        } else {
            let tree = Tree::bytes(packet.key().get(), packet.value());
            open.last_mut().map_or(&mut outermost, |(_, inside)| inside).push(tree);
        }
    }
    while !open.is_empty() {
        close(&mut open, &mut outermost);
    }
    Ok(outermost)
}

/// The innermost open node is done: it goes into the one around it, or to the outermost.
fn close(open: &mut Vec<(Packet<'_>, Vec<Tree>)>, outermost: &mut Vec<Tree>) {
    let (packet, inside) = open.pop().unwrap();
    let key = packet.key().get();
    let tree = if packet.is_slice() { Tree::Slice(key, inside) } else { Tree::Node(key, inside) };
    open.last_mut().map_or(outermost, |(_, inside)| inside).push(tree);
}

/// A shape as appendix A draws it: `01{02=ff,03{04=43}}`.
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
            "{" => Tree::Node(key, inside("}")),
            "[" => Tree::Slice(key, inside("]")),
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
