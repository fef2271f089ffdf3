//! The rare steps of the machine, about one per chunk.
//!
//! These steps return parts of open packets, read split headers and find errors. `left` is the part of a chunk that the
//! machine has not consumed.

use core::ops::ControlFlow;

use nom::Err;

use super::{Machine, Output, SplitPacket, State, front};
use crate::error::{Error, ErrorKind};
use crate::read::found::{Found, Levels as _};
use crate::read::lookup::{Selection, WatchedPaths};
use crate::read::packet::Packet;
use crate::read::parser::next_header;
use crate::read::watch::Hit;
use crate::stream::event::HeaderBytes;
use crate::wire::header::Header;

/// What follows a step: the machine continues, emits an output, or waits for more bytes.
type Progress<'c> = ControlFlow<Option<Output<'c>>>;

impl<F: Found> Machine<F> {
    /// Makes steps until the module `fast` can read complete packets again.
    #[cold]
    pub(super) fn go_on<'c, P: WatchedPaths>(&mut self, paths: &P, mut left: &'c [u8]) -> (&'c [u8], Progress<'c>) {
        loop {
            let progress = self.progress(paths, &mut left);
            if progress.is_break() {
                self.over = matches!(progress, ControlFlow::Break(None)) && left.is_empty();
                return (left, progress);
            }
            if self.pending.first().is_none() && self.ending.is_none() && matches!(self.state, State::Packet) {
                return (left, progress);
            }
        }
    }

    fn progress<'c, P: WatchedPaths>(&mut self, paths: &P, left: &mut &'c [u8]) -> Progress<'c> {
        if let Some(level) = self.ending.take() {
            self.open = self.open.without(level);
            return ControlFlow::Break(Some(Output::End(self.path_index(level))));
        }
        if let Some(level) = self.pending.first() {
            return self.emit(left, level);
        }
        match self.state {
            State::Packet => self.read(paths, left),
            State::Header(held) => self.fill(paths, left, held),
            State::Value(missing) => {
                let passed = front(left, missing).len();
                self.take(left, passed);
                self.pass_over(missing - passed as u64);
                if matches!(self.state, State::Value(_)) { ControlFlow::Break(None) } else { ControlFlow::Continue(()) }
            }
            State::Broken(error) => {
                self.leave_embedded(paths);
                ControlFlow::Break(Some(Output::Error(error)))
            }
            // All parts of an open packet around the error come before the error.
            State::Failed(..) if self.is_open() || self.emitted => ControlFlow::Break(None),
            State::Failed(error, _) => {
                self.emitted = true;
                ControlFlow::Break(Some(Output::Error(error)))
            }
        }
    }

    /// Emits the part of the first pending packet that is in the chunk.
    fn emit<'c>(&mut self, left: &mut &'c [u8], level: u8) -> Progress<'c> {
        self.pending = self.pending.without(level);
        let missing = self.end_of(level.into()) - self.offset;
        let data = front(left, missing);
        if data.len() as u64 == missing {
            self.ending = Some(level);
        }
        if data.is_empty() {
            return ControlFlow::Continue(());
        }
        ControlFlow::Break(Some(Output::Data(self.path_index(level), data)))
    }

    fn path_index(&self, level: u8) -> u32 {
        let level = usize::from(level);
        let path_index = self.found.level(level).map(|level| level.path_index);
        path_index.or_else(|| self.watched.get(level).copied()).unwrap_or_default()
    }

    /// Reads one packet. At the end of a level, leaves the level instead.
    fn read<'c, P: WatchedPaths>(&mut self, paths: &P, left: &mut &'c [u8]) -> Progress<'c> {
        let missing = self.end(self.prefix) - self.offset;
        if missing == 0 {
            self.leave_node(paths);
            return ControlFlow::Continue(());
        }
        if self.is_found() {
            self.pass_over(missing);
            return ControlFlow::Continue(());
        }
        let level = front(left, missing);
        if level.is_empty() {
            return ControlFlow::Break(None);
        }
        if let Ok((_, header)) = next_header(level) {
            return self.on_header(paths, left, header, 0);
        }
        // The packet is split or invalid. The header is now read byte by byte to find out which.
        if self.prefix.depth() == 0 {
            self.top_start = self.offset;
        }
        self.state = State::Header(HeaderBytes::default());
        ControlFlow::Continue(())
    }

    /// Consumes the bytes of a header until the header is complete.
    fn fill<'c, P: WatchedPaths>(&mut self, paths: &P, left: &mut &'c [u8], mut held: HeaderBytes) -> Progress<'c> {
        loop {
            let start = self.offset - u64::from(held.len());
            let header = next_header(held.as_slice()).map(|(_, header)| header);
            match header {
                Ok(header) => return self.on_header(paths, left, header, header.size()),
                Err(Err::Error(kind) | Err::Failure(kind)) => {
                    self.fail(paths, Error::new(kind, start.saturating_add(1)), Some(held.tag()), None);
                    return ControlFlow::Continue(());
                }
                Err(Err::Incomplete(_)) if self.offset == self.end(self.prefix) => {
                    self.fail(paths, Error::new(paths.overrun(self.prefix), start), Some(held.tag()), None);
                    return ControlFlow::Continue(());
                }
                Err(Err::Incomplete(_)) => {
                    let Some(&byte) = left.first() else { return ControlFlow::Break(None) };
                    held = held.with(byte);
                    self.state = State::Header(held);
                    self.take(left, 1);
                }
            }
        }
    }

    /// Selects the next state for a packet whose header was read. Of this packet, `taken` bytes were consumed: none, or
    /// exactly the header.
    fn on_header<'c, P: WatchedPaths>(
        &mut self,
        paths: &P,
        left: &mut &'c [u8],
        header: Header,
        taken: usize,
    ) -> Progress<'c> {
        let start = self.offset - taken as u64;
        let selection = paths.select_in(&self.found, self.prefix, self.keys, header.tag());
        if let Some(error) = self.refusal(paths, &selection, header, start) {
            self.refuse(paths, error, header.packet_len(), Some(header));
            return ControlFlow::Continue(());
        }
        let whole = if taken == 0 { left.get(header.size()..header.packet_len()) } else { None };
        let mut hit = None;
        if let Some(path_index) = selection.path_index {
            let Some(value) = whole else {
                return ControlFlow::Break(Some(Output::Split(SplitPacket {
                    header,
                    selection,
                    enters: selection.enters(paths),
                    path_index,
                })));
            };
            let packet =
                Packet::new(header.tag(), left, value, left.get(header.packet_len()..).unwrap_or_default()).at(start);
            hit = Some(Output::Hit(Hit::new(packet, paths.path_of(&selection), path_index)));
        }
        if selection.enters(paths) {
            self.take(left, header.size() - taken);
            self.descend(&selection, start, header);
        } else {
            if hit.is_some() {
                self.found(header.tag().key());
            }
            self.jump(left, header, start);
        }
        hit.map_or(ControlFlow::Continue(()), |hit| ControlFlow::Break(Some(hit)))
    }

    /// Returns the reason to refuse a packet with this header. The reason does not depend on where the chunk ends.
    fn refusal<P: WatchedPaths>(&self, paths: &P, selection: &Selection, header: Header, start: u64) -> Option<Error> {
        if start.saturating_add(header.packet_len() as u64) > self.end(self.prefix) {
            return Some(Error::new(paths.overrun(self.prefix), start));
        }
        let packet =
            if self.prefix.depth() == 0 { self.limits.refuse_packet(header.packet_len(), start) } else { None };
        let is_watched = selection.path_index.is_some();
        let value = || if is_watched { self.limits.refuse_value(header.value_len(), start) } else { None };
        let is_too_deep = selection.is_too_deep(paths, self.limits.max_depth());
        packet.or_else(value).or(is_too_deep.then_some(Error::new(ErrorKind::DepthLimit, start)))
    }

    fn descend(&mut self, selection: &Selection, start: u64, header: Header) {
        self.note(selection, start, header.packet_len());
        self.found.enter(self.prefix.depth(), self.keys, header.tag().key());
        (self.prefix, self.keys, self.state) = (selection.prefix, selection.keys, State::Packet);
    }

    /// Skips the packet that begins at `start`. The packet can continue in the next chunk.
    fn jump(&mut self, left: &mut &[u8], header: Header, start: u64) {
        if self.prefix.depth() == 0 {
            self.top_start = start;
        }
        let end = start.saturating_add(header.packet_len() as u64);
        let passed = front(left, end - self.offset).len();
        self.take(left, passed);
        self.pass_over(end - self.offset);
    }

    /// Starts a watched packet that is only partly in the chunk. Consumes the header of the packet. The part of its
    /// value in this chunk becomes pending.
    #[cold]
    pub(super) fn start_at<'c>(&mut self, packet: SplitPacket, mut left: &'c [u8]) -> (u64, &'c [u8]) {
        let SplitPacket { header, selection, enters, path_index } = packet;
        if !matches!(self.state, State::Header(_)) {
            self.take(&mut left, header.size());
        }
        let start = self.offset - header.size() as u64;
        if enters {
            self.descend(&selection, start, header);
        } else {
            self.note(&selection, start, header.packet_len());
            self.found(header.tag().key());
            self.pass_over(header.value_len() as u64);
        }
        let level = selection.prefix.depth();
        if let Some(level) = self.found.level_mut(level) {
            level.path_index = path_index;
        } else if let Some(watched) = self.watched.get_mut(level) {
            *watched = path_index;
        }
        (self.open, self.pending) = (self.open.with(level), self.pending.with(level));
        (start, left)
    }
}
