//! Text: checks bytes as UTF-8 and returns them as a text.
//!
//! In: a value's bytes. Out: the same bytes as a text, or the number of bytes before the first invalid one.
//!
//! Without `unsafe`, only `core` can turn bytes into a text. It checks them in two ways: `utf8_chunks` byte by byte, and `from_utf8`
//! by words, once it has reached an aligned address. With the feature `simdutf8`, that crate checks long texts with its own `unsafe` code; the answers are the same.

/// The longest text that is checked byte by byte. `from_utf8` has a loop before its words and one after them, and a processor cannot
/// predict where they end (texts of 1 to 32 bytes at any address: 15 ns, with `from_utf8` 22 ns; 11 bytes, predicted: 4.3 and 4.6 ns;
/// 24 bytes, predicted: 7.4 and 4.3 ns; AMD EPYC of family 26, 2026-11).
const SHORT: usize = 32;

/// Returns the bytes as a text, or the length of the valid part at the front.
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

/// The shortest text for `simdutf8`. `core` checks shorter texts, as `simdutf8` itself does.
#[cfg(all(feature = "simdutf8", not(miri)))]
const LONG: usize = 64;

#[cfg(all(feature = "simdutf8", not(miri)))]
fn decode_long(bytes: &[u8]) -> Result<&str, usize> {
    /// The fast check does not locate the error.
    #[cold]
    fn again(bytes: &[u8]) -> Result<&str, usize> {
        core::str::from_utf8(bytes).map_err(|error| error.valid_up_to())
    }
    simdutf8::basic::from_utf8(bytes).or_else(|_| again(bytes))
}
