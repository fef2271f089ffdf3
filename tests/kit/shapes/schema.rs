//! Schema: types and values as data.
//!
//! In: nothing. Out: what a type may be to serde, and what its values are.

/// A type, and the types that it refers to by number: those may refer to themselves.
#[derive(Debug)]
pub struct Schema {
    pub root: Shape,
    pub definitions: Vec<Shape>,
}

#[derive(Debug)]
pub enum Shape {
    Bool,
    I8,
    I16,
    I32,
    I64,
    I128,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
    Char,
    Text,
    Bytes,
    Unit,
    UnitStruct,
    Option(Box<Shape>),
    Newtype(Box<Shape>),
    Seq(Box<Shape>),
    Tuple(Vec<Shape>),
    TupleStruct(Vec<Shape>),
    Map(Box<Shape>, Box<Shape>),
    Struct(Fields),
    Enum(Vec<Variant>, Names),
    /// One of the schema's definitions.
    Definition(usize),
}

/// The names that serde hands to the format: those of all fields or variants that can be read, aliases included.
pub type Names = &'static [&'static str];

#[derive(Debug)]
pub struct Fields {
    pub members: Vec<Field>,
    pub names: Names,
    pub deny_unknown: bool,
}

#[derive(Debug)]
pub struct Field {
    pub name: &'static str,
    pub alias: Option<&'static str>,
    pub shape: Shape,
}

#[derive(Debug)]
pub struct Variant {
    pub name: &'static str,
    pub alias: Option<&'static str>,
    pub skip: Skip,
    /// Takes all names that no other variant takes.
    pub other: bool,
    pub content: Content,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skip {
    Never,
    Reading,
    Always,
}

#[derive(Debug)]
pub enum Content {
    Unit,
    Newtype(Shape),
    Tuple(Vec<Shape>),
    Struct(Fields),
}

/// A value of a type; floats are their bits, so that equal means the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Bool(bool),
    Integer(i128),
    F32(u32),
    F64(u64),
    Char(char),
    Text(String),
    Bytes(Vec<u8>),
    Unit,
    None,
    Some(Box<Value>),
    Newtype(Box<Value>),
    /// Of a sequence, a tuple or a struct, in the order of the type.
    Items(Vec<Value>),
    Map(Vec<(Value, Value)>),
    /// Which variant, and its content: `Unit`, the value of a newtype, or `Items`.
    Variant(usize, Box<Value>),
}

impl Schema {
    pub fn resolve<'a>(&'a self, mut shape: &'a Shape) -> &'a Shape {
        // A definition is never another definition.
        if let Shape::Definition(place) = shape {
            shape = &self.definitions[*place];
        }
        shape
    }
}
