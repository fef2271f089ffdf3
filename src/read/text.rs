//! Text: checks bytes as UTF-8 and returns them as a text.
//!
//! In: a value's bytes. Out: the same bytes as a text, or the number of bytes before the first invalid one.
//!
//! Without `unsafe`, only `core` can turn bytes into a text, so a check of our own adds to its check (measured for 7, 12 and 15
//! bytes on an AMD EPYC of family 26, 2026-11: `from_utf8` 3.4, 4.6 and 5.1 ns, words first 4.1, 5.0 and 5.5, words alone 0.7
//! to 1.1). With the feature `simdutf8`, that crate checks long texts with its own `unsafe` code; the answers are the same.

/// Returns the bytes as a text, or the length of the valid part at the front.
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

/// The longest text checked here. `core` checks longer texts: from 16 bytes on it takes a word at a time.
#[cfg(feature = "ascii")]
const SHORT: usize = 32;

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
