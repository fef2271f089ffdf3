//! Rows: formats the packets of a dump as JSON, with names and values.
//!
//! The result is a JSON array with one object for each packet.

use std::fmt::Write;

use y3::show::{Inside, escape_json};
use y3_names::{Scalar, Type};

use crate::call::{Arguments, Result};
use crate::output::Text;

/// Values are shown up to this number of characters.
const SHOWN: usize = 80;

pub fn rows(bytes: &[u8], mut arguments: Arguments<'_>, most: usize, output: &mut Vec<u8>) -> Result {
    let names = arguments.names()?;
    let open = arguments.opened(&names)?;
    let mut text = Text::new(output);
    text.write_str("[")?;
    for named in names.rows(bytes, open.dump(bytes).rows()).take(most) {
        text.item()?;
        let row = named.row;
        let kind = match row.inside() {
            _ if !row.is_read() => "unread",
            Inside::Value => "value",
            Inside::Node => "node",
            Inside::Slice => "slice",
            Inside::Embedded => "embedded",
        };
        let (range, key) = (row.range(), row.tag().key().get());
        write!(text, "{{\"offset\":{},\"ownEnd\":{},\"end\":{}", range.start, row.own_end(), range.end)?;
        write!(text, ",\"depth\":{},\"key\":{key},\"kind\":\"{kind}\",\"length\":{}", row.depth(), row.len())?;
        member(&mut text, "text", &row.summary().to_string())?;
        match row.fault_summary() {
            Some(fault) => member(&mut text, "fault", &fault.to_string())?,
            None => text.write_str(",\"fault\":null")?,
        }
        if let Some(name) = named.name {
            member(&mut text, "name", name)?;
        }
        // The member `text` already shows bytes.
        let is_shown = !matches!(named.kind, Some(Type::Scalar(Scalar::Bytes)));
        if let Some(value) = named.value.filter(|_| is_shown) {
            member(&mut text, "value", &shortened(value.to_string()))?;
        }
        if let Some(problem) = named.problem {
            member(&mut text, "mismatch", problem.message())?;
        }
        text.write_str("}")?;
    }
    Ok(text.write_str("]")?)
}

fn member(text: &mut Text<'_>, name: &str, value: &str) -> std::fmt::Result {
    write!(text, ",\"{name}\":\"{}\"", escape_json(value))
}

fn shortened(text: String) -> String {
    match text.char_indices().nth(SHOWN).and_then(|(end, _)| text.get(..end)) {
        Some(start) => format!("{start}.."),
        None => text,
    }
}
