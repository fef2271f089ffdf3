//! Model: the content of a names file, which gives keys names and types.

use std::fmt;
use std::ops::Range;

use crate::scalar::Scalar;

/// A names file: the top-level packets and the named types. The [`Default`] is an empty file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names {
    pub(crate) fields: Fields,
    pub(crate) types: Vec<(String, Type)>,
    /// Pairs of indexes into `types`, sorted by the name of the first type. The second type is the one that this name
    /// resolves to. It is never an alias.
    // This is a sorted vector, because a map would add 10 KB of code to the WebAssembly module.
    pub(crate) index: Vec<(usize, usize)>,
}

/// Fields, in the order of the file.
pub type Fields = Vec<Field>;

/// A key with its name and type.
#[derive(Clone, Debug)]
pub struct Field {
    /// The key, 0..=63.
    pub key: u8,
    /// The name.
    pub name: String,
    /// The type of the packet.
    pub kind: Type,
    /// True if packets can lack this field.
    pub is_optional: bool,
    /// The byte range of the field in the file.
    pub span: Range<usize>,
}

/// Compares everything except the span.
impl PartialEq for Field {
    fn eq(&self, other: &Self) -> bool {
        (self.key, &self.name, &self.kind, self.is_optional) == (other.key, &other.name, &other.kind, other.is_optional)
    }
}

/// The type of a packet. `Display` and `FromStr` use the notation of names files.
///
/// # Examples
/// ```
/// use y3_names::{Scalar, Type};
///
/// assert_eq!("pvar i64".parse(), Ok(Type::Scalar(Scalar::PvarI64)));
/// assert_eq!("[text]".parse::<Type>().unwrap().to_string(), "[text]");
/// assert_eq!("str".parse::<Type>().unwrap_err().to_string(), "there is no type `str`: write `text`");
/// assert_eq!("u33".parse::<Type>().unwrap_err().to_string(), "there is no type `u33`; did you mean `u32`?");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// A primitive with a value of this type.
    Scalar(Scalar),
    /// A node with these fields.
    Node(Fields),
    /// A primitive whose bytes are packets.
    Packets(Fields),
    /// A slice of items of one type.
    Slice(Box<Type>),
    /// A slice with one item of each of these types, in this order.
    Tuple(Vec<Type>),
    /// A node that represents a map. The keys of the packets are the keys of the map.
    Map(Box<Type>),
    /// One of these variants. A variant without content is a number. Any other variant is a node that contains one packet.
    OneOf(Fields),
    /// A variant without content.
    Unit,
    /// A named type of the file.
    Named(String),
}

impl Names {
    /// The top-level packets.
    #[must_use]
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The named types, in the order of the file.
    #[must_use]
    pub fn types(&self) -> &[(String, Type)] {
        &self.types
    }

    /// The index in `types` of the type that `name` resolves to.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        let named = |(place, _): &(usize, usize)| self.types.get(*place).map_or("", |(name, _)| name);
        let at = self.index.binary_search_by(|entry| named(entry).cmp(name)).ok()?;
        self.index.get(at).map(|(_, end)| *end)
    }

    /// Returns the definition of a named type. All other types are returned unchanged.
    #[must_use]
    pub fn resolve<'n>(&'n self, kind: &'n Type) -> &'n Type {
        const BYTES: &Type = &Type::Scalar(Scalar::Bytes);
        match kind {
            Type::Named(name) => {
                self.place(name).and_then(|place| self.types.get(place)).map_or(BYTES, |(_, kind)| kind)
            }
            kind => kind,
        }
    }
}

/// Writes the notation of names files, with two spaces of indentation per level.
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

impl Type {
    /// Describes the type in a few words, such as `pvar i64`, `[text]`, `a node` or `one of on, off`.
    #[must_use]
    pub fn short(&self) -> String {
        const MOST: usize = 60;
        match self {
            Type::Node(_) => "a node".into(),
            Type::Packets(_) => "packets".into(),
            Type::Map(_) => "a map".into(),
            Type::Unit => "a variant without content".into(),
            Type::OneOf(variants) => {
                let names: Vec<&str> = variants.iter().take(8).map(|variant| &*variant.name).collect();
                format!("one of {}{}", names.join(", "), if variants.len() > 8 { ", .." } else { "" })
            }
            Type::Slice(item) if !matches!(**item, Type::Scalar(_) | Type::Named(_)) => "a slice".into(),
            Type::Tuple(items) => format!("a slice of {} items", items.len()),
            Type::Scalar(_) | Type::Slice(_) | Type::Named(_) => {
                let mut text = self.to_string();
                if let Some((end, _)) = text.char_indices().nth(MOST) {
                    text.truncate(end);
                    text.push_str("..");
                }
                text
            }
        }
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
        Type::Scalar(scalar) => f.write_str(scalar.word()),
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
