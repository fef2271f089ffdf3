//! Inside: reads the packets inside a packet, for structs, sequences and maps.

use crate::error::{Error, ErrorKind, Wanted};
use crate::read::packet::Packet;
use crate::read::packets::Packets;

impl<'a> Packet<'a> {
    /// Returns the packets inside a node. Returns an error for a primitive, and for a node at the depth limit.
    #[inline(always)]
    pub(crate) fn items(&self) -> Result<Packets<'a>, Error> {
        if !self.is_node() || self.mode().is_deepest() {
            return Err(not_entered(self.is_node(), self.offset()));
        }
        Ok(self.children())
    }
}

// Inlined, because a call would write the error to the memory of the result; see `fields::faulty`.
#[inline(always)]
pub(super) const fn not_entered(is_node: bool, tag: u64) -> Error {
    Error::new(if is_node { ErrorKind::DepthLimit } else { ErrorKind::NotANode }, tag)
}

/// Reads the content of a variant, an item or an entry with `read`. If `read` returns an error in an inner field, the
/// packet's key is added to the path of the error.
///
/// # Errors
/// Returns the errors of `read`.
#[inline(always)]
pub fn within<'a, T>(packet: Packet<'a>, read: impl FnOnce(Packet<'a>) -> Result<T, Error>) -> Result<T, Error> {
    read(packet).map_err(|error| error.inside(packet.key().get()))
}

/// Reads the items of a slice as a type that has exactly `N` items.
pub(super) struct Exactly<'a, const N: usize> {
    slice: Packet<'a>,
    items: Packets<'a>,
}

impl<'a, const N: usize> Exactly<'a, N> {
    pub(super) fn of(slice: Packet<'a>) -> Result<Self, Error> {
        Ok(Self { slice, items: slice.items()? })
    }

    pub(super) fn next<T>(&mut self, read: impl FnOnce(Packet<'a>) -> Result<T, Error>) -> Result<T, Error> {
        match self.items.next() {
            Some(item) => within(item?, read),
            None => Err(Self::error(ErrorKind::MissingItems, &self.slice)),
        }
    }

    pub(super) fn finish<T>(mut self, values: T) -> Result<T, Error> {
        match self.items.next().transpose()? {
            None => Ok(values),
            Some(item) => Err(Self::error(ErrorKind::ExtraItems, &item)),
        }
    }

    #[cold]
    fn error(kind: ErrorKind, packet: &Packet<'_>) -> Error {
        Error::naming(kind, packet.offset(), Wanted::NUMBER, N)
    }
}
