//! Inside: the packets inside a packet, for structs, sequences and maps.
//!
//! In: a packet. Out: those inside, or the error of one that cannot be entered; and what one of them is read as.

use crate::error::{Error, ErrorKind};
use crate::read::packet::Packet;
use crate::read::packets::Packets;

impl<'a> Packet<'a> {
    /// The packets inside a node, if not too many nodes are around it.
    #[inline(always)]
    pub(crate) fn items(&self) -> Result<Packets<'a>, Error> {
        if !self.is_node() || self.mode().is_deepest() {
            return Err(not_entered(self.is_node(), self.offset()));
        }
        Ok(self.children())
    }
}

#[cold]
#[inline(never)]
pub(super) const fn not_entered(is_node: bool, tag: u64) -> Error {
    Error::new(if is_node { ErrorKind::DepthLimit } else { ErrorKind::NotANode }, tag)
}

/// Reads the content of a variant, an item or an entry. The packet's key is among those that lead to a field inside.
#[inline(always)]
pub fn within<'a, T>(packet: Packet<'a>, read: impl FnOnce(Packet<'a>) -> Result<T, Error>) -> Result<T, Error> {
    read(packet).map_err(|error| error.inside(packet.key().get()))
}
