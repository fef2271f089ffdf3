//! Items: reads a sequence item by item, without an allocator.
//!
//! In: the packet of a slice. Out: an iterator over its items as values.

use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;

use super::error::{Cause, Error};
use super::from_packet::FromPacket;
use super::place::{Place, Written};
use super::source::{Source, Sources};
use super::to_packet::ToPacket;
use crate::read::packet::Packet;
use crate::write::sink::Sink;

/// Iterates over the items of a slice and reads each on demand: a field `#[y3(0x15)] parts: Items<'a, Part<'a>>`.
///
/// Reading the struct jumps over the slice. An error in an item is returned when the iterator reaches that item, and ends the
/// iteration. Writing copies the slice unchanged. To write other items without an allocator, use `&[T]`.
///
/// # Examples
/// ```
/// use y3::FromPacket;
/// use y3::record::Items;
///
/// #[derive(FromPacket)]
/// struct Readings<'a> {
///     #[y3(0x15)]
///     noise: Items<'a, f32>,
/// }
///
/// let packet = [0x81, 0x09, 0xd5, 0x07, 0x00, 0x02, 0x41, 0xb8, 0x00, 0x01, 0x40];
/// let readings = Readings::from_slice(&packet)?;
/// let noise: Result<Vec<f32>, _> = readings.noise.collect();
/// assert_eq!(noise?, [23.0, 2.0]);
/// # Ok::<(), y3::record::Error>(())
/// ```
/// Source: [SPEC §6](crate::spec#6-nodes-slices-duplicate-keys-order)
pub struct Items<'a, T> {
    slice: Packet<'a>,
    left: Left<'a>,
    of: PhantomData<fn() -> T>,
}

/// The packets not yet read, in the dialect of the surrounding struct.
#[derive(Clone, Debug)]
enum Left<'a> {
    NVar(Sources<'a, false>),
    PVar(Sources<'a, true>),
}

impl<'a, T: FromPacket<'a>> Items<'a, T> {
    /// The slice, not decoded.
    #[must_use]
    pub const fn packet(&self) -> Packet<'a> {
        self.slice
    }

    fn next_item(&mut self) -> Result<Option<T>, Cause> {
        fn read<'a, T: FromPacket<'a>, const PVAR: bool>(sources: &mut Sources<'a, PVAR>) -> Result<Option<T>, Cause> {
            let Some(source) = sources.next_source()? else { return Ok(None) };
            let item = T::read_in_order(source).map_or_else(|| T::read(source), Ok);
            item.map(Some).inspect_err(|_| sources.end())
        }
        match &mut self.left {
            Left::NVar(sources) => read(sources),
            Left::PVar(sources) => read(sources),
        }
    }
}

/// The keys of an item's error begin with that of the slice; its offset counts from the first byte of the input.
impl<'a, T: FromPacket<'a>> Iterator for Items<'a, T> {
    type Item = Result<T, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_item().map_err(|cause| Error::inside(self.slice, cause)).transpose()
    }
}

impl<'a, T: FromPacket<'a>> FusedIterator for Items<'a, T> {}

impl<'de: 'a, 'a, T: FromPacket<'a>> FromPacket<'de> for Items<'a, T> {
    #[inline]
    fn read<const PVAR: bool>(source: Source<'de, PVAR>) -> Result<Self, Cause> {
        let left = if PVAR { Left::PVar(source.pvar().items()?) } else { Left::NVar(source.nvar().items()?) };
        Ok(Self { slice: source.packet(), left, of: PhantomData })
    }
}

impl<T> ToPacket for Items<'_, T> {
    #[inline]
    fn write<S: Sink, const PVAR: bool>(&self, place: Place<'_, S, PVAR>) -> Result<Written, crate::Error> {
        place.packet(self.slice)
    }
}

impl<T> Clone for Items<'_, T> {
    fn clone(&self) -> Self {
        Self { slice: self.slice, left: self.left.clone(), of: PhantomData }
    }
}

/// Equal if the bytes of both slices are equal, also if one iterator is further than the other.
impl<T> PartialEq for Items<'_, T> {
    fn eq(&self, other: &Items<'_, T>) -> bool {
        self.slice.value() == other.slice.value()
    }
}

impl<T> Eq for Items<'_, T> {}

impl<T> fmt::Debug for Items<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Items").field(&self.slice.value()).finish()
    }
}
