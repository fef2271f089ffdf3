//! Text: bytes that are UTF-8 as a text.
//!
//! In: a value's bytes. Out: the same bytes as a text, or the number of bytes before the first that is not UTF-8.
//!
//! Without `unsafe` only `core` makes a text of bytes, so a check of our own comes on top of its check (measured for 7, 12 and 15 bytes
//! on an AMD EPYC of family 26, 2026-11: `from_utf8` 3.4, 4.6 and 5.1 ns, words first 4.1, 5.0 and 5.5, words alone 0.7 to 1.1). Long
//! texts are checked by `simdutf8` with the feature of that name, whose `unsafe` code is its own; the answers are the same.

/// The bytes as a text, or the length of the valid part in front.
#[inline]
pub(crate) fn decode(bytes: &[u8]) -> Result<&str, usize> {
    #[cfg(all(feature = "simdutf8", not(miri)))]
    if bytes.len() >= LONG {
        return decode_long(bytes);
    }
    #[cfg(feature = "ascii")]
    if bytes.len() <= SHORT {
        use ascii::AsAsciiStr as _;
        if let Ok(text) = bytes.as_ascii_str() {
            return Ok(text.as_str());
        }
    }
    core::str::from_utf8(bytes).map_err(|error| error.valid_up_to())
}

/// Longer texts are left to `core`, whose check takes a word at a time from 16 bytes on.
#[cfg(feature = "ascii")]
const SHORT: usize = 32;

/// Shorter texts are left to `core`, as `simdutf8` itself does.
#[cfg(all(feature = "simdutf8", not(miri)))]
const LONG: usize = 64;

#[cfg(all(feature = "simdutf8", not(miri)))]
fn decode_long(bytes: &[u8]) -> Result<&str, usize> {
    /// The fast check does not say where the error is.
    #[cold]
    fn again(bytes: &[u8]) -> Result<&str, usize> {
        core::str::from_utf8(bytes).map_err(|error| error.valid_up_to())
    }
    simdutf8::basic::from_utf8(bytes).or_else(|_| again(bytes))
}
