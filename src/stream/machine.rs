//! Machine: where in a stream a watcher is.
//!
//! In: a chunk and the paths. Out: the next thing in it worth telling, until the chunk is used up; between two chunks a few
//! words and at most one header that a cut has split.

use core::ops::ControlFlow;

use super::LONGEST;
use super::watcher::Begin;
use crate::error::{Error, ErrorKind};
use crate::limits::Limits;
use crate::read::keys::KeySet;
use crate::read::packet::Packet;
use crate::read::path::{Path, PathSet, Prefix, Step};
use crate::read::watch::Hit;
use crate::wire::header::{Header, Stop};

/// A chunk being read.
///
/// Where packets follow one another it goes ahead of the machine, as [`Watch`](crate::Watch) would, in words of its own: a
/// cursor whose address nobody holds lives in registers, so the cold functions take and give words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'c> {
    /// What the machine has not taken of it.
    left: &'c [u8],
    /// Of that, what is left of the level being read: at the outermost level no more than the longest packet, so that a
    /// longer one is not jumped over unnoticed.
    rest: &'c [u8],
    keys: KeySet,
    prefix: Prefix,
    /// The level at which the machine was left; the chunk has all of those below it.
    whole_below: usize,
    /// Whether the machine has to be asked what comes next; then the cursor is not ahead.
    slow: bool,
}

impl<'c> Cursor<'c> {
    /// What is left of the chunk, when the machine has stopped in it.
    pub(super) const fn left(&self) -> &'c [u8] {
        self.left
    }

    /// How far it is ahead of the machine.
    #[inline(always)]
    fn ahead(&self) -> usize {
        self.rest.as_ptr().addr().wrapping_sub(self.left.as_ptr().addr())
    }
}

/// What a step comes to.
pub(super) enum Found<'c> {
    Hit(Hit<'c>),
    /// A watched packet that is not whole here. Nothing of it was taken but what was held; now it has to be begun or given
    /// back.
    Split(Split),
    Data(u8, &'c [u8]),
    End(u8),
    Fault(Error),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Split {
    pub(super) header: Header,
    step: Step,
    path: u8,
}

/// The first bytes of a header that a cut has split.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Held {
    bytes: [u8; LONGEST],
    len: u8,
}

impl Held {
    fn of(bytes: &[u8]) -> Self {
        bytes.iter().fold(Self::default(), |held, byte| held.and(*byte))
    }

    fn and(mut self, byte: u8) -> Self {
        if let Some(next) = self.bytes.get_mut(usize::from(self.len)) {
            *next = byte;
            self.len += 1;
        }
        self
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }
}

/// Between two chunks, and mostly inside one too, a watcher is in one of these places.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// Before a packet, or at the end of a level.
    Packet,
    /// In a header.
    Header(Held),
    /// In a value to be passed over: so many bytes are left of it.
    Value(u64),
    /// Nowhere: the fault, and where the next outermost packet begins if that is known.
    Failed(Error, Option<u64>),
}

/// How many levels there are: one for each key of a path, and the outermost.
const LEVELS: usize = Path::MAX_LEN + 1;

/// The watcher without its paths, so that those who own them can have it too.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    /// How many bytes were taken.
    offset: u64,
    place: Place,
    /// The keys that matter at this level.
    keys: KeySet,
    prefix: Prefix,
    /// Where each level ends, and the packet around it; the outermost never does.
    ends: [u64; LEVELS],
    /// Where the outermost packet begins, while inside it.
    outermost: u64,
    /// The packets that have begun and not ended, one bit for the level each of them is, and their paths.
    open: u16,
    watched: [u8; LEVELS],
    /// Of the chunk being read: the open packets whose part of it is still to be given out; the level of the one of them
    /// that is then whole; whether the fault was given out; whether there is no more to give out.
    due: u16,
    ending: Option<u8>,
    told: bool,
    over: bool,
    limits: Limits,
}

/// To go on, or to give something out, or to wait for more bytes.
type Turn<'c> = ControlFlow<Option<Found<'c>>>;

impl Machine {
    pub(super) fn new<const N: usize>(paths: &PathSet<N>, limits: Limits) -> Self {
        Self {
            offset: 0,
            place: Place::Packet,
            keys: paths.keys_at(Prefix::ROOT),
            prefix: Prefix::ROOT,
            ends: [u64::MAX; LEVELS],
            outermost: 0,
            open: 0,
            watched: [0; LEVELS],
            due: 0,
            ending: None,
            told: false,
            over: false,
            limits,
        }
    }

    pub(super) const fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether a chunk has no more to give out.
    pub(super) const fn is_over(&self) -> bool {
        self.over
    }

    /// Begins to read a chunk; a fault is given out with each.
    #[inline(always)]
    pub(super) fn chunk<'c>(&mut self, chunk: &'c [u8]) -> Cursor<'c> {
        self.tell_again();
        self.cursor(chunk)
    }

    #[inline(always)]
    pub(super) const fn tell_again(&mut self) {
        self.told = false;
    }

    /// Begins to read a chunk, or goes on with what is left of one.
    #[inline(always)]
    pub(super) fn cursor<'c>(&mut self, chunk: &'c [u8]) -> Cursor<'c> {
        (self.due, self.ending, self.over) = (self.open, None, false);
        let slow = self.due != 0 || !matches!(self.place, Place::Packet);
        self.load(chunk, slow)
    }

    #[inline(always)]
    fn load<'c>(&self, left: &'c [u8], slow: bool) -> Cursor<'c> {
        let rest = if slow { left } else { front(left, self.reach(self.prefix, self.offset)) };
        Cursor { left, rest, keys: self.keys, prefix: self.prefix, whole_below: self.prefix.depth(), slow }
    }

    /// Goes through the chunk to the next thing worth telling; `None` at its end.
    #[inline(always)]
    pub(super) fn step<'c, const N: usize>(
        &mut self,
        paths: &PathSet<N>,
        cursor: &mut Cursor<'c>,
    ) -> Option<Found<'c>> {
        loop {
            if cursor.slow {
                let (left, turn) = self.go_on(paths, cursor.left);
                *cursor = self.load(left, turn.is_break());
                if let ControlFlow::Break(found) = turn {
                    return found;
                }
            }
            // The loop over what nobody watches.
            let (keys, mut rest) = (cursor.keys, cursor.rest);
            let watched = loop {
                let Some((header, value)) = header(rest) else { break None };
                if keys.contains(header.tag().key()) {
                    break Some((header, value));
                }
                let Some(after) = value.get(header.value_len()..) else { break None };
                rest = after;
            };
            cursor.rest = rest;
            match watched {
                Some((header, value)) => {
                    if let Some(found) = self.enter(paths, cursor, header, value) {
                        return Some(found);
                    }
                }
                None if rest.is_empty() && cursor.prefix.depth() > cursor.whole_below => self.ascend(paths, cursor),
                None => self.catch_up(cursor),
            }
        }
    }

    /// What the packet at the front, whose key matters, comes to: a hit, or nothing, and then it may not be whole.
    #[inline(always)]
    fn enter<'c, const N: usize>(
        &mut self,
        paths: &PathSet<N>,
        cursor: &mut Cursor<'c>,
        header: Header,
        value: &'c [u8],
    ) -> Option<Found<'c>> {
        let step = paths.step(cursor.prefix, header.tag().key());
        let too_long = step.watched.is_some() && header.value_len() > self.limits.max_value_len();
        let Some((inside, after)) = value.split_at_checked(header.value_len()).filter(|_| !too_long) else {
            self.catch_up(cursor);
            return None;
        };
        let (packet, start) = (cursor.rest, self.offset.saturating_add(cursor.ahead() as u64));
        if header.tag().is_node() && !step.keys.is_empty() {
            self.note(&step, start, header);
            (cursor.prefix, cursor.keys, cursor.rest) = (step.prefix, step.keys, inside);
        } else {
            cursor.rest = after;
        }
        let packet = |path| Found::Hit(Hit::new(Packet::new(header, packet, inside).at(start), path));
        step.watched.map(packet)
    }

    /// At the end of a level that is whole: back to the one above, behind the node just read.
    #[inline(always)]
    fn ascend<const N: usize>(&mut self, paths: &PathSet<N>, cursor: &mut Cursor<'_>) {
        let ahead = cursor.ahead();
        // A branch, not a choice of pointers: the next header waits for the pointer.
        let (Some(prefix), Some(level)) = (cursor.prefix.parent(), cursor.left.get(ahead..)) else {
            return self.catch_up(cursor);
        };
        (cursor.prefix, cursor.keys) = (prefix, paths.keys_at(prefix));
        cursor.rest = front(level, self.reach(prefix, self.offset.saturating_add(ahead as u64)));
    }

    /// Where a level ends.
    #[inline(always)]
    fn end(&self, prefix: Prefix) -> u64 {
        self.ends.get(prefix.depth()).copied().unwrap_or_default()
    }

    /// How far a cursor may see from here.
    #[inline(always)]
    fn reach(&self, prefix: Prefix, here: u64) -> u64 {
        if prefix.depth() == 0 { self.limits.max_packet_len() as u64 } else { self.end(prefix).saturating_sub(here) }
    }

    /// Catches up with the cursor.
    #[inline(always)]
    fn catch_up(&mut self, cursor: &mut Cursor<'_>) {
        let ahead = cursor.ahead();
        (self.prefix, self.keys) = (cursor.prefix, cursor.keys);
        self.take(&mut cursor.left, ahead);
        (cursor.rest, cursor.slow) = (cursor.left, true);
    }

    #[inline(always)]
    fn take(&mut self, left: &mut &[u8], bytes: usize) {
        let bytes = bytes.min(left.len());
        *left = left.get(bytes..).unwrap_or_default();
        self.offset = self.offset.saturating_add(bytes as u64);
    }

    /// Notes where the packet ends whose tag lies at `start`, and if it is an outermost one where it begins.
    #[inline(always)]
    fn note(&mut self, step: &Step, start: u64, header: Header) {
        if step.prefix.depth() == 1 {
            self.outermost = start;
        }
        if let Some(level) = self.ends.get_mut(step.prefix.depth()) {
            *level = start.saturating_add(header.packet_len() as u64);
        }
    }
}

// The ways that are taken once a chunk or less. `left` is what the machine has not taken of the chunk.
impl Machine {
    /// Takes the rest of a chunk, whatever it holds.
    #[cold]
    pub(super) fn take_all<const N: usize>(&mut self, paths: &PathSet<N>, mut cursor: Cursor<'_>) {
        while let Some(found) = self.step(paths, &mut cursor) {
            if let Found::Split(split) = found {
                (_, cursor) = self.begin(split, cursor.left);
            }
        }
        self.take(&mut cursor.left, usize::MAX);
    }

    /// What comes next, until packets follow one another again.
    #[cold]
    fn go_on<'c, const N: usize>(&mut self, paths: &PathSet<N>, mut left: &'c [u8]) -> (&'c [u8], Turn<'c>) {
        loop {
            let turn = self.turn(paths, &mut left);
            if turn.is_break() {
                self.over = matches!(turn, ControlFlow::Break(None)) && left.is_empty();
                return (left, turn);
            }
            if self.due == 0 && self.ending.is_none() && matches!(self.place, Place::Packet) {
                return (left, turn);
            }
        }
    }

    fn turn<'c, const N: usize>(&mut self, paths: &PathSet<N>, left: &mut &'c [u8]) -> Turn<'c> {
        if let Some(level) = self.ending.take() {
            self.open &= !(1 << level);
            return ControlFlow::Break(Some(Found::End(self.path(level))));
        }
        if self.due != 0 {
            return self.tell(left);
        }
        match self.place {
            Place::Packet => self.read(paths, left),
            Place::Header(held) => self.fill(paths, left, held),
            Place::Value(missing) => {
                let passed = front(left, missing).len();
                self.take(left, passed);
                self.set_left(missing - passed as u64);
                if matches!(self.place, Place::Value(_)) { ControlFlow::Break(None) } else { ControlFlow::Continue(()) }
            }
            // What was watched around the fault is still to come out whole.
            Place::Failed(..) if self.open != 0 => {
                self.take(left, usize::MAX);
                ControlFlow::Break(None)
            }
            Place::Failed(..) if self.told => ControlFlow::Break(None),
            Place::Failed(error, _) => {
                self.told = true;
                ControlFlow::Break(Some(Found::Fault(error)))
            }
        }
    }

    /// One packet, or the end of a level.
    fn read<'c, const N: usize>(&mut self, paths: &PathSet<N>, left: &mut &'c [u8]) -> Turn<'c> {
        let missing = self.end(self.prefix) - self.offset;
        if missing == 0 {
            self.close(paths);
            return ControlFlow::Continue(());
        }
        let level = front(left, missing);
        if level.is_empty() {
            return ControlFlow::Break(None);
        }
        if let Some((header, _)) = header(level) {
            return self.meet(paths, left, header, 0);
        }
        // It is cut, or it has a fault: that shows when its bytes are taken one by one.
        if self.prefix.depth() == 0 {
            self.outermost = self.offset;
        }
        self.place = Place::Header(Held::default());
        ControlFlow::Continue(())
    }

    /// What a packet comes to of which so many bytes, none or its header, were taken.
    fn meet<'c, const N: usize>(
        &mut self,
        paths: &PathSet<N>,
        left: &mut &'c [u8],
        header: Header,
        taken: usize,
    ) -> Turn<'c> {
        let start = self.offset - taken as u64;
        let key = header.tag().key();
        let step = if self.keys.contains(key) { Some(paths.step(self.prefix, key)) } else { None };
        let watched = step.and_then(|step| step.watched);
        if let Some(kind) = self.refusal(header, start, watched.is_some()) {
            self.refuse(kind, start, header.packet_len());
            return ControlFlow::Continue(());
        }
        let whole = if taken == 0 { left.get(header.size()..header.packet_len()) } else { None };
        let mut found = None;
        if let (Some(step), Some(path)) = (step, watched) {
            let Some(value) = whole else {
                return ControlFlow::Break(Some(Found::Split(Split { header, step, path })));
            };
            let packet = Packet::new(header, left, value).at(start);
            found = Some(Found::Hit(Hit::new(packet, path)));
        }
        match step.filter(|step| header.tag().is_node() && !step.keys.is_empty()) {
            Some(step) => {
                self.take(left, header.size() - taken);
                self.go_in(step, start, header);
            }
            None => self.jump(left, header, start),
        }
        found.map_or(ControlFlow::Continue(()), |found| ControlFlow::Break(Some(found)))
    }

    fn go_in(&mut self, step: Step, start: u64, header: Header) {
        self.note(&step, start, header);
        (self.prefix, self.keys, self.place) = (step.prefix, step.keys, Place::Packet);
    }

    /// Back to the level above, behind the node just read.
    fn close<const N: usize>(&mut self, paths: &PathSet<N>) {
        self.prefix = self.prefix.parent().unwrap_or(Prefix::ROOT);
        self.keys = paths.keys_at(self.prefix);
    }

    /// Why a packet with this header cannot be taken, wherever the chunk ends.
    fn refusal(&self, header: Header, start: u64, watched: bool) -> Option<ErrorKind> {
        if start.saturating_add(header.packet_len() as u64) > self.end(self.prefix) {
            return Some(ErrorKind::Overrun);
        }
        let too_long = self.prefix.depth() == 0 && header.packet_len() > self.limits.max_packet_len();
        let too_much = watched && header.value_len() > self.limits.max_value_len();
        if too_long || too_much { Some(ErrorKind::SizeLimit) } else { None }
    }

    /// What the chunk has of the outermost packet that is due.
    fn tell<'c>(&mut self, left: &mut &'c [u8]) -> Turn<'c> {
        let level = (0..16).find(|level| self.due & 1 << level != 0).unwrap_or_default();
        self.due &= !(1 << level);
        let missing = self.ends.get(usize::from(level)).copied().unwrap_or_default() - self.offset;
        let data = front(left, missing);
        if data.len() as u64 == missing {
            self.ending = Some(level);
        }
        if data.is_empty() {
            return ControlFlow::Continue(());
        }
        ControlFlow::Break(Some(Found::Data(self.path(level), data)))
    }

    fn path(&self, level: u8) -> u8 {
        self.watched.get(usize::from(level)).copied().unwrap_or_default()
    }

    /// Begins the watched packet that is not whole here: takes its header, and owes what the chunk has of its value.
    #[cold]
    pub(super) fn begin<'c>(&mut self, split: Split, mut left: &'c [u8]) -> (Begin, Cursor<'c>) {
        let Split { header, step, path } = split;
        let held = if let Place::Header(held) = self.place {
            held
        } else {
            let held = Held::of(left.get(..header.size()).unwrap_or_default());
            self.take(&mut left, header.size());
            held
        };
        let start = self.offset - header.size() as u64;
        if header.tag().is_node() && !step.keys.is_empty() {
            self.go_in(step, start, header);
        } else {
            self.note(&step, start, header);
            self.set_left(header.value_len() as u64);
        }
        let level = step.prefix.depth();
        if let Some(watched) = self.watched.get_mut(level) {
            *watched = path;
        }
        self.open |= 1 << level;
        self.due |= 1 << level;
        (Begin::new(held, header, start, path), self.load(left, true))
    }

    /// Passes over the packet that begins at `start`, of which the chunk may not have all.
    fn jump(&mut self, left: &mut &[u8], header: Header, start: u64) {
        if self.prefix.depth() == 0 {
            self.outermost = start;
        }
        let end = start.saturating_add(header.packet_len() as u64);
        let passed = front(left, end - self.offset).len();
        self.take(left, passed);
        self.set_left(end - self.offset);
    }

    fn set_left(&mut self, left: u64) {
        self.place = if left == 0 { Place::Packet } else { Place::Value(left) };
    }

    /// Takes bytes of a header until it is there.
    fn fill<'c, const N: usize>(&mut self, paths: &PathSet<N>, left: &mut &'c [u8], mut held: Held) -> Turn<'c> {
        loop {
            let start = self.offset - u64::from(held.len);
            match Header::long(held.as_slice()) {
                Ok(header) => return self.meet(paths, left, header, header.size()),
                Err(Stop::Fault(kind)) => {
                    self.fail(kind, start.saturating_add(1));
                    return ControlFlow::Continue(());
                }
                Err(Stop::Missing(_)) if self.offset == self.end(self.prefix) => {
                    self.fail(ErrorKind::Overrun, start);
                    return ControlFlow::Continue(());
                }
                Err(Stop::Missing(_)) => {
                    let Some(&byte) = left.first() else { return ControlFlow::Break(None) };
                    held = held.and(byte);
                    self.place = Place::Header(held);
                    self.take(left, 1);
                }
            }
        }
    }

    /// Fails at the packet that begins at `start`, whose header is good: its length says where the next one begins.
    #[cold]
    pub(super) fn refuse(&mut self, kind: ErrorKind, start: u64, packet_len: usize) {
        self.fail(kind, start);
        if self.prefix.depth() == 0 {
            self.outermost = start;
        }
        if let Place::Failed(_, next @ None) = &mut self.place {
            *next = Some(start.saturating_add(packet_len as u64));
        }
    }

    #[cold]
    fn fail(&mut self, kind: ErrorKind, offset: u64) {
        let next = if self.prefix.depth() == 0 { None } else { self.ends.get(1).copied() };
        self.place = Place::Failed(Error::new(kind, offset), next);
    }

    pub(super) const fn fault(&self) -> Option<Error> {
        if let Place::Failed(error, _) = self.place { Some(error) } else { None }
    }

    pub(super) fn finish(&self) -> Result<(), Error> {
        match self.place {
            Place::Packet if self.prefix.depth() == 0 => Ok(()),
            Place::Failed(error, _) => Err(error),
            _ => Err(Error::new(ErrorKind::UnexpectedEnd, self.outermost)),
        }
    }

    pub(super) const fn skip_hint(&self) -> u64 {
        match self.place {
            Place::Value(left) if self.open == 0 => left,
            _ => 0,
        }
    }

    pub(super) fn skip<const N: usize>(&mut self, paths: &PathSet<N>, bytes: u64) -> u64 {
        let hint = self.skip_hint();
        let bytes = bytes.min(hint);
        if hint != 0 {
            self.offset = self.offset.saturating_add(bytes);
            self.set_left(hint - bytes);
            while matches!(self.place, Place::Packet) && self.offset == self.end(self.prefix) {
                self.close(paths);
            }
        }
        bytes
    }

    pub(super) fn resume<const N: usize>(&mut self, paths: &PathSet<N>) -> bool {
        let Place::Failed(_, next) = self.place else { return true };
        let Some(left) = next.and_then(|next| next.checked_sub(self.offset)).filter(|_| self.open == 0) else {
            return false;
        };
        (self.prefix, self.keys) = (Prefix::ROOT, paths.keys_at(Prefix::ROOT));
        self.set_left(left);
        self.told = false;
        true
    }
}

// What those need who wait for split hits to be joined.
#[cfg(feature = "alloc")]
impl Machine {
    /// Leaves a chunk before its end: what is left of it, to go on with.
    pub(super) fn leave<'c>(&mut self, mut cursor: Cursor<'c>) -> &'c [u8] {
        self.catch_up(&mut cursor);
        cursor.left
    }

    /// Gives back what was held of a packet that was not begun: as if its first byte had never come.
    pub(super) fn give_back(&mut self) -> Held {
        let held = if let Place::Header(held) = self.place { held } else { Held::default() };
        self.place = Place::Packet;
        self.offset -= u64::from(held.len);
        held
    }

    /// Ends the stream: what is still to be told of it. If it must not end here, that is a fault like others.
    pub(super) fn last(&mut self) -> Option<Error> {
        let error = self.finish().err().filter(|_| !self.told)?;
        (self.place, self.open, self.told) = (Place::Failed(error, None), 0, true);
        Some(error)
    }

    /// Counts bytes that nobody looks at any more.
    pub(super) fn drop_rest(&mut self, bytes: usize) {
        self.offset = self.offset.saturating_add(bytes as u64);
    }
}

#[cfg(feature = "alloc")]
impl Cursor<'_> {
    /// Passes over bytes that the machine is to get by another way.
    pub(super) fn pass(&mut self, bytes: usize) {
        self.left = self.left.get(bytes..).unwrap_or_default();
        self.rest = self.left;
    }
}

/// The header at the front and the bytes behind it; `None` if it is cut or has a fault.
#[inline(always)]
pub(super) fn header(bytes: &[u8]) -> Option<(Header, &[u8])> {
    #[cold]
    fn long(bytes: &[u8]) -> Option<(Header, &[u8])> {
        let header = Header::long(bytes).ok()?;
        Some((header, bytes.get(header.size()..)?))
    }
    match Header::short(bytes) {
        None if !bytes.is_empty() => long(bytes),
        short => short,
    }
}

/// As many of the first bytes as there are, up to a number.
#[inline(always)]
pub(super) fn front(bytes: &[u8], most: u64) -> &[u8] {
    usize::try_from(most).ok().and_then(|most| bytes.get(..most)).unwrap_or(bytes)
}
