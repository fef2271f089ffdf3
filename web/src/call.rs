//! Call: the functions behind the exports. They take slices, and write text, JSON or bytes to a vector.

use std::fmt::{self, Write};

use y3::show::{self, Dump, escape_json, explain};
use y3::{Error, Hit, Packet, Path, packets};
use y3_names::lint::{self, Verdict};
use y3_names::{Names, Scalar, Schema, Type, Value};

use crate::decode::{Base64, Hex, Text as Encoded};
use crate::look::{Look, Written};
use crate::output::{Text, push};

/// An error message.
pub struct Message(pub String);

pub type Result<T = ()> = std::result::Result<T, Message>;

impl From<fmt::Error> for Message {
    fn from(_: fmt::Error) -> Self {
        Message("the result is too large: it has more than 512 MiB, or there is no memory for it".to_owned())
    }
}

impl From<String> for Message {
    fn from(message: String) -> Self {
        Message(message)
    }
}

/// The encoded arguments that have not been read yet.
#[derive(Clone)]
pub struct Arguments<'a>(pub &'a [u8]);

impl<'a> Iterator for Arguments<'a> {
    type Item = Result<&'a str>;

    fn next(&mut self) -> Option<Result<&'a str>> {
        let (len, rest) = self.0.split_first_chunk()?;
        let len = usize::try_from(u32::from_le_bytes(*len)).ok()?;
        let (argument, rest) = rest.split_at_checked(len)?;
        self.0 = rest;
        Some(std::str::from_utf8(argument).map_err(|_| Message("an argument is not UTF-8".to_owned())))
    }
}

impl<'a> Arguments<'a> {
    // These functions are not inlined, so the module contains each of them only once.

    /// Reads the next argument. Returns an empty string if there is none.
    #[inline(never)]
    pub fn text(&mut self) -> Result<&'a str> {
        self.next().unwrap_or(Ok(""))
    }

    /// Reads the next argument as a names file.
    #[inline(never)]
    pub fn names(&mut self) -> Result<Names> {
        let text = self.text()?;
        text.parse::<Names>().map_err(|error| {
            let place = error.in_text(text);
            Message(format!("names file, {}: {error}", place.lines().next().unwrap_or_default()))
        })
    }

    /// Reads all remaining arguments as paths of names or keys.
    #[inline(never)]
    pub fn paths(self, names: &Names) -> Result<Vec<Path>> {
        self.map(|text| Ok(path(names, text?)?.0)).collect()
    }

    /// Returns the primitives to read as packets. The remaining arguments select them by path. Without arguments, the
    /// names file selects them.
    #[inline(never)]
    pub fn opened(self, names: &Names) -> Result<Open> {
        let mut rest = self.clone();
        match rest.next().transpose()? {
            None => Ok(Open::At(names.embedded())),
            Some("*") if rest.0.is_empty() => Ok(Open::All),
            Some(_) => self.paths(names).map(Open::At),
        }
    }
}

/// Parses a path. Returns the path and the schema of the packets at this path.
#[inline(never)]
fn path<'n>(names: &'n Names, text: &str) -> Result<(Path, Schema<'n>)> {
    names.path(text).map_err(|error| Message(format!("path {}: {error}", show::escape(text))))
}

/// The primitives whose values are read as packets.
pub enum Open {
    All,
    At(Vec<Path>),
}

impl Open {
    pub fn dump<'a>(&'a self, bytes: &'a [u8]) -> Dump<'a> {
        match self {
            Open::All => y3::dump(bytes).open_all(),
            Open::At(paths) => y3::dump(bytes).open(paths),
        }
    }
}

pub fn dump(bytes: &[u8], mut arguments: Arguments<'_>, lines: usize, output: &mut Vec<u8>) -> Result {
    let open = arguments.names().and_then(|names| arguments.opened(&names))?;
    Ok(write!(Text::new(output), "{}", open.dump(bytes).short().max_lines(lines))?)
}

pub fn text(bytes: &[u8], mut arguments: Arguments<'_>, output: &mut Vec<u8>) -> Result {
    let open = arguments.names().and_then(|names| arguments.opened(&names))?;
    Ok(write!(Text::new(output), "{}", open.dump(bytes).as_text())?)
}

pub fn encode(text: &[u8], output: &mut Vec<u8>) -> Result {
    show::encode_text(utf8(text)?, output).map_err(|error| error.to_string())?;
    Ok(())
}

fn utf8(text: &[u8]) -> Result<&str> {
    std::str::from_utf8(text).map_err(|_| Message("the text is not UTF-8".to_owned()))
}

pub fn check(bytes: &[u8], output: &mut Vec<u8>) -> Result {
    let mut text = Text::new(output);
    match y3::check(bytes) {
        Ok(()) => text.write_str("null")?,
        Err(error) => fault(&mut text, error, explain(bytes, error))?,
    }
    Ok(())
}

/// Writes an error as a JSON object with its offset and a message. The message names the faulty packet.
#[inline(never)]
pub fn fault(text: &mut Text<'_>, error: Error, explained: impl fmt::Display) -> fmt::Result {
    let message = explained.to_string();
    write!(text, "{{\"offset\":{},\"error\":\"{}\"}}", error.offset(), escape_json(&message))
}

/// Writes a hit as a JSON object with the index of the path, the key, the offset, and the lengths of the packet and its
/// value.
#[inline(never)]
pub fn hit(text: &mut Text<'_>, hit: &Hit<'_>) -> fmt::Result {
    let (index, key, offset) = (hit.path_index(), hit.key().get(), hit.offset());
    let (length, value) = (hit.as_bytes().len(), hit.value().len());
    write!(text, "{{\"path\":{index},\"key\":{key},\"offset\":{offset},\"length\":{length},\"value\":{value}}}")
}

/// Writes the value of a packet: a letter for its JavaScript type, followed by bytes or text.
pub fn value(bytes: &[u8], mut arguments: Arguments<'_>, output: &mut Vec<u8>) -> Result {
    let names = arguments.names()?;
    let (word, at) = (arguments.text()?, arguments.text()?);
    let kind: Type;
    let schema = if word.is_empty() {
        path(&names, at)?.1
    } else {
        kind = names.parse_type(word).map_err(|error| format!("type {}: {error}", show::escape(word)))?;
        names.schema(&kind)
    };
    let packet = Packet::from_slice(bytes).map_err(|error| explain(bytes, error).to_string())?;
    let value = schema.decode(packet).map_err(|error| error.to_string())?;
    let is_wide =
        matches!(schema.kind(), Some(Type::Scalar(Scalar::I64 | Scalar::U64 | Scalar::PvarI64 | Scalar::PvarU64)));
    match value {
        Value::Bytes(bytes) => push(output, b"b").and_then(|()| push(output, bytes)),
        Value::Text(text) => push(output, b"t").and_then(|()| push(output, text.as_bytes())),
        Value::F32(number) => push(output, b"f").and_then(|()| push(output, &f64::from(number).to_le_bytes())),
        Value::F64(number) => push(output, b"f").and_then(|()| push(output, &number.to_le_bytes())),
        Value::Integer(number) => write!(Text::new(output), "{}{number}", if is_wide { 'i' } else { 'n' }),
        other => write!(Text::new(output), "{}{other}", if matches!(other, Value::Bool(_)) { 'j' } else { 't' }),
    }?;
    Ok(())
}

pub fn json(bytes: &[u8], mut arguments: Arguments<'_>, output: &mut Vec<u8>) -> Result {
    let (names, mut text) = (arguments.names()?, Text::new(output));
    for packet in packets(bytes) {
        let packet = packet.map_err(|error| explain(bytes, error).to_string())?;
        names.show_json(packet, &mut text).map_err(|error| error.to_string())?;
        text.write_str("\n")?;
    }
    Ok(text.result?)
}

pub fn names(_: &[u8], mut arguments: Arguments<'_>, output: &mut Vec<u8>) -> Result {
    let (names, mut text) = (arguments.names()?, Text::new(output));
    text.write_str("[")?;
    for path in names.embedded() {
        text.item()?;
        write!(text, "\"{path}\"")?;
    }
    Ok(text.write_str("]")?)
}

pub fn lint(_: &[u8], mut arguments: Arguments<'_>, output: &mut Vec<u8>) -> Result {
    let (old, new, mut text) = (arguments.names()?, arguments.names()?, Text::new(output));
    text.write_str("[")?;
    for change in lint::changes(&old, &new) {
        text.item()?;
        let verdict = match change.rule.verdict {
            Verdict::Safe => "safe",
            Verdict::Breaking => "breaking",
            Verdict::Wrong => "wrong",
        };
        let (path, what) = (escape_json(&change.path), escape_json(&change.what));
        write!(text, "{{\"path\":\"{path}\",\"what\":\"{what}\",\"verdict\":\"{verdict}\"}}")?;
    }
    Ok(text.write_str("]")?)
}

pub fn read(text: &[u8], mut arguments: Arguments<'_>, output: &mut Vec<u8>) -> Result {
    let told = arguments.text()?;
    let (how, encoded) = match (told, Look::default().at(text, true).unwrap_or(Written::Raw)) {
        ("text", _) => ("the text form", None),
        ("base64", _) => ("base64", Some(Encoded::Base64(Base64::default()))),
        ("hex", Written::Text(encoded @ (Encoded::Hex(_) | Encoded::Lines(_)))) => ("hexadecimal", Some(encoded)),
        ("hex", _) => ("hexadecimal", Some(Encoded::Hex(Hex::new(0)))),
        (_, Written::Text(encoded @ Encoded::Base64(_))) => ("base64", Some(encoded)),
        (_, Written::Text(encoded)) => ("hexadecimal", Some(encoded)),
        // The command reads such text as raw bytes or rejects it. Here it can be the text form.
        (_, Written::Nearly(fault)) => match show::parse_text(utf8(text)?) {
            Ok(_) => ("the text form", None),
            Err(_) => return Err(Message(format!("read as hexadecimal: {fault}"))),
        },
        _ => ("the text form", None),
    };
    push(output, how.as_bytes())?;
    push(output, b"\n")?;
    let read = match encoded {
        None => return encode(text, output).map_err(|error| Message(format!("read as {how}: {}", error.0))),
        Some(mut encoded) => encoded.feed(text, output).and_then(|()| encoded.end(output)),
    };
    Ok(read.map_err(|error| format!("read as {how}: {error}"))?)
}

pub fn escape(text: &[u8], _: Arguments<'_>, output: &mut Vec<u8>) -> Result {
    Ok(write!(Text::new(output), "{}", show::escape(utf8(text)?))?)
}
