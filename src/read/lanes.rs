//! Lanes: several packets in flight, watched in turns.
//!
//! In: packets that do not depend on each other, and a set of paths. Out: the hits of each, with the index of its packet.
//!
//! A jump waits for the length that the last one loaded. The packets of a batch wait for different lengths, so a processor
//! that is given three of them in turns waits for all at once. A packet that is invalid or cut short is handed to a [`Watch`],
//! so each has the hits and errors of a watch of its own.

use super::keys::KeySet;
use super::lookup::{PathLookup, Prefix};
use super::packet::Packet;
use super::packets::{Container, packets_from};
use super::path::Path;
use super::path_set::PathSet;
#[cfg(feature = "alloc")]
use super::paths::Paths;
use super::watch::{Hit, Watch};
use crate::error::Error;
use crate::wire::header::Header;

/// An item of a batch: bytes, a [`Packet`], or what [`packets`](crate::packets) yields.
///
/// Each is an input of its own. Offsets count from the first byte of the bytes; for a packet from the first byte of the input
/// that the packet was taken from. An `Err` ends the batch. The trait is sealed: no other type implements it.
///
/// # Examples
/// ```
/// const WATCHED: y3::PathSet<1> = y3::PathSet::new([y3::path!(0x01, 0x11)]);
///
/// let bytes = [0x81, 0x03, 0x11, 0x01, 0x07];
/// let mut offsets = Vec::new();
/// WATCHED.watch_each([&bytes, &bytes], |_, hit| offsets.push(hit.map(|hit| hit.offset())));
/// WATCHED.watch_each(y3::packets(&bytes.repeat(2)), |_, hit| offsets.push(hit.map(|hit| hit.offset())));
/// assert_eq!(offsets, [Ok(2), Ok(2), Ok(2), Ok(7)]);
/// ```
pub trait BatchItem<'a>: sealed::Item<'a> {}

mod sealed {
    use super::Error;

    pub trait Item<'a> {
        /// Its bytes, and their offset.
        fn input(self) -> Result<(&'a [u8], u64), Error>;
    }
}

impl<'a, T: AsRef<[u8]> + ?Sized> BatchItem<'a> for &'a T {}
impl<'a> BatchItem<'a> for Packet<'a> {}
impl<'a> BatchItem<'a> for Result<Packet<'a>, Error> {}

impl<'a, T: AsRef<[u8]> + ?Sized> sealed::Item<'a> for &'a T {
    #[inline(always)]
    fn input(self) -> Result<(&'a [u8], u64), Error> {
        Ok((self.as_ref(), 0))
    }
}

impl<'a> sealed::Item<'a> for Packet<'a> {
    #[inline(always)]
    fn input(self) -> Result<(&'a [u8], u64), Error> {
        Ok((self.as_bytes(), self.offset()))
    }
}

impl<'a> sealed::Item<'a> for Result<Packet<'a>, Error> {
    #[inline(always)]
    fn input(self) -> Result<(&'a [u8], u64), Error> {
        self?.input()
    }
}

/// The same two methods for both kinds of sets.
macro_rules! batches {
    ($(#[$feature:meta])? impl [$($generics:tt)*] $set:ty) => {
        $(#[$feature])?
        impl<$($generics)*> $set {
            /// Calls a function with each packet at the end of these paths in each input of a batch, and with the
            /// index of the input.
            ///
            /// For each input the calls are the items of [`watch`](Self::watch), in that order. The calls of several
            /// inputs mix: those of an input come as soon as its hits are found. After an `Err` of the batch itself
            /// no input is taken; the call with that error and its index is the last.
            ///
            /// Cost: that of [`watch`](Self::watch), overlapped: three inputs are walked in turns, six if the first
            /// has 2,048 bytes or more; and some tens of instructions for each input and each level entered. It pays
            /// where dozens of packets are jumped over in each input, most where values have 64 bytes and more.
            /// Inputs are watched one after the other if the first has less than 192 bytes, or if the first path has
            /// more than two keys: there it would not pay. An input that ends in an error is read twice up to there.
            /// Allocates never; takes some 1.5 KiB of stack.
            ///
            /// # Examples
            /// ```
            /// const WATCHED: y3::PathSet<1> = y3::PathSet::new([y3::path!(0x01, 0x11)]);
            ///
            /// let batch: [&[u8]; 3] = [&[0x81, 0x03, 0x11, 0x01, 0x07], &[0x81, 0x00], &[0x81, 0x03, 0x11, 0x01]];
            /// let mut readings = [None; 3];
            /// WATCHED.watch_each(batch, |index, hit| readings[index] = Some(hit.and_then(|hit| hit.decode::<i32>())));
            /// assert_eq!(readings[0], Some(Ok(7)));
            /// assert_eq!(readings[1], None);
            /// assert_eq!(readings[2], Some(Err(y3::Error::new(y3::ErrorKind::UnexpectedEnd, 0))));
            /// ```
            /// Source: [SPEC §9](crate::spec#9-streaming-and-skipping-what-is-not-validated)
            #[inline]
            pub fn watch_each<'a, I: BatchItem<'a>>(
                &self,
                batch: impl IntoIterator<Item = I>,
                each: impl FnMut(usize, Result<Hit<'a>, Error>),
            ) {
                all(self, batch, each);
            }

            /// Calls a function once for each input of a batch, with the first item of its watch: a hit, an error, or
            /// `None` if there is neither.
            ///
            /// Order, errors of the batch and cost are those of [`watch_each`](Self::watch_each), but an input is
            /// left at its first hit.
            ///
            /// # Examples
            /// ```
            /// const WATCHED: y3::PathSet<1> = y3::PathSet::new([y3::path!(0x01, 0x11)]);
            ///
            /// let bytes = [0x81, 0x03, 0x11, 0x01, 0x07, 0x81, 0x00, 0x81, 0x03, 0x11, 0x01, 0x08];
            /// let mut readings = [None; 3];
            /// WATCHED.first_each(y3::packets(&bytes), |index, hit| {
            ///     readings[index] = hit.and_then(|hit| hit.ok()?.decode::<i32>().ok());
            /// });
            /// assert_eq!(readings, [Some(7), None, Some(8)]);
            /// ```
            /// Source: [SPEC §9](crate::spec#9-streaming-and-skipping-what-is-not-validated)
            #[inline]
            pub fn first_each<'a, I: BatchItem<'a>>(
                &self,
                batch: impl IntoIterator<Item = I>,
                each: impl FnMut(usize, Option<Result<Hit<'a>, Error>>),
            ) {
                run::<true, _, _, _>(self, batch, each);
            }
        }
    };
}

batches!(impl [const N: usize] PathSet<N>);
batches!(#[cfg(feature = "alloc")] impl [] Paths);

/// Lanes jump fast and stop slowly, so they do not pay in inputs below this size, which are jumped through in a few steps, nor
/// with paths of more keys, which stop at each.
const SHORT: usize = 192;
const SHALLOW: usize = 2;
/// An input of this size has long values, or so many that the lanes are set up for little.
const LONG: usize = 2048;

#[inline(always)]
fn all<'a, P: PathLookup, I: BatchItem<'a>>(
    paths: &P,
    batch: impl IntoIterator<Item = I>,
    mut each: impl FnMut(usize, Result<Hit<'a>, Error>),
) {
    run::<false, _, _, _>(paths, batch, |index, hit| {
        if let Some(hit) = hit {
            each(index, hit);
        }
    });
}

/// Watches the batch. With `FIRST` each packet ends at its first hit or error and is told once; else nothing is told of a
/// packet without either.
#[inline(always)]
fn run<'s, 'a, const FIRST: bool, P, I, E>(paths: &'s P, batch: impl IntoIterator<Item = I>, each: E)
where
    P: PathLookup,
    I: BatchItem<'a>,
    E: FnMut(usize, Option<Result<Hit<'a>, Error>>),
{
    let mut batch = Batch { items: batch.into_iter(), paths, taken: 0, fault: None, is_done: false, each };
    let first = batch.lane();
    if first.rest.len() < SHORT || paths.as_slice().first().is_some_and(|path| path.depth() > SHALLOW) {
        batch.one_by_one::<FIRST>(first);
    } else if first.rest.len() < LONG {
        let lanes = [first, batch.lane(), batch.lane()];
        batch.watch::<FIRST, 3>(lanes, three);
    } else {
        let lanes = [first, batch.lane(), batch.lane(), batch.lane(), batch.lane(), batch.lane()];
        batch.watch::<FIRST, 6>(lanes, six);
    }
    // The error that ended the batch comes last.
    if let Some(fault) = batch.fault {
        (batch.each)(batch.taken, Some(Err(fault)));
    }
}

/// A loop over lanes.
macro_rules! lanes {
    ($(#[$doc:meta])* $name:ident, $long:literal: $($lane:ident $rest:ident $index:literal),*) => {
        $(#[$doc])*
        // Not inlined: so it has all registers, whatever it is called from.
        #[inline(never)]
        fn $name(lanes: &mut [Lane<'_>; [$($index),*].len()]) -> usize {
            let [$($lane),*] = lanes;
            $(let mut $rest = $lane.rest;)*
            let stopped = loop {
                $(match jump::<$long>($rest, $lane.keys) {
                    Some(after) => $rest = after,
                    None => break $index,
                })*
            };
            $($lane.rest = $rest;)*
            stopped
        }
    };
}

lanes! {
    /// Jumps in turns until a lane cannot, whose index it returns.
    three, false: a a_rest 0, b b_rest 1, c c_rest 2
}
lanes! {
    /// The same for long values.
    six, true: a a_rest 0, b b_rest 1, c c_rest 2, d d_rest 3, e e_rest 4, f f_rest 5
}

/// The packets still to come, and who is told of the hits.
struct Batch<'s, T, P, E> {
    items: T,
    paths: &'s P,
    /// How many packets were taken, which is the index of the next.
    taken: usize,
    /// The error that ended the batch.
    fault: Option<Error>,
    is_done: bool,
    each: E,
}

/// The place in the packet of a lane.
#[derive(Clone, Copy)]
struct Lane<'a> {
    /// The bytes of the current level that are not read yet, and the keys that matter there.
    rest: &'a [u8],
    keys: KeySet,
    prefix: Prefix,
    /// What is not read yet of the levels around, by their depth.
    outer: [&'a [u8]; Path::MAX_LEN - 1],
    /// The whole packet, the offset of its first byte, and its index in the batch.
    input: &'a [u8],
    base: u64,
    index: usize,
    /// How many hits were told.
    told: usize,
    /// The packet is over, and there is no next one.
    is_done: bool,
}

impl<'a, P, T, E> Batch<'_, T, P, E>
where
    P: PathLookup,
    T: Iterator<Item: BatchItem<'a>>,
    E: FnMut(usize, Option<Result<Hit<'a>, Error>>),
{
    /// A lane with the next packet, if there is one.
    #[inline(always)]
    fn lane(&mut self) -> Lane<'a> {
        let mut lane = Lane {
            rest: &[],
            keys: KeySet::EMPTY,
            prefix: Prefix::ROOT,
            outer: [&[]; Path::MAX_LEN - 1],
            input: &[],
            base: 0,
            index: 0,
            told: 0,
            is_done: false,
        };
        self.refill(&mut lane);
        lane
    }

    /// Puts the next packet into a lane.
    // Field by field: a copy of a lane would wait for the parts that were written one by one.
    #[inline(always)]
    fn refill(&mut self, lane: &mut Lane<'a>) {
        if !self.is_done {
            match self.items.next().map(sealed::Item::input) {
                Some(Ok((input, base))) => {
                    (lane.rest, lane.input, lane.base) = (input, input, base);
                    lane.keys = self.paths.keys_at(Prefix::ROOT);
                    lane.prefix = Prefix::ROOT;
                    (lane.index, lane.told) = (self.taken, 0);
                    self.taken += 1;
                    return;
                }
                Some(Err(fault)) => self.fault = Some(fault),
                None => {}
            }
        }
        (self.is_done, lane.is_done) = (true, true);
    }

    /// Watches all packets: `in_turns` moves the lanes, and the lane that it stops at takes a step.
    #[inline(always)]
    fn watch<const FIRST: bool, const N: usize>(
        &mut self,
        mut lanes: [Lane<'a>; N],
        in_turns: impl Fn(&mut [Lane<'a>; N]) -> usize,
    ) {
        while !self.is_done {
            let stopped = in_turns(&mut lanes);
            if let Some(lane) = lanes.get_mut(stopped) {
                self.step::<FIRST>(lane);
            }
        }
        for mut lane in lanes {
            while !lane.is_done {
                while let Some(after) = jump::<false>(lane.rest, lane.keys) {
                    lane.rest = after;
                }
                self.step::<FIRST>(&mut lane);
            }
        }
    }

    /// The step of a lane that cannot jump, up to where it may jump again: in its packet, or in the next one.
    #[inline(always)]
    fn step<const FIRST: bool>(&mut self, lane: &mut Lane<'a>) {
        loop {
            match whole(lane.rest) {
                Some((packet, after)) => {
                    let selection = self.paths.select(lane.prefix, lane.keys, packet.tag());
                    let start = lane.rest.as_ptr().addr().wrapping_sub(lane.input.as_ptr().addr());
                    lane.rest = after;
                    if selection.enters(self.paths) {
                        if let Some(outer) = lane.outer.get_mut(lane.prefix.depth()) {
                            *outer = after;
                        }
                        (lane.prefix, lane.keys, lane.rest) = (selection.prefix, selection.keys, packet.value());
                    }
                    let Some(path_index) = selection.path_index else { return };
                    let packet = packet.at(lane.base.saturating_add(start as u64));
                    (self.each)(lane.index, Some(Ok(Hit::new(packet, path_index))));
                    lane.told += 1;
                    if !FIRST {
                        return;
                    }
                }
                None if lane.rest.is_empty() => {
                    if let Some(parent) = lane.prefix.parent() {
                        lane.rest = lane.outer.get(parent.depth()).copied().unwrap_or_default();
                        lane.keys = self.paths.keys_at(parent);
                        lane.prefix = parent;
                        continue;
                    }
                    if FIRST {
                        (self.each)(lane.index, None);
                    }
                }
                None => self.hand_over::<FIRST>(lane),
            }
            self.refill(lane);
            if lane.is_done {
                return;
            }
        }
    }

    /// Watches all packets, one after the other.
    #[inline(always)]
    fn one_by_one<const FIRST: bool>(&mut self, mut lane: Lane<'a>) {
        while !lane.is_done {
            self.watch_alone::<FIRST>(&lane);
            self.refill(&mut lane);
        }
    }

    /// Watches a packet that is invalid or cut short, and finds again what was told.
    #[cold]
    #[inline(never)]
    fn hand_over<const FIRST: bool>(&mut self, lane: &Lane<'a>) {
        self.watch_alone::<FIRST>(lane);
    }

    #[inline(always)]
    fn watch_alone<const FIRST: bool>(&mut self, lane: &Lane<'a>) {
        let mut watch = Watch::new(self.paths, packets_from(lane.input, lane.base, Container::Input));
        if FIRST {
            return (self.each)(lane.index, watch.next());
        }
        for _ in 0..lane.told {
            watch.next();
        }
        for item in watch {
            (self.each)(lane.index, Some(item));
        }
    }
}

/// The packet at the front, if it is whole, and the bytes after it.
#[inline(always)]
fn whole(rest: &[u8]) -> Option<(Packet<'_>, &[u8])> {
    let (header, value) = Header::split(rest)?;
    let (value, after) = value.split_at_checked(header.value_len())?;
    Some((Packet::new(header, rest, value), after))
}

/// The bytes after the packet at the front, if that is a whole packet that is not watched.
#[inline(always)]
fn jump<const LONG: bool>(rest: &[u8], keys: KeySet) -> Option<&[u8]> {
    let (tag, after) = if LONG {
        Header::jump(rest)?
    } else {
        let (header, value) = Header::short(rest)?;
        (header.tag(), value.get(header.value_len()..)?)
    };
    if keys.contains(tag.key()) { None } else { Some(after) }
}

#[cfg(test)]
mod tests {
    use super::Lane;

    #[test]
    fn six_lanes_fit_into_the_stack_that_the_documentation_states() {
        assert!(size_of::<[Lane<'_>; 6]>() <= 1536, "{}", size_of::<Lane<'_>>());
    }
}
