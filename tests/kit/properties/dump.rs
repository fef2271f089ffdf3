//! Dump: a dump shows each byte of any input once; a bounded dump counts the bytes that it leaves out. The first mark
//! is the error of `check`, and `explain` explains it. The text form of any input is read back as the input.
//!
//! The bytes are the input, which is accepted if they are well-formed packets.

use crate::shown;

pub fn property(bytes: &[u8]) -> bool {
    shown::dump(bytes);
    shown::text_of(bytes);
    y3::check(bytes).is_ok()
}
