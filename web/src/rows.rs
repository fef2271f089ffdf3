//! Rows: the packets of a dump as JSON, with names and values.
//!
//! In: bytes, a names file, which primitives are opened. Out: an array of objects, one for each packet.

use std::fmt::Write;

use y3::Packet;
use y3::show::{Inside, Row, escape_json};
use y3_names::{Scalar, Schema, Type};

use crate::call::{Arguments, Result};
use crate::output::Text;

/// The most characters of a value that are shown.
const SHOWN: usize = 80;

/// A packet around others.
struct Around<'n> {
    schema: Schema<'n>,
    is_embedded: bool,
    /// How many packets are inside it so far.
    count: usize,
}

pub fn rows(bytes: &[u8], mut arguments: Arguments<'_>, most: usize, output: &mut Vec<u8>) -> Result {
    let names = arguments.names()?;
    let open = arguments.opened(&names)?;
    let mut text = Text::new(output);
    let mut levels = vec![Around { schema: names.top(), is_embedded: false, count: 0 }];
    text.write_str("[")?;
    for row in open.dump(bytes).rows().take(most) {
        text.item()?;
        levels.truncate(row.depth() + 1);
        let (mut name, mut schema) = (None, names.unknown());
        if let Some(around) = levels.last_mut() {
            let member = around.schema.inside(Some(row.tag().key()), around.is_embedded);
            (name, schema) = (member.name, member.schema);
            if let Some(Type::Tuple(_)) = around.schema.kind() {
                schema = around.schema.item(around.count);
            }
            around.count += 1;
        }
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
        if let Some(name) = name {
            member(&mut text, "name", name)?;
        }
        let packet = bytes.get(range).unwrap_or_default();
        match value(&row, packet, schema) {
            Some(Ok(value)) => member(&mut text, "value", &value)?,
            Some(Err(mismatch)) => member(&mut text, "mismatch", &mismatch)?,
            None => {}
        }
        text.write_str("}")?;
        levels.push(Around { schema, is_embedded: row.inside() == Inside::Embedded, count: 0 });
    }
    Ok(text.write_str("]")?)
}

fn member(text: &mut Text<'_>, name: &str, value: &str) -> std::fmt::Result {
    write!(text, ",\"{name}\":\"{}\"", escape_json(value))
}

/// What a value is by its type, or why it is none.
fn value(row: &Row<'_>, packet: &[u8], schema: Schema<'_>) -> Option<std::result::Result<String, String>> {
    let is_shown = match schema.kind()? {
        Type::Scalar(scalar) => *scalar != Scalar::Bytes,
        // With content its packets are rows.
        Type::OneOf(_) => row.inside() == Inside::Value,
        _ => false,
    };
    if !is_shown || !row.is_read() || row.fault().is_some() {
        return None;
    }
    let value = schema.decode(Packet::from_slice(packet).ok()?);
    Some(value.map_err(|error| error.message().to_owned()).map(|value| {
        let text = value.to_string();
        match text.char_indices().nth(SHOWN).and_then(|(end, _)| text.get(..end)) {
            Some(start) => format!("{start}.."),
            None => text,
        }
    }))
}
