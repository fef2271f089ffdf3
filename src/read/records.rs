//! Records: the hits of one packet together, in a slot for each path.
//!
//! In: packets and a set of paths. Out: for each packet the first packet at each path.

use core::fmt;
use core::iter::FusedIterator;

use super::lookup::WatchedPaths;
use super::packet::Packet;
use super::packets::{Container, packets, packets_from};
use super::path::Path;
use super::path_set::PathSet;
use super::watch::Watch;
use crate::error::Error;

/// The hits in one packet: for each path of the set the first packet at it.
///
/// Source: [SPEC §9](crate::spec#9-streaming-and-skipping-what-is-not-validated)
#[derive(Clone)]
pub struct Record<'a, P: WatchedPaths> {
    packet: Packet<'a>,
    paths: P,
    slots: P::Slots<'a>,
}

impl<'a, P: WatchedPaths> Record<'a, P> {
    fn new(paths: P, packet: Packet<'a>) -> Result<Self, Error>
    where
        P: Clone,
    {
        let mut slots = paths.slots();
        for hit in watch(paths.clone(), packet) {
            let hit = hit?;
            if let Some(slot @ None) = slots.as_mut().get_mut(hit.path_index()) {
                *slot = Some(hit.packet());
            }
        }
        Ok(Self { packet, paths, slots })
    }

    /// The packet that the record was made of.
    #[must_use]
    pub const fn packet(&self) -> Packet<'a> {
        self.packet
    }

    /// The first packet at the path with this index, or `None` if there is none. Duplicates of a path have the first one's index.
    #[must_use]
    pub fn get(&self, path_index: usize) -> Option<Packet<'a>> {
        self.slots.as_ref().get(path_index).copied().flatten()
    }

    /// Whether no path leads to a packet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.as_ref().iter().all(Option::is_none)
    }

    /// All hits in the order of the wire, those after the first at a path too. Watches the packet again.
    ///
    /// # Examples
    /// ```
    /// use y3::{PathSet, path};
    ///
    /// const READING: PathSet<1> = PathSet::new([path!(0x01, 0x11)]);
    ///
    /// let record = READING.records(&[0x81, 0x06, 0x11, 0x01, 0x07, 0x11, 0x01, 0x08]).next().unwrap()?;
    /// let noise: Result<Vec<i32>, _> = record.hits().map(|hit| hit?.decode()).collect();
    /// assert_eq!(noise, Ok(vec![7, 8]));
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[must_use]
    pub fn hits(&self) -> Watch<'a, &P> {
        watch(&self.paths, self.packet)
    }
}

impl<P: WatchedPaths> fmt::Debug for Record<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record")
            .field("packet", &self.packet)
            .field("slots", &self.slots.as_ref())
            .finish_non_exhaustive()
    }
}

/// Watches one packet as an input of its own.
fn watch<P: WatchedPaths>(paths: P, packet: Packet<'_>) -> Watch<'_, P> {
    Watch::new(paths, packets_from(packet.as_bytes(), packet.offset(), Container::Input))
}

#[derive(Clone)]
pub(crate) struct Records<'a, P> {
    units: Watch<'a, PathSet<1>>,
    paths: P,
}

impl<'a, P: WatchedPaths> Records<'a, P> {
    pub(crate) fn new(paths: P, unit: Path, bytes: &'a [u8]) -> Self {
        Self { units: Watch::new(PathSet::<1>::single(unit), packets(bytes)), paths }
    }
}

impl<'a, P: WatchedPaths + Clone> Iterator for Records<'a, P> {
    type Item = Result<Record<'a, P>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.units.next()?.and_then(|unit| Record::new(self.paths.clone(), unit.packet())))
    }
}

impl<P: WatchedPaths + Clone> FusedIterator for Records<'_, P> {}
