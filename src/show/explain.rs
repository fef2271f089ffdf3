//! Explain: where in the tree an error is.
//!
//! In: bytes, and the error that reading them gave. Out: the keys that lead there, and the lengths involved.

use super::steps::{Embedded, Step, Steps};
use crate::error::{Error, ErrorKind};
use crate::error_context::ErrorContext;
use crate::wire::tag::Tag;

/// Says where an error is: the path of keys to the packet, the length that it declares, and the bytes that are there.
///
/// `bytes` is the whole input that was read, from the first byte on, which is what the error's offset counts from. It serves errors
/// of [`check`](crate::check), [`walk`](crate::walk), of watching slices, of reading embedded packets, of edits, and of values that did not decode, the fields of
/// structs included. The
/// bytes are read again, so an [`Error`] stays as small as it is. An error of other bytes, or of no input, is only repeated.
///
/// [`UnexpectedEnd`](ErrorKind::UnexpectedEnd) has the offset of the top-level packet; explained is the innermost one that is cut.
/// For an error in embedded packets the keys lead through the primitive that holds them.
///
/// Cost: O(n); allocates never, 2.5 KiB of stack.
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
        // Inside the packet that an end of input was reported for, the last one that is cut is the innermost.
        if found_at.is_some_and(|found_at| depth <= found_at) {
            return context;
        }
        let around = ErrorContext::new(error).inside(steps.keys().iter().copied());
        let Some(step) = steps.next() else { return context };
        let Some(found) = Found::of(&step) else { continue };
        let is_cut = found.fault == Some(ErrorKind::UnexpectedEnd);
        if if found_at.is_some() { is_cut } else { found.is_of(&step, error) } {
            let lengths = found.lengths.map(|(declared, available)| (declared as u64, available as u64));
            context = around.at(found.tag.key(), found.offset as u64, lengths);
            if error.kind() != ErrorKind::UnexpectedEnd {
                return context;
            }
            found_at = found_at.or(Some(depth));
        }
    }
}

/// A packet, as far as it can be read.
#[derive(Clone, Copy, Debug)]
struct Found {
    tag: Tag,
    offset: usize,
    /// The length declared, and how many bytes are there. `None` if the header cannot be read.
    lengths: Option<(usize, usize)>,
    fault: Option<ErrorKind>,
}

impl Found {
    fn of(step: &Step<'_>) -> Option<Found> {
        match step {
            Step::Leave(_) => None,
            Step::Packet(seen) => Some(Found {
                tag: seen.header.tag(),
                offset: seen.offset,
                lengths: Some((seen.header.value_len(), seen.value.len())),
                fault: seen.cut,
            }),
            Step::Unread { offset, tag, fault, .. } => {
                Some(Found { tag: *tag, offset: *offset, lengths: None, fault: Some(fault.kind()) })
            }
        }
    }

    /// Whether the error is about this packet.
    fn is_of(&self, step: &Step<'_>, error: Error) -> bool {
        match (error.kind(), step) {
            (ErrorKind::NegativeLength | ErrorKind::LengthOverflow, Step::Unread { fault, .. }) => *fault == error,
            (ErrorKind::InvalidValue | ErrorKind::InvalidUtf8 | ErrorKind::WrongWidth, Step::Packet(seen))
                if !self.tag.is_node() =>
            {
                let start = (seen.offset + seen.header.size()) as u64;
                let len = if error.kind() == ErrorKind::InvalidUtf8 { seen.value.len() as u64 } else { 1 };
                (start..start.saturating_add(len)).contains(&error.offset())
            }
            // Their offsets are in a text or a sink, or after a packet; or an argument is wrong, not the bytes.
            (
                ErrorKind::AnyDepth
                | ErrorKind::InvalidKey
                | ErrorKind::InvalidPath
                | ErrorKind::AbsentValue
                | ErrorKind::BufferTooSmall
                | ErrorKind::NotFound
                | ErrorKind::TrailingBytes
                | ErrorKind::InvalidValue
                | ErrorKind::InvalidUtf8,
                _,
            ) => false,
            (ErrorKind::Overrun | ErrorKind::UnexpectedEnd, _) if self.fault.is_none() => false,
            // All others have the offset of a tag.
            _ => self.offset as u64 == error.offset(),
        }
    }
}
