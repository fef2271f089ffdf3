//! Dump: each byte of any input is shown once, in a bounded dump or counted there; the first mark is the error of `check`, and it can
//! be explained; the text form of any input reads back to it.
//!
//! In: bytes. Accepted: they are well-formed packets.

use crate::shown;

pub fn property(bytes: &[u8]) -> bool {
    shown::dump(bytes);
    shown::text_of(bytes);
    y3::check(bytes).is_ok()
}
