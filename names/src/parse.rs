//! Parses a names file. The grammar is in `docs/spec/names.md`.
//!
//! In: the text. Out: what it says, or an error with its place in the text.

use std::fmt;
use std::ops::Range;

use winnow::ascii::multispace1;
use winnow::combinator::{alt, cut_err, eof, opt, peek, preceded, repeat, terminated};
use winnow::error::{ContextError, ErrMode, StrContext, StrContextValue};
use winnow::prelude::*;
use winnow::stream::{LocatingSlice, Location, Stateful};
use winnow::token::{one_of, take_till, take_while};

use crate::model::{Dialect, Field, Fields, Names, Type, Value};

/// The most levels of `{`, `[` and `(`, one inside another: as many as a reader of packets enters.
const DEPTH: usize = 64;

/// Words that are no names of types.
const WORDS: [&str; 20] = [
    "bool", "bytes", "f32", "f64", "i16", "i32", "i64", "i8", "map", "of", "one", "packets", "pvar", "text", "u16",
    "u32", "u64", "u8", "usize", "isize",
];

/// What is wrong with a names file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    message: String,
    span: Range<usize>,
}

impl ParseError {
    /// The bytes of the file that are wrong.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    fn new(message: impl Into<String>, span: Range<usize>) -> Self {
        Self { message: message.into(), span }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ParseError {}

impl std::str::FromStr for Names {
    type Err = ParseError;

    /// # Errors
    /// [`ParseError`] with what was expected, or for a key or a name that is there twice, a type that is not there, or one that is only
    /// itself.
    fn from_str(text: &str) -> Result<Self, ParseError> {
        let input = Stateful { input: LocatingSlice::new(text), state: 0 };
        let names = file.parse(input).map_err(|error| {
            let at = error.offset().min(text.len());
            let len = text.get(at..).and_then(|rest| rest.split(char::is_whitespace).next()).map_or(0, str::len);
            ParseError::new(message(error.inner()), at..at + len)
        })?;
        check_types(&names)?;
        check_fields(&names, &names.fields, false)?;
        names.types.iter().try_for_each(|(_, kind)| check_type(&names, kind))?;
        Ok(names)
    }
}

type Input<'t> = Stateful<LocatingSlice<&'t str>, usize>;

fn message(error: &ContextError) -> String {
    // The innermost parser that failed comes first.
    let expected = error.context().find_map(|context| match context {
        StrContext::Expected(value) => Some(value),
        _ => None,
    });
    expected.map_or("unexpected text".to_owned(), |what| format!("expected {what}"))
}

fn expected(what: &'static str) -> StrContext {
    StrContext::Expected(StrContextValue::Description(what))
}

/// Spaces, ends of lines and comments.
fn blank(input: &mut Input<'_>) -> ModalResult<()> {
    repeat(0.., alt((multispace1.void(), ('#', take_till(0.., '\n')).void()))).parse_next(input)
}

fn sign<'t>(sign: char) -> impl Parser<Input<'t>, char, ErrMode<ContextError>> {
    terminated(sign, blank)
}

/// A letter, then letters, digits, `_` and `-`.
fn name(input: &mut Input<'_>) -> ModalResult<String> {
    let first = one_of(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    let others = take_while(0.., |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-'));
    terminated((first, others).take().map(str::to_owned), blank).context(expected("a name")).parse_next(input)
}

fn word<'t>(word: &'static str) -> impl Parser<Input<'t>, (), ErrMode<ContextError>> {
    name.verify(move |found: &str| found == word).void()
}

/// Two hexadecimal digits, up to 3f.
fn key(input: &mut Input<'_>) -> ModalResult<u8> {
    let digits = take_while(2, |digit: char| digit.is_ascii_hexdigit());
    terminated(digits.try_map(|digits| u8::from_str_radix(digits, 16)).verify(|key| *key <= 0x3f), blank)
        .context(expected("a key of two hexadecimal digits, 00 to 3f"))
        .parse_next(input)
}

fn file(input: &mut Input<'_>) -> ModalResult<Names> {
    enum Item {
        Field(Field),
        Type(String, Type),
    }
    let definition = (terminated(name, sign('=')), cut_err(kind)).map(|(name, kind)| Item::Type(name, kind));
    let items: Vec<Item> = preceded(blank, repeat(0.., alt((definition, field.map(Item::Field))))).parse_next(input)?;
    alt((eof.void(), cut_err(peek(key)).void())).parse_next(input)?;
    let mut names = Names::default();
    for item in items {
        match item {
            Item::Field(field) => names.fields.push(field),
            Item::Type(name, kind) => names.types.push((name, kind)),
        }
    }
    Ok(names)
}

fn field(input: &mut Input<'_>) -> ModalResult<Field> {
    let start = input.current_token_start();
    let key = key.parse_next(input)?;
    let name = cut_err(name).parse_next(input)?;
    // A variant without content has no type: what follows is the next key or the end.
    let kind = alt((peek(alt((one_of(('0'..='9', '}', '?')).void(), eof.void()))).value(Type::Unit), cut_err(kind)))
        .parse_next(input)?;
    let is_optional = opt(sign('?')).parse_next(input)?.is_some();
    Ok(Field { key, name, kind, is_optional, span: start..input.previous_token_end() })
}

fn fields(input: &mut Input<'_>) -> ModalResult<Fields> {
    nested(sign('{').void(), terminated(repeat(0.., field), cut_err(sign('}').context(expected("a key, or }")))))
        .parse_next(input)
}

/// What stands after a bracket or a word, one level deeper.
fn nested<'t, T>(
    mut open: impl Parser<Input<'t>, (), ErrMode<ContextError>>,
    mut inside: impl Parser<Input<'t>, T, ErrMode<ContextError>>,
) -> impl Parser<Input<'t>, T, ErrMode<ContextError>> {
    move |input: &mut Input<'t>| {
        open.parse_next(input)?;
        if input.state == DEPTH {
            return cut_err(winnow::combinator::fail.context(expected("at most 64 levels"))).parse_next(input);
        }
        input.state += 1;
        let found = inside.parse_next(input);
        input.state -= 1;
        found
    }
}

fn kind(input: &mut Input<'_>) -> ModalResult<Type> {
    alt((
        fields.map(Type::Node),
        nested(sign('[').void(), terminated(cut_err(kind), cut_err(sign(']').context(expected("]")))))
            .map(|item| Type::Slice(item.into())),
        nested(sign('(').void(), terminated(repeat(0.., kind), cut_err(sign(')').context(expected("a type, or )")))))
            .map(Type::Tuple),
        preceded(word("packets"), cut_err(fields.context(expected("{")))).map(Type::Packets),
        preceded((word("one"), cut_err(word("of").context(expected("of")))), cut_err(fields.context(expected("{"))))
            .map(Type::OneOf),
        nested(word("map"), cut_err(kind)).map(|value| Type::Map(value.into())),
        preceded(word("pvar"), cut_err(name.verify_map(|name| value(&name, Dialect::P)))).map(Type::Value),
        name.verify_map(|name| value(&name, Dialect::N).map(Type::Value).or_else(|| reference(name))),
    ))
    .context(expected("a type"))
    .parse_next(input)
}

fn reference(name: String) -> Option<Type> {
    (!WORDS.contains(&&*name)).then_some(Type::Named(name))
}

fn value(name: &str, dialect: Dialect) -> Option<Value> {
    Some(match (name, dialect) {
        ("i8", Dialect::N) => Value::Signed(8, dialect),
        ("i16", Dialect::N) => Value::Signed(16, dialect),
        ("i32", _) => Value::Signed(32, dialect),
        ("i64", _) => Value::Signed(64, dialect),
        ("u8", Dialect::N) => Value::Unsigned(8, dialect),
        ("u16", Dialect::N) => Value::Unsigned(16, dialect),
        ("u32", _) => Value::Unsigned(32, dialect),
        ("u64", _) => Value::Unsigned(64, dialect),
        ("bytes", Dialect::N) => Value::Bytes,
        ("text", Dialect::N) => Value::Text,
        ("bool", Dialect::N) => Value::Bool,
        ("f32", Dialect::N) => Value::F32,
        ("f64", Dialect::N) => Value::F64,
        _ => return None,
    })
}

/// Keys and names are there once among their siblings, and types that are named are there.
fn check_fields(names: &Names, fields: &Fields, are_variants: bool) -> Result<(), ParseError> {
    for (place, field) in fields.iter().enumerate() {
        if field.kind == Type::Unit && !are_variants {
            let message = format!("`{}` has no type; only a variant of `one of` may have none", field.name);
            return Err(ParseError::new(message, field.span.clone()));
        }
        let before = fields.get(..place).unwrap_or_default();
        if let Some(first) = before.iter().find(|first| first.key == field.key) {
            return Err(ParseError::new(
                format!("key {:02x} is there twice: `{}` has it", field.key, first.name),
                field.span.clone(),
            ));
        }
        if before.iter().any(|first| first.name == field.name) {
            return Err(ParseError::new(format!("name `{}` is there twice", field.name), field.span.clone()));
        }
        check_type(names, &field.kind).map_err(|error| {
            // A type without a place stands in this field.
            if error.span.is_empty() { ParseError { span: field.span.clone(), ..error } } else { error }
        })?;
    }
    Ok(())
}

fn check_type(names: &Names, kind: &Type) -> Result<(), ParseError> {
    match kind {
        Type::Node(fields) | Type::Packets(fields) => check_fields(names, fields, false),
        Type::OneOf(fields) => check_fields(names, fields, true),
        Type::Slice(item) | Type::Map(item) => check_type(names, item),
        Type::Tuple(items) => items.iter().try_for_each(|item| check_type(names, item)),
        Type::Named(name) if !names.types.iter().any(|(known, _)| known == name) => {
            let near = nearest(name, names.types.iter().map(|(known, _)| &**known));
            let hint = near.map_or(String::new(), |near| format!("; `{near}` is near"));
            Err(ParseError::new(format!("there is no type `{name}`{hint}"), 0..0))
        }
        _ => Ok(()),
    }
}

/// Names of types are there once, and none is only itself.
fn check_types(names: &Names) -> Result<(), ParseError> {
    for (place, (name, kind)) in names.types.iter().enumerate() {
        if names.types.iter().take(place).any(|(first, _)| first == name) {
            return Err(ParseError::new(format!("type `{name}` is there twice"), 0..0));
        }
        if WORDS.contains(&&**name) {
            return Err(ParseError::new(format!("`{name}` is a word of the language, not a name of a type"), 0..0));
        }
        let mut kind = kind;
        for _ in 0..=names.types.len() {
            let Type::Named(next) = kind else { break };
            match names.types.iter().find(|(known, _)| known == next) {
                Some((_, next)) => kind = next,
                None => break,
            }
        }
        if matches!(kind, Type::Named(next) if names.types.iter().any(|(known, _)| known == next)) {
            return Err(ParseError::new(format!("type `{name}` is only itself"), 0..0));
        }
    }
    Ok(())
}

/// The name that takes the fewest changes, if a third of its letters are enough.
#[must_use]
pub fn nearest<'n>(name: &str, among: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let near = among.into_iter().map(|known| (distance(name, known), known)).min_by_key(|(changes, _)| *changes);
    near.filter(|(changes, known)| *changes <= known.len().max(name.len()).div_ceil(3)).map(|(_, known)| known)
}

/// Letters to be put in, taken out or changed.
fn distance(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (place, letter) in from.bytes().enumerate() {
        let mut corner = place;
        row[0] = place + 1;
        for (at, other) in to.bytes().enumerate() {
            let changed = corner + usize::from(letter != other);
            corner = row[at + 1];
            row[at + 1] = changed.min(corner + 1).min(row[at] + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}
