//! Rows: adds names and typed values to the rows of a dump.

use y3::Packet;
use y3::show::{Inside, Row, Rows};

use crate::model::{Names, Type};
use crate::schema::{Member, Schema};
use crate::show::DecodeError;
use crate::value::Value;

/// A row of a dump with its name, type and value from a names file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NamedRow<'n, 'a> {
    /// The row of the dump.
    pub row: Row<'a>,
    /// The name of the packet's key.
    pub name: Option<&'n str>,
    /// The type of the packet. Named types are resolved.
    pub kind: Option<&'n Type>,
    /// The value, if the packet is a scalar or a variant without content.
    pub value: Option<Value<'a>>,
    /// The reason why the packet does not match its type. A problem in an inner packet is in the inner packet's row.
    pub problem: Option<DecodeError>,
}

impl Names {
    /// Adds names and typed values to the rows of a [dump](y3::dump()) of `bytes`. To name embedded packets too,
    /// [open](y3::show::Dump::open) the paths that [`embedded`](Self::embedded) returns.
    ///
    /// # Examples
    /// ```
    /// let names: y3_names::Names = "01 a { 02 b f32 }".parse().unwrap();
    /// let bytes = [0x81, 0x04, 0x02, 0x02, 0x41, 0xb8];
    /// let rows: Vec<_> = names.rows(&bytes, y3::dump(&bytes).rows()).collect();
    /// assert_eq!((rows[1].name, rows[1].value.as_ref().unwrap().to_string()), (Some("b"), "23.0".into()));
    /// ```
    pub fn rows<'n, 'a>(&'n self, bytes: &'a [u8], rows: Rows<'a>) -> impl Iterator<Item = NamedRow<'n, 'a>> {
        rows.map(self.name_rows(bytes))
    }

    /// Returns a function that adds a name and a typed value to a row, as [`rows`](Self::rows) does. Call the function with each
    /// row in order, for example in [`write_with`](y3::show::Dump::write_with) or
    /// [`write_text_with`](y3::show::Dump::write_text_with).
    ///
    /// # Examples
    /// ```
    /// use std::fmt::Write;
    ///
    /// let names: y3_names::Names = "01 a { 02 b f32 }".parse().unwrap();
    /// let (bytes, mut shown) = ([0x81, 0x04, 0x02, 0x02, 0x41, 0xb8], String::new());
    /// let mut named = names.name_rows(&bytes);
    /// y3::dump(&bytes).write_with(&mut shown, |to, row| to.write_str(named(row).name.unwrap_or("?"))).unwrap();
    /// assert_eq!(shown, "   0  81 04                    a\n   2  02 02 41 b8                b");
    /// ```
    pub fn name_rows<'n, 'a>(&'n self, bytes: &'a [u8]) -> impl FnMut(Row<'a>) -> NamedRow<'n, 'a> {
        let mut around: Vec<Around<'n>> = Vec::new();
        move |row| {
            around.truncate(row.depth());
            let Member { name, schema } = match around.last_mut() {
                None => self.top().inside(Some(row.tag().key()), false),
                Some(around) => around.next(row),
            };
            around.push(Around { schema, is_embedded: row.inside() == Inside::Embedded, count: 0 });
            let sound = row.fault().is_none().then(|| bytes.get(row.range())).flatten();
            let (value, problem) = match sound.and_then(|bytes| Packet::from_slice(bytes).ok()) {
                Some(packet) => value(schema, packet, row),
                None => (None, None),
            };
            NamedRow { row, name, kind: schema.kind(), value, problem }
        }
    }
}

/// A packet that contains the packet of the current row.
struct Around<'n> {
    schema: Schema<'n>,
    is_embedded: bool,
    /// The number of children of this packet in the rows so far.
    count: usize,
}

impl<'n> Around<'n> {
    fn next(&mut self, row: Row<'_>) -> Member<'n> {
        let place = self.count;
        self.count += 1;
        match self.schema.kind() {
            Some(Type::Tuple(_)) => Member { name: None, schema: self.schema.item(place) },
            _ => self.schema.inside(Some(row.tag().key()), self.is_embedded),
        }
    }
}

/// Returns the value and the problem of a packet. A packet that contains packets has no value.
fn value<'a>(schema: Schema<'_>, packet: Packet<'a>, row: Row<'_>) -> (Option<Value<'a>>, Option<DecodeError>) {
    let moved = |error: DecodeError| error.moved(row.offset() as u64);
    match schema.kind() {
        None => (None, None),
        Some(Type::Scalar(_) | Type::OneOf(_)) if !packet.is_node() => match schema.decode(packet) {
            Ok(value) => (Some(value), None),
            Err(error) => (None, Some(moved(error))),
        },
        Some(_) => (None, schema.check(packet).err().map(moved)),
    }
}
