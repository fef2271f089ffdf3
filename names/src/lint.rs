//! Lint: compares two names files, and describes how each change affects programs that still use the old file.
//!
//! Each change has a rule from the table of changes, and each rule has a verdict.

use std::fmt;
use std::mem::discriminant;

use y3::{Encoder, Packet};

use crate::model::{Field, Fields, Names, Type};
use crate::scalar::Scalar;
use crate::value::Value;

/// How safe a change is if old and new programs exchange packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Old and new programs read each other's packets.
    Safe,
    /// Old programs reject some new packets with an error, or new programs reject some old packets.
    Breaking,
    /// A program can read a wrong value without an error.
    Wrong,
}

/// A row of the table of changes. The guide contains the table too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The kind of change.
    pub change: &'static str,
    /// What happens when an old program reads a new packet.
    pub old_reader: &'static str,
    /// What happens when a new program reads an old packet.
    pub new_reader: &'static str,
    /// The verdict on the change: the worse of the two results.
    pub verdict: Verdict,
}

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident, $verdict:ident: $change:literal, $old:literal, $new:literal;)*) => {$(
        const $name: Rule = Rule { change: $change, old_reader: $old, new_reader: $new, verdict: Verdict::$verdict };
    )*
        /// All rows of the table.
        pub const RULES: &[Rule] = &[$($name,)*];
    };
}

rules! {
    RENAMED, Safe: "a field or variant gets another name", "reads it", "reads it";
    ADDED, Breaking: "a required field is added", "skips the field", "an error: the field is missing";
    ADDED_OPTIONAL, Safe: "an optional field is added", "skips the field", "reads the field as absent";
    REMOVED, Breaking: "a required field is removed", "an error: the field is missing", "skips the field";
    REMOVED_OPTIONAL, Safe: "an optional field is removed", "reads the field as absent",
        "skips the field. Never give its key to another field";
    OPTIONAL, Breaking: "a required field becomes optional, or the reverse",
        "an error if the reader requires the field and the packet does not contain it", "the same";
    WIDER, Breaking: "both types are signed integers, or one of them is `u8` or `u16` and the other is another integer",
        "an error if the number does not fit", "an error if the number does not fit";
    SIGN, Wrong: "the type changes between a signed integer and `u32` or `u64`, or between `u32` and `u64`",
        "another number, because -1, `u32::MAX` and `u64::MAX` have the same bytes", "the same";
    FLOAT, Wrong: "the type changes between `f32` and `f64`", "another number, because the `f64` 0.125 and the `f32` 1.5 have the same bytes", "the same";
    DIALECT, Wrong: "an integer changes between NVarInt and PVarInt", "another number", "another number";
    VALUE, Wrong: "the type changes between two of these: text, bytes, integer, float, `bool`", "reads a wrong value, if the bytes fit the type", "the same";
    EMBEDDED, Safe: "the type changes between `bytes` and `packets`", "reads the same bytes", "reads the same bytes";
    SHAPE, Breaking: "the type changes between a primitive and a node, or between two of these: fields, map, list, tuple, variants",
        "an error", "an error";
    VARIANT_ADDED, Breaking: "a variant is added", "an error, unless the type accepts unknown variants", "reads all old variants";
    VARIANT_REMOVED, Breaking: "a variant is removed", "reads all remaining variants", "an error, unless the type accepts unknown variants";
    CONTENT, Breaking: "a variant gets content, or loses its content", "an error", "an error";
    REUSED, Wrong: "a key is given to another field", "reads the value of the other field, if the bytes fit the type", "the same";
}

/// A difference between an old and a new names file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The keys on the path to the field, such as `3f/02:01/11`.
    pub path: String,
    /// A description of the change.
    pub what: String,
    /// The rule for this kind of change.
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

/// Returns the changes from an old file to a new one, in the order of the old file. Changes inside named types come
/// after all other changes.
///
/// If several paths lead to the same pair of named types, the pair is compared only once, at the shortest path.
#[must_use]
pub fn changes(old: &Names, new: &Names) -> Vec<Change> {
    let mut lint = Lint { old, new, changes: Vec::new(), seen: vec![Vec::new(); old.types.len()], named: Vec::new() };
    lint.fields(&old.fields, &new.fields, false, "");
    // Recursive types can form a huge number of pairs. Nobody could read so many changes, so the number of pairs is
    // limited.
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
            format!("changes from {} to {}, not checked: too many pairs of types to compare", old.short(), new.short()),
        );
    }
    lint.changes
}

/// The maximum number of comparisons per type, on average.
const PAIRS: usize = 16;
/// The maximum length of a path to a named type, in bytes. Readers reject packets at longer paths.
const PATH: usize = 3 * 128;

struct Lint<'n> {
    old: &'n Names,
    new: &'n Names,
    changes: Vec<Change>,
    /// For each named type of the old file, the sorted indexes of the new types with which it was compared. No pair of
    /// types is compared twice, so the comparison of recursive types ends.
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
            let change = if new.kind == Type::Unit { "loses its" } else { "gets" };
            self.say(path, &CONTENT, format!("`{}` {change} content", new.name));
        } else {
            self.kind(&old.kind, &new.kind, path);
        }
        if old.name != new.name {
            // If the name and the type have changed, the key belongs to another field.
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
            // Fields inside both types are compared later. All other changes are reported here, so that `field` notices
            // a new type with a new name.
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
                    self.say(path, rule, format!("changes from {one} to {other}"));
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
                self.say(path, rule, format!("changes from {} to {}", old.short(), new.short()));
            }
        }
    }
}

/// Returns the rule for a change between two scalars, or `None` if they are equal.
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

/// True if `reader` decodes any number of `writer` as a different number. Only the ends of the ranges are tested,
/// because both types encode the numbers in between in the same way.
fn reads_wrong(writer: Scalar, reader: Scalar) -> bool {
    let ends = [0, 7, 8, 15, 16, 31, 32, 63, 64].map(|bits| 1_i128 << bits);
    ends.iter().flat_map(|end| [*end, end - 1, -end, -end - 1]).any(|number| {
        let mut bytes = Vec::new();
        let written = Encoder::new(&mut bytes).packets(|to| writer.put_integer(0, number, to).unwrap_or(Ok(())));
        let read = written.and_then(|()| Packet::from_slice(&bytes)).and_then(|packet| reader.decode(packet));
        read.is_ok_and(|read| read != Value::Integer(number))
    })
}

/// Returns the table of changes as Markdown. Rows with the verdict [`Verdict::Wrong`] are bold.
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
