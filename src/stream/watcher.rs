//! Watcher: the filter that follows watched paths through bytes that arrive in pieces.
//!
//! In: chunks, cut anywhere, and a set of paths. Out: a hit for each watched packet that lies in one chunk; for one that
//! does not its begin, its parts and its end; of all else it keeps how many bytes are left to pass over.

use core::iter::FusedIterator;
use core::ops::ControlFlow;

use nom::{Emit, Err, OutputM, Parser, Streaming};

use super::LONGEST;
use crate::error::{Error, ErrorKind};
use crate::limits::Limits;
use crate::read::keys::KeySet;
use crate::read::packet::Packet;
use crate::read::parser::{self, Fault, Header};
use crate::read::path::{Path, PathSet, Prefix, Step};
use crate::read::watch::Hit;
use crate::wire::header::Stop;
use crate::wire::tag::Tag;

/// Watches paths in a stream that arrives in chunks, cut anywhere, down to one byte at a time.
///
/// It gives the hits and the fault that [`PathSet::watch`] gives for all the chunks put together, whatever the cuts. It
/// owns no socket, no clock and no buffer: it keeps its place in the tree and at most one header that a cut has split.
/// A watched packet that lies in one chunk is borrowed from it. One that is split comes as [`Event::Begin`],
/// [`Event::Data`] and [`Event::End`]; a [`Collector`](crate::Collector) joins these.
///
/// Cost: one jump for each packet at the levels entered, O(1) for what a packet passed over has in a chunk, however much
/// that is; allocates never, some 250 bytes in all. Offsets are `u64` and count from the first byte ever fed. It has no
/// end of its own: packets may follow one another for ever.
///
/// # Examples
/// ```
/// use y3::{Event, Limits, PathSet, Watcher, path};
///
/// const WATCHED: PathSet<1> = PathSet::new([path!(0x01, 0x11)]);
///
/// let mut watcher = Watcher::new(&WATCHED, Limits::DEFAULT);
/// let mut seen = Vec::new();
/// for chunk in [&[0x81, 0x09, 0x10][..], &[0x02, 0xaa, 0xbb, 0x11, 0x03, 0x59], &[0x6f, 0x4d]] {
///     for event in watcher.feed(chunk) {
///         match event? {
///             Event::Hit(hit) => seen.extend_from_slice(hit.value()),
///             Event::Begin(begin) => assert_eq!((begin.offset(), begin.value_len()), (6, 3)),
///             Event::Data { bytes, .. } => seen.extend_from_slice(bytes),
///             Event::End { path } => assert_eq!(path, 0),
///         }
///     }
/// }
/// watcher.finish()?;
/// assert_eq!(seen, b"YoM");
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: SPEC §9
#[derive(Clone, Debug)]
pub struct Watcher<'p, const N: usize> {
    paths: &'p PathSet<N>,
    machine: Machine,
}

/// What a [`Watcher`] has to say of a chunk.
///
/// Events follow one rule: in each chunk a packet comes before the packets inside it, with all that the chunk has of it.
/// So where one watched path leads through another, `Data` of the outer packet covers all its bytes, those of the inner
/// ones included, in one piece a chunk; then, if the chunk has its last byte, comes its `End`; then the inner ones. Hits
/// and begins come in the order of the wire, and at any time at most one packet of a path is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event<'c> {
    /// A watched packet that lies in the chunk from its tag to its last byte.
    Hit(Hit<'c>),
    /// A watched packet begins that the chunk does not have whole.
    Begin(Begin),
    /// More of the value of a packet that has begun: all that this chunk has of it, never empty.
    Data {
        /// Of the packet, as in its `Begin`.
        path: usize,
        /// The bytes, borrowed from the chunk.
        bytes: &'c [u8],
    },
    /// A packet that has begun is whole: only now it is a hit.
    End {
        /// Of the packet, as in its `Begin`.
        path: usize,
    },
}

/// The header of a watched packet that a chunk does not have whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Begin {
    offset: u64,
    value_len: usize,
    held: Held,
    path: u8,
}

impl Begin {
    /// Which path: its place in the array given to [`PathSet::new`].
    #[must_use]
    pub const fn path(&self) -> usize {
        self.path as usize
    }

    /// The packet's first byte.
    #[must_use]
    pub const fn tag(&self) -> Tag {
        let [tag, ..] = self.held.bytes;
        Tag::of_byte(tag)
    }

    /// How many bytes of value the sender has declared, within the limits. Whether they come is another question: do not
    /// reserve memory for them.
    #[must_use]
    pub const fn value_len(&self) -> usize {
        self.value_len
    }

    /// Where the tag lies: bytes from the first byte ever fed.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Tag and length as they were sent, 2 to 6 bytes: with the data behind them they are the packet.
    #[must_use]
    pub fn header(&self) -> &[u8] {
        self.held.as_slice()
    }
}

impl<'p, const N: usize> Watcher<'p, N> {
    /// A watcher at the first byte of a stream.
    ///
    /// # Examples
    /// ```
    /// const WATCHED: y3::PathSet<1> = y3::PathSet::new([y3::path!(0x01, 0x11)]);
    /// let watcher = y3::Watcher::new(&WATCHED, y3::Limits::DEFAULT);
    /// assert_eq!(watcher.offset(), 0);
    /// ```
    #[must_use]
    pub fn new(paths: &'p PathSet<N>, limits: Limits) -> Self {
        Self { paths, machine: Machine::new(paths, limits) }
    }

    /// Takes the next bytes of the stream, however many, and gives what they hold.
    ///
    /// The chunk is taken whole: events not asked for are lost when [`Events`] is dropped, the watcher's place is not.
    /// After a fault each call gives it again, unless [`resume`](Self::resume) was possible.
    ///
    /// # Examples
    /// ```
    /// use y3::{Event, Limits, PathSet, Watcher, path};
    ///
    /// const WATCHED: PathSet<1> = PathSet::new([path!(0x02)]);
    ///
    /// let mut watcher = Watcher::new(&WATCHED, Limits::DEFAULT);
    /// let chunk = [0x01, 0x01, 0x05, 0x02, 0x01, 0x06];
    /// match watcher.feed(&chunk).next() {
    ///     Some(Ok(Event::Hit(hit))) => assert_eq!((hit.offset(), hit.to::<i32>()?), (3, 6)),
    ///     other => unreachable!("{other:?}"),
    /// }
    /// # Ok::<(), y3::Error>(())
    /// ```
    /// Source: SPEC §9
    #[inline]
    pub fn feed<'w, 'c>(&'w mut self, chunk: &'c [u8]) -> Events<'w, 'c, 'p, N> {
        let cursor = self.machine.cursor(chunk);
        Events { watcher: self, cursor }
    }

    /// Says whether the stream may end here.
    ///
    /// # Errors
    /// The fault that was met, if any; else [`UnexpectedEnd`](ErrorKind::UnexpectedEnd) at the tag of the outermost packet
    /// that is not whole.
    ///
    /// # Examples
    /// ```
    /// const WATCHED: y3::PathSet<1> = y3::PathSet::new([y3::path!(0x01)]);
    ///
    /// let mut watcher = y3::Watcher::new(&WATCHED, y3::Limits::DEFAULT);
    /// watcher.feed(&[0x02, 0x00, 0x02, 0x05]);
    /// let error = watcher.finish().unwrap_err();
    /// assert_eq!((error.kind(), error.offset()), (y3::ErrorKind::UnexpectedEnd, 2));
    /// ```
    pub fn finish(&self) -> Result<(), Error> {
        self.machine.finish()
    }

    /// How many bytes from here on the source may pass over unseen, if it says so with [`skip`](Self::skip): what is left
    /// of a packet that nobody watches. Zero while there is something to read.
    ///
    /// # Examples
    /// ```
    /// const WATCHED: y3::PathSet<1> = y3::PathSet::new([y3::path!(0x01)]);
    ///
    /// let mut watcher = y3::Watcher::new(&WATCHED, y3::Limits::DEFAULT);
    /// watcher.feed(&[0x02, 0xbf, 0x7f, 0xaa]);
    /// assert_eq!(watcher.skip_hint(), 8190);
    /// assert_eq!(watcher.skip(8190), 8190);
    /// assert_eq!((watcher.offset(), watcher.finish()), (8194, Ok(())));
    /// ```
    #[must_use]
    pub const fn skip_hint(&self) -> u64 {
        self.machine.skip_hint()
    }

    /// Tells the watcher that the source has passed over so many bytes. It takes [`skip_hint`](Self::skip_hint) of them at
    /// the most, and says how many it took: the others have to be fed.
    pub fn skip(&mut self, bytes: u64) -> u64 {
        self.machine.skip(self.paths, bytes)
    }

    /// How many bytes were taken so far, fed or skipped.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.machine.offset
    }

    /// The fault that ended the watch.
    #[must_use]
    pub const fn fault(&self) -> Option<Error> {
        self.machine.fault()
    }

    /// After a fault, goes on behind the outermost packet it lies in; `false` if that is not possible.
    ///
    /// The format has no mark to look for, so this is possible only if the header of the outermost packet was good: then
    /// its length says where the next one begins, as far as that sender can still be believed. After a fault in an
    /// outermost header nothing does. Ask for it where the fault comes out, with [`Events::resume`]: once the chunk is
    /// taken whole, the next packet may have gone by.
    pub fn resume(&mut self) -> bool {
        self.machine.resume(self.paths)
    }
}

/// What a chunk holds, made by [`Watcher::feed`]. After an error it yields `None` for ever, unless resumed.
#[derive(Debug)]
pub struct Events<'w, 'c, 'p, const N: usize> {
    watcher: &'w mut Watcher<'p, N>,
    cursor: Cursor<'c>,
}

impl<const N: usize> Events<'_, '_, '_, N> {
    /// After a fault, goes on behind the outermost packet it lies in; see [`Watcher::resume`].
    ///
    /// # Examples
    /// ```
    /// use y3::{Event, Limits, PathSet, Watcher, path};
    ///
    /// const WATCHED: PathSet<1> = PathSet::new([path!(0x01, 0x11)]);
    ///
    /// let mut watcher = Watcher::new(&WATCHED, Limits::DEFAULT);
    /// let mut events = watcher.feed(&[0x81, 0x03, 0x11, 0x7f, 0x07, 0x81, 0x03, 0x11, 0x01, 0x08]);
    /// assert_eq!(events.next().unwrap().unwrap_err().offset(), 3);
    /// assert!(events.resume());
    /// assert!(matches!(events.next(), Some(Ok(Event::Hit(hit))) if hit.value() == [0x08]));
    /// ```
    pub fn resume(&mut self) -> bool {
        let resumed = self.watcher.resume();
        self.cursor.told &= !resumed;
        resumed
    }
}

impl<'c, const N: usize> Iterator for Events<'_, 'c, '_, N> {
    type Item = Result<Event<'c>, Error>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let Watcher { paths, machine } = &mut *self.watcher;
        Some(Ok(match machine.step(paths, &mut self.cursor)? {
            Found::Hit(hit) => Event::Hit(hit),
            Found::Split(split) => Event::Begin(machine.begin(split, &mut self.cursor)),
            Found::Data(path, bytes) => Event::Data { path: usize::from(path), bytes },
            Found::End(path) => Event::End { path: usize::from(path) },
            Found::Fault(error) => return Some(Err(error)),
        }))
    }
}

impl<const N: usize> FusedIterator for Events<'_, '_, '_, N> {}

/// Takes the rest of the chunk.
impl<const N: usize> Drop for Events<'_, '_, '_, N> {
    #[inline]
    fn drop(&mut self) {
        while self.next().is_some() {}
        self.watcher.machine.take(&mut self.cursor, usize::MAX);
    }
}

/// A chunk being read.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'c> {
    /// What is left of it.
    pub(super) rest: &'c [u8],
    /// The open packets, one bit a depth, whose part of the chunk is still to be given out.
    due: u16,
    /// The one of them that is then whole.
    ending: Option<usize>,
    /// Whether the fault was given out.
    told: bool,
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
    limits: Limits,
}

type Headers = OutputM<Emit, Emit, Streaming>;

/// What the front of a level comes to.
enum Front {
    Watched(Header),
    Unwatched(Header),
    Stop(Err<Fault>),
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
            limits,
        }
    }

    #[inline(always)]
    pub(super) const fn cursor<'c>(&self, chunk: &'c [u8]) -> Cursor<'c> {
        Cursor { rest: chunk, due: self.open, ending: None, told: false }
    }

    pub(super) const fn offset(&self) -> u64 {
        self.offset
    }

    /// Goes through the chunk to the next thing worth telling; `None` at its end.
    #[inline(always)]
    pub(super) fn step<'c, const N: usize>(
        &mut self,
        paths: &PathSet<N>,
        cursor: &mut Cursor<'c>,
    ) -> Option<Found<'c>> {
        loop {
            let split = cursor.due != 0 || cursor.ending.is_some() || !matches!(self.place, Place::Packet);
            let turn = if split { self.go_on(paths, cursor) } else { self.read(paths, cursor) };
            if let ControlFlow::Break(found) = turn {
                return found;
            }
        }
    }

    /// Reads packets, as [`Watch`](crate::Watch) does.
    #[inline(always)]
    fn read<'c, const N: usize>(&mut self, paths: &PathSet<N>, cursor: &mut Cursor<'c>) -> Turn<'c> {
        let level = self.level(cursor.rest);
        let (keys, mut rest) = (self.keys, level);
        // The loop over what nobody watches.
        let front = loop {
            match parser::header::<Fault>().process::<Headers>(rest) {
                Ok((_, header)) if keys.contains(header.tag().key()) => break Front::Watched(header),
                Ok((_, header)) => match rest.get(header.packet_len()..) {
                    Some(after) => rest = after,
                    None => break Front::Unwatched(header),
                },
                Err(stop) => break Front::Stop(stop),
            }
        };
        self.take(cursor, level.len() - rest.len());
        match front {
            Front::Watched(header) => self.enter(paths, cursor, header, 0),
            Front::Unwatched(header) => self.pass(cursor, header),
            Front::Stop(_) if self.offset == self.end() => {
                self.ascend(paths);
                ControlFlow::Continue(())
            }
            Front::Stop(_) if cursor.rest.is_empty() => ControlFlow::Break(None),
            Front::Stop(stop) => self.stop(cursor, stop),
        }
    }

    /// Where the level being read ends.
    #[inline(always)]
    fn end(&self) -> u64 {
        self.ends.get(self.prefix.depth()).copied().unwrap_or_default()
    }

    /// What the chunk has of the level being read: at the outermost level no more than the longest packet, so that one that
    /// is longer is not jumped over.
    #[inline(always)]
    fn level<'c>(&self, rest: &'c [u8]) -> &'c [u8] {
        let most = if self.prefix.depth() == 0 { self.limits.max_packet_len() as u64 } else { u64::MAX };
        front(rest, most.min(self.end() - self.offset))
    }

    #[inline(always)]
    pub(super) fn take(&mut self, cursor: &mut Cursor<'_>, bytes: usize) {
        let bytes = bytes.min(cursor.rest.len());
        cursor.rest = cursor.rest.get(bytes..).unwrap_or_default();
        self.offset = self.offset.saturating_add(bytes as u64);
    }

    /// What the packet at the front, whose key matters, comes to. So many bytes of it, none or its header, were taken.
    #[inline(always)]
    fn enter<'c, const N: usize>(
        &mut self,
        paths: &PathSet<N>,
        cursor: &mut Cursor<'c>,
        header: Header,
        taken: usize,
    ) -> Turn<'c> {
        let start = self.offset - taken as u64;
        let step = paths.step(self.prefix, header.tag().key());
        let goes_on = header.tag().is_node() && !step.keys.is_empty();
        if let Some(kind) = self.refusal(header, start, step.watched.is_some()) {
            self.refuse(kind, start, header);
            return ControlFlow::Continue(());
        }
        let whole = if taken == 0 { cursor.rest.get(..header.packet_len()) } else { None };
        let hit = match (whole, step.watched) {
            (Some(bytes), Some(path)) => Some(Found::Hit(Hit::new(Packet::new(header, bytes, start), path))),
            (None, Some(path)) => return ControlFlow::Break(Some(Found::Split(Split { header, step, path }))),
            (_, None) => None,
        };
        if goes_on {
            self.take(cursor, header.size() - taken);
            self.descend(step, start, header.value_len());
        } else if whole.is_some() {
            self.take(cursor, header.packet_len());
        } else {
            self.jump(cursor, header, start);
        }
        hit.map_or(ControlFlow::Continue(()), |hit| ControlFlow::Break(Some(hit)))
    }

    /// Why a packet with this header cannot be taken, wherever the chunk ends.
    #[inline(always)]
    fn refusal(&self, header: Header, start: u64, watched: bool) -> Option<ErrorKind> {
        if start.saturating_add(header.packet_len() as u64) > self.end() {
            return Some(ErrorKind::Overrun);
        }
        let too_long = self.prefix.depth() == 0 && header.packet_len() > self.limits.max_packet_len();
        let too_much = watched && header.value_len() > self.limits.max_value_len();
        if too_long || too_much { Some(ErrorKind::SizeLimit) } else { None }
    }

    /// Goes into the node whose header was just taken.
    #[inline(always)]
    fn descend(&mut self, step: Step, start: u64, value_len: usize) {
        if self.prefix.depth() == 0 {
            self.outermost = start;
        }
        (self.prefix, self.keys, self.place) = (step.prefix, step.keys, Place::Packet);
        self.set_end(self.offset.saturating_add(value_len as u64));
    }

    #[inline(always)]
    fn set_end(&mut self, end: u64) {
        if let Some(level) = self.ends.get_mut(self.prefix.depth()) {
            *level = end;
        }
    }

    /// Back to the level above, behind the node just read.
    #[inline(always)]
    fn ascend<const N: usize>(&mut self, paths: &PathSet<N>) {
        self.prefix = self.prefix.parent().unwrap_or(Prefix::ROOT);
        self.keys = paths.keys_at(self.prefix);
    }
}

// The ways that are taken once a chunk or less.
impl Machine {
    /// What was due or split before this step.
    #[cold]
    fn go_on<'c, const N: usize>(&mut self, paths: &PathSet<N>, cursor: &mut Cursor<'c>) -> Turn<'c> {
        if let Some(level) = cursor.ending.take() {
            self.open &= !(1 << level);
            return ControlFlow::Break(Some(Found::End(self.path(level))));
        }
        if cursor.due != 0 {
            return self.tell(cursor);
        }
        match self.place {
            Place::Packet => ControlFlow::Continue(()),
            Place::Header(held) => self.fill(paths, cursor, held),
            Place::Value(left) => {
                let passed = front(cursor.rest, left).len();
                self.take(cursor, passed);
                self.set_left(left - passed as u64);
                if matches!(self.place, Place::Value(_)) { ControlFlow::Break(None) } else { ControlFlow::Continue(()) }
            }
            // What was watched around the fault is still to come out whole.
            Place::Failed(..) if self.open != 0 => {
                self.take(cursor, usize::MAX);
                ControlFlow::Break(None)
            }
            Place::Failed(..) if cursor.told => ControlFlow::Break(None),
            Place::Failed(error, _) => {
                cursor.told = true;
                ControlFlow::Break(Some(Found::Fault(error)))
            }
        }
    }

    /// What the chunk has of the outermost packet that is due.
    fn tell<'c>(&mut self, cursor: &mut Cursor<'c>) -> Turn<'c> {
        let level = (0..LEVELS).find(|level| cursor.due & 1 << level != 0).unwrap_or_default();
        cursor.due &= !(1 << level);
        let left = self.ends.get(level).copied().unwrap_or_default() - self.offset;
        let data = front(cursor.rest, left);
        if data.len() as u64 == left {
            cursor.ending = Some(level);
        }
        if data.is_empty() {
            return ControlFlow::Continue(());
        }
        ControlFlow::Break(Some(Found::Data(self.path(level), data)))
    }

    fn path(&self, level: usize) -> u8 {
        self.watched.get(level).copied().unwrap_or_default()
    }

    /// Begins the watched packet that is not whole here: takes its header, and owes what the chunk has of its value.
    #[cold]
    pub(super) fn begin(&mut self, split: Split, cursor: &mut Cursor<'_>) -> Begin {
        let Split { header, step, path } = split;
        let held = if let Place::Header(held) = self.place {
            held
        } else {
            let held = Held::of(cursor.rest.get(..header.size()).unwrap_or_default());
            self.take(cursor, header.size());
            held
        };
        let start = self.offset - header.size() as u64;
        let level = step.prefix.depth();
        if header.tag().is_node() && !step.keys.is_empty() {
            self.descend(step, start, header.value_len());
        } else {
            if level == 1 {
                self.outermost = start;
            }
            self.set_left(header.value_len() as u64);
        }
        let end = self.offset.saturating_add(header.value_len() as u64);
        if let (Some(slot), Some(watched)) = (self.ends.get_mut(level), self.watched.get_mut(level)) {
            (*slot, *watched) = (end, path);
        }
        self.open |= 1 << level;
        cursor.due |= 1 << level;
        Begin { offset: start, value_len: header.value_len(), held, path }
    }

    /// Gives back what was held of a packet that was not begun: as if its first byte had never come.
    pub(super) fn give_back(&mut self) -> Held {
        let held = if let Place::Header(held) = self.place { held } else { Held::default() };
        self.place = Place::Packet;
        self.offset -= u64::from(held.len);
        held
    }

    /// The packet at the front, which nobody watches and which reaches behind what the chunk or the limit lets be seen.
    #[cold]
    fn pass<'c>(&mut self, cursor: &mut Cursor<'_>, header: Header) -> Turn<'c> {
        match self.refusal(header, self.offset, false) {
            Some(kind) => self.refuse(kind, self.offset, header),
            None => self.jump(cursor, header, self.offset),
        }
        ControlFlow::Continue(())
    }

    /// Passes over the packet that begins at `start`, of which the chunk may not have all.
    fn jump(&mut self, cursor: &mut Cursor<'_>, header: Header, start: u64) {
        if self.prefix.depth() == 0 {
            self.outermost = start;
        }
        let end = start.saturating_add(header.packet_len() as u64);
        let passed = front(cursor.rest, end - self.offset).len();
        self.take(cursor, passed);
        self.set_left(end - self.offset);
    }

    fn set_left(&mut self, left: u64) {
        self.place = if left == 0 { Place::Packet } else { Place::Value(left) };
    }

    /// There is no header at the front.
    #[cold]
    fn stop<'c>(&mut self, cursor: &mut Cursor<'_>, stop: Err<Fault>) -> Turn<'c> {
        let level = front(cursor.rest, self.end() - self.offset);
        match stop {
            Err::Error(Fault(kind)) | Err::Failure(Fault(kind)) => self.fail(kind, self.offset.saturating_add(1)),
            // The limit hid the rest of it.
            Err::Incomplete(_) if level.len() >= LONGEST => {}
            Err::Incomplete(_) => {
                if self.prefix.depth() == 0 {
                    self.outermost = self.offset;
                }
                self.place = Place::Header(Held::default());
            }
        }
        ControlFlow::Continue(())
    }

    /// Takes bytes of a header until it is there.
    fn fill<'c, const N: usize>(
        &mut self,
        paths: &PathSet<N>,
        cursor: &mut Cursor<'c>,
        mut held: Held,
    ) -> Turn<'c> {
        loop {
            let start = self.offset - u64::from(held.len);
            match Header::long(held.as_slice()) {
                Ok(header) if self.keys.contains(header.tag().key()) => {
                    return self.enter(paths, cursor, header, header.size());
                }
                Ok(header) => {
                    match self.refusal(header, start, false) {
                        Some(kind) => self.refuse(kind, start, header),
                        None => self.jump(cursor, header, start),
                    }
                    return ControlFlow::Continue(());
                }
                Err(Stop::Fault(kind)) => {
                    self.fail(kind, start.saturating_add(1));
                    return ControlFlow::Continue(());
                }
                Err(Stop::Missing(_)) if self.offset == self.end() => {
                    self.fail(ErrorKind::Overrun, start);
                    return ControlFlow::Continue(());
                }
                Err(Stop::Missing(_)) => {
                    let Some(&byte) = cursor.rest.first() else { return ControlFlow::Break(None) };
                    held = held.and(byte);
                    self.place = Place::Header(held);
                    self.take(cursor, 1);
                }
            }
        }
    }

    #[cold]
    fn refuse(&mut self, kind: ErrorKind, start: u64, header: Header) {
        self.fail(kind, start);
        if let Place::Failed(_, next @ None) = &mut self.place {
            *next = Some(start.saturating_add(header.packet_len() as u64));
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
            while matches!(self.place, Place::Packet) && self.offset == self.end() {
                self.ascend(paths);
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
        true
    }
}

/// As many of the first bytes as there are, up to a number.
#[inline(always)]
fn front(bytes: &[u8], most: u64) -> &[u8] {
    usize::try_from(most).ok().and_then(|most| bytes.get(..most)).unwrap_or(bytes)
}
