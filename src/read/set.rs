//! A set of watched paths, and its methods.

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

/// A set of watched paths. A [`PathSet`](crate::PathSet) stores its paths in itself. `Paths` (feature `alloc`) stores
/// its paths in memory that its clones share.
///
/// `F` selects the hits. With `()`, all packets at the paths are hits. With [`FirstOnly`](crate::FirstOnly), only the
/// first packet at each path is a hit.
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
    /// Iterates over the packets at these paths, in the order of the input. `bytes` must be a sequence of packets.
    ///
    /// A watched node comes before the watched packets inside it. If the input ends inside the node, the watch first
    /// returns the complete hits inside the node, and then the error. A watch reads the value of a primitive as packets
    /// only if a path enters the primitive. An error in such embedded packets ends only the watch of this primitive:
    /// the next call continues after the primitive. After any other error the next call yields `None`. A watch does not
    /// find errors inside skipped packets. [`check`](crate::check) finds them. Cost: reads one header for each packet
    /// at the top level and in entered packets. Never allocates.
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

    /// Watches the packets of a node, the packets embedded in a primitive, or one packet. Offsets count from the start
    /// of the outer input.
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

    /// Watches one packet and stores the first hit of each path in `slots`, at the index of the path. The first key of
    /// each path is the key of this packet.
    ///
    /// A slot without a hit becomes `None`. A hit is dropped if its path has no slot. Cost: the same as a watch. Never
    /// allocates.
    ///
    /// # Errors
    /// Returns the first error of the watch. The slots then contain the hits before the error.
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

    /// Returns the path at an index, or `None` if the set has no path there. For the path of a hit, use
    /// `get(hit.path_index())`.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Path> {
        self.given().get(index).copied()
    }

    /// Iterates over the paths in the given order, including duplicates. [`Hit::path_index`](crate::Hit::path_index) is
    /// a position in this order.
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

/// Iterates over the paths in the given order.
impl<'s, S: Storage, F: Found> IntoIterator for &'s Set<S, F> {
    type Item = Path;
    type IntoIter = Copied<slice::Iter<'s, Path>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Shows the paths in the given order.
impl<S: Storage, F: Found> fmt::Debug for Set<S, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.given()).finish()
    }
}
