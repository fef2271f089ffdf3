//! Set: what every set of watched paths can be asked.
//!
//! In: a set, and bytes. Out: its paths, its hits, and its hits packet by packet.

/// The methods of all sets, for an `impl` of a type that is [`WatchedPaths`](crate::WatchedPaths).
macro_rules! set_methods {
    () => {
        /// Iterates over the packets at the end of these paths in a buffer of packets back to back, in the order of the wire.
        ///
        /// A watched node comes before the watched packets inside it. The value of a primitive is read as packets only where a
        /// path enters it. An error in embedded packets ends the watch of that primitive only: the next call continues after it.
        /// After any other error the next call yields `None`.
        /// Cost: one jump for each packet of the levels entered; allocates never. Bytes inside the packets that are jumped over
        /// are not read, so an error there goes unnoticed; [`check`](crate::check) finds it.
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
        pub fn watch<'s, 'a>(&'s self, bytes: &'a [u8]) -> $crate::iter::Watch<'a, &'s Self> {
            $crate::iter::Watch::new(self, $crate::packets(bytes))
        }

        /// Like [`watch`](Self::watch), for the packets of a node or those embedded in a primitive. Offsets count from the
        /// start of the outer input.
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
        pub fn watch_packets<'s, 'a>(
            &'s self,
            packets: $crate::iter::Packets<'a>,
        ) -> $crate::iter::Watch<'a, &'s Self> {
            $crate::iter::Watch::new(self, packets)
        }

        /// Iterates over records, one for each top-level packet: its hits together, in a slot for each path.
        ///
        /// A packet in which watching finds an error is that error in place of a record, and the next packet follows. After an
        /// error outside of these packets it yields `None`.
        /// Cost: two jumps for each top-level packet and one for each packet of the levels entered; a record has 48 bytes for each
        /// path, which only `Paths` allocates.
        ///
        /// # Examples
        /// ```
        /// use y3::{PathSet, path};
        ///
        /// const READING: PathSet<2> = PathSet::new([path!(0x01, 0x11), path!(0x01, 0x13)]);
        ///
        /// let bytes = [0x81, 0x06, 0x11, 0x01, 0x07, 0x13, 0x01, 0x61, 0x81, 0x03, 0x11, 0x01, 0x08];
        /// let mut seen = Vec::new();
        /// for record in READING.records(&bytes) {
        ///     let record = record?;
        ///     let device = record.get(1).map(|device| device.decode::<&str>()).transpose()?;
        ///     seen.push((record.get(0).unwrap().decode::<i32>()?, device));
        /// }
        /// assert_eq!(seen, [(7, Some("a")), (8, None)]);
        /// # Ok::<(), y3::Error>(())
        /// ```
        #[must_use]
        pub fn records<'s, 'a>(
            &'s self,
            bytes: &'a [u8],
        ) -> impl core::iter::FusedIterator<Item = Result<$crate::iter::Record<'a, &'s Self>, $crate::Error>> + Clone {
            self.records_at($crate::Path::ANY, bytes)
        }

        /// Like [`records`](Self::records), for each packet at the path `unit`. Paths of the set begin with the key of that packet,
        /// as if it were a top-level one.
        ///
        /// # Examples
        /// ```
        /// use y3::{PathSet, path};
        ///
        /// const READING: PathSet<1> = PathSet::new([path!(0x01, 0x11)]);
        ///
        /// let frame = [0xbf, 0x07, 0x02, 0x05, 0x81, 0x03, 0x11, 0x01, 0x07];
        /// let record = READING.records_at(path!(0x3f, 0x02 => 0x01), &frame).next().unwrap()?;
        /// assert_eq!(record.packet().offset(), 4);
        /// assert_eq!(record.get(0).unwrap().decode::<i32>()?, 7);
        /// # Ok::<(), y3::Error>(())
        /// ```
        #[must_use]
        pub fn records_at<'s, 'a>(
            &'s self,
            unit: $crate::Path,
            bytes: &'a [u8],
        ) -> impl core::iter::FusedIterator<Item = Result<$crate::iter::Record<'a, &'s Self>, $crate::Error>> + Clone {
            $crate::read::records::Records::new(self, unit, bytes)
        }

        /// The path at an index, as given: `get(hit.path_index())` is the path of a hit. `None` for an index without a path.
        #[must_use]
        pub fn get(&self, index: usize) -> Option<$crate::Path> {
            $crate::WatchedPaths::as_slice(self).get(index).copied()
        }

        /// The number of paths given, duplicates included. Every [`Hit::path_index`](crate::Hit::path_index) is below it.
        #[must_use]
        pub fn len(&self) -> usize {
            $crate::WatchedPaths::as_slice(self).len()
        }

        /// Whether no path was given.
        #[must_use]
        pub fn is_empty(&self) -> bool {
            $crate::WatchedPaths::as_slice(self).is_empty()
        }

        /// The paths in the order given, duplicates included.
        #[must_use]
        pub fn iter(&self) -> impl ExactSizeIterator<Item = $crate::Path> + Clone {
            $crate::WatchedPaths::as_slice(self).iter().copied()
        }
    };
}
pub(crate) use set_methods;
