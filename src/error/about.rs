//! The subject of an error: a field of a struct, or the reason why a type refuses a value.
//!
//! An error stores its subject as one reference to a constant, so that the error stays small.

use core::fmt;

use crate::wire::bits;

/// A [`Reason`] is stored as a `Field` with this key.
const NONE: u8 = 0xff;

/// A field of a struct: its key and its name.
///
/// The key and the name are constants, so an [`Error`](crate::Error) stores a field as one reference.
/// `#[derive(Decode)]` generates a `Field` for each field of a struct.
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
    /// Panics if the key is above 63. In a `const` this panic is a compile-time error.
    #[must_use]
    pub const fn new(key: u8, name: &'static str) -> Self {
        assert!(key <= bits::KEY, "the key of a field is 0x00 to 0x3f");
        Self { key, name }
    }

    /// Returns the key of the field's packet.
    #[must_use]
    pub const fn key(&self) -> u8 {
        self.key
    }

    /// Returns the field's name in the struct.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// True if this is a field, false if it is a reason.
    pub(super) const fn is_field(&self) -> bool {
        self.key != NONE
    }
}

/// Formats the field as in error messages: "field `noise` (key 0x11)".
impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "field `{}` (key {:#04x})", self.name, self.key)
    }
}

/// The reason why a type refuses a value, as a text for [`Error::refused`](crate::Error::refused).
#[derive(Debug)]
// Stored as a field, so that an error needs only one word for a field or a reason.
pub struct Reason(Field);

impl Reason {
    /// Makes a reason from a text. Write the text in lower case and without a full stop.
    #[must_use]
    pub const fn new(words: &'static str) -> Self {
        Self(Field { key: NONE, name: words })
    }

    pub(super) const fn as_field(&'static self) -> &'static Field {
        &self.0
    }
}
