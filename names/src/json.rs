//! JSON: reads JSON token by token, without building a tree. Numbers keep their digits.
//!
//! The crate `hifijson` splits the text into tokens. Errors have byte offsets.

use std::borrow::Cow;

use hifijson::num::LexWrite as _;
use hifijson::str::{Error, LexAlloc as _};
use hifijson::token::Lex as _;
use hifijson::{Read as _, SliceLexer};

use crate::encode_error::{EncodeError, Result};

#[cfg(test)]
mod tests;

/// The maximum nesting depth of objects and arrays: one object around packets that are nested up to `show::DEPTH`. Many
/// JSON readers have a similar limit.
const DEPTH: usize = crate::show::DEPTH + 1;

pub(crate) struct Reader<'t> {
    text: &'t str,
    lexer: SliceLexer<'t>,
    depth: usize,
}

/// A complete scalar value, or the start of an array or object.
#[derive(Debug, PartialEq)]
pub(crate) enum Token<'t> {
    Null,
    Bool(bool),
    /// A number, as its digits.
    Number(&'t str),
    Text(Cow<'t, str>),
    /// The start of an array. Call [`Reader::items`] next.
    List,
    /// The start of an object. Call [`Reader::members`] next.
    Object,
}

impl Token<'_> {
    /// The name of this kind of JSON value, for error messages.
    pub(crate) fn what(&self) -> &'static str {
        match self {
            Token::Null => "null",
            Token::Bool(_) => "true or false",
            Token::Number(_) => "a number",
            Token::Text(_) => "text",
            Token::List => "an array",
            Token::Object => "an object",
        }
    }
}

impl<'t> Reader<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Reader { text, lexer: SliceLexer::new(text.as_bytes()), depth: 0 }
    }

    /// The offset of the next token.
    pub(crate) fn at(&mut self) -> usize {
        self.lexer.eat_whitespace();
        self.text.len() - self.lexer.as_slice().len()
    }

    /// True if only whitespace is left.
    pub(crate) fn is_end(&mut self) -> bool {
        self.lexer.ws_peek().is_none()
    }

    fn takes(&mut self, sign: u8) -> bool {
        self.lexer.expect(SliceLexer::ws_peek, sign).is_some()
    }

    fn expected<T>(&mut self, what: &str) -> Result<T> {
        let (at, ends) = (self.at(), format!("expected {what}, found the end of the JSON"));
        Err(EncodeError::new(if self.is_end() { ends } else { format!("expected {what}") }, at))
    }

    pub(crate) fn token(&mut self) -> Result<Token<'t>> {
        let at = self.at();
        let wrong = |what| EncodeError::new(format!("expected {what}"), at);
        match self.lexer.peek_next() {
            Some(b'n' | b't' | b'f') => match self.lexer.null_or_bool() {
                Some(word) => Ok(word.map_or(Token::Null, Token::Bool)),
                None => Err(wrong("`null`, `true` or `false`")),
            },
            Some(b'-' | b'0'..=b'9') => match (self.lexer.num_string().validated(), self.lexer.peek_next()) {
                // The lexer reads 07 as two numbers.
                (Err(_), _) | (_, Some(b'0'..=b'9')) => Err(wrong("a number")),
                (Ok((digits, _)), _) => Ok(Token::Number(digits)),
            },
            Some(b'"') => self.text().map(Token::Text),
            Some(b'[') => Ok(Token::List),
            Some(b'{') => Ok(Token::Object),
            _ => self.expected("a value"),
        }
    }

    fn text(&mut self) -> Result<Cow<'t, str>> {
        if !self.takes(b'"') {
            return self.expected("text in quotation marks");
        }
        self.lexer.str_string().map_err(|error| {
            let mut taken = self.text.bytes().take(self.text.len() - self.lexer.as_slice().len());
            let (message, at) = match error {
                Error::Eof => ("the JSON ends inside text", taken.len()),
                Error::Control => {
                    ("a control character in text is written as \\u and four digits", taken.len().saturating_sub(1))
                }
                _ => (
                    "expected \\\" \\\\ \\/ \\b \\f \\n \\r \\t, or \\u and four digits",
                    taken.rposition(|byte| byte == b'\\').unwrap_or_default(),
                ),
            };
            EncodeError::new(message, at)
        })
    }

    /// Calls `item` for each item of an array, and returns the number of items. `item` gets the reader, which is at the
    /// start of the item, and the item's index.
    pub(crate) fn items(&mut self, item: impl FnMut(&mut Self, usize) -> Result<()>) -> Result<usize> {
        self.inside(b']', item)
    }

    /// Calls `member` for each member of an object, and returns the number of members. `member` gets the reader, which
    /// is at the start of the value, the member's name, and the offset of the name.
    pub(crate) fn members(&mut self, mut member: impl FnMut(&mut Self, &str, usize) -> Result<()>) -> Result<usize> {
        self.inside(b'}', |reader, _| {
            let (at, name) = (reader.at(), reader.text()?);
            if reader.takes(b':') { member(reader, &name, at) } else { reader.expected("`:`") }
        })
    }

    fn inside(&mut self, close: u8, mut next: impl FnMut(&mut Self, usize) -> Result<()>) -> Result<usize> {
        if self.depth == DEPTH {
            let message = format!("objects and arrays are nested more than {DEPTH} deep");
            return Err(EncodeError::new(message, self.at()));
        }
        self.depth += 1;
        self.lexer.take_next();
        let (mut count, mut is_end) = (0, self.takes(close));
        while !is_end {
            next(self, count)?;
            count += 1;
            is_end = self.takes(close);
            if !is_end && !self.takes(b',') {
                return self.expected(&format!("`,` or `{}`", char::from(close)));
            }
        }
        self.depth -= 1;
        Ok(count)
    }
}
