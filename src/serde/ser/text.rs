//! Text: one that is made while it is written.
//!
//! In: what `Display` writes, part by part. Out: one primitive, its parts gone straight into the sink.

use core::fmt::{self, Write as _};

use crate::serde::error::{Error, ErrorKind};
use crate::wire::key::Key;
use crate::wire::tag::Tag;
use crate::write::encoder::Encoder;
use crate::write::sink::Sink;

/// Writes a text as one primitive, whose length follows at the end: the position behind it.
pub(super) fn write<S: Sink, T: fmt::Display + ?Sized>(
    mut encoder: Encoder<'_, S, true>,
    key: Key,
    value: &T,
) -> Result<usize, Error> {
    let start = encoder.open(Tag::primitive(key))?;
    let mut parts = Parts { encoder: &mut encoder, error: None };
    match (write!(parts, "{value}"), parts.error) {
        // Where the packet begins, not the part that did not fit.
        (_, Some(kind)) => Err(Error::from(crate::Error::new(kind, start as u64))),
        (Err(fmt::Error), None) => Err(Error::new(ErrorKind::Custom)),
        (Ok(()), None) => {
            encoder.close(start)?;
            Ok(encoder.position())
        }
    }
}

/// A text on its way out in parts.
struct Parts<'e, 's, S> {
    encoder: &'e mut Encoder<'s, S, true>,
    error: Option<crate::ErrorKind>,
}

impl<S: Sink> fmt::Write for Parts<'_, '_, S> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.encoder.append(part.as_bytes()).map_err(|error| {
            self.error = Some(error.kind());
            fmt::Error
        })
    }
}
