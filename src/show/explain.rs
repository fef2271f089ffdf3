//! Explain: where in the tree an error is.
//!
//! In: bytes, and the error that reading them gave. Out: the keys that lead there, and the lengths involved.

use super::steps::{Payloads, Step, Steps};
use crate::error::{Error, ErrorKind};
use crate::fault::Fault;
use crate::wire::tag::Tag;

/// Says where an error is: the path of keys to the packet, the length that it declares, and the bytes that are there.
///
/// `bytes` is the whole input that was read, from the first byte on, which is what the error's offset counts from. It serves errors
/// of [`check`](crate::check), [`walk`](crate::walk), of watching slices, of reading payloads, and of values that did not decode. The
/// bytes are read again, so an [`Error`] stays as small as it is. An error of other bytes, or of no input, is only repeated.
///
/// [`UnexpectedEnd`](ErrorKind::UnexpectedEnd) has the offset of the outermost packet; explained is the innermost one that is cut.
/// For an error inside a payload the keys lead through the primitive that holds it.
///
/// Cost: O(n); allocates never, 2.5 KiB of stack.
///
/// # Examples
/// ```
/// let bytes = [0x81, 0x08, 0x90, 0x06, 0x11, 0x04, 0x42, 0x34];
/// let fault = y3::show::explain(&bytes, y3::check(&bytes).unwrap_err());
/// assert_eq!(
///     fault.to_string(),
///     "input ends inside the packet at byte 0: in 0x01/0x10, packet 0x11 at byte 4 declares 4 bytes, 2 are there"
/// );
/// assert_eq!((fault.offset(), fault.declared(), fault.available()), (Some(4), Some(4), Some(2)));
/// assert!(fault.keys().iter().map(|key| key.get()).eq([0x01, 0x10, 0x11]));
/// ```
/// Source: [SPEC §8](crate::spec#8-decoder-duties-and-limits)
#[must_use]
pub fn explain(bytes: &[u8], error: Error) -> Fault {
    let mut fault = Fault::new(error);
    let Ok(offset) = usize::try_from(error.offset()) else { return fault };
    let mut steps = Steps::new(bytes, Payloads::Around(offset));
    let mut found_at = None;
    loop {
        let depth = steps.depth();
        // Inside the packet that an end of input was reported for, the last one that is cut is the innermost.
        if found_at.is_some_and(|found| depth <= found) {
            return fault;
        }
        let around = Fault::new(error).inside(steps.keys().iter().copied());
        let Some(step) = steps.next() else { return fault };
        let Some(place) = Place::of(&step) else { continue };
        let is_cut = place.fault == Some(ErrorKind::UnexpectedEnd);
        if if found_at.is_some() { is_cut } else { place.is_of(&step, error) } {
            let lengths = place.lengths.map(|(declared, available)| (declared as u64, available as u64));
            fault = around.at(place.tag.key(), place.offset as u64, lengths);
            if error.kind() != ErrorKind::UnexpectedEnd {
                return fault;
            }
            found_at = found_at.or(Some(depth));
        }
    }
}

/// A packet, as far as it can be read.
#[derive(Clone, Copy, Debug)]
struct Place {
    tag: Tag,
    offset: usize,
    /// The length declared, and how many bytes are there. `None` if the header cannot be read.
    lengths: Option<(usize, usize)>,
    fault: Option<ErrorKind>,
}

impl Place {
    fn of(step: &Step<'_>) -> Option<Place> {
        match step {
            Step::Leave(_) => None,
            Step::Packet(seen) => Some(Place {
                tag: seen.header.tag(),
                offset: seen.offset,
                lengths: Some((seen.header.value_len(), seen.value.len())),
                fault: seen.cut,
            }),
            Step::Unread { offset, tag, fault, .. } => {
                Some(Place { tag: *tag, offset: *offset, lengths: None, fault: Some(fault.kind()) })
            }
        }
    }

    /// Whether the error is about this packet.
    fn is_of(&self, step: &Step<'_>, error: Error) -> bool {
        let is_tag = self.offset as u64 == error.offset();
        match (error.kind(), step) {
            (ErrorKind::NegativeLength | ErrorKind::LengthOverflow, Step::Unread { fault, .. }) => *fault == error,
            (ErrorKind::Overrun | ErrorKind::UnexpectedEnd, _) => is_tag && self.fault.is_some(),
            (
                ErrorKind::DepthLimit
                | ErrorKind::NotANode
                | ErrorKind::NotAPrimitive
                | ErrorKind::SizeLimit
                | ErrorKind::MissingField
                | ErrorKind::RepeatedField
                | ErrorKind::RepeatedKey
                | ErrorKind::UnexpectedKey
                | ErrorKind::UnknownVariant
                | ErrorKind::NotOneVariant
                | ErrorKind::MissingItems
                | ErrorKind::ExtraItems,
                _,
            ) => is_tag,
            (ErrorKind::InvalidValue | ErrorKind::InvalidUtf8, Step::Packet(seen)) if !self.tag.is_node() => {
                let start = (seen.offset + seen.header.size()) as u64;
                let len = if error.kind() == ErrorKind::InvalidUtf8 { seen.value.len() as u64 } else { 1 };
                (start..start.saturating_add(len)).contains(&error.offset())
            }
            _ => false,
        }
    }
}
