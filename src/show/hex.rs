//! Hexadecimal: formats bytes as pairs of hexadecimal digits.

use core::fmt;

/// Formats bytes as pairs of hexadecimal digits.
///
/// Cost: O(n), with one write per 64 bytes. Never allocates.
///
/// # Examples
/// ```
/// assert_eq!(y3::show::hex(&[0x81, 0x03, 0x02, 0x01, 0x05]).to_string(), "8103020105");
/// ```
#[must_use]
pub const fn hex(bytes: &[u8]) -> impl fmt::Display + Copy + fmt::Debug {
    Hex(bytes)
}

#[derive(Clone, Copy, Debug)]
struct Hex<'a>(&'a [u8]);

/// The number of bytes per write, which makes a large buffer unnecessary.
const PIECE: usize = 64;

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chunks(PIECE).try_for_each(|bytes| {
            let mut text = [0; 2 * PIECE];
            for (pair, &byte) in text.chunks_exact_mut(2).zip(bytes) {
                if let [high, low] = pair {
                    (*high, *low) = (digit(byte >> 4), digit(byte & 0x0f));
                }
            }
            let text = text.get(..2 * bytes.len()).unwrap_or_default();
            f.write_str(core::str::from_utf8(text).unwrap_or_default())
        })
    }
}

/// Returns the hexadecimal digit of a number from 0 to 15. Without a table, the compiler can compute many digits at
/// once.
const fn digit(half: u8) -> u8 {
    half + if half < 10 { b'0' } else { b'a' - 10 }
}
