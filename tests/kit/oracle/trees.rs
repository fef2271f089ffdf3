//! Trees to encode, the naive writer of them, and the strategies of proptest, over the generator of `input`.
//!
//! In: steps that open, fill and close nodes. Out: a tree, and its bytes, canonical or not.

use std::fmt::Debug;

use arbitrary::{Result, Unstructured};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::{encode_float, encode_nvar, encode_pvar, signed};
use crate::corpus::TELLING;
use crate::input;

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

/// What so many random bytes describe; fewer of them describe simpler things.
fn described<T: Debug>(bytes: usize, describe: fn(&mut Unstructured<'_>) -> Result<T>) -> impl Strategy<Value = T> {
    let describe = move |bytes: Vec<u8>| describe(&mut Unstructured::new(&bytes)).expect("missing bytes are zero");
    vec(any::<u8>(), 0..=bytes).prop_map(describe)
}

pub fn key() -> impl Strategy<Value = u8> {
    described(1, input::key)
}

pub fn value() -> impl Strategy<Value = Value> {
    described(40, input::value)
}

/// Trees of about so many packets at most, in any form that a reader accepts.
pub fn trees(packets: usize) -> impl Strategy<Value = Vec<Tree>> {
    described(8 * packets, input::trees)
}

/// Bytes that decide something in a header, and others.
pub fn byte() -> impl Strategy<Value = u8> {
    prop_oneof![4 => prop::sample::select(&TELLING[..]), 2 => 0..12u8, 1 => any::<u8>()]
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

/// The steps of a path; the last enters nothing.
pub fn steps() -> impl Strategy<Value = Vec<u8>> {
    described(9, input::steps)
}

/// Packets, many of them embedded in others, and paths into them.
#[derive(Clone, Debug)]
pub struct Embedded {
    pub input: Vec<u8>,
    pub paths: Vec<Vec<u8>>,
}

pub fn embedded() -> impl Strategy<Value = Embedded> {
    described(240, |u| {
        let choices = input::choices(u)?;
        let input = input::embedding(u)?;
        Ok(Embedded { paths: input::paths(&choices, &input), input })
    })
}
