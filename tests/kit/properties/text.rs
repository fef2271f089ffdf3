//! Text: any text is bytes, whose text reads back to them, or an error in the text and no bytes.
//!
//! In: text. Accepted: it is bytes.

use crate::shown;

pub fn property(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(shown::bytes_of)
}
