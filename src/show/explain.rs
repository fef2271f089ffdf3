//! Explain: finds the packet that caused an error.

use super::row::Row;
use super::steps::{Embedded, Step, Steps};
use crate::error::{Error, ErrorKind};
use crate::error_context::ErrorContext;

/// Finds the packet that caused an error. Returns the keys on the path to this packet, the length that the packet
/// declares, and the number of bytes present.
///
/// `bytes` must be the whole input, because the offset of an error counts from the first byte of the input. The
/// function accepts errors of [`check`](crate::check), of [`walk`](crate::walk), of watchers of slices, of embedded
/// packets and of edits. The function also accepts conversion errors, including errors in the fields of structs. The
/// function reads the bytes a second time, because an [`Error`] is small and stores no path. If the error comes from
/// other bytes, or was not caused by an input, the result contains no packet.
///
/// The offset of [`UnexpectedEnd`](ErrorKind::UnexpectedEnd) is the start of a top-level packet. The result describes
/// the innermost incomplete packet inside this packet. For an error in embedded packets, the keys include the key of
/// the primitive that contains them.
///
/// Cost: O(n). Never allocates. Uses 2.5 KiB of stack.
///
/// # Examples
/// ```
/// let bytes = [0x81, 0x08, 0x90, 0x06, 0x11, 0x04, 0x42, 0x34];
/// let context = y3::show::explain(&bytes, y3::check(&bytes).unwrap_err());
/// assert_eq!(
///     context.to_string(),
///     "input ends inside the packet at byte 0: in 0x01/0x10, packet 0x11 at byte 4 declares 4 bytes but has 2"
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
        // The function looks for the innermost incomplete packet. This packet is the last incomplete packet inside the
        // top-level packet whose end is missing.
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

/// True if the error refers to the packet of this row.
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
        // The offset of these errors is in a text, in a sink or after a packet, or the error is about an argument.
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
