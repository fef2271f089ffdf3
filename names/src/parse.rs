//! Parse: reads names files and single types. The grammar is in `docs/spec/names.md`.
//!
//! An error has its position in the text. Memory use is linear in the length of the text. Time is linear too, except
//! that each use of a type name takes time logarithmic in the number of named types.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use crate::model::{Field, Fields, Names, Type};
use crate::place::in_text;
use crate::scalar::Scalar;

/// The maximum nesting depth of `{`, `[` and `(`. Packets have the same depth limit.
const DEPTH: usize = 64;

/// Words that cannot be names of types, in addition to the names of scalars.
const WORDS: [&str; 7] = ["map", "of", "one", "packets", "pvar", "usize", "isize"];

/// Names of types that people are likely to try, with the correct names.
const OTHERS: [(&str, &str); 6] = [
    ("str", "text"),
    ("string", "text"),
    ("pi32", "pvar i32"),
    ("pi64", "pvar i64"),
    ("pu32", "pvar u32"),
    ("pu64", "pvar u64"),
];

/// An error in a names file, a type or a path, with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    message: String,
    span: Range<usize>,
}

impl ParseError {
    /// The byte range of the error in the text.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Formats the line number, the column, and the line itself with carets under the error. `text` is the parsed text. The
    /// result is safe to print.
    ///
    /// # Examples
    /// ```
    /// let text = "01 a u32\n02 b u33";
    /// let error = text.parse::<y3_names::Names>().unwrap_err();
    /// assert_eq!(error.in_text(text), "2:6\n  |\n2 | 02 b u33\n  |      ^^^");
    /// ```
    #[must_use]
    pub fn in_text(&self, text: &str) -> String {
        in_text(text, self.span())
    }

    pub(crate) fn new(message: impl Into<String>, span: Range<usize>) -> Self {
        Self { message: message.into(), span }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ParseError {}

type Result<T> = std::result::Result<T, ParseError>;

impl FromStr for Names {
    type Err = ParseError;

    /// # Errors
    /// Returns [`ParseError`] for a syntax error, a duplicate key or name, an undefined type, or a type defined only as itself.
    fn from_str(text: &str) -> Result<Self> {
        let mut parser = Parser::new(text);
        let (mut names, mut spans) = (Names::default(), Vec::new());
        while parser.at < text.len() {
            let (word, span) = (parser.word(), parser.at..parser.at + parser.word().len());
            if word.is_empty() {
                let field = parser.field(false, "a key of two hexadecimal digits, 00 to 3f")?;
                add(&mut names.fields, field)?;
                continue;
            }
            parser.take(word.len());
            parser.sign('=', "=")?;
            if is_word(word) {
                let message = format!("`{word}` is a reserved word and cannot be the name of a type");
                return Err(ParseError::new(message, span));
            }
            names.types.push((word.to_owned(), parser.kind()?));
            spans.push(span);
        }
        let mut places: Vec<usize> = (0..spans.len()).collect();
        places.sort_by_key(|place| &names.types[*place].0);
        let twice =
            places.windows(2).filter(|two| names.types[two[0]].0 == names.types[two[1]].0).map(|two| two[1]).min();
        if let Some(place) = twice {
            return Err(ParseError::new(format!("duplicate type `{}`", names.types[place].0), spans[place].clone()));
        }
        names.index = places.into_iter().map(|place| (place, place)).collect();
        parser.check_references(&names)?;
        let ends = ends(&names, &spans)?;
        names.index.iter_mut().for_each(|(place, end)| *end = ends[*place]);
        Ok(names)
    }
}

impl FromStr for Type {
    type Err = ParseError;

    /// # Errors
    /// Returns the errors of [`Names::parse_type`]. The name of a named type is always an error, because no names file
    /// is given.
    fn from_str(text: &str) -> Result<Self> {
        Names::default().parse_type(text)
    }
}

impl Names {
    /// Parses a type in the notation of names files. The type can refer to named types of this file.
    ///
    /// # Errors
    /// Returns a [`ParseError`] that names the expected token or suggests a similar word.
    pub fn parse_type(&self, text: &str) -> Result<Type> {
        let mut parser = Parser::new(text);
        let kind = parser.kind()?;
        if parser.at < text.len() {
            return parser.fail("the end of the type");
        }
        parser.check_references(self)?;
        Ok(kind)
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    /// The end of the last token.
    end: usize,
    depth: usize,
    /// The type names used so far.
    references: Vec<(&'t str, Range<usize>)>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Self {
        let mut parser = Parser { text, at: 0, end: 0, depth: 0, references: Vec::new() };
        parser.take(0);
        parser
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn fail<T>(&self, what: &str) -> Result<T> {
        let len = self.rest().find(char::is_whitespace).unwrap_or(self.rest().len());
        Err(ParseError::new(format!("expected {what}"), self.at..self.at + len))
    }

    /// Skips `len` bytes, then whitespace and comments.
    fn take(&mut self, len: usize) {
        self.at += len;
        self.end = self.at;
        loop {
            let rest = self.rest().trim_start_matches([' ', '\t', '\r', '\n']);
            let comment = if rest.starts_with('#') { rest.find('\n').unwrap_or(rest.len()) } else { 0 };
            self.at = self.text.len() - rest.len() + comment;
            if comment == 0 {
                return;
            }
        }
    }

    /// The word at this position. A word starts with a letter or `_`, followed by letters, digits, `_` and `-`.
    fn word(&self) -> &'t str {
        let is_inside = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
        let end = self.rest().find(|letter| !is_inside(letter)).unwrap_or(self.rest().len());
        let word = self.rest().get(..end).unwrap_or_default();
        if word.starts_with(|first: char| first.is_ascii_digit() || first == '-') { "" } else { word }
    }

    fn takes(&mut self, sign: char) -> bool {
        let is_there = self.rest().starts_with(sign);
        if is_there {
            self.take(1);
        }
        is_there
    }

    fn sign(&mut self, sign: char, what: &str) -> Result<()> {
        if self.takes(sign) { Ok(()) } else { self.fail(what) }
    }

    fn nested<T>(&mut self, inside: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == DEPTH {
            return self.fail("at most 64 levels");
        }
        self.depth += 1;
        let found = inside(self)?;
        self.depth -= 1;
        Ok(found)
    }

    fn fields(&mut self, are_variants: bool) -> Result<Fields> {
        self.sign('{', "{")?;
        self.nested(|parser| {
            let mut fields = Vec::new();
            while !parser.takes('}') {
                add(&mut fields, parser.field(are_variants, "a key, or }")?)?;
            }
            Ok(fields)
        })
    }

    /// Parses a field. If there is no key, `what` is the name of the expected token in the error message.
    fn field(&mut self, is_variant: bool, what: &str) -> Result<Field> {
        let start = self.at;
        let digits = self.rest().get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let key = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|key| *key <= 0x3f);
        let Some(key) = key else { return self.fail(what) };
        self.take(2);
        let name = self.word();
        if name.is_empty() {
            return self.fail("a name");
        }
        self.take(name.len());
        // After the name of a variant without content, the next key or the end follows.
        let is_end = self.rest().is_empty()
            || self.rest().starts_with(|next: char| next.is_ascii_digit() || "}?".contains(next));
        let kind = if is_end { Type::Unit } else { self.kind()? };
        let is_optional = self.takes('?');
        let span = start..self.end;
        if kind == Type::Unit && !is_variant {
            let message = format!("`{name}` has no type: only a variant of `one of` can omit it");
            return Err(ParseError::new(message, span));
        }
        Ok(Field { key, name: name.to_owned(), kind, is_optional, span })
    }

    fn kind(&mut self) -> Result<Type> {
        match self.rest().chars().next() {
            Some('{') => return self.fields(false).map(Type::Node),
            Some('[') => {
                self.take(1);
                let item = self.nested(Self::kind)?;
                return self.sign(']', "]").map(|()| Type::Slice(item.into()));
            }
            Some('(') => {
                self.take(1);
                return self.nested(|parser| {
                    let mut items = Vec::new();
                    while !parser.takes(')') {
                        if parser.rest().is_empty() {
                            return parser.fail("a type, or )");
                        }
                        items.push(parser.kind()?);
                    }
                    Ok(Type::Tuple(items))
                });
            }
            _ => {}
        }
        let (word, start) = (self.word(), self.at);
        let scalar = |word: &str, is_pvar| {
            let bare = |scalar: &Scalar| scalar.word().strip_prefix("pvar ").unwrap_or(scalar.word()) == word;
            Scalar::ALL.iter().copied().find(|scalar| scalar.is_pvar() == is_pvar && bare(scalar))
        };
        if word.is_empty() || matches!(word, "of" | "usize" | "isize") {
            return self.fail("a type");
        }
        self.take(word.len());
        match word {
            "packets" => self.fields(false).map(Type::Packets),
            "map" => self.nested(Self::kind).map(|value| Type::Map(value.into())),
            "one" if self.word() == "of" => {
                self.take(2);
                self.fields(true).map(Type::OneOf)
            }
            "one" => self.fail("of"),
            "pvar" => match scalar(self.word(), true) {
                Some(scalar) => {
                    self.take(self.word().len());
                    Ok(Type::Scalar(scalar))
                }
                None => self.fail("a type"),
            },
            word => Ok(scalar(word, false).map_or_else(
                || {
                    self.references.push((word, start..start + word.len()));
                    Type::Named(word.to_owned())
                },
                Type::Scalar,
            )),
        }
    }

    /// Checks that all type names in use are defined.
    fn check_references(&self, names: &Names) -> Result<()> {
        for (name, span) in &self.references {
            if names.place(name).is_none() {
                let known = names.types.iter().map(|(known, _)| &**known);
                let hint = match OTHERS.iter().find(|(other, _)| other == name) {
                    Some((_, word)) => format!(": write `{word}`"),
                    None => near(name, known.chain(Scalar::ALL.iter().map(|scalar| scalar.word()))),
                };
                return Err(ParseError::new(format!("there is no type `{name}`{hint}"), span.clone()));
            }
        }
        Ok(())
    }
}

fn is_word(word: &str) -> bool {
    WORDS.contains(&word) || Scalar::ALL.iter().any(|scalar| scalar.word() == word)
}

/// Adds a field. Returns an error for a duplicate key or name.
fn add(fields: &mut Fields, field: Field) -> Result<()> {
    // There are at most 64 fields, so a linear search is fast.
    if let Some(first) = fields.iter().find(|first| first.key == field.key) {
        return Err(ParseError::new(format!("duplicate key {:02x}: used by `{}`", field.key, first.name), field.span));
    }
    if fields.iter().any(|first| first.name == field.name) {
        return Err(ParseError::new(format!("duplicate name `{}`", field.name), field.span));
    }
    fields.push(field);
    Ok(())
}

/// Returns, for each type, the index of the type that its name resolves to. This type is never an alias. Each name is
/// resolved only once.
fn ends(names: &Names, spans: &[Range<usize>]) -> Result<Vec<usize>> {
    let mut ends: Vec<Option<usize>> = vec![None; names.types.len()];
    let mut seen = vec![None; names.types.len()];
    for (start, span) in spans.iter().enumerate() {
        let (mut place, mut followed) = (start, Vec::new());
        let end = loop {
            if let Some(end) = ends[place] {
                break end;
            }
            if seen[place] == Some(start) {
                let message = format!("type `{}` is defined only as itself", names.types[start].0);
                return Err(ParseError::new(message, span.clone()));
            }
            seen[place] = Some(start);
            followed.push(place);
            match &names.types[place].1 {
                Type::Named(next) => place = names.place(next).unwrap_or(place),
                _ => break place,
            }
        };
        for place in followed {
            ends[place] = Some(end);
        }
    }
    Ok(ends.into_iter().enumerate().map(|(place, end)| end.unwrap_or(place)).collect())
}

/// Returns a hint with the most similar name. If more than a third of the letters differ, returns an empty string.
#[must_use]
pub fn near<'n>(name: &str, among: impl IntoIterator<Item = &'n str>) -> String {
    /// The maximum length of a name that is compared. A comparison takes time proportional to the product of both lengths.
    const LONGEST: usize = 64;
    let can_be_near = |known: &&str| known.len() <= LONGEST && name.len() <= LONGEST;
    let near = among.into_iter().filter(can_be_near).map(|known| (distance(name, known), known));
    let near = near.min_by_key(|(changes, _)| *changes);
    let near = near.filter(|(changes, known)| *changes <= known.len().max(name.len()).div_ceil(3));
    near.map_or(String::new(), |(_, known)| format!("; did you mean `{known}`?"))
}

/// The edit distance: the number of letters to insert, remove or replace.
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
