//! Text: checks bytes as UTF-8 and returns them as a `str`.
//!
//! In: the bytes of a value. Out: the same bytes as a `str`, or the number of bytes before the first invalid byte.
//!
//! Without `unsafe`, only `core` can convert bytes to a `str`. It has two functions for this. `utf8_chunks` checks the
//! bytes one by one; `from_utf8` checks them in words, once it has reached an aligned address. With the feature
//! `simdutf8`, the crate of that name checks long texts with its own `unsafe` code. The results do not change.

/// The length of the longest text that is checked byte by byte. `from_utf8` has a loop before the first word and
/// another after the last, and a processor cannot predict where these loops end. Measured on AMD EPYC of family 26,
/// 2026-11, `utf8_chunks` and `from_utf8` take: 15 and 22 ns for texts of 1 to 32 bytes at any address; with predicted
/// ends, 4.3 and 4.6 ns for 11 bytes, 7.4 and 4.3 ns for 24 bytes.
const SHORT: usize = 32;

/// Returns the bytes as a `str`, or the number of valid bytes before the first invalid byte.
#[inline]
pub(crate) fn decode(bytes: &[u8]) -> Result<&str, usize> {
    if bytes.len() <= SHORT {
        // No bytes have no chunk; `from_utf8` returns the empty text at their place.
        if let Some(chunk) = bytes.utf8_chunks().next() {
            return if chunk.invalid().is_empty() { Ok(chunk.valid()) } else { Err(chunk.valid().len()) };
        }
    }
    #[cfg(all(feature = "simdutf8", not(miri)))]
    if bytes.len() >= LONG {
        return decode_long(bytes);
    }
    core::str::from_utf8(bytes).map_err(|error| error.valid_up_to())
}

/// The length of the shortest text that `simdutf8` checks. `core` checks shorter texts, as in `simdutf8` itself.
#[cfg(all(feature = "simdutf8", not(miri)))]
const LONG: usize = 64;

#[cfg(all(feature = "simdutf8", not(miri)))]
fn decode_long(bytes: &[u8]) -> Result<&str, usize> {
    /// Finds the first invalid byte, which the fast check does not locate.
    #[cold]
    fn again(bytes: &[u8]) -> Result<&str, usize> {
        core::str::from_utf8(bytes).map_err(|error| error.valid_up_to())
    }
    simdutf8::basic::from_utf8(bytes).or_else(|_| again(bytes))
}
