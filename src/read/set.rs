//! Set: a set of watched paths, and its methods.
//!
//! In: a set, and bytes. Out: its paths, its hits, and the first hits inside one packet.

use core::fmt;
use core::iter::Copied;
use core::marker::PhantomData;
use core::slice;

use super::compiled::{CompiledIn, Search, Storage};
use super::found::Found;
use super::lookup::sealed::Lookup;
use super::packet::Packet;
use super::packets::{Packets, packets};
use super::path::Path;
use super::watch::Watch;
use crate::error::Error;

/// A set of watched paths. A [`PathSet`](crate::PathSet) has its own storage, and `Paths` (feature `alloc`) share theirs.
///
/// `F` is `()` if all packets at the paths count, and [`FirstOnly`](crate::FirstOnly) if only the first packet at each path counts.
#[derive(Clone, Copy)]
pub struct Set<S, F = ()> {
    storage: S,
    counts: PhantomData<F>,
}

impl<S, F> Set<S, F> {
    pub(super) const fn of(storage: S) -> Self {
        Self { storage, counts: PhantomData }
    }

    pub(super) const fn storage(&self) -> &S {
        &self.storage
    }
}

impl<S: Storage, F: Found> Set<S, F> {
    /// Iterates over the packets at the end of these paths, in the order of the wire. The buffer holds packets, back to back.
    ///
    /// A watched node comes before the watched packets inside it. If the input cuts that node short, the error follows its
    /// whole hits. The value of a primitive is read as packets only where a path enters it. An error in embedded packets ends
    /// the watch of that primitive only: the next call continues after it. After any other error the next call yields `None`.
    /// Cost: one jump for each packet of the entered levels; never allocates. Packets that are jumped over are not
    /// read, so errors inside them go unnoticed; [`check`](crate::check) finds them.
    ///
    /// # Examples
    /// ```
    /// const WATCHED: y3::PathSet<1> = y3::PathSet::new([y3::path!(0x01, 0x11)]);
    ///
    /// let bytes = [0x81, 0x03, 0x11, 0x01, 0x07, 0x81, 0x05, 0x10, 0x00, 0x11, 0x01, 0x08];
    /// let readings: Result<Vec<i32>, _> = WATCHED.watch(&bytes).map(|hit| hit?.decode()).collect();
    /// assert_eq!(readings, Ok(vec![7, 8]));
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn watch<'a>(&self, bytes: &'a [u8]) -> Watch<'a, &Self> {
        Watch::new(self, packets(bytes))
    }

    /// Like [`watch`](Self::watch), for the packets of a node, the packets embedded in a primitive, or one packet.
    /// Offsets count from the start of the outer input.
    ///
    /// # Examples
    /// ```
    /// const INNER: y3::PathSet<1> = y3::PathSet::new([y3::path!(0x11)]);
    ///
    /// let frame = y3::Packet::from_slice(&[0xbf, 0x05, 0x02, 0x03, 0x11, 0x01, 0x07])?;
    /// let embedded = frame.find(0x02)?.unwrap().embedded();
    /// assert_eq!(INNER.watch_packets(embedded).next().unwrap()?.offset(), 4);
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn watch_packets<'a>(&self, packets: impl Into<Packets<'a>>) -> Watch<'a, &Self> {
        Watch::new(self, packets.into())
    }

    /// Watches one packet and stores the first hit of each path in the slot with that path's index. Paths begin with
    /// the packet's own key.
    ///
    /// Slots without a hit become `None`; hits without a slot are left out. Cost: that of a watch; never allocates.
    ///
    /// # Errors
    /// The first error of the watch. The slots then have the earlier hits.
    ///
    /// # Examples
    /// ```
    /// use y3::{PathSet, packets, path};
    ///
    /// const READING: PathSet<2> = PathSet::new([path!(0x01, 0x11), path!(0x01, 0x13)]);
    ///
    /// let bytes = [0x81, 0x06, 0x11, 0x01, 0x07, 0x13, 0x01, 0x61, 0x81, 0x03, 0x11, 0x01, 0x08];
    /// let (mut slots, mut seen) = ([None; 2], Vec::new());
    /// for packet in packets(&bytes) {
    ///     READING.fill(packet?, &mut slots)?;
    ///     let device = slots[1].map(|device| device.decode::<&str>()).transpose()?;
    ///     seen.push((slots[0].unwrap().decode::<i32>()?, device));
    /// }
    /// assert_eq!(seen, [(7, Some("a")), (8, None)]);
    /// # Ok::<(), y3::Error>(())
    /// ```
    pub fn fill<'a>(&self, packet: Packet<'a>, slots: &mut [Option<Packet<'a>>]) -> Result<(), Error> {
        slots.fill(None);
        self.watch_packets(packet).try_for_each(|hit| {
            let hit = hit?;
            if let Some(slot @ None) = slots.get_mut(hit.path_index()) {
                *slot = Some(hit.packet());
            }
            Ok(())
        })
    }

    fn given(&self) -> &[Path] {
        self.storage.compiled().given()
    }

    /// Returns the path at an index: `get(hit.path_index())` is the path of a hit. `None` for an index without a path.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Path> {
        self.given().get(index).copied()
    }

    /// Iterates over the paths in the order given, with duplicates. [`Hit::path_index`](crate::Hit::path_index) counts in this order.
    pub fn iter(&self) -> Copied<slice::Iter<'_, Path>> {
        self.given().iter().copied()
    }
}

impl<S: Storage, F: Found> Lookup for Set<S, F> {
    type Storage = S;
    type Found = F;

    #[inline(always)]
    fn compiled(&self) -> &CompiledIn<S> {
        self.storage.compiled()
    }

    #[inline(always)]
    fn search(&self) -> Search {
        self.storage.search()
    }
}

/// Iterates over the paths in the order given.
impl<'s, S: Storage, F: Found> IntoIterator for &'s Set<S, F> {
    type Item = Path;
    type IntoIter = Copied<slice::Iter<'s, Path>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Shows the paths in the order given.
impl<S: Storage, F: Found> fmt::Debug for Set<S, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.given()).finish()
    }
}
