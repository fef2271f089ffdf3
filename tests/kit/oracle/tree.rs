//! Trees to encode, and the naive writer, which can also write bytes that are not canonical. Steps that open, fill and
//! close nodes build a tree.

use super::{encode_float, encode_nvar, encode_pvar, signed};

/// The encoding of integers. The wire carries no dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    NVar,
    PVar,
}

pub const DIALECTS: [Dialect; 2] = [Dialect::NVar, Dialect::PVar];

/// A value of each type that the crate knows. Floats are stored as bits, because a NaN is not equal to itself.
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

    /// A primitive of bytes, as a reader sees a value that does not know its type.
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

/// The deviation of a packet from the canonical form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// Unnecessary bytes of the length field, as many as the field can hold.
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

/// The same trees with their integers in this dialect.
pub fn in_dialect(trees: &[Tree], dialect: Dialect) -> Vec<Tree> {
    let tree = |tree: &Tree| match tree.clone() {
        Tree::Leaf { key, value, form } => Tree::Leaf { key, value: value.in_dialect(dialect), form },
        Tree::Node { key, is_slice, inside, form } => {
            Tree::Node { key, is_slice, inside: in_dialect(&inside, dialect), form }
        }
    };
    trees.iter().map(tree).collect()
}

/// A step that builds a tree from left to right.
#[derive(Clone, Debug)]
pub enum Step {
    Open { key: u8, is_slice: bool, form: Form },
    Put { key: u8, value: Value, form: Form },
    Close,
}

/// The trees that the steps build. Nodes that are still open are closed; a step that closes no open node does nothing.
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

/// Makes the trees canonical: no padding, no reserved bit, items with key 0.
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
