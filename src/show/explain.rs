//! Explain: finds the place of an error in the tree of packets.
//!
//! In: bytes, and the error from reading these bytes. Out: the keys on the path to the error, and the lengths involved.

use super::row::Row;
use super::steps::{Embedded, Step, Steps};
use crate::error::{Error, ErrorKind};
use crate::error_context::ErrorContext;

/// Returns the place of an error: the keys on the path to the faulty packet, the length that this packet declares, and the number of bytes
/// present.
///
/// `bytes` must be the whole input, because the error's offset counts from the first byte of the input. The function accepts errors of
/// [`check`](crate::check), [`walk`](crate::walk), watchers of slices, embedded packets, and edits. It also accepts conversion errors,
/// including errors in the fields of structs. The bytes are read a second time, which keeps [`Error`] small. If the error comes from other
/// bytes, or is not about an input, the result has no place.
///
/// The offset of [`UnexpectedEnd`](ErrorKind::UnexpectedEnd) points to the top-level packet, but the result describes the innermost
/// incomplete packet. For an error in embedded packets, the keys include the key of the primitive that contains them.
///
/// Cost: O(n); never allocates, 2.5 KiB of stack.
///
/// # Examples
/// ```
/// let bytes = [0x81, 0x08, 0x90, 0x06, 0x11, 0x04, 0x42, 0x34];
/// let context = y3::show::explain(&bytes, y3::check(&bytes).unwrap_err());
/// assert_eq!(
///     context.to_string(),
///     "input ends inside the packet at byte 0: in 0x01/0x10, packet 0x11 at byte 4 declares 4 bytes, 2 are there"
/// );
/// assert_eq!((context.offset(), context.declared(), context.available()), (Some(4), Some(4), Some(2)));
/// assert!(context.keys().iter().map(|key| key.get()).eq([0x01, 0x10, 0x11]));
/// ```
/// Source: [SPEC §8](crate::spec#8-decoder-duties-and-limits)
#[must_use]
pub fn explain(bytes: &[u8], error: Error) -> ErrorContext {
    let mut context = ErrorContext::new(error);
    let Ok(offset) = usize::try_from(error.offset()) else { return context };
    let mut steps = Steps::new(bytes, Embedded::Around(offset));
    let mut found_at = None;
    loop {
        let depth = steps.depth();
        // The innermost packet is the last incomplete one inside the top-level packet whose end is missing.
        if found_at.is_some_and(|found_at| depth <= found_at) {
            return context;
        }
        let around = ErrorContext::new(error).inside(steps.keys().iter().copied());
        let row = match steps.next() {
            None => return context,
            Some(Step::Leave(_)) => continue,
            Some(Step::Packet(row)) => row,
        };
        let is_found = match found_at {
            Some(_) => row.fault.is_some_and(|fault| fault.kind() == ErrorKind::UnexpectedEnd),
            None => is_of(&row, error),
        };
        if is_found {
            let lengths = row.header.map(|header| (header.value_len() as u64, row.value.len() as u64));
            context = around.at(row.tag.key(), row.offset as u64, lengths);
            if error.kind() != ErrorKind::UnexpectedEnd {
                return context;
            }
            found_at = found_at.or(Some(depth));
        }
    }
}

/// Whether the error is about the packet of this row.
fn is_of(row: &Row<'_>, error: Error) -> bool {
    match error.kind() {
        _ if error.is_in_text() => false,
        ErrorKind::NegativeLength | ErrorKind::LengthOverflow => row.fault == Some(error),
        ErrorKind::InvalidValue | ErrorKind::InvalidUtf8 | ErrorKind::WrongWidth
            if row.header.is_some() && !row.tag.is_node() =>
        {
            let start = (row.offset + row.header_len()) as u64;
            let len = if error.kind() == ErrorKind::InvalidUtf8 { row.value.len() as u64 } else { 1 };
            (start..start.saturating_add(len)).contains(&error.offset())
        }
        // These offsets are in a text or a sink or after a packet, or an argument is at fault.
        ErrorKind::AnyDepth
        | ErrorKind::InvalidKey
        | ErrorKind::InvalidPath
        | ErrorKind::AbsentValue
        | ErrorKind::BufferTooSmall
        | ErrorKind::NotFound
        | ErrorKind::TrailingBytes
        | ErrorKind::InvalidValue
        | ErrorKind::InvalidUtf8 => false,
        ErrorKind::Overrun | ErrorKind::UnexpectedEnd if row.fault.is_none() => false,
        // All other kinds have the offset of a tag.
        _ => row.offset as u64 == error.offset(),
    }
}
