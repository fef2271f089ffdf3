//! Index: the first packet of each key in a node, found in one pass.
//!
//! In: packets back to back. Out: for each of the 64 keys where its first packet begins, so that a look-up jumps there.

use core::fmt;

use super::packet::Packet;
use super::packets::{Container, Packets, packets_from};
use crate::error::{Error, ErrorKind};
use crate::wire::key::Key;

/// The first packet of each key in a node: for many look-ups in one node.
///
/// [`get`](Self::get) gives what [`Packet::find`] gives, without jumping over the packets before it each time.
/// Cost: one jump for each packet of the node to make it, O(1) a look-up; some 330 bytes where the caller puts it; allocates never.
///
/// # Examples
/// ```
/// let node = y3::Packet::from_slice(&[0x81, 0x06, 0x02, 0x01, 0x07, 0x03, 0x01, 0x08])?;
/// let index = node.index();
/// assert_eq!(index.get(0x03)?.unwrap().value(), [0x08]);
/// assert_eq!(index.get(0x04)?, None);
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: SPEC §6
#[derive(Clone)]
pub struct Index<'a> {
    bytes: &'a [u8],
    /// The offset of the first byte.
    offset: u64,
    container: Container,
    /// One bit for each key that is there.
    keys: u64,
    /// Where the first packet of each key begins.
    starts: [u32; 64],
    /// The fault that ended the pass.
    fault: Option<Error>,
    /// Of the packet looked into, for a key above 63.
    tag: u64,
}

impl<'a> Index<'a> {
    fn new(packets: Packets<'a>, tag: u64) -> Self {
        let mut index = Index {
            bytes: packets.remainder(),
            offset: packets.offset(),
            container: packets.container(),
            keys: 0,
            starts: [0; 64],
            fault: None,
            tag,
        };
        let mut packets = packets;
        loop {
            let start = index.bytes.len() - packets.remainder().len();
            match packets.next() {
                Some(Ok(packet)) => index.note(packet.key(), start),
                Some(Err(fault)) => {
                    index.fault = Some(fault);
                    return index;
                }
                None => return index,
            }
        }
    }

    #[inline(always)]
    fn note(&mut self, key: Key, start: usize) {
        let bit = 1 << key.get();
        if self.keys & bit != 0 {
            return;
        }
        // A node is shorter than 2^31 bytes; an input may be longer, and what begins behind that is not indexed.
        if let (Some(slot), Ok(start)) = (self.starts.get_mut(usize::from(key.get())), u32::try_from(start)) {
            *slot = start;
            self.keys |= bit;
        }
    }

    /// The first packet with that key, or `None`.
    ///
    /// Cost: O(1), one header.
    ///
    /// # Errors
    /// What [`Packet::find`] gives: [`InvalidKey`](ErrorKind::InvalidKey) for a key above 63,
    /// [`NotANode`](ErrorKind::NotANode) if the index is that of a primitive, and, for a key of which there is no packet
    /// before it, the fault that the pass met.
    ///
    /// # Examples
    /// ```
    /// let node = y3::Packet::from_slice(&[0x81, 0x05, 0x02, 0x01, 0x07, 0x03, 0x7f])?;
    /// assert_eq!(node.index().get(0x02)?.unwrap().value(), [0x07]);
    /// assert_eq!(node.index().get(0x03).unwrap_err().offset(), 6);
    /// # Ok::<(), y3::Error>(())
    /// ```
    #[inline]
    pub fn get(&self, key: u8) -> Result<Option<Packet<'a>>, Error> {
        let Some(key) = Key::new(key) else { return Err(Error::new(ErrorKind::InvalidKey, self.tag)) };
        if self.keys >> key.get() & 1 == 0 {
            return self.fault.map_or(Ok(None), Err);
        }
        let start = self.starts.get(usize::from(key.get())).copied().unwrap_or_default();
        let front = self.bytes.get(start as usize..).unwrap_or_default();
        packets_from(front, self.offset.saturating_add(u64::from(start)), self.container).next().transpose()
    }
}

impl fmt::Debug for Index<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let packets = (0..64).filter_map(|key| self.get(key).ok().flatten());
        f.debug_map().entries(packets.map(|packet| (packet.key(), packet.offset()))).finish()
    }
}

impl<'a> Packets<'a> {
    /// The first packet of each key among these packets, found in one pass.
    ///
    /// Packets that begin 4 GiB or more behind the first byte are not found.
    ///
    /// # Examples
    /// ```
    /// let index = y3::packets(&[0x01, 0x00, 0x02, 0x01, 0x07, 0x02, 0x01, 0x08]).index();
    /// assert_eq!(index.get(0x02)?.unwrap().decode::<i32>()?, 7);
    /// # Ok::<(), y3::Error>(())
    /// ```
    /// Source: SPEC §6
    #[must_use]
    pub fn index(self) -> Index<'a> {
        let tag = self.offset();
        Index::new(self, tag)
    }
}

impl<'a> Packet<'a> {
    /// The first packet of each key directly inside a node, found in one pass; see [`Index`].
    ///
    /// Worth it for several look-ups in one node: benches/README.md says from how many on.
    ///
    /// # Examples
    /// ```
    /// let node = y3::Packet::from_slice(&[0x81, 0x06, 0x02, 0x01, 0x07, 0x02, 0x01, 0x08])?;
    /// assert_eq!(node.index().get(0x02)?, node.find(0x02)?);
    /// # Ok::<(), y3::Error>(())
    /// ```
    /// Source: SPEC §6
    #[must_use]
    pub fn index(&self) -> Index<'a> {
        Index::new(self.children(), self.offset())
    }
}
