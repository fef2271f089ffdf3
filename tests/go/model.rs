//! The report of a Go module for a packet, and the same report made from a packet of the crate.

use std::collections::BTreeMap;

use testkit::oracle::trees::{Dialect, Value};
use y3::PVarInt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Module {
    /// `github.com/yomorun/y3`, whose integers are `NVarInt`.
    Y3,
    /// `github.com/yomorun/y3-codec-golang`, whose integers are `PVarInt`.
    Codec,
}

pub const MODULES: [Module; 2] = [Module::Y3, Module::Codec];

impl Module {
    pub fn letter(self) -> u8 {
        match self {
            Module::Y3 => b'y',
            Module::Codec => b'c',
        }
    }

    pub fn dialect(self) -> Dialect {
        match self {
            Module::Y3 => Dialect::NVar,
            Module::Codec => Dialect::PVar,
        }
    }
}

/// The first packet of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct First {
    pub consumed: usize,
    pub packet: Packet,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Packet {
    Node(Node),
    Primitive(Primitive),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub key: u8,
    pub is_slice: bool,
    pub len: usize,
    pub nodes: Vec<Node>,
    pub primitives: Vec<Primitive>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Primitive {
    pub key: u8,
    pub value: Vec<u8>,
    /// The value read as each type: the bits of a number (signed ones extended to 64), or the length of a text.
    pub typed: [Option<u64>; 8],
}

/// What the crate reads as the first packet, stored as the module stores it. `None` if the crate refuses the packet.
pub fn first(module: Module, input: &[u8]) -> Option<First> {
    let packet = y3::packets(input).next()?.ok()?;
    packet.check().ok()?;
    Some(First { consumed: packet.as_bytes().len(), packet: seen(module, &packet) })
}

fn seen(module: Module, packet: &y3::Packet<'_>) -> Packet {
    let (key, value) = (packet.key().get(), packet.value());
    if !packet.is_node() {
        return Packet::Primitive(Primitive { key, value: value.to_vec(), typed: typed(module, packet) });
    }
    let (mut nodes, mut primitives) = (Vec::new(), Vec::new());
    for child in packet.children() {
        match seen(module, &child.unwrap()) {
            Packet::Node(node) => nodes.push(node),
            Packet::Primitive(primitive) => primitives.push(primitive),
        }
    }
    if module == Module::Y3 {
        nodes = last_of_each(nodes, |node| node.key);
        primitives = last_of_each(primitives, |primitive| primitive.key);
    }
    Packet::Node(Node { key, is_slice: packet.is_slice(), len: value.len(), nodes, primitives })
}

fn last_of_each<T>(packets: Vec<T>, key: impl Fn(&T) -> u8) -> Vec<T> {
    let by_key: BTreeMap<u8, T> = packets.into_iter().map(|packet| (key(&packet), packet)).collect();
    by_key.into_values().collect()
}

/// The value that the crate reads as each type, with integers in the module's dialect.
fn typed(module: Module, packet: &y3::Packet<'_>) -> [Option<u64>; 8] {
    let integers = match module {
        Module::Y3 => [
            packet.decode::<i32>().ok().map(bits),
            packet.decode::<u32>().ok().map(u64::from),
            packet.decode::<i64>().ok().map(bits),
            packet.decode::<u64>().ok(),
        ],
        Module::Codec => [
            packet.decode().ok().map(|PVarInt::<i32>(v)| bits(v)),
            packet.decode().ok().map(|PVarInt::<u32>(v)| v.into()),
            packet.decode().ok().map(|PVarInt::<i64>(v)| bits(v)),
            packet.decode().ok().map(|PVarInt::<u64>(v)| v),
        ],
    };
    let [i32, u32, i64, u64] = integers;
    let (f32, f64) = (packet.decode::<f32>().ok(), packet.decode().ok());
    let (bool, text) = (packet.decode::<bool>().ok(), packet.decode::<&str>().ok());
    // The codec module refuses an empty bool.
    let bool = bool.filter(|_| module == Module::Y3 || !packet.value().is_empty());
    [
        i32,
        u32,
        i64,
        u64,
        f32.map(|v| v.to_bits().into()),
        f64.map(f64::to_bits),
        bool.map(u64::from),
        text.map(|text| text.len() as u64),
    ]
}

impl Packet {
    /// Removes the types that Go reads and the crate does not: integers and floats that are too wide, any number as a
    /// bool, any bytes as text.
    pub fn forget_where_absent(&mut self, ours: &Packet) {
        match (self, ours) {
            (Packet::Primitive(go), Packet::Primitive(ours)) => go.forget_where_absent(ours),
            (Packet::Node(go), Packet::Node(ours)) => go.forget_where_absent(ours),
            _ => {}
        }
    }
}

impl Node {
    fn forget_where_absent(&mut self, ours: &Node) {
        self.nodes.iter_mut().zip(&ours.nodes).for_each(|(go, ours)| go.forget_where_absent(ours));
        self.primitives.iter_mut().zip(&ours.primitives).for_each(|(go, ours)| go.forget_where_absent(ours));
    }
}

impl Primitive {
    fn forget_where_absent(&mut self, ours: &Primitive) {
        self.typed.iter_mut().zip(&ours.typed).filter(|(_, ours)| ours.is_none()).for_each(|(go, _)| *go = None);
    }
}

/// The result of reading a value as its own type; `None` for bytes.
pub fn own(value: &Value) -> Option<u64> {
    Some(match value {
        Value::I32(v) | Value::PVarI32(v) => bits(*v),
        Value::U32(v) | Value::PVarU32(v) => u64::from(*v),
        Value::I64(v) | Value::PVarI64(v) => bits(*v),
        Value::U64(v) | Value::PVarU64(v) => *v,
        Value::F32(bits) => u64::from(*bits),
        Value::F64(bits) => *bits,
        Value::Bool(v) => u64::from(*v),
        Value::Text(text) => text.len() as u64,
        Value::Bytes(_) => return None,
    })
}

/// The bits of a signed number.
fn bits(number: impl Into<i64>) -> u64 {
    u64::from_ne_bytes(number.into().to_ne_bytes())
}
