//! Text: any text either gives bytes, whose text form gives the same bytes again, or is an error and gives no bytes.
//!
//! The input is text, which is accepted if it gives bytes.

use crate::shown;

pub fn property(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(shown::bytes_of)
}
