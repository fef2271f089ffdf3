//! Checks that bytes are UTF-8 and returns them as a `str`.
//!
//! Without `unsafe`, only `core` can convert bytes to a `str`. It has two functions for this: `utf8_chunks` checks the
//! bytes one by one, and `from_utf8` checks words, once it has reached an aligned address. With the feature `simdutf8`,
//! the crate of that name checks long texts with its own `unsafe` code. The results are the same.

/// Texts up to this length are checked byte by byte. `from_utf8` has one loop before the first word and another after
/// the last word, and a processor cannot predict when these loops end. Measured on AMD EPYC of family 26, 2026-11: for
/// texts of 1 to 32 bytes at any address, `utf8_chunks` takes 15 ns and `from_utf8` 22 ns. If the processor predicts
/// the ends, they take 4.3 ns and 4.6 ns for 11 bytes, and 7.4 ns and 4.3 ns for 24 bytes.
const SHORT: usize = 32;

/// Returns the bytes as a `str`. If they are not UTF-8, returns the number of valid bytes before the first invalid
/// byte.
#[inline]
pub(crate) fn decode(bytes: &[u8]) -> Result<&str, usize> {
    if bytes.len() <= SHORT {
        // Empty bytes have no chunk. `from_utf8` below handles them.
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

/// `simdutf8` checks texts of at least this length. Shorter texts go to `core`, as in `simdutf8` itself.
#[cfg(all(feature = "simdutf8", not(miri)))]
const LONG: usize = 64;

#[cfg(all(feature = "simdutf8", not(miri)))]
fn decode_long(bytes: &[u8]) -> Result<&str, usize> {
    /// Finds the first invalid byte, because the fast check does not return its position.
    #[cold]
    fn again(bytes: &[u8]) -> Result<&str, usize> {
        core::str::from_utf8(bytes).map_err(|error| error.valid_up_to())
    }
    simdutf8::basic::from_utf8(bytes).or_else(|_| again(bytes))
}
