//! The position of a watcher in a stream.
//!
//! The machine turns each chunk into outputs. Between two chunks, it stores a few words and at most one incomplete
//! header. The module `fast` reads complete packets. The module `slow` handles split packets and errors.

pub(super) mod fast;
mod slow;

use core::num::NonZero;

use super::event::HeaderBytes;
use crate::error::{Error, ErrorKind};
use crate::error_context::ErrorContext;
use crate::limits::Limits;
use crate::read::found::Found;
use crate::read::keys::KeySet;
use crate::read::lookup::sealed::Lookup;
use crate::read::lookup::{Prefix, Selection, WatchedPaths};
use crate::read::path::Path;
use crate::read::watch::Hit;
use crate::wire::header::Header;
use crate::wire::key::Key;
use crate::wire::tag::Tag;

/// The number of levels: the top level, and one level for each key of a path.
const LEVELS: usize = Path::MAX_LEN + 1;

/// A watcher without its paths.
///
/// Between any two calls, these invariants are true:
/// - `offset` is not beyond `ends[prefix.depth()]`. `keys` are the keys that a path can match after `prefix`.
/// - `ends[1..=prefix.depth()]` are the ends of the enclosing nodes, the outermost first. No end is greater than the
///   end of the node around it. `offset` never reaches `ends[0]`. `top_start` is valid unless `prefix` is empty and
///   `state` is `Packet`.
/// - In `State::Header`, the stored bytes are the last consumed bytes.
/// - A packet is open from its `Start` to its `End`. For each open packet, `open` contains the level inside that
///   packet. The packet's end is `ends[level]`, and its path index is `watched[level]`. The machine has entered all
///   open packets except possibly the innermost one, which it can skip instead. The level inside a skipped packet is
///   one deeper than `prefix`.
/// - `pending` and `ending` contain levels of `open`. Both are empty at the end of a chunk.
/// - `emitted` is used only in `State::Failed`. The error of that state is emitted only when no packet is open. All
///   parts of a watched node around the error therefore come before the error.
/// - An error in embedded packets is emitted at once. The error ends only the watch of these packets: the machine skips
///   the rest of their primitive. Open packets inside the primitive keep their `ends` until the end of the primitive.
#[derive(Clone, Debug)]
pub(super) struct Machine<F: Found> {
    offset: u64,
    state: State,
    /// The keys that a path can match at this level.
    keys: KeySet,
    prefix: Prefix,
    found: F,
    /// The end of each level, which is also the end of the packet around the level. The top level never ends.
    ends: [u64; LEVELS],
    /// The offset of the current top-level packet.
    top_start: u64,
    /// The levels inside the open packets, one bit for each. `watched` contains the path indices of these packets.
    open: F::Levels,
    watched: [u32; LEVELS],
    /// The levels of `open` whose packet has a part in this chunk that is not emitted yet.
    pending: F::Levels,
    /// The level inside the packet that ends with the last emitted part.
    ending: Option<u8>,
    /// True if the error was already emitted for this chunk.
    emitted: bool,
    /// True if the chunk has no more outputs.
    pub(super) over: bool,
    /// The last error and its place, for `explain`.
    failure: Option<Failure>,
    limits: Limits,
}

/// An error, the keys that lead to the level of the faulty packet, and the known facts about the packet. `lengths` are
/// its declared length, and how many of the declared bytes its level can contain.
#[derive(Clone, Copy, Debug)]
struct Failure {
    error: Error,
    around: Path,
    /// The tag of the faulty packet. `None` if the tag is unknown, or if a key around the packet is unknown.
    tag: Option<Tag>,
    lengths: Option<(u32, u32)>,
}

/// The position of a machine in its level.
#[derive(Clone, Copy, Debug)]
enum State {
    /// Before a packet, or at the end of the level.
    Packet,
    /// Inside a header. The machine has consumed these bytes of the header.
    Header(HeaderBytes),
    /// Inside a skipped value. This many bytes of the value are left.
    Value(u64),
    /// After an error in embedded packets. The next output is this error.
    Broken(Error),
    /// After any other error. The second field is the start of the next top-level packet, if it is known.
    Failed(Error, Option<NonZero<u64>>),
}

/// An item that a machine finds in a chunk. A `u32` is the path index of the item.
pub(super) enum Output<'c> {
    Hit(Hit<'c>),
    /// A watched packet that is only partly present. The machine has consumed no bytes of the packet except the header
    /// bytes that it stores. The caller must either start the packet or give these bytes back.
    Split(SplitPacket),
    Data(u32, &'c [u8]),
    End(u32),
    Error(Error),
}

/// A watched packet that is only partly in a chunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct SplitPacket {
    pub(super) header: Header,
    pub(super) path_index: u32,
    selection: Selection,
    enters: bool,
}

impl<F: Found> Machine<F> {
    pub(super) fn new<P: WatchedPaths>(paths: &P, limits: Limits) -> Self {
        Self {
            offset: 0,
            state: State::Packet,
            keys: paths.keys_at(Prefix::ROOT),
            prefix: Prefix::ROOT,
            found: F::default(),
            ends: [u64::MAX; LEVELS],
            top_start: 0,
            open: F::Levels::default(),
            watched: [0; LEVELS],
            pending: F::Levels::default(),
            ending: None,
            emitted: false,
            over: false,
            failure: None,
            limits,
        }
    }

    #[cold]
    pub(super) fn explain<P: WatchedPaths>(&self, paths: &P, error: Error) -> ErrorContext {
        let fault = ErrorContext::new(error);
        match self.failure.filter(|failure| failure.error == error) {
            Some(Failure { around, tag, lengths, .. }) => {
                let fault = fault.inside(around.steps().filter_map(|step| step.key));
                let Some(tag) = tag else { return fault };
                let is_length = matches!(error.kind(), ErrorKind::NegativeLength | ErrorKind::LengthOverflow);
                let lengths = lengths.map(|(declared, available)| (declared.into(), available.into()));
                fault.at(tag.key(), error.offset().saturating_sub(is_length.into()), lengths)
            }
            // The stream ended inside this level.
            None if self.finish() == Err(error) => {
                fault.inside(paths.keys_to(&self.found, self.prefix).steps().filter_map(|step| step.key))
            }
            None => fault,
        }
    }

    pub(super) const fn offset(&self) -> u64 {
        self.offset
    }

    pub(super) const fn error(&self) -> Option<Error> {
        if let State::Failed(error, _) = self.state { Some(error) } else { None }
    }

    /// Checks that the stream can end here.
    pub(super) fn finish(&self) -> Result<(), Error> {
        match self.state {
            State::Packet if self.prefix.depth() == 0 => Ok(()),
            State::Failed(error, _) => Err(error),
            _ => Err(Error::new(ErrorKind::UnexpectedEnd, self.top_start)),
        }
    }

    pub(super) fn skip_hint(&self) -> u64 {
        match self.state {
            State::Value(left) if !self.is_open() => left,
            _ => 0,
        }
    }

    pub(super) fn skip<P: WatchedPaths>(&mut self, paths: &P, bytes: u64) -> u64 {
        let hint = self.skip_hint();
        let bytes = bytes.min(hint);
        if hint != 0 {
            self.offset = self.offset.saturating_add(bytes);
            self.pass_over(hint - bytes);
            while matches!(self.state, State::Packet) && self.offset == self.end(self.prefix) {
                self.leave_node(paths);
            }
        }
        bytes
    }

    /// After an error, skips to the end of the faulty top-level packet. Returns `false` if that end is unknown, if the
    /// machine is already past it, or if a watched packet is still open.
    pub(super) fn resume<P: WatchedPaths>(&mut self, paths: &P) -> bool {
        let State::Failed(_, next) = self.state else { return true };
        let Some(left) = next.and_then(|next| next.get().checked_sub(self.offset)).filter(|_| !self.is_open()) else {
            return false;
        };
        (self.prefix, self.keys) = (Prefix::ROOT, paths.keys_at(Prefix::ROOT));
        self.pass_over(left);
        self.emitted = false;
        true
    }

    /// True if a watched packet is open.
    #[inline(always)]
    fn is_open(&self) -> bool {
        self.open != F::Levels::default()
    }

    #[inline(always)]
    fn end(&self, prefix: Prefix) -> u64 {
        self.end_of(prefix.depth())
    }

    #[inline(always)]
    fn end_of(&self, level: usize) -> u64 {
        if let Some(level) = self.found.level(level) {
            return level.end;
        }
        self.ends.get(level).copied().unwrap_or_default()
    }

    #[inline(always)]
    fn take(&mut self, left: &mut &[u8], bytes: usize) {
        let bytes = bytes.min(left.len());
        *left = left.get(bytes..).unwrap_or_default();
        self.offset = self.offset.saturating_add(bytes as u64);
    }

    /// Stores the end of the packet whose tag is at `start`. For a packet at the top level, also stores `start`.
    #[inline(always)]
    fn note(&mut self, selection: &Selection, start: u64, packet_len: usize) {
        if selection.prefix.depth() == 1 {
            self.top_start = start;
        }
        let (level, end) = (selection.prefix.depth(), start.saturating_add(packet_len as u64));
        if let Some(level) = self.found.level_mut(level) {
            level.end = end;
        } else if let Some(level) = self.ends.get_mut(level) {
            *level = end;
        }
    }

    /// True if a watched value exceeds its limit, or if a node exceeds the depth limit.
    #[inline(always)]
    fn is_refused(&self, paths: &impl Lookup, selection: &Selection, value_len: usize) -> bool {
        selection.path_index.is_some() && value_len > self.limits.max_value_len()
            || selection.is_too_deep(paths, self.limits.max_depth())
    }

    /// Returns to the outer level at the end of a node.
    fn leave_node<P: WatchedPaths>(&mut self, paths: &P) {
        self.prefix = self.prefix.parent().unwrap_or(Prefix::ROOT);
        self.keys = self.keys_after(paths, self.keys);
    }

    /// Returns the keys that the machine still looks for in this level, after it has read a packet there. `inside` are
    /// the watched keys that were not found inside the packet.
    #[inline(always)]
    fn keys_after(&self, paths: &impl Lookup, inside: KeySet) -> KeySet {
        paths.keys_after(&self.found, self.prefix, inside)
    }

    /// Records a hit that is not entered. Returns true if all wanted keys of its level are now found.
    #[inline(always)]
    fn found(&mut self, key: Key) -> bool {
        if F::FIRST_ONLY && self.prefix.depth() > 0 {
            self.keys = self.keys.without(key);
        }
        self.is_found()
    }

    #[inline(always)]
    fn is_found(&self) -> bool {
        F::FIRST_ONLY && self.keys.is_empty() && self.prefix.depth() > 0
    }

    /// Skips the next `left` bytes. A packet follows these bytes.
    fn pass_over(&mut self, left: u64) {
        self.state = if left == 0 { State::Packet } else { State::Value(left) };
    }

    /// After an error in embedded packets, skips to the end of the primitive around them.
    fn leave_embedded<P: WatchedPaths>(&mut self, paths: &P) {
        let depth = paths.embedded_depth(self.prefix).unwrap_or_default();
        let end = self.end_of(depth);
        while let Some(parent) = self.prefix.parent().filter(|_| self.prefix.depth() >= depth) {
            self.prefix = parent;
        }
        // Watched packets can be missing in a faulty packet.
        self.keys = self.keys_after(paths, KeySet::ALL);
        self.pass_over(end.saturating_sub(self.offset));
    }

    /// Refuses the packet whose tag is at the offset of the error. The length of the packet is valid, so the start of
    /// the next packet is known. Without `header`, `explain` does not know the tag and the lengths of the packet.
    #[cold]
    pub(super) fn refuse<P: WatchedPaths>(
        &mut self,
        paths: &P,
        error: Error,
        packet_len: usize,
        header: Option<Header>,
    ) {
        let start = error.offset();
        let lengths = header.map(|header| {
            let value = start.saturating_add(header.size() as u64);
            let declared = u32::try_from(header.value_len()).unwrap_or(u32::MAX);
            let available = u32::try_from(self.end(self.prefix).saturating_sub(value)).unwrap_or(u32::MAX);
            (declared, available.min(declared))
        });
        self.fail(paths, error, header.map(Header::tag), lengths);
        if self.prefix.depth() == 0 {
            self.top_start = start;
        }
        if let State::Failed(_, next @ None) = &mut self.state {
            *next = NonZero::new(start.saturating_add(packet_len as u64));
        }
    }

    /// Fails with an error. In embedded packets, the error ends only the watch of these packets. Elsewhere the error
    /// ends the stream. Only the length of the top-level packet then tells where the next packet begins.
    #[cold]
    fn fail<P: WatchedPaths>(&mut self, paths: &P, error: Error, tag: Option<Tag>, lengths: Option<(u32, u32)>) {
        let around = paths.keys_to(&self.found, self.prefix);
        let tag = tag.filter(|_| around.len() == self.prefix.depth());
        self.failure = Some(Failure { error, around, tag, lengths });
        if paths.embedded_depth(self.prefix).is_some() {
            self.state = State::Broken(error);
            return;
        }
        let next = if self.prefix.depth() == 0 { None } else { NonZero::new(self.end_of(1)) };
        self.state = State::Failed(error, next);
    }
}

// Methods for the types that join split hits.
#[cfg(feature = "alloc")]
impl<F: Found> Machine<F> {
    /// Removes the stored bytes of a header from the machine, as if they had never been fed. The packet must not have
    /// been started.
    pub(super) fn give_back(&mut self) -> HeaderBytes {
        let State::Header(held) = self.state else { return HeaderBytes::default() };
        self.state = State::Packet;
        self.offset -= u64::from(held.len());
        held
    }

    /// Ends the stream. Returns the error of the stream if it was not emitted yet, or an error if the stream ends
    /// inside a packet. The machine then stores this error.
    pub(super) fn end_stream(&mut self) -> Option<Error> {
        let error = self.finish().err().filter(|_| !self.emitted)?;
        (self.state, self.open, self.emitted) = (State::Failed(error, None), F::Levels::default(), true);
        Some(error)
    }

    /// Ends the stream. The caller still has `held` bytes of an incomplete packet. If the stream ends inside a packet,
    /// the machine stores the error.
    #[cfg(feature = "codec")]
    pub(super) fn end_before(&mut self, held: usize) -> Result<(), Error> {
        if held > 0 && matches!(self.state, State::Packet) {
            self.state = State::Failed(Error::new(ErrorKind::UnexpectedEnd, self.offset), None);
        }
        self.finish()
    }

    /// Adds `bytes` to `offset`, although the machine reads these bytes later or never.
    pub(super) fn drop_rest(&mut self, bytes: usize) {
        self.offset = self.offset.saturating_add(bytes as u64);
    }

    /// Subtracts `bytes` from `offset`. The machine reads these bytes now.
    pub(super) fn go_back(&mut self, bytes: usize) {
        self.offset = self.offset.saturating_sub(bytes as u64);
    }
}

/// Returns the first `most` bytes, or all bytes if there are fewer.
#[inline(always)]
pub(super) fn front(bytes: &[u8], most: u64) -> &[u8] {
    usize::try_from(most).ok().and_then(|most| bytes.get(..most)).unwrap_or(bytes)
}
