//! Lint: tells what a change of a names file means for programs that still use the old file.
//!
//! In: the old file and the new one. Out: each change with its verdict and its row in the table of changes.

use std::fmt;
use std::mem::discriminant;

use y3::{Encoder, Packet};

use crate::model::{Field, Fields, Names, Type};
use crate::scalar::Scalar;
use crate::value::Value;

/// The effect of a change on the packets of the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Each side reads the packets of the other.
    Safe,
    /// One side rejects some packets of the other with an error.
    Breaking,
    /// One side can read a wrong value and notice nothing.
    Wrong,
}

/// A row of the table of changes, which is also in the guide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The change.
    pub change: &'static str,
    /// How an old reader reads a new packet.
    pub old_reader: &'static str,
    /// How a new reader reads an old packet.
    pub new_reader: &'static str,
    /// The worse of the two.
    pub verdict: Verdict,
}

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident, $verdict:ident: $change:literal, $old:literal, $new:literal;)*) => {$(
        const $name: Rule = Rule { change: $change, old_reader: $old, new_reader: $new, verdict: Verdict::$verdict };
    )*
        /// All rows.
        pub const RULES: &[Rule] = &[$($name,)*];
    };
}

rules! {
    RENAMED, Safe: "a field or variant gets another name", "reads it", "reads it";
    ADDED, Breaking: "a field is added", "skips it", "absent: an error unless it is optional";
    ADDED_OPTIONAL, Safe: "an optional field is added", "skips it", "absent";
    REMOVED, Breaking: "a field is removed", "absent: an error unless it is optional", "skips it";
    REMOVED_OPTIONAL, Safe: "an optional field is removed", "absent", "skips it; never give its key to another field";
    OPTIONAL, Breaking: "a field becomes optional, or is no longer", "an error if it is absent and expected", "the same";
    WIDER, Breaking: "an integer becomes wider or narrower within its signedness, or `u8` or `u16` becomes any other integer",
        "an error if it does not fit", "an error if it does not fit";
    SIGN, Wrong: "signed into unsigned, or back; `u32` into a wider integer, or back",
        "another number: -1, `u32::MAX` and `u64::MAX` are the same byte", "the same";
    FLOAT, Wrong: "`f32` into `f64`, or back", "another number: 0.125 is read as 1.5, or the reverse", "the same";
    DIALECT, Wrong: "the dialect of integers", "other numbers", "other numbers";
    VALUE, Wrong: "one of text, bytes, numbers, `bool` into another", "any value, if the bytes fit the type", "the same";
    EMBEDDED, Safe: "bytes into packets inside the same bytes, or back", "the same bytes", "the same bytes";
    SHAPE, Breaking: "a value into a node or a slice, one of node, map, list, tuple, variants into another, or back", "an error", "an error";
    VARIANT_ADDED, Breaking: "a variant is added", "an error unless it takes unknown variants", "reads all old ones";
    VARIANT_REMOVED, Breaking: "a variant is removed", "reads all new ones", "an error unless it takes unknown variants";
    CONTENT, Breaking: "a variant gets content, or loses it", "an error", "an error";
    REUSED, Wrong: "a key is used again for another field", "the other field's value, if the bytes fit the type", "the same";
}

/// A change between two files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The keys that lead to the field, such as `3f/02:01/11`.
    pub path: String,
    /// A description of the change.
    pub what: String,
    /// The row of the table.
    pub rule: &'static Rule,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match self.rule.verdict {
            Verdict::Safe => "safe",
            Verdict::Breaking => "breaking",
            Verdict::Wrong => "silently wrong",
        };
        write!(f, "{verdict}: {} {}", self.path, self.what)
    }
}

/// Returns the changes from one file to another, in the order of the old file. Changes inside named types come last.
///
/// Two named types are compared once, at the shortest path to them.
#[must_use]
pub fn changes(old: &Names, new: &Names) -> Vec<Change> {
    let mut lint = Lint { old, new, changes: Vec::new(), seen: vec![Vec::new(); old.types.len()], named: Vec::new() };
    lint.fields(&old.fields, &new.fields, false, "");
    // Files can have types that are paired in so many ways that nobody could read the changes, and that no packet reaches.
    let most = PAIRS * (old.types.len() + new.types.len());
    for next in 0..most {
        let Some(pair) = lint.named.get_mut(next) else { return lint.changes };
        let (old, new, path) = (pair.0, pair.1, std::mem::take(&mut pair.2));
        lint.kind(old, new, &path);
    }
    if let Some((old, new, path)) = lint.named.get(most).cloned() {
        lint.say(
            &path,
            &REUSED,
            format!("is {}, and was {}: too many pairs of types to compare", new.short(), old.short()),
        );
    }
    lint.changes
}

/// The maximum number of comparisons per type, on average.
const PAIRS: usize = 16;
/// The longest path to a named type. No reader accepts packets at longer paths.
const PATH: usize = 3 * 128;

struct Lint<'n> {
    old: &'n Names,
    new: &'n Names,
    changes: Vec<Change>,
    /// For each named type of the old file, the types of the new file that it is or will be compared with, in order. This ends the
    /// comparison of recursive types.
    seen: Vec<Vec<usize>>,
    named: Vec<(&'n Type, &'n Type, String)>,
}

impl<'n> Lint<'n> {
    fn say(&mut self, path: &str, rule: &'static Rule, what: String) {
        self.changes.push(Change { path: path.to_owned(), what, rule });
    }

    fn is_new_pair(&mut self, old: usize, new: usize) -> bool {
        let Some(seen) = self.seen.get_mut(old) else { return false };
        let place = seen.binary_search(&new);
        if let Err(place) = place {
            seen.insert(place, new);
        }
        place.is_err()
    }

    fn fields(&mut self, old: &'n Fields, new: &'n Fields, are_variants: bool, around: &str) {
        let path = |field: &Field| format!("{around}{:02x}", field.key);
        for field in old {
            let path = path(field);
            match new.iter().find(|other| other.key == field.key) {
                None if are_variants => self.say(&path, &VARIANT_REMOVED, format!("`{}` is removed", field.name)),
                None if field.is_optional => self.say(&path, &REMOVED_OPTIONAL, format!("`{}` is removed", field.name)),
                None => self.say(&path, &REMOVED, format!("`{}` is removed", field.name)),
                Some(other) => self.field(field, other, are_variants, &path),
            }
        }
        for field in new.iter().filter(|field| old.iter().all(|other| other.key != field.key)) {
            let rule = match (are_variants, field.is_optional) {
                (true, _) => &VARIANT_ADDED,
                (false, true) => &ADDED_OPTIONAL,
                (false, false) => &ADDED,
            };
            self.say(&path(field), rule, format!("`{}` is added", field.name));
        }
    }

    fn field(&mut self, old: &'n Field, new: &'n Field, is_variant: bool, path: &str) {
        let before = self.changes.len();
        if is_variant && (old.kind == Type::Unit) != (new.kind == Type::Unit) {
            self.say(path, &CONTENT, format!("`{}` gets content, or loses it", new.name));
        } else {
            self.kind(&old.kind, &new.kind, path);
        }
        if old.name != new.name {
            // With a type of its own it is another field.
            if self.changes.len() > before {
                self.say(path, &REUSED, format!("`{}` has the key of `{}` and another type", new.name, old.name));
            } else {
                self.say(path, &RENAMED, format!("`{}` is named `{}` now", old.name, new.name));
            }
        }
        if old.is_optional != new.is_optional && !is_variant {
            self.say(
                path,
                &OPTIONAL,
                format!("`{}` is {}", new.name, if new.is_optional { "optional now" } else { "no longer optional" }),
            );
        }
    }

    fn kind(&mut self, old: &'n Type, new: &'n Type, path: &str) {
        let names = (old, new);
        let (old, new) = (self.old.resolve(old), self.new.resolve(new));
        if let (Type::Named(one), Type::Named(other)) = names {
            // Changes that need no look inside: a field that has another name too is another field.
            if discriminant(old) == discriminant(new) && !matches!(old, Type::Scalar(_)) {
                let pair = self.old.place(one).zip(self.new.place(other));
                if path.len() <= PATH && pair.is_some_and(|(old, new)| self.is_new_pair(old, new)) {
                    self.named.push((old, new, path.to_owned()));
                }
                return;
            }
        }
        match (old, new) {
            (Type::Scalar(one), Type::Scalar(other)) => {
                if let Some(rule) = scalar(*one, *other) {
                    self.say(path, rule, format!("is {other}, and was {one}"));
                }
            }
            (Type::Node(one), Type::Node(other)) => self.fields(one, other, false, &format!("{path}/")),
            (Type::Packets(one), Type::Packets(other)) => self.fields(one, other, false, &format!("{path}:")),
            (Type::OneOf(one), Type::OneOf(other)) => self.fields(one, other, true, &format!("{path}/")),
            (Type::Slice(one), Type::Slice(other)) => self.kind(one, other, &format!("{path}/00")),
            (Type::Map(one), Type::Map(other)) => self.kind(one, other, &format!("{path}/*")),
            (Type::Tuple(one), Type::Tuple(other)) if one.len() == other.len() => {
                one.iter().zip(other).for_each(|(one, other)| self.kind(one, other, &format!("{path}/00")));
            }
            (Type::Unit, Type::Unit) => {}
            _ => {
                let rule = match (old, new) {
                    (Type::Scalar(Scalar::Bytes), Type::Packets(_))
                    | (Type::Packets(_), Type::Scalar(Scalar::Bytes)) => &EMBEDDED,
                    (Type::Scalar(_), Type::Packets(_)) | (Type::Packets(_), Type::Scalar(_)) => &VALUE,
                    _ => &SHAPE,
                };
                self.say(path, rule, format!("is {}, and was {}", new.short(), old.short()));
            }
        }
    }
}

/// Returns the rule for a change between two scalars, or `None` if they are the same.
fn scalar(old: Scalar, new: Scalar) -> Option<&'static Rule> {
    use Scalar::{F32, F64};
    match (old, new) {
        _ if old == new => None,
        (F32, F64) | (F64, F32) => Some(&FLOAT),
        _ if !old.is_integer() || !new.is_integer() => Some(&VALUE),
        _ if old.is_pvar() != new.is_pvar() => Some(&DIALECT),
        _ if reads_wrong(old, new) || reads_wrong(new, old) => Some(&SIGN),
        _ => Some(&WIDER),
    }
}

/// Whether any number is read as a different one. It tests only the ends of the ranges, since between them both types encode alike.
fn reads_wrong(writer: Scalar, reader: Scalar) -> bool {
    let ends = [0, 7, 8, 15, 16, 31, 32, 63, 64].map(|bits| 1_i128 << bits);
    ends.iter().flat_map(|end| [*end, end - 1, -end, -end - 1]).any(|number| {
        let mut bytes = Vec::new();
        let written = Encoder::new(&mut bytes).packets(|to| writer.put_integer(0, number, to).unwrap_or(Ok(())));
        let read = written.and_then(|()| Packet::from_slice(&bytes)).and_then(|packet| reader.decode(packet));
        read.is_ok_and(|read| read != Value::Integer(number))
    })
}

/// The table of changes in Markdown. Silently wrong changes are bold.
#[must_use]
pub fn table() -> String {
    let mut table = String::from("| change | old reader, new packet | new reader, old packet |\n|---|---|---|\n");
    for rule in RULES {
        let mark = if rule.verdict == Verdict::Wrong { "**" } else { "" };
        let cell = |text: &str| format!(" {mark}{text}{mark} |");
        table.push('|');
        for text in [rule.change, rule.old_reader, rule.new_reader] {
            table.push_str(&cell(text));
        }
        table.push('\n');
    }
    table
}
