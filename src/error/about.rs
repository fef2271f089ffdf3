//! About: the subject of an error: a field of a struct, or a reason that a type gives.
//!
//! In: constants. Out: one word, which keeps the error small.

use core::fmt;

use crate::wire::bits;

/// Stored as the key of a reason, which is not a field.
const NONE: u8 = 0xff;

/// A field of a struct: its key and its name.
///
/// Both are constants, so an [`Error`](crate::Error) refers to them with one word. The derive makes fields.
///
/// # Examples
/// ```
/// let error = y3::Error::new(y3::ErrorKind::MissingField, 0).of_field(const { &y3::value::Field::new(0x11, "noise") });
/// assert_eq!(error.to_string(), "field `noise` (key 0x11) is missing at byte 0");
/// assert_eq!(error.field().unwrap().name(), "noise");
/// ```
#[derive(Debug)]
pub struct Field {
    key: u8,
    name: &'static str,
}

impl Field {
    /// Makes a field with this key and this name.
    ///
    /// # Panics
    /// If the key is above 63; in a `const` this is a compile-time error.
    #[must_use]
    pub const fn new(key: u8, name: &'static str) -> Self {
        assert!(key <= bits::KEY, "the key of a field is 0x00 to 0x3f");
        Self { key, name }
    }

    /// The key of the field's packet.
    #[must_use]
    pub const fn key(&self) -> u8 {
        self.key
    }

    /// The name of the field in the type.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Whether this is a field and not a reason.
    pub(super) const fn is_field(&self) -> bool {
        self.key != NONE
    }
}

/// Shows the field as messages name it: "field `noise` (key 0x11)".
impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "field `{}` (key {:#04x})", self.name, self.key)
    }
}

/// The reason why a type refuses a value, as a text, for [`Error::refused`](crate::Error::refused).
#[derive(Debug)]
// Stored as a field, so that an error needs one word for both.
pub struct Reason(Field);

impl Reason {
    /// Makes a reason from a text, which describes the fault in lower case and without a full stop.
    #[must_use]
    pub const fn new(words: &'static str) -> Self {
        Self(Field { key: NONE, name: words })
    }

    pub(super) const fn as_field(&'static self) -> &'static Field {
        &self.0
    }
}
