//! A watch that remembers the headers of earlier packets.
//!
//! A hint yields the same hits as a plain watch. A plain watch has to read one header before it knows the position of
//! the next header. A hint knows these positions from earlier packets. It compares the bytes of the headers 32 bytes at
//! a time. Each group of 32 bytes is a *window*, and a mask hides the bytes between the headers.

use core::fmt;
use core::iter::FusedIterator;
use core::ops::ControlFlow::{Break, Continue};

use crate::error::Error;
use crate::read::lookup::WatchedPaths;
use crate::read::packets::packets;
use crate::read::parser::next_header;
use crate::read::path::Path;
use crate::read::watch::{Hit, Watch};

/// The number of shapes that a hint stores. The lowest bits of the packet length select one of them.
const SHAPES: usize = 4;
/// A shape has at most `WINDOWS` windows and `HITS + 1` parts.
const WINDOWS: usize = 32;
const HITS: usize = 7;
const WIDTH: usize = 32;
/// Packets shorter than this are read with a plain watch, which is faster than a hint for short packets.
const SHORTEST: usize = 48;

/// The number of votes that a new shape has. No shape has more votes; see `Shape::votes`.
const VOTES: u32 = 256;

/// Watches paths and remembers the shapes of earlier packets.
///
/// A *shape* is the length of a packet, together with the headers that a watch reads in the packet. Packets of the same
/// shape have their hits at the same positions. A hint compares all headers of a known shape at once, but
/// [`PathSet::watch`](crate::PathSet::watch) reads one header after another. The comparison is exact. A hint uses a
/// plain watch for packets of an unknown shape, and after the first error in a packet.
///
/// Use a hint if the packets have a fixed layout and dozens of fields, as in telemetry with floats and times. If all
/// packets have one shape, a plain watch takes four times as long as a hint. If one packet in four has another shape, a
/// plain watch takes twice as long as a hint. Do not use a hint if packets contain texts or numbers of varying width,
/// or have few fields. A hint then takes up to 1.4 times as long as a plain watch. Use a separate hint for each kind of
/// packet.
///
/// Memory: 11 KiB and the set of paths. A hint does not allocate. A hint stores up to four shapes, each with up to 8
/// hits. The length of a packet selects one of the shapes, and the hint compares the packet with this shape. If most
/// packets do not match a shape, the hint replaces the shape by the shape of a later packet.
///
/// # Examples
/// ```
/// use y3::{PathSet, hint::Hint, path};
///
/// const WATCHED: PathSet<1> = PathSet::new([path!(0x01, 0x11)]);
///
/// let mut hint = Hint::new(&WATCHED);
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
/// Source: [SPEC §9](crate::spec#9-streaming-and-skipping-what-is-not-validated)
#[derive(Clone)]
pub struct Hint<P> {
    paths: P,
    shapes: [Shape; SHAPES],
}

#[derive(Clone, Copy)]
struct Shape {
    len: usize,
    /// Each packet that matches the shape adds a vote. Each packet that does not match, and whose length selects this
    /// shape, removes a vote. A shape without votes is replaced.
    votes: u32,
    parts: [Option<Part>; HITS + 1],
    windows: [Window; WINDOWS],
}

/// The windows over the headers before a hit, and the position, keys and path index of the hit. If `hit` is `None`, the
/// watch ends here.
#[derive(Clone, Copy)]
struct Part {
    windows: (usize, usize),
    hit: Option<(usize, Path, u32)>,
}

#[derive(Clone, Copy)]
struct Window {
    start: usize,
    /// The expected bytes, or zero where the mask is zero.
    want: [u8; WIDTH],
    mask: [u8; WIDTH],
}

impl<P: WatchedPaths> Hint<P> {
    /// Makes a hint for these paths. A new hint knows no shapes.
    #[must_use]
    pub const fn new(paths: P) -> Self {
        Self { paths, shapes: [Shape::NONE; SHAPES] }
    }

    /// Iterates over the watched packets in `bytes`. The hits, errors and offsets are the same as those of
    /// [`PathSet::watch`](crate::PathSet::watch). A shape describes all of `bytes`, so pass one packet in each call.
    #[inline(always)]
    pub fn watch<'a>(&mut self, bytes: &'a [u8]) -> impl FusedIterator<Item = Result<Hit<'a>, Error>> {
        let paths = self.paths.set();
        let known = if bytes.len() < SHORTEST { None } else { recognized(&mut self.shapes, &paths, bytes) };
        HintedWatch { known, taken: 0, bytes, watch: Watch::new(paths, packets(bytes)) }
    }
}

/// Returns the shape that this packet's length selects, if the packet matches it at least up to the first hit.
#[inline(always)]
fn recognized<'h, P: WatchedPaths>(shapes: &'h mut [Shape; SHAPES], paths: &P, bytes: &[u8]) -> Option<&'h Shape> {
    let shape = shapes.get_mut(bytes.len() % SHAPES)?;
    if shape.len == bytes.len() && shape.part(0, bytes).is_some() {
        shape.votes = (shape.votes + 1).min(VOTES);
        return Some(shape);
    }
    if shape.votes > 0 {
        shape.votes -= 1;
    } else {
        shape.replace(paths, bytes);
    }
    None
}

impl Shape {
    const NONE: Shape = Shape {
        len: usize::MAX,
        votes: 0,
        parts: [None; HITS + 1],
        windows: [Window { start: 0, want: [0; WIDTH], mask: [0; WIDTH] }; WINDOWS],
    };

    /// Returns a part of the shape if the packet has the same headers in that part. The length of the packet must be
    /// the length of the shape.
    #[inline(always)]
    fn part(&self, index: usize, bytes: &[u8]) -> Option<&Part> {
        let part = self.parts.get(index)?.as_ref()?;
        let mut found = [0; 4];
        for window in self.windows.get(part.windows.0..part.windows.1)? {
            let there = words(bytes.get(window.start..)?.first_chunk()?);
            let (want, mask) = (words(&window.want), words(&window.mask));
            for (((found, there), want), mask) in found.iter_mut().zip(there).zip(want).zip(mask) {
                *found |= there & mask ^ want;
            }
        }
        // A comparison of arrays would store the arrays in memory.
        (found.into_iter().fold(0, |all, found| all | found) == 0).then_some(part)
    }

    #[cold]
    #[inline(never)]
    fn replace<P: WatchedPaths>(&mut self, paths: &P, bytes: &[u8]) {
        *self = Shape { len: bytes.len(), votes: VOTES, ..Shape::NONE };
        self.fill(paths, bytes);
    }

    /// Fills the parts of the shape. Stops at the end or at the first error of the watch, or when no part or window is
    /// free.
    fn fill<P: WatchedPaths>(&mut self, paths: &P, bytes: &[u8]) -> Option<()> {
        let mut watch = Watch::new(paths, packets(bytes));
        let mut used = 0;
        for part in &mut self.parts {
            let first = used;
            let (start, hit) = loop {
                let rest = watch.front().0;
                let start = rest.as_ptr().addr().wrapping_sub(bytes.as_ptr().addr());
                let header = next_header(rest);
                let size = header.map_or(0, |(_, header)| header.size());
                for at in start..start + size {
                    let last = self.windows.get(first..used)?.last();
                    if last.is_none_or(|window| at >= window.start + WIDTH) {
                        self.windows.get_mut(used)?.start = at.min(bytes.len() - WIDTH);
                        used += 1;
                    }
                    let window = self.windows.get_mut(used - 1)?;
                    *window.want.get_mut(at - window.start)? = *bytes.get(at)?;
                    *window.mask.get_mut(at - window.start)? = 0xff;
                }
                match watch.step(rest) {
                    Continue(()) => {}
                    Break(item) => break (start, item.transpose().ok()?),
                }
            };
            *part = Some(Part { windows: (first, used), hit: hit.map(|hit| (start, hit.path, hit.path_index)) });
            hit?;
        }
        None
    }
}

#[inline(always)]
fn words(bytes: &[u8; WIDTH]) -> [u64; 4] {
    [0, 8, 16, 24]
        .map(|at| bytes.get(at..).and_then(|word| word.first_chunk()).map_or(0, |word| u64::from_le_bytes(*word)))
}

struct HintedWatch<'h, 'a, P: WatchedPaths> {
    known: Option<&'h Shape>,
    /// How many hits of the known shape were returned.
    taken: usize,
    bytes: &'a [u8],
    /// A plain watch, used as soon as the packet does not match the known shape.
    watch: Watch<'a, P>,
}

impl<'a, P: WatchedPaths> Iterator for HintedWatch<'_, 'a, P> {
    type Item = Result<Hit<'a>, Error>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let Some(shape) = self.known else { return self.watch.next() };
        // `recognized` has compared the first part.
        let part = if self.taken == 0 { shape.parts.first()?.as_ref() } else { shape.part(self.taken, self.bytes) };
        match part.map(|part| part.hit) {
            Some(Some((start, path, path_index))) => {
                self.taken += 1;
                Hit::at(self.bytes, start, start as u64, path, path_index).map(Ok)
            }
            Some(None) => None,
            None => {
                self.known = None;
                self.watch.nth(self.taken)
            }
        }
    }
}

impl<P: WatchedPaths> FusedIterator for HintedWatch<'_, '_, P> {}

impl<P: fmt::Debug> fmt::Debug for Hint<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hint").field("paths", &self.paths).finish_non_exhaustive()
    }
}
