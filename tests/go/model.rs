//! What the two Go modules do with any input, in the words of SPEC.md §11.3: a naive reader with their faults, each named.
//!
//! In: bytes. Out: what a module makes of them, and which of its faults it took to get there.

use std::collections::{BTreeMap, BTreeSet};

use y3::ErrorKind;

use testkit::oracle::trees::{Dialect, Value};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Module {
    /// `github.com/yomorun/y3`, integers are `NVarInt`.
    Y3,
    /// `github.com/yomorun/y3-codec-golang`, integers are `PVarInt`.
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

/// A way in which a module departs from SPEC.md; README.md has an example of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    ChildOverruns,
    CutNodePanics,
    NegativeNodePanics,
    AllocatesByLength,
    LengthWraps,
    LongLengthField,
    NoDepthLimit,
    FlaggedPrimitive,
    EmptyNodeIsAll,
    LastDuplicateWins,
    MutualOrderLost,
    CutHeaderIsEnd,
    CutValueIsNoError,
    ValueRunsOn,
    IntegerCut,
    BytesAfterInteger,
    LooseBool,
    EmptyBool,
    LongFloat,
    UntestedText,
}

impl Class {
    /// Whether the crate can say this, `None` for no fault, where a module departs from it so.
    pub fn explains(self, ours: Option<ErrorKind>) -> bool {
        use ErrorKind::{DepthLimit, LengthOverflow, NegativeLength, Overrun, UnexpectedEnd};
        match self {
            Class::ChildOverruns => ours == Some(Overrun),
            Class::CutNodePanics => matches!(ours, Some(UnexpectedEnd | Overrun)),
            Class::NegativeNodePanics => ours == Some(NegativeLength),
            Class::AllocatesByLength => matches!(ours, Some(UnexpectedEnd | Overrun)),
            Class::LengthWraps => matches!(ours, Some(NegativeLength | LengthOverflow)),
            Class::LongLengthField => ours == Some(LengthOverflow),
            Class::NoDepthLimit => ours == Some(DepthLimit),
            // A field that is cut may have been wrong before.
            Class::CutHeaderIsEnd => matches!(ours, Some(UnexpectedEnd | NegativeLength | LengthOverflow)),
            Class::CutValueIsNoError => ours == Some(UnexpectedEnd),
            Class::FlaggedPrimitive | Class::EmptyNodeIsAll | Class::ValueRunsOn => ours.is_none(),
            // These are lost by keeping packets in maps and lists, or belong to single values; see `kept` and `value_class`.
            _ => false,
        }
    }
}

pub type Classes = BTreeSet<Class>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<T> {
    Is(T),
    Failed,
    Panicked,
    Hung,
}

/// The packet that an input begins with.
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
    /// The size of what is given as its value.
    pub value_len: usize,
    pub nodes: Vec<Node>,
    pub primitives: Vec<Primitive>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Primitive {
    pub key: u8,
    pub is_slice: bool,
    pub value: Vec<u8>,
    /// The value read as each of [`TYPES`]: a number's bits, signed ones extended to 64, or the size of a text.
    pub typed: [Option<u64>; 8],
}

impl Packet {
    pub fn each_primitive(&mut self, change: &mut impl FnMut(&mut Primitive)) {
        match self {
            Packet::Primitive(primitive) => change(primitive),
            Packet::Node(node) => node.each(&mut |node| node.primitives.iter_mut().for_each(&mut *change)),
        }
    }

    pub fn each_node(&mut self, change: &mut dyn FnMut(&mut Node)) {
        if let Packet::Node(node) = self {
            node.each(change);
        }
    }
}

impl Node {
    fn each(&mut self, change: &mut dyn FnMut(&mut Node)) {
        change(self);
        self.nodes.iter_mut().for_each(|node| node.each(change));
    }
}

/// Packets read from a stream one after another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packets {
    pub packets: Vec<Vec<u8>>,
    /// The stream ended after a packet, and not inside one or with a fault.
    pub is_clean: bool,
}

/// A packet whose value was read as a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Streamed {
    pub tag: u8,
    pub len: usize,
    pub value: Vec<u8>,
}

/// Children as a module keeps them, and what is lost by that.
pub fn kept(module: Module, children: Vec<Packet>) -> (Vec<Node>, Vec<Primitive>, Classes) {
    let (mut nodes, mut primitives, mut lost) = (Vec::new(), Vec::new(), Classes::new());
    for child in children {
        match child {
            Packet::Node(node) => {
                if !primitives.is_empty() {
                    lost.insert(Class::MutualOrderLost);
                }
                nodes.push(node);
            }
            Packet::Primitive(primitive) => primitives.push(primitive),
        }
    }
    if module == Module::Y3 {
        let size = nodes.len() + primitives.len();
        nodes = last_of_each(nodes, |node| node.key);
        primitives = last_of_each(primitives, |primitive| primitive.key);
        if nodes.len() + primitives.len() < size {
            lost.insert(Class::LastDuplicateWins);
        }
    }
    (nodes, primitives, lost)
}

fn last_of_each<T>(packets: Vec<T>, key: impl Fn(&T) -> u8) -> Vec<T> {
    let by_key: BTreeMap<u8, T> = packets.into_iter().map(|packet| (key(&packet), packet)).collect();
    by_key.into_values().collect()
}

/// Why there is no packet.
#[derive(Clone, Copy, Debug)]
enum Stop {
    Fails,
    Panics,
    /// The module would first allocate what a length says.
    Allocates,
}

/// More than any input here has bytes, and what a machine can spare.
const MOST: usize = 1 << 20;

/// What a module's decoder does; `None` if it must not be run, as a length decides what it allocates.
pub fn decode(module: Module, input: &[u8]) -> (Option<Outcome<First>>, Classes) {
    let mut reader = Reader { module, input, classes: Classes::new() };
    let first = reader.packet(0, input.len(), 0).map(|(consumed, packet)| First { consumed, packet });
    let outcome = match first {
        Ok(first) => Some(Outcome::Is(first)),
        Err(Stop::Fails) => Some(Outcome::Failed),
        Err(Stop::Panics) => Some(Outcome::Panicked),
        Err(Stop::Allocates) => None,
    };
    (outcome, reader.classes)
}

struct Reader<'a> {
    module: Module,
    input: &'a [u8],
    classes: Classes,
}

impl Reader<'_> {
    /// The bytes it takes, and the packet. `end` is that of the Go slice, after which a decoder can still reach.
    fn packet(&mut self, at: usize, end: usize, depth: usize) -> Result<(usize, Packet), Stop> {
        if self.input[at..end].first().is_some_and(|tag| tag & 0x80 != 0) {
            let (consumed, node) = self.node(at, end, depth)?;
            Ok((consumed, Packet::Node(node)))
        } else {
            let (consumed, primitive) = self.primitive(at, end)?;
            Ok((consumed, Packet::Primitive(primitive)))
        }
    }

    fn node(&mut self, at: usize, end: usize, depth: usize) -> Result<(usize, Node), Stop> {
        let tag = self.input[at];
        let (len, size) = length(&self.input[at + 1..end], &mut self.classes).ok_or(Stop::Fails)?;
        let start = at + 1 + size;
        let Ok(len) = usize::try_from(len) else {
            if self.module == Module::Y3 {
                return Err(Stop::Fails);
            }
            self.classes.insert(Class::NegativeNodePanics);
            return Err(Stop::Panics);
        };
        if self.module == Module::Codec && len > MOST {
            self.classes.insert(Class::AllocatesByLength);
            return Err(Stop::Allocates);
        }
        if depth == y3::MAX_DEPTH {
            self.classes.insert(Class::NoDepthLimit);
        }
        let mut node =
            Node { key: tag & 0x3f, is_slice: tag & 0x40 != 0, len, value_len: len, nodes: vec![], primitives: vec![] };
        if self.module == Module::Y3 && len == 0 {
            self.classes.insert(Class::EmptyNodeIsAll);
            node.value_len = end - at;
            return Ok((1 + size, node));
        }
        if start + len > self.input.len() {
            self.classes.insert(Class::CutNodePanics);
            return Err(Stop::Panics);
        }
        if start + len > end {
            self.classes.insert(Class::ChildOverruns);
        }
        let (mut next, mut children) = (start, Vec::new());
        while next < start + len && next < end {
            let (consumed, child) = self.packet(next, start + len, depth + 1)?;
            next += consumed;
            children.push(child);
        }
        (node.nodes, node.primitives, _) = kept(self.module, children);
        Ok((1 + size + len, node))
    }

    fn primitive(&mut self, at: usize, end: usize) -> Result<(usize, Primitive), Stop> {
        let [tag, field @ ..] = &self.input[at..end] else { return Err(Stop::Fails) };
        let (len, size) = length(field, &mut self.classes).ok_or(Stop::Fails)?;
        // Codec takes a negative length as a number near 2^32, which is too long as well.
        let len = usize::try_from(len).map_err(|_| Stop::Fails)?;
        let value = field.get(size..size + len).ok_or(Stop::Fails)?;
        let is_slice = self.module == Module::Y3 && tag & 0x40 != 0;
        if is_slice {
            self.classes.insert(Class::FlaggedPrimitive);
        }
        let typed = TYPES.map(|kind| typed(self.module, kind, value));
        Ok((1 + size + len, Primitive { key: tag & 0x3f, is_slice, value: value.to_vec(), typed }))
    }
}

/// A length field as both modules read it, of any size and cut to 32 bits, and how many bytes it has.
fn length(bytes: &[u8], classes: &mut Classes) -> Option<(i32, usize)> {
    let size = 1 + bytes.iter().position(|byte| byte & 0x80 == 0)?;
    let number = pvar(&bytes[..size]);
    let exact = bytes[..size].iter().skip_while(|&&byte| byte == 0x80).count() <= 9;
    let len = cut(number);
    if !exact || i64::from(len) != number {
        classes.insert(Class::LengthWraps);
    } else if size > 5 {
        classes.insert(Class::LongLengthField);
    }
    Some((len, size))
}

/// The number that groups of seven bits make in 64 bits; what does not fit is lost at the front.
fn pvar(groups: &[u8]) -> i64 {
    groups.iter().fold(sign(groups, 0x40), |number, byte| number << 7 | i64::from(byte & 0x7f))
}

fn sign(bytes: &[u8], bit: u8) -> i64 {
    if bytes.first().is_some_and(|byte| byte & bit != 0) { -1 } else { 0 }
}

#[allow(clippy::cast_possible_truncation, reason = "it is what the Go modules do")]
fn cut(number: i64) -> i32 {
    number as i32
}

/// `ReadPacket` of y3 again and again until it gives no packet, however the stream is cut.
pub fn read_packets(input: &[u8]) -> (Outcome<Packets>, Classes) {
    let (mut rest, mut packets, mut classes) = (input, Vec::new(), Classes::new());
    let is_clean = loop {
        let Some((_, field)) = rest.split_first() else { break true };
        let Some((len, size)) = length(field, &mut classes) else {
            classes.insert(Class::CutHeaderIsEnd);
            break true;
        };
        let Some(len) = usize::try_from(len).ok().filter(|&len| len <= field.len() - size) else { break false };
        let (packet, after) = rest.split_at(1 + size + len);
        packets.push(packet.to_vec());
        rest = after;
    };
    (Outcome::Is(Packets { packets, is_clean }), classes)
}

/// `StreamReadPacket` of y3 once, its value drained; the source gives so many bytes a time, all of them if that is 0.
pub fn stream_read_packet(chunk: usize, input: &[u8]) -> (Outcome<Streamed>, Classes) {
    /// The buffer of the Go program.
    const BUFFER: usize = 1 << 16;
    let mut classes = Classes::new();
    let Some((&tag, field)) = input.split_first() else { return (Outcome::Failed, classes) };
    let Some((len, size)) = length(field, &mut classes) else { return (Outcome::Failed, classes) };
    let Ok(len) = usize::try_from(len) else { return (Outcome::Failed, classes) };
    let (mut rest, mut value, mut off) = (&field[size..], Vec::new(), 0);
    while off < len && !rest.is_empty() {
        // Where the value is up to is forgotten: only the last piece counts.
        off = rest.len().min(len - off).min(BUFFER).min(if chunk == 0 { BUFFER } else { chunk });
        let (piece, after) = rest.split_at(off);
        value.extend(piece);
        rest = after;
    }
    if value.len() < len {
        classes.insert(Class::CutValueIsNoError);
    } else if value.len() > len {
        classes.insert(Class::ValueRunsOn);
    }
    (Outcome::Is(Streamed { tag, len, value }), classes)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
    Bool,
    Text,
}

pub const TYPES: [Type; 8] = [Type::I32, Type::U32, Type::I64, Type::U64, Type::F32, Type::F64, Type::Bool, Type::Text];

/// A signed number as reports carry it.
pub fn bits(number: i64) -> u64 {
    u64::from_ne_bytes(number.to_ne_bytes())
}

/// A value read by a module as one of the types.
pub fn typed(module: Module, kind: Type, value: &[u8]) -> Option<u64> {
    let groups = value.iter().position(|byte| byte & 0x80 == 0).map(|last| &value[..=last]);
    let integer = match module {
        Module::Y3 if value.is_empty() => None,
        Module::Y3 => Some(value.iter().fold(sign(value, 0x80), |number, byte| number << 8 | i64::from(*byte))),
        Module::Codec => groups.map(pvar),
    };
    let float = |width: usize| {
        let bits = value.iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
        // Nothing to decode is an error; else the bytes that are missing are zero.
        let bits = bits.checked_shl(u32::try_from(8 * width.saturating_sub(value.len())).ok()?)?;
        (!value.is_empty()).then_some(if width == 4 { bits & 0xffff_ffff } else { bits })
    };
    match kind {
        Type::I32 => integer.map(|number| bits(i64::from(cut(number)))),
        Type::U32 => integer.map(|number| bits(number) & 0xffff_ffff),
        Type::I64 | Type::U64 => integer.map(bits),
        Type::F32 => float(4),
        Type::F64 => float(8),
        Type::Bool if value.is_empty() && module == Module::Y3 => Some(0),
        Type::Bool => groups.map(|groups| u64::from(pvar_without_sign(groups) == 1)),
        Type::Text => Some(value.len() as u64),
    }
}

/// The modules' readers of bools tell the decoder of integers that the sign has been read, which it has not.
fn pvar_without_sign(groups: &[u8]) -> i64 {
    groups.iter().fold(0, |number, byte| number << 7 | i64::from(byte & 0x7f))
}

/// The fault by which a module reads a value as a type where the crate does not, or the other way round.
pub fn value_class(module: Module, kind: Type, value: &[u8], go: Option<u64>, ours: Option<u64>) -> Option<Class> {
    match (kind, go, ours) {
        (Type::Bool, None, Some(0)) if value.is_empty() && module == Module::Codec => Some(Class::EmptyBool),
        (Type::Bool, Some(_), None) => Some(Class::LooseBool),
        (Type::F32, Some(_), None) if value.len() > 4 => Some(Class::LongFloat),
        (Type::F64, Some(_), None) if value.len() > 8 => Some(Class::LongFloat),
        (Type::Text, Some(_), None) => Some(Class::UntestedText),
        (Type::I32 | Type::U32 | Type::I64 | Type::U64, Some(_), None) => {
            let most = if matches!(kind, Type::I32 | Type::U32) { 4 } else { 8 };
            let after = value.iter().position(|byte| byte & 0x80 == 0).is_some_and(|last| last + 1 < value.len());
            if module == Module::Codec && after {
                Some(Class::BytesAfterInteger)
            } else {
                (value.len() > most).then_some(Class::IntegerCut)
            }
        }
        _ => None,
    }
}

/// The type of a value and what it reads as, where it is one of [`TYPES`].
pub fn own(value: &Value) -> Option<(Type, u64)> {
    Some(match value {
        Value::I32(v) | Value::PVarI32(v) => (Type::I32, bits(i64::from(*v))),
        Value::U32(v) | Value::PVarU32(v) => (Type::U32, u64::from(*v)),
        Value::I64(v) | Value::PVarI64(v) => (Type::I64, bits(*v)),
        Value::U64(v) | Value::PVarU64(v) => (Type::U64, *v),
        Value::F32(bits) => (Type::F32, u64::from(*bits)),
        Value::F64(bits) => (Type::F64, *bits),
        Value::Bool(v) => (Type::Bool, u64::from(*v)),
        Value::Text(text) => (Type::Text, text.len() as u64),
        Value::Bytes(_) => return None,
    })
}
