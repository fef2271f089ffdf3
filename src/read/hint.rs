//! Hint: a watch that remembers the headers of earlier packets.
//!
//! In: a set of paths, then packets one by one. Out: what the set's watch yields for each of them. For a packet of a known shape
//! no header waits for the one before it: all are compared at once with those of an earlier packet.

mod windows;

use core::fmt;
use core::iter::FusedIterator;

use nom::{Emit, OutputM, Parser, Streaming};

use super::lookup::PathLookup;
use super::packets::packets;
use super::parser::{self, Fault};
use super::path_set::PathSet;
#[cfg(feature = "alloc")]
use super::paths::Paths;
use super::watch::place::Place;
use super::watch::{Hit, Watch};
use crate::error::Error;
use windows::{SHORTEST, Sketch, Window, are_equal};

/// Lengths of packets whose shapes are held, by their lowest bits.
const LENGTHS: usize = 16;
/// Windows of all shapes together.
const WINDOWS: usize = 128;
/// Hits of a shape. The watch goes on behind them as it does without a hint.
const HITS: usize = 8;

// The trust in instructions, roughly. What is spent on shapes that never come again is limited by what was saved, and by a
// quarter of an instruction for each packet.
const TRUST: i32 = 1 << 16;
/// For how many packets a hint is suspended, for each instruction that it spent too much.
const SUSPENDED: i32 = 4;
/// Spent on a shape, and for each of its headers.
const SHAPE: i32 = 512;
const HEADER: i32 = 64;
/// Saved for each header when the shape comes again.
const SAVED: i32 = 8;

/// A watch of one path set that remembers the shapes of the last packets: made by [`PathSet::hint`], or of any set by
/// [`Hint::new`].
///
/// A shape is the length of a packet and its headers. Packets of one shape have the same hits at the same offsets, so a hint
/// compares all headers at once where [`PathSet::watch`] goes from each to the next. The comparison is exact: a packet of any
/// other shape is watched as without a hint, and packets with errors are never remembered. It pays where senders repeat
/// themselves: fixed fields, numbers of equal width. Where texts vary in length it does not: after some tries the hint is
/// suspended, and a packet then takes some 15 instructions more than with a watch.
///
/// Cost: 16 KiB, and the set; allocates never. For a known shape, a comparison of 32 bytes for each window with headers in
/// it, up to the last hit. It holds two shapes for each of 16 lengths, with 8 hits each and 128 windows in all; shapes of more than 64
/// windows and packets of less than 32 bytes, where it would not pay, are not remembered.
/// Source: [SPEC §9](crate::spec#9-streaming-and-skipping-what-is-not-validated)
///
/// # Examples
/// ```
/// use y3::{PathSet, path};
///
/// const WATCHED: PathSet<1> = PathSet::new([path!(0x01, 0x11)]);
///
/// let mut hint = WATCHED.hint();
/// // A text of 32 bytes, then the watched number.
/// let mut bytes = [b'-'; 39];
/// bytes[..4].copy_from_slice(&[0x81, 37, 0x10, 32]);
/// for number in 0..100 {
///     bytes[36..].copy_from_slice(&[0x11, 1, number]);
///     let hit = hint.watch(&bytes).next().unwrap()?;
///     assert_eq!((hit.offset(), hit.decode::<u8>()?), (36, number));
/// }
/// # Ok::<(), y3::Error>(())
/// ```
#[derive(Clone)]
pub struct Hint<P> {
    paths: P,
    shapes: Shapes,
    account: Account,
}

/// The shapes that are held.
#[derive(Clone)]
struct Shapes {
    held: [[Shape; 2]; LENGTHS],
    /// For a packet of no shape that was held before it: no hits.
    unknown: Shape,
}

/// What all shapes share.
#[derive(Clone)]
struct Account {
    /// One more for each packet that is long enough. Below zero the hint is suspended.
    trust: i32,
    windows: [Window; WINDOWS],
    /// Where the windows of the next shape begin.
    next: usize,
}

/// Packets of one length with the same headers.
#[derive(Clone, Copy)]
struct Shape {
    len: usize,
    /// Its windows: those of all headers up to the last hit begin at `start`, those of all other headers at `middle`.
    start: usize,
    middle: usize,
    end: usize,
    /// Whether the windows have all headers up to the end of the watch.
    is_whole: bool,
    saved: i32,
    hits: [Spot; HITS],
    hit_count: usize,
    /// Where the watch stands after the last hit.
    place: Place,
}

/// The position of a hit, and the index of its path.
#[derive(Clone, Copy)]
struct Spot {
    start: u32,
    path_index: u32,
}

impl Shape {
    /// No packet is that long.
    const NONE: Shape = Shape {
        len: usize::MAX,
        start: 0,
        middle: 0,
        end: 0,
        is_whole: false,
        saved: 0,
        hits: [Spot { start: 0, path_index: 0 }; HITS],
        hit_count: 0,
        place: Place::END,
    };

    /// Whether a packet has this length and the same headers up to the last hit.
    #[inline(always)]
    fn is_of(&self, bytes: &[u8], windows: &[Window; WINDOWS]) -> bool {
        self.len == bytes.len() && windows.get(self.start..self.middle).is_some_and(|windows| are_equal(windows, bytes))
    }

    /// Whether a packet with the same headers up to the last hit has no other header behind it.
    #[inline(never)]
    fn ends(&mut self, bytes: &[u8], windows: &[Window; WINDOWS]) -> bool {
        // At most one comparison is lost for each shape remembered.
        self.is_whole =
            self.is_whole && windows.get(self.middle..self.end).is_some_and(|windows| are_equal(windows, bytes));
        self.is_whole
    }
}

impl<const N: usize> PathSet<N> {
    /// A watch of these paths that remembers the shapes of the last packets; see [`Hint`].
    ///
    /// # Examples
    /// ```
    /// const WATCHED: y3::PathSet<1> = y3::PathSet::new([y3::path!(0x01, 0x11)]);
    ///
    /// let mut hint = WATCHED.hint();
    /// assert_eq!(hint.watch(&[0x81, 0x03, 0x11, 0x01, 0x07]).count(), 1);
    /// ```
    #[must_use]
    pub const fn hint(&self) -> Hint<&Self> {
        Hint::new(self)
    }
}

#[cfg(feature = "alloc")]
impl Paths {
    /// A watch of these paths that remembers the shapes of the last packets; see [`Hint`]. `Hint::new(paths.clone())` owns the
    /// set.
    #[must_use]
    pub const fn hint(&self) -> Hint<&Self> {
        Hint::new(self)
    }
}

impl<P> Hint<P> {
    /// A hint of these paths, which remembers nothing yet.
    ///
    /// # Examples
    /// ```
    /// use y3::{Hint, PathSet, path};
    ///
    /// let mut hint: Hint<PathSet<1>> = Hint::new(PathSet::new([path!(0x11)]));
    /// assert_eq!(hint.watch(&[0x11, 0x01, 0x07]).count(), 1);
    /// ```
    #[must_use]
    pub const fn new(paths: P) -> Self {
        Self { paths, shapes: Shapes::NONE, account: Account::NEW }
    }
}

impl<P: PathLookup> Hint<P> {
    /// The packets at the end of the paths, in a buffer of packets back to back: the same hits, errors and offsets as
    /// [`PathSet::watch`] yields.
    ///
    /// A buffer is one shape, so pass packets one by one where each is in a slice of its own. Cost: see [`Hint`].
    ///
    /// # Examples
    /// ```
    /// const WATCHED: y3::PathSet<1> = y3::PathSet::new([y3::path!(0x01, 0x11)]);
    ///
    /// let (mut hint, bytes) = (WATCHED.hint(), [0x81, 0x03, 0x11, 0x01, 0x07, 0x01]);
    /// assert!(hint.watch(&bytes).eq(WATCHED.watch(&bytes)));
    /// ```
    #[inline(always)]
    pub fn watch<'a>(&mut self, bytes: &'a [u8]) -> HintedWatch<'_, 'a, P> {
        let set = self.paths.set();
        let known = if bytes.len() < SHORTEST || self.account.is_suspended() {
            None
        } else {
            let shape = self.shapes.recognized(&mut self.account, set, bytes);
            Some(Known { shape, windows: &self.account.windows, taken: 0 })
        };
        HintedWatch { known, set, bytes, watch: Watch::new(set, packets(bytes)) }
    }
}

impl Shapes {
    const NONE: Shapes = Shapes { held: [[Shape::NONE; 2]; LENGTHS], unknown: Shape::NONE };

    /// The shape of a packet. One that is not held is remembered.
    // Cold, so that the loop over packets that are not compared has the registers (measured: up to 13 instructions a packet). The call
    // takes no longer for it.
    #[cold]
    #[inline(never)]
    fn recognized<P: PathLookup>(&mut self, account: &mut Account, set: &P, bytes: &[u8]) -> &mut Shape {
        let slot = bytes.len() % LENGTHS;
        if self.held.get(slot).is_some_and(|[first, _]| first.is_of(bytes, &account.windows)) {
            let Some([first, _]) = self.held.get_mut(slot) else { return &mut self.unknown };
            account.earn(first.saved);
            return first;
        }
        self.second(account, set, bytes)
    }

    #[inline(never)]
    fn second<P: PathLookup>(&mut self, account: &mut Account, set: &P, bytes: &[u8]) -> &mut Shape {
        let slot = bytes.len() % LENGTHS;
        if self.held.get(slot).is_some_and(|[_, second]| second.is_of(bytes, &account.windows)) {
            let Some([_, second]) = self.held.get_mut(slot) else { return &mut self.unknown };
            account.earn(second.saved);
            return second;
        }
        let spent = self.remember(account, set, bytes);
        account.spend(spent);
        self.unknown.place = Watch::new(set, packets(bytes)).place();
        &mut self.unknown
    }

    /// Remembers the shape of a packet, if it can, and returns what that took.
    #[cold]
    fn remember<P: PathLookup>(&mut self, account: &mut Account, set: &P, bytes: &[u8]) -> i32 {
        let mut sketch = Sketch::new(bytes);
        let (shape, headers) = shape(set, bytes, &mut sketch);
        if let Some(shape) = shape {
            self.hold(account, shape, &mut sketch);
        }
        SHAPE + HEADER * headers
    }

    fn hold(&mut self, account: &mut Account, mut shape: Shape, sketch: &mut Sketch<'_>) {
        let Some((windows, head)) = sketch.finish(shape.is_whole) else { return };
        // In a row, over those that are oldest.
        if account.next + windows.len() > WINDOWS {
            account.next = 0;
        }
        (shape.start, shape.middle, shape.end) = (account.next, account.next + head, account.next + windows.len());
        account.next = shape.end;
        for other in self.held.as_flattened_mut() {
            if other.start < shape.end && shape.start < other.end {
                *other = Shape::NONE;
            }
        }
        let Some(place) = account.windows.get_mut(shape.start..shape.end) else { return };
        place.copy_from_slice(windows);
        let Some([first, second]) = self.held.get_mut(shape.len % LENGTHS) else { return };
        if first.len == usize::MAX {
            *first = shape;
        } else {
            if second.len != usize::MAX {
                *first = *second;
            }
            *second = shape;
        }
    }
}

impl Account {
    const NEW: Account = Account { trust: TRUST, windows: [Window::NONE; WINDOWS], next: 0 };

    /// Counts a packet, and returns whether it is watched as without a hint. Two instructions: an addition whose sign is tested.
    #[inline(always)]
    fn is_suspended(&mut self) -> bool {
        self.trust += 1;
        self.trust < 0
    }

    #[inline(always)]
    fn earn(&mut self, saved: i32) {
        self.trust = (self.trust + saved).min(TRUST);
    }

    fn spend(&mut self, spent: i32) {
        self.trust -= spent;
        if self.trust < 0 {
            self.trust *= SUSPENDED;
        }
    }
}

/// The shape of a packet without errors, its windows still to be found, and the number of headers read: not many more than the
/// windows hold.
fn shape<P: PathLookup>(paths: &P, bytes: &[u8], sketch: &mut Sketch<'_>) -> (Option<Shape>, i32) {
    let mut watch = Watch::new(paths, packets(bytes));
    let mut shape = Shape { len: bytes.len(), ..Shape::NONE };
    let mut headers = 0;
    loop {
        let step = match watch.next_read() {
            Ok(Some(step)) => step,
            Ok(None) => break,
            Err(()) => return (None, headers),
        };
        headers += 1;
        let start = u32::try_from(step.header.start);
        if sketch.add(step.header).is_none() {
            return (Some(shape), headers);
        }
        if let Some(path_index) = step.path_index {
            let (Some(hit), Ok(start)) = (shape.hits.get_mut(shape.hit_count), start) else {
                return (Some(shape), headers);
            };
            *hit = Spot { start, path_index };
            shape.hit_count += 1;
            shape.place = watch.place();
            shape.saved = SAVED * headers;
            sketch.cut();
        }
    }
    shape.is_whole = true;
    if shape.hit_count == 0 {
        shape.saved = SAVED * headers;
        sketch.cut();
    }
    (Some(shape), headers)
}

/// Shows the paths.
impl<P: fmt::Debug> fmt::Debug for Hint<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hint").field("paths", &self.paths).finish_non_exhaustive()
    }
}

/// The packets at the end of watched paths, made by [`Hint::watch`]. After an error it goes on as [`Watch`] does.
pub struct HintedWatch<'h, 'a, P: PathLookup> {
    /// The shape of the packet, until its hits are taken.
    known: Option<Known<'h>>,
    set: &'h P::Set,
    bytes: &'a [u8],
    /// At the start until then.
    watch: Watch<'a, &'h P::Set>,
}

/// The shape of a packet, and how many of its hits were taken.
struct Known<'h> {
    shape: &'h mut Shape,
    windows: &'h [Window; WINDOWS],
    taken: usize,
}

impl<'a, P: PathLookup> Iterator for HintedWatch<'_, 'a, P> {
    type Item = Result<Hit<'a>, Error>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let Some(Known { shape, windows, taken }) = &mut self.known else { return self.watch.next() };
        let spot = if *taken < shape.hit_count { shape.hits.get(*taken) } else { None };
        if let Some(&Spot { start, path_index }) = spot {
            *taken += 1;
            return hit_at(self.bytes, usize::try_from(start).ok()?, path_index).map(Ok);
        }
        let place = if shape.ends(self.bytes, windows) { None } else { Some(shape.place) };
        self.known = None;
        let Some(place) = place else {
            self.watch.go_to(Place::END);
            return None;
        };
        let (watch, item) = go_on(self.set, self.bytes, place);
        self.watch = watch;
        match item? {
            Ok((start, path_index)) => hit_at(self.bytes, start, path_index).map(Ok),
            Err(error) => Some(Err(error)),
        }
    }
}

/// The position of a hit and the index of its path, or an error.
type Found = Result<(usize, u32), Error>;

/// A watch that goes on at a place, and its next item.
// A call that takes words and returns no packet: the loop over packets that are not compared then keeps its registers, and its
// hits need no test that they are none of these.
#[cold]
#[inline(never)]
fn go_on<'a, 'h, P: PathLookup>(set: &'h P, bytes: &'a [u8], place: Place) -> (Watch<'a, &'h P>, Option<Found>) {
    let mut watch = Watch::new(set, packets(bytes));
    watch.go_to(place);
    // The position is in a slice, so it is a `usize`.
    let item =
        watch.next().map(|hit| hit.map(|hit| (usize::try_from(hit.offset()).unwrap_or(usize::MAX), hit.index())));
    (watch, item)
}

impl<P: PathLookup> FusedIterator for HintedWatch<'_, '_, P> {}

/// Shows the bytes.
impl<P: PathLookup> fmt::Debug for HintedWatch<'_, '_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HintedWatch").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

/// The hit at a position where a watch, of this packet or of another of its shape, had one: never `None`.
#[inline(always)]
fn hit_at(bytes: &[u8], start: usize, path_index: u32) -> Option<Hit<'_>> {
    let (_, packet) = parser::packet::<Fault>().process::<OutputM<Emit, Emit, Streaming>>(bytes.get(start..)?).ok()?;
    Some(Hit::new(packet.at(start as u64), path_index))
}
