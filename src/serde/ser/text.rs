//! Text: writes the displayed text of a value as one primitive.

use core::fmt::{self, Write as _};

use crate::error::{self, ErrorKind};
use crate::serde::error::Error;
use crate::wire::key::Key;
use crate::wire::tag::Tag;
use crate::write::sink::Sink;
use crate::write::writer::Writer;

/// Writes a text as one primitive and returns the position after it. The length is stored after the whole text is
/// written.
pub(super) fn write_text<S: Sink, T: fmt::Display + ?Sized>(
    mut writer: Writer<'_, S>,
    key: Key,
    value: &T,
) -> Result<usize, Error> {
    let start = writer.open(Tag::primitive(key))?;
    let mut parts = Parts { writer: &mut writer, error: None };
    match (write!(parts, "{value}"), parts.error) {
        // The offset is that of the packet, not of the part that did not fit.
        (_, Some(kind)) => Err(Error::from(error::Error::new(kind, start as u64))),
        (Err(fmt::Error), None) => Err(Error::new(ErrorKind::Refused)),
        (Ok(()), None) => {
            writer.close(start)?;
            Ok(writer.position())
        }
    }
}

struct Parts<'e, 's, S> {
    writer: &'e mut Writer<'s, S>,
    error: Option<ErrorKind>,
}

impl<S: Sink> fmt::Write for Parts<'_, '_, S> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.writer.append(part.as_bytes()).map_err(|error| {
            self.error = Some(error.kind());
            fmt::Error
        })
    }
}
