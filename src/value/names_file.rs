//! Names file: describes the packets of a type in the grammar of `docs/spec/names.md`.

use super::traits::{Encode, Fields, Shape};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::error::Error;
use crate::wire::key::Key;

/// Returns the names file of a type. `y3 --names FILE` and the package `y3-names` use such a file to show packets with
/// names.
///
/// `key` and `name` are the key and the name of the top-level packet. Each derived type becomes one definition.
/// `docs/spec/names.md` has the grammar.
///
/// The grammar cannot describe [`UnknownFields`](crate::value::UnknownFields), `Packet`, `other` variants, variants
/// with numbers above 63, and types with a hand-written `Encode`. The file does not mention these parts of a type. A
/// reader of the file shows numbers instead of names for their packets.
///
/// # Errors
/// Returns [`InvalidKey`](crate::ErrorKind::InvalidKey) if the key is above 0x3f.
///
/// # Examples
/// ```
/// # #[cfg(feature = "derive")] {
/// #[derive(y3::Encode)]
/// struct Reading<'a> {
///     #[y3(0x11)]
///     noise: f32,
///     #[y3(0x12, pvar)]
///     at: Option<i64>,
///     #[y3(0x13)]
///     from: &'a str,
/// }
///
/// let file = y3::value::names_file::<Reading>(0x01, "reading")?;
/// assert_eq!(file, "\
/// Reading = {
///   11 noise f32
///   12 at pvar i64?
///   13 from text
/// }
/// 01 reading Reading
/// ");
/// # }
/// # Ok::<(), y3::Error>(())
/// ```
pub fn names_file<T: Encode + ?Sized>(key: u8, name: &str) -> Result<String, Error> {
    let key = Key::new(key).ok_or_else(|| Error::of_key(key, 0))?.get();
    let mut types = Types(Vec::new());
    let top = types.show(T::SHAPE, false);
    let lines = types.0.iter().map(|known| format!("{} = {}\n", known.name, known.text));
    let mut lines: Vec<String> = lines.collect();
    if let Some(kind) = top {
        let mark = if T::OPTIONAL.0 { "?" } else { "" };
        lines.push(format!("{key:02x} {} {kind}{mark}\n", unique(name, |_| false)));
    }
    Ok(lines.concat())
}

/// The definitions, in the order in which their types are found.
struct Types(Vec<Type>);

struct Type {
    /// The type's name, and a bool that is true if its integers are `PVarInt`. A file can define a type in both forms.
    of: (&'static str, bool),
    name: String,
    text: String,
}

impl Types {
    /// Returns the type in the notation of the grammar, or `None` if the grammar cannot express the type.
    fn show(&mut self, shape: Shape, pvar: bool) -> Option<String> {
        Some(match shape {
            Shape::Any => return None,
            // The grammar has no `pvar` for short integers. Their packets are those of `i32`.
            Shape::Value("i8" | "i16" | "u8" | "u16") if pvar => "pvar i32".into(),
            Shape::Value(integer @ ("i32" | "u32" | "i64" | "u64")) if pvar => format!("pvar {integer}"),
            Shape::Value(value) => value.into(),
            Shape::Slice(item) => format!("[{}]", self.show(item(), pvar)?),
            Shape::Map(value) => format!("map {}", self.show(value(), pvar)?),
            Shape::PVar(value) => self.show(value(), true)?,
            Shape::Tuple(items) => {
                let items: Option<Vec<_>> = items.iter().map(|item| self.show(item(), pvar)).collect();
                format!("({})", items?.join(" "))
            }
            Shape::Node(fields) => self.fields(fields, pvar).unwrap_or_else(|| "{}".into()),
            Shape::OneOf(variants) => format!("one of {}", self.fields(variants, pvar)?),
            Shape::Named(of, name, shape) => return self.named((of(), pvar), name, shape),
        })
    }

    /// Returns the fields in braces, or `None` if there are no fields.
    fn fields(&mut self, fields: Fields, pvar: bool) -> Option<String> {
        let (mut lines, mut names) = (Vec::new(), Vec::<String>::new());
        fields(&mut |key, name, is_optional, shape| {
            let Some(kind) = self.show(shape(), pvar) else { return };
            let name = unique(name, |name| names.iter().any(|known| known == name));
            let (space, mark) = (if kind.is_empty() { "" } else { " " }, if is_optional { "?" } else { "" });
            lines.push(format!("{key:02x} {name}{space}{kind}{mark}").replace('\n', "\n  "));
            names.push(name);
        });
        (!lines.is_empty()).then(|| format!("{{\n  {}\n}}", lines.join("\n  ")))
    }

    fn named(&mut self, of: (&'static str, bool), name: &str, shape: fn() -> Shape) -> Option<String> {
        if let Some(known) = self.0.iter().find(|known| known.of == of) {
            return Some(known.name.clone());
        }
        // Lower-case words are reserved for the grammar.
        let capital = name.get(..1).unwrap_or_default().to_ascii_uppercase() + name.get(1..).unwrap_or(name);
        let name = unique(&capital, |name| self.0.iter().any(|known| known.name == name));
        let place = self.0.len();
        self.0.push(Type { of, name: name.clone(), text: String::new() });
        let text = self.show(shape(), of.1);
        let Some((known, text)) = self.0.get_mut(place).zip(text) else {
            // The types found inside this type can contain this type, so their definitions are removed too.
            self.0.truncate(place);
            return None;
        };
        known.text = text;
        Some(name)
    }
}

/// Replaces each character that is not allowed in a name of the grammar with `_`. If the result is already used, adds a
/// number to it.
fn unique(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let word = name.chars().map(|letter| if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' });
    let mut word: String = word.collect();
    if !word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        word.insert(0, '_');
    }
    let mut name = word.clone();
    let mut number = 1;
    while is_taken(&name) {
        number += 1;
        name = format!("{word}-{number}");
    }
    name
}
