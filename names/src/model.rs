//! What a names file says: fields with keys, names and types.

use std::fmt;
use std::ops::Range;

/// A names file: the packets at the top level, and types that have a name of their own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names {
    /// The packets at the top level.
    pub fields: Fields,
    /// Named types, in the order of the file.
    pub types: Vec<(String, Type)>,
}

/// Fields in the order of the file.
pub type Fields = Vec<Field>;

/// A key with its name and type.
#[derive(Clone, Debug)]
pub struct Field {
    /// The key, 0..=63.
    pub key: u8,
    /// The name.
    pub name: String,
    /// What the packet holds.
    pub kind: Type,
    /// Whether a packet with this key may be absent.
    pub is_optional: bool,
    /// Where the field stands in the file, in bytes.
    pub span: Range<usize>,
}

/// Where a field stands does not matter.
impl PartialEq for Field {
    fn eq(&self, other: &Self) -> bool {
        (self.key, &self.name, &self.kind, self.is_optional) == (other.key, &other.name, &other.kind, other.is_optional)
    }
}

/// What a packet holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// A primitive's value.
    Value(Value),
    /// A node with these fields.
    Node(Fields),
    /// A primitive whose bytes are packets.
    Packets(Fields),
    /// A slice of items of one type.
    Slice(Box<Type>),
    /// A slice with one item of each type, in this order.
    Tuple(Vec<Type>),
    /// A node whose keys are those of a map.
    Map(Box<Type>),
    /// One of these variants: its number if it has no content, else a node with one packet.
    OneOf(Fields),
    /// A variant without content.
    Unit,
    /// A type of the file, by its name.
    Named(String),
}

/// The type of a primitive's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Bytes as they are.
    Bytes,
    /// UTF-8.
    Text,
    /// True or false.
    Bool,
    /// A signed integer of so many bits, in a dialect.
    Signed(u8, Dialect),
    /// An unsigned integer of so many bits, in a dialect.
    Unsigned(u8, Dialect),
    /// A float of 32 bits.
    F32,
    /// A float of 64 bits.
    F64,
}

/// How integers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `NVarInt`, SPEC §4.1.
    N,
    /// `PVarInt`, SPEC §4.2.
    P,
}

impl Names {
    /// A named type; none with that name is bytes.
    #[must_use]
    pub fn resolve<'n>(&'n self, kind: &'n Type) -> &'n Type {
        const BYTES: &Type = &Type::Value(Value::Bytes);
        let mut kind = kind;
        // A name for a name for itself is refused by the parser, so this ends.
        while let Type::Named(name) = kind {
            kind = self.types.iter().find(|(known, _)| known == name).map_or(BYTES, |(_, kind)| kind);
        }
        kind
    }

    /// The fields inside a packet of this type.
    #[must_use]
    pub fn inside<'n>(&'n self, kind: &'n Type) -> Option<&'n Fields> {
        match self.resolve(kind) {
            Type::Node(fields) | Type::Packets(fields) | Type::OneOf(fields) => Some(fields),
            _ => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pvar = |dialect: &Dialect| if *dialect == Dialect::P { "pvar " } else { "" };
        match self {
            Self::Bytes => f.write_str("bytes"),
            Self::Text => f.write_str("text"),
            Self::Bool => f.write_str("bool"),
            Self::Signed(bits, dialect) => write!(f, "{}i{bits}", pvar(dialect)),
            Self::Unsigned(bits, dialect) => write!(f, "{}u{bits}", pvar(dialect)),
            Self::F32 => f.write_str("f32"),
            Self::F64 => f.write_str("f64"),
        }
    }
}

/// The file, in the form in which it is written: two spaces a level.
impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, kind) in &self.types {
            write!(f, "{name} = ")?;
            write_type(f, kind, 0)?;
            f.write_str("\n")?;
        }
        self.fields.iter().try_for_each(|field| write_field(f, field, 0))
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_type(f, self, 0)
    }
}

fn write_field(f: &mut fmt::Formatter<'_>, field: &Field, depth: usize) -> fmt::Result {
    write!(f, "{:1$}{2:02x} {3}", "", 2 * depth, field.key, field.name)?;
    if field.kind != Type::Unit {
        f.write_str(" ")?;
        write_type(f, &field.kind, depth)?;
    }
    f.write_str(if field.is_optional { "?\n" } else { "\n" })
}

fn write_type(f: &mut fmt::Formatter<'_>, kind: &Type, depth: usize) -> fmt::Result {
    match kind {
        Type::Value(value) => write!(f, "{value}"),
        Type::Named(name) => f.write_str(name),
        Type::Unit => Ok(()),
        Type::Node(fields) => write_fields(f, "", fields, depth),
        Type::Packets(fields) => write_fields(f, "packets ", fields, depth),
        Type::OneOf(fields) => write_fields(f, "one of ", fields, depth),
        Type::Slice(item) => {
            f.write_str("[")?;
            write_type(f, item, depth)?;
            f.write_str("]")
        }
        Type::Map(value) => {
            f.write_str("map ")?;
            write_type(f, value, depth)
        }
        Type::Tuple(items) => {
            f.write_str("(")?;
            for (place, item) in items.iter().enumerate() {
                f.write_str(if place == 0 { "" } else { " " })?;
                write_type(f, item, depth)?;
            }
            f.write_str(")")
        }
    }
}

fn write_fields(f: &mut fmt::Formatter<'_>, word: &str, fields: &Fields, depth: usize) -> fmt::Result {
    if fields.is_empty() {
        return write!(f, "{word}{{}}");
    }
    writeln!(f, "{word}{{")?;
    fields.iter().try_for_each(|field| write_field(f, field, depth + 1))?;
    write!(f, "{:1$}}}", "", 2 * depth)
}
