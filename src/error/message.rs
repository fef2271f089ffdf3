//! Formats an error as a message.
//!
//! The message says what is wrong, in which field, and at which byte.

use core::fmt;

use super::about::Field;
use super::bytes::Bytes;
use super::kind::ErrorKind;
use super::wanted::Wanted;
use super::{Around, Error};
use crate::wire::bits;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, offset, about, wanted, number, around } = self;
        if self.is_in_text() {
            match kind {
                ErrorKind::DepthLimit => f.write_str("packet nested deeper than 64")?,
                _ => kind.fmt(f)?,
            }
            return write!(f, " at byte {offset} of the text");
        }
        let (bytes, inside) = (Bytes((*number).into()), Inside(*about, *around));
        let named = *wanted == Some(Wanted::NUMBER);
        let field = about.filter(|about| about.is_field()).map(|field| Whole(field, *around));
        match (kind, wanted.map(Wanted::facts), field) {
            _ if self.reason().is_some() => write!(f, "{}{inside}", self.words())?,
            (ErrorKind::InvalidValue, ..) if named => {
                return write!(f, "value{inside} at byte {offset} is not {bytes} long");
            }
            (ErrorKind::InvalidValue, Some((name, least, most)), _) => {
                return match (*number < least || *number > most, least == most) {
                    (true, true) => {
                        let width = Bytes(most.into());
                        write!(f, "expected {name} ({width}), found {bytes}{inside} at byte {offset}")
                    }
                    (true, false) => {
                        write!(f, "expected {name} ({least} to {most} bytes), found {bytes}{inside} at byte {offset}")
                    }
                    (false, _) => write!(f, "value{inside} at byte {offset} is not {name}"),
                };
            }
            (ErrorKind::SizeLimit, Some((limit, ..)), _) if *wanted == Some(Wanted::MEMORY) => {
                write!(f, "no {limit} for {bytes}")?;
            }
            (ErrorKind::SizeLimit, Some((limit, ..)), _) => {
                let what = if *wanted == Some(Wanted::VALUE) { "value" } else { "packet" };
                write!(f, "{what} longer than the limit of {bytes} (`{limit}`)")?;
            }
            (ErrorKind::InvalidKey, Some(_), _) => {
                let base = if *wanted == Some(Wanted::KEY) { " (paths are hexadecimal)" } else { "" };
                write!(f, "{number:#04x} is above 0x3f, the highest key{base}{inside}")?;
            }
            (ErrorKind::UnknownVariant, Some((form, ..)), _) if !named => {
                write!(f, "variant {number:#04x} {form}{inside}")?;
            }
            (ErrorKind::WrongWidth, ..) => {
                return write!(f, "new value needs {bytes}, but the old value at byte {offset} has another width");
            }
            (ErrorKind::MissingField, _, Some(field)) => write!(f, "{field} is missing")?,
            (ErrorKind::RepeatedField, _, Some(field)) => write!(f, "duplicate {field}")?,
            (ErrorKind::UnexpectedKey, ..) if named => {
                write!(f, "expected key {number:#04x}, found another key{inside}")?;
            }
            (ErrorKind::MissingItems, ..) if named => {
                write!(f, "expected {number} items, found fewer{inside}")?;
            }
            (ErrorKind::ExtraItems, ..) if named => {
                write!(f, "expected {number} items, found more{inside}")?;
            }
            _ if named => write!(f, "{kind} {number:#04x}{inside}")?,
            _ if !self.words().is_empty() => f.write_str(self.words())?,
            _ => write!(f, "{kind}{inside}")?,
        }
        write!(f, " at byte {offset}")
    }
}

/// The place in the message: a field, or the keys on the path to the refused packet.
struct Inside(Option<&'static Field>, Around);

impl fmt::Display for Inside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self(Some(field), around) if field.is_field() => write!(f, " in {}", Whole(field, around)),
            Self(_, Around([0, _])) => Ok(()),
            Self(_, around) => write!(f, " in {around}"),
        }
    }
}

struct Whole(&'static Field, Around);

impl fmt::Display for Whole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self(field, Around([0, _])) => field.fmt(f),
            Self(field, around) => write!(f, "field `{}` (key {around}/{:#04x})", field.name(), field.key()),
        }
    }
}

/// Formats the keys, outer key first. A `…` stands for further outer keys.
impl fmt::Display for Around {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([inner, outer]) = self;
        if outer & Self::MORE != 0 {
            f.write_str("…/")?;
        }
        if *outer != 0 {
            write!(f, "{:#04x}/", outer & bits::KEY)?;
        }
        write!(f, "{:#04x}", inner & bits::KEY)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error").field("kind", &self.kind).field("offset", &self.offset).finish_non_exhaustive()
    }
}
