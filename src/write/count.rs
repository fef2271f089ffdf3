//! Count: computes the length of an encoding without storing it.

use core::ops::Range;

use super::encoder::Encoder;
use super::sink::{SHORT, Sink};
use super::writer::Writer;
use crate::error::ErrorKind;

/// A [`Sink`] that counts bytes and stores none of them. [`encoded_len`](crate::encoded_len) uses this sink.
#[derive(Debug, Default)]
pub struct Count {
    /// A buffer for the last short packet or run of short packets. The next packet overwrites this buffer.
    last: [[u8; SHORT]; 10],
}

impl Sink for Count {
    fn position(&self) -> usize {
        0
    }

    fn store(&mut self, _: usize, _: &[u8]) -> Result<(), ErrorKind> {
        Ok(())
    }

    fn replace_first(&mut self, _: Range<usize>, _: &[u8]) -> Result<(), ErrorKind> {
        Ok(())
    }

    #[inline(always)]
    fn window(&mut self, position: usize, len: usize) -> Option<&mut [u8]> {
        // On a 64-bit machine, no count can reach the maximum.
        let is_counted = usize::BITS >= 64 || position.checked_add(len).is_some();
        if is_counted { self.last.as_flattened_mut().get_mut(..len) } else { None }
    }

    fn finish(&mut self, _: usize) {}
}

/// Returns the exact number of bytes that an encoder would write. The function calls `write` with an encoder that only
/// counts bytes.
///
/// # Errors
/// Returns the errors that `write` would return with a sink of unlimited size, including errors of the caller's own
/// type.
///
/// # Examples
/// ```
/// let len = y3::encoded_len(|encoder| encoder.node(0x01, |node| node.put(0x02, [0u8; 64])))?;
/// assert_eq!(len, 1 + 2 + 1 + 2 + 64);
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: [SPEC §7](crate::spec#7-canonical-form)
pub fn encoded_len<E>(write: impl FnOnce(&mut Encoder<'_, Count>) -> Result<(), E>) -> Result<usize, E> {
    let mut count = Count::default();
    let mut encoder = Encoder::inside(Writer::new(&mut count));
    write(&mut encoder)?;
    Ok(encoder.position())
}
