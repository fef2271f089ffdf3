//! Trees to encode, the naive writer of them, and what proptest makes them and their broken copies from.
//!
//! In: steps that open, fill and close nodes. Out: a tree, and its bytes, canonical or not.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::{encode_float, encode_nvar, encode_pvar, signed};

/// How integers are written; the wire does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    NVar,
    PVar,
}

pub const DIALECTS: [Dialect; 2] = [Dialect::NVar, Dialect::PVar];

/// A value of each type that the crate knows. Floats are their bits, since a NaN is not equal to itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    I32(i32),
    U32(u32),
    I64(i64),
    U64(u64),
    PVarI32(i32),
    PVarU32(u32),
    PVarI64(i64),
    PVarU64(u64),
    F32(u32),
    F64(u64),
    Bool(bool),
    Text(String),
    Bytes(Vec<u8>),
}

impl Value {
    /// The canonical bytes.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Value::I32(v) => encode_nvar(i128::from(*v)),
            Value::I64(v) => encode_nvar(i128::from(*v)),
            Value::U32(v) => encode_nvar(signed(i128::from(*v), 32)),
            Value::U64(v) => encode_nvar(signed(i128::from(*v), 64)),
            Value::PVarI32(v) => encode_pvar(i128::from(*v)),
            Value::PVarI64(v) => encode_pvar(i128::from(*v)),
            Value::PVarU32(v) => encode_pvar(signed(i128::from(*v), 32)),
            Value::PVarU64(v) => encode_pvar(signed(i128::from(*v), 64)),
            Value::F32(bits) => encode_float(&bits.to_be_bytes()),
            Value::F64(bits) => encode_float(&bits.to_be_bytes()),
            Value::Bool(v) => vec![u8::from(*v)],
            Value::Text(text) => text.clone().into_bytes(),
            Value::Bytes(bytes) => bytes.clone(),
        }
    }

    #[must_use]
    pub fn in_dialect(&self, dialect: Dialect) -> Value {
        match (dialect, self.clone()) {
            (Dialect::NVar, Value::PVarI32(v)) => Value::I32(v),
            (Dialect::NVar, Value::PVarU32(v)) => Value::U32(v),
            (Dialect::NVar, Value::PVarI64(v)) => Value::I64(v),
            (Dialect::NVar, Value::PVarU64(v)) => Value::U64(v),
            (Dialect::PVar, Value::I32(v)) => Value::PVarI32(v),
            (Dialect::PVar, Value::U32(v)) => Value::PVarU32(v),
            (Dialect::PVar, Value::I64(v)) => Value::PVarI64(v),
            (Dialect::PVar, Value::U64(v)) => Value::PVarU64(v),
            (_, value) => value,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    Leaf { key: u8, value: Value, form: Form },
    Node { key: u8, is_slice: bool, inside: Vec<Tree>, form: Form },
}

impl Tree {
    pub fn leaf(key: u8, value: Value) -> Tree {
        Tree::Leaf { key, value, form: Form::default() }
    }

    /// A primitive of bytes: what a reader sees that does not know the types.
    pub fn bytes(key: u8, value: &[u8]) -> Tree {
        Tree::leaf(key, Value::Bytes(value.to_vec()))
    }

    pub fn node(key: u8, inside: Vec<Tree>) -> Tree {
        Tree::Node { key, is_slice: false, inside, form: Form::default() }
    }

    pub fn slice(key: u8, inside: Vec<Tree>) -> Tree {
        Tree::Node { key, is_slice: true, inside, form: Form::default() }
    }
}

/// How far a packet is from canonical.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// Needless bytes of the length field, as far as the field has room for them.
    pub padding: usize,
    /// The reserved bit of a primitive.
    pub flag: bool,
}

/// The bytes of packets back to back.
pub fn encode(trees: &[Tree]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for tree in trees {
        let (tag, value, form) = match tree {
            Tree::Leaf { key, value, form } => (key | if form.flag { 0x40 } else { 0 }, value.encode(), form),
            Tree::Node { key, is_slice, inside, form } => {
                (key | if *is_slice { 0xc0 } else { 0x80 }, encode(inside), form)
            }
        };
        let length = encode_pvar(value.len() as i128);
        bytes.push(tag);
        bytes.extend(std::iter::repeat_n(0x80, form.padding.min(5 - length.len())));
        bytes.extend(length);
        bytes.extend(value);
    }
    bytes
}

/// The same trees with their integers in a dialect.
pub fn in_dialect(trees: &[Tree], dialect: Dialect) -> Vec<Tree> {
    let tree = |tree: &Tree| match tree.clone() {
        Tree::Leaf { key, value, form } => Tree::Leaf { key, value: value.in_dialect(dialect), form },
        Tree::Node { key, is_slice, inside, form } => {
            Tree::Node { key, is_slice, inside: in_dialect(&inside, dialect), form }
        }
    };
    trees.iter().map(tree).collect()
}

/// What builds a tree, from left to right.
#[derive(Clone, Debug)]
pub enum Step {
    Open { key: u8, is_slice: bool, form: Form },
    Put { key: u8, value: Value, form: Form },
    Close,
}

/// The trees that the steps build; what is open at the end is closed, and nothing is closed that is not open.
pub fn build(steps: Vec<Step>) -> Vec<Tree> {
    let mut open = Vec::new();
    let mut level = Vec::new();
    let close = |open: &mut Vec<(Vec<Tree>, u8, bool, Form)>, level: &mut Vec<Tree>| {
        if let Some((outer, key, is_slice, form)) = open.pop() {
            let inside = std::mem::replace(level, outer);
            level.push(Tree::Node { key, is_slice, inside, form });
        }
    };
    for step in steps {
        match step {
            Step::Open { key, is_slice, form } => open.push((std::mem::take(&mut level), key, is_slice, form)),
            Step::Put { key, value, form } => level.push(Tree::Leaf { key, value, form }),
            Step::Close => close(&mut open, &mut level),
        }
    }
    while !open.is_empty() {
        close(&mut open, &mut level);
    }
    level
}

/// The same trees as a writer may write them: no padding, no reserved bit, items with key 0.
pub fn canonical(trees: &mut [Tree], in_slice: bool) {
    for tree in trees {
        let (key, form) = match tree {
            Tree::Leaf { key, form, .. } => (key, form),
            Tree::Node { key, form, inside, is_slice } => {
                canonical(inside, *is_slice);
                (key, form)
            }
        };
        *form = Form::default();
        if in_slice {
            *key = 0;
        }
    }
}

/// No files with failures: proptest prints the smallest case, which then becomes a test of its own. Miri is a thousand times
/// slower than the machine, so it gets a hundredth of the cases.
pub fn config(cases: u32) -> ProptestConfig {
    let cases = if cfg!(miri) { cases / 100 } else { cases };
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Few keys, so that they meet; the lowest and the highest among them.
pub fn key() -> impl Strategy<Value = u8> {
    prop_oneof![8 => prop::sample::select(vec![0u8, 1, 2, 3, 63]), 1 => 0..64u8]
}

/// Numbers of every size.
fn number() -> impl Strategy<Value = i64> {
    (any::<i64>(), 0..64u32).prop_map(|(number, shift)| number >> shift)
}

fn narrow() -> impl Strategy<Value = i32> {
    (any::<i32>(), 0..32u32).prop_map(|(number, shift)| number >> shift)
}

/// Sizes about where lengths take another byte, and small ones.
fn size() -> impl Strategy<Value = usize> {
    prop_oneof![12 => 0..20usize, 2 => 55..68usize, 2 => 120..132usize, 1 => 8180..8196usize]
}

pub fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        narrow().prop_map(Value::I32),
        narrow().prop_map(|v| Value::U32(u32::from_be_bytes(v.to_be_bytes()))),
        number().prop_map(Value::I64),
        number().prop_map(|v| Value::U64(u64::from_be_bytes(v.to_be_bytes()))),
        narrow().prop_map(Value::PVarI32),
        narrow().prop_map(|v| Value::PVarU32(u32::from_be_bytes(v.to_be_bytes()))),
        number().prop_map(Value::PVarI64),
        number().prop_map(|v| Value::PVarU64(u64::from_be_bytes(v.to_be_bytes()))),
        (any::<u32>(), 0..32u32).prop_map(|(bits, zeros)| Value::F32(bits << zeros)),
        (any::<u64>(), 0..64u32).prop_map(|(bits, zeros)| Value::F64(bits << zeros)),
        any::<bool>().prop_map(Value::Bool),
        vec(any::<char>(), 0..24).prop_map(|chars| Value::Text(chars.into_iter().collect())),
        (size(), any::<u8>()).prop_map(|(size, byte)| Value::Bytes(vec![byte; size])),
    ]
}

fn form() -> impl Strategy<Value = Form> {
    let padding = prop_oneof![6 => Just(0), 1 => 1..=4usize];
    (padding, prop::bool::weighted(0.1)).prop_map(|(padding, flag)| Form { padding, flag })
}

/// Trees of up to so many packets, in any form that a reader accepts.
pub fn trees(packets: usize) -> impl Strategy<Value = Vec<Tree>> {
    let step = prop_oneof![
        3 => (key(), any::<bool>(), form()).prop_map(|(key, is_slice, form)| Step::Open { key, is_slice, form }),
        5 => (key(), value(), form()).prop_map(|(key, value, form)| Step::Put { key, value, form }),
        2 => Just(Step::Close),
    ];
    vec(step, 0..packets).prop_map(build)
}

/// Bytes that decide something in a header, and others.
pub fn byte() -> impl Strategy<Value = u8> {
    let telling = vec![0x00, 0x01, 0x02, 0x03, 0x3f, 0x40, 0x7f, 0x80, 0x81, 0x82, 0x87, 0x88, 0xbf, 0xc0, 0xc1, 0xff];
    prop_oneof![4 => prop::sample::select(telling), 2 => 0..12u8, 1 => any::<u8>()]
}

/// Damage to an input.
#[derive(Clone, Debug)]
pub enum Damage {
    Set(Index, u8),
    Insert(Index, u8),
    Remove(Index),
    Cut(Index),
}

impl Damage {
    pub fn apply(&self, bytes: &mut Vec<u8>) {
        match self {
            Damage::Insert(place, byte) => bytes.insert(place.index(bytes.len() + 1), *byte),
            _ if bytes.is_empty() => {}
            Damage::Set(place, byte) => {
                let place = place.index(bytes.len());
                bytes[place] = *byte;
            }
            Damage::Remove(place) => drop(bytes.remove(place.index(bytes.len()))),
            Damage::Cut(place) => bytes.truncate(place.index(bytes.len())),
        }
    }
}

pub fn damage() -> impl Strategy<Value = Vec<Damage>> {
    let place = any::<Index>;
    let damage = prop_oneof![
        3 => (place(), byte()).prop_map(|(place, byte)| Damage::Set(place, byte)),
        1 => (place(), byte()).prop_map(|(place, byte)| Damage::Insert(place, byte)),
        1 => place().prop_map(Damage::Remove),
        2 => place().prop_map(Damage::Cut),
    ];
    vec(damage, 0..3)
}

/// A step of a watched path: a key or any, and perhaps an entry into embedded packets.
pub fn step() -> impl Strategy<Value = u8> {
    (key(), prop::bool::weighted(0.2), prop::bool::weighted(0.3))
        .prop_map(|(key, any, enters)| (if any { super::ANY } else { key }) | if enters { super::ENTERS } else { 0 })
}

/// The steps of a path; the last enters nothing.
pub fn steps() -> impl Strategy<Value = Vec<u8>> {
    vec(step(), 1..=8).prop_map(last_enters_nothing)
}

fn last_enters_nothing(mut steps: Vec<u8>) -> Vec<u8> {
    steps.truncate(8);
    if let Some(last) = steps.last_mut() {
        *last &= !super::ENTERS;
    }
    steps
}

/// Top-level packets `3f` with packets embedded under `02`, perhaps once more under `02`, and paths into them.
#[derive(Clone, Debug)]
pub struct Embedded {
    pub input: Vec<u8>,
    pub paths: Vec<Vec<u8>>,
}

/// For each top-level packet: what is embedded, what is damaged of that, and whether it is embedded once more.
type Carried = (Vec<Tree>, Vec<Damage>, bool);

pub fn embedded() -> impl Strategy<Value = Embedded> {
    let carried =
        (trees(10), vec((any::<Index>(), byte()).prop_map(|(at, byte)| Damage::Set(at, byte)), 0..3), any::<bool>());
    let picks = vec((any::<Index>(), 0..3usize, any::<bool>(), any::<u8>()), 1..=5);
    (vec(carried, 1..5), picks, vec(steps(), 0..=3), any::<Index>(), prop::bool::weighted(0.2)).prop_map(
        |(carried, picks, mut paths, end, is_cut)| {
            let mut input: Vec<u8> = carried.iter().flat_map(frame).collect();
            for (pick, up, twice, any) in picks {
                let seen = super::walk(&encode(&pick.get(&carried).0), super::TOP, usize::MAX, &|_| true).0;
                let Some(seen) = seen.get(usize::from(any) % seen.len().max(1)) else { continue };
                let inside = &seen.path[..seen.path.len().saturating_sub(up).max(1)];
                let embedded = 0x02 | super::ENTERS;
                let around = [0x3f, embedded, embedded];
                let mut steps = [&around[..2 + usize::from(twice)], inside].concat();
                // Some keys become any key.
                for (place, step) in steps
                    .iter_mut()
                    .enumerate()
                    .filter(|(place, _)| any.rotate_right(u32::try_from(*place).unwrap()) & 5 == 5)
                {
                    *step = super::ANY | if place == 1 || twice && place == 2 { super::ENTERS } else { 0 };
                }
                paths.push(last_enters_nothing(steps));
            }
            paths.truncate(8);
            if is_cut {
                input.truncate(end.index(input.len() + 1));
            }
            Embedded { input, paths }
        },
    )
}

fn frame((trees, damage, twice): &Carried) -> Vec<u8> {
    let mut embedded = encode(trees);
    for damage in damage {
        damage.apply(&mut embedded);
    }
    let packet = super::packed(0x02, &embedded);
    let packet = if *twice { super::packed(0x02, &packet) } else { packet };
    super::packed(0xbf, &packet)
}
