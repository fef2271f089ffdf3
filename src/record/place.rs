//! Place: a position in the output for one packet.
//!
//! In: an encoder, a key and the remaining depth. Out: the packet that a value writes there, and the position after it.

use super::budget::Budget;
use super::rest::PutRest;
use crate::error::{Error, ErrorKind};
use crate::read::keys::KeySet;
use crate::read::packet::Packet;
use crate::wire::integer::PVarInt;
use crate::wire::key::Key;
use crate::wire::tag::Tag;
use crate::write::sink::Sink;
use crate::write::value::Encode;
use crate::write::writer::Writer;

/// A place in the output for one packet, with its key: the argument of [`ToPacket::write`](crate::ToPacket::write).
///
/// With `PVAR`, integers are written as `PVarInt`.
#[derive(Debug)]
pub struct Place<'s, S, const PVAR: bool> {
    writer: Writer<'s, S>,
    key: Key,
    budget: Budget,
}

/// Proof that a packet was written at its place. Only the methods of [`Place`], [`Node`] and [`Slice`] make one.
//
// It holds the position after the packet: a returned position stays in a register, one behind a reference is stored and loaded
// for each packet.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Written(usize);

impl Written {
    #[inline(always)]
    pub(super) const fn position(self) -> usize {
        self.0
    }
}

impl<'s, S: Sink, const PVAR: bool> Place<'s, S, PVAR> {
    #[inline(always)]
    pub(super) const fn outermost(writer: Writer<'s, S>, key: Key) -> Self {
        Self { writer, key, budget: Budget::FULL }
    }

    /// Writes a primitive.
    ///
    /// # Errors
    /// As [`Encoder::put`](crate::Encoder::put).
    #[inline(always)]
    pub fn put(mut self, value: impl Encode) -> Result<Written, Error> {
        self.writer.put(self.key.get(), value)?;
        Ok(Written(self.writer.position()))
    }

    /// Writes an integer in the dialect of the place.
    ///
    /// # Errors
    /// As [`Encoder::put`](crate::Encoder::put).
    #[inline(always)]
    pub fn number<T: Encode>(self, number: T) -> Result<Written, Error>
    where
        PVarInt<T>: Encode,
    {
        if PVAR { self.put(PVarInt(number)) } else { self.put(number) }
    }

    /// Writes text or bytes as a primitive.
    ///
    /// # Errors
    /// As [`Encoder::put`](crate::Encoder::put).
    #[inline(always)]
    pub fn bytes(self, bytes: &[u8]) -> Result<Written, Error> {
        self.put(bytes)
    }

    /// Writes an encoded packet with the key of the place. Its value is copied and not read.
    ///
    /// # Errors
    /// As [`Encoder::put`](crate::Encoder::put).
    #[inline]
    pub fn packet(self, packet: Packet<'_>) -> Result<Written, Error> {
        let tag = packet.tag().with_key(self.key);
        self.writer.put_packet(tag, packet.value()).map(Written)
    }

    /// Begins a node: a struct or a map.
    ///
    /// # Errors
    /// [`DepthLimit`](ErrorKind::DepthLimit), and the errors of the sink.
    #[inline(always)]
    pub fn node(self) -> Result<Node<'s, S, PVAR>, Error> {
        let tag = Tag::node(self.key);
        self.open(tag)
    }

    /// Begins a node; `is_long` says that its body has 64 bytes or more, so that it need not shift when its length is known.
    ///
    /// # Errors
    /// As [`node`](Self::node).
    #[doc(hidden)]
    #[inline(always)]
    pub fn node_of(mut self, is_long: bool) -> Result<Node<'s, S, PVAR>, Error> {
        if !is_long {
            return self.node();
        }
        let Some(budget) = self.budget.node() else { return Err(too_deep(self.writer.position())) };
        let start = self.writer.open_long(Tag::node(self.key))?;
        Ok(Node { writer: self.writer, start, is_long, budget })
    }

    /// Begins a slice: a sequence.
    ///
    /// # Errors
    /// As [`node`](Self::node).
    #[inline(always)]
    pub fn slice(self) -> Result<Slice<'s, S, PVAR>, Error> {
        let tag = Tag::slice(self.key);
        self.open(tag).map(Slice)
    }

    /// Writes a node that holds one packet with this key: a variant and its content.
    ///
    /// # Errors
    /// The errors of `content`, and as [`node`](Self::node).
    #[inline(always)]
    pub fn variant(
        self,
        key: u8,
        content: impl FnOnce(Place<'_, S, PVAR>) -> Result<Written, Error>,
    ) -> Result<Written, Error> {
        let mut node = self.node()?;
        let key = node.key(key)?;
        let end = content(node.place::<PVAR>(key).content()?)?;
        node.writer.go_on_at(end.position());
        node.close()
    }

    /// The same place, for the content of a newtype, an option or a variant. At most 128 of these can be nested.
    ///
    /// # Errors
    /// [`DepthLimit`](ErrorKind::DepthLimit).
    #[inline(always)]
    pub fn content(self) -> Result<Self, Error> {
        match self.budget.step() {
            Some(budget) => Ok(Self { budget, ..self }),
            None => Err(too_deep(self.writer.position())),
        }
    }

    /// The same place, with integers as `PVarInt`.
    #[must_use]
    #[inline(always)]
    pub fn pvar(self) -> Place<'s, S, true> {
        Place { writer: self.writer, key: self.key, budget: self.budget }
    }

    /// Writes no packet.
    #[inline(always)]
    pub(super) fn absent(self) -> Written {
        Written(self.writer.position())
    }

    #[inline(always)]
    fn open(mut self, tag: Tag) -> Result<Node<'s, S, PVAR>, Error> {
        let Some(budget) = self.budget.node() else { return Err(too_deep(self.writer.position())) };
        let start = self.writer.open(tag)?;
        Ok(Node { writer: self.writer, start, is_long: false, budget })
    }
}

#[cold]
const fn too_deep(position: usize) -> Error {
    Error::new(ErrorKind::DepthLimit, position as u64)
}

/// An open node: made by [`Place::node`].
#[derive(Debug)]
pub struct Node<'s, S, const PVAR: bool> {
    pub(super) writer: Writer<'s, S>,
    start: usize,
    /// Whether two bytes are reserved for the length.
    is_long: bool,
    /// The depth that remains for the packets inside.
    pub(super) budget: Budget,
}

impl<'s, S: Sink, const PVAR: bool> Node<'s, S, PVAR> {
    /// The inside of a node, of which a part is written elsewhere and which another node closes.
    #[inline(always)]
    pub(super) const fn of_writer(writer: Writer<'s, S>, budget: Budget) -> Self {
        Self { writer, start: 0, is_long: false, budget }
    }
}

impl<S: Sink, const PVAR: bool> Node<'_, S, PVAR> {
    /// Writes the packets of a [`Rest`](super::Rest), except those with the key of a field.
    ///
    /// # Errors
    /// The errors of the sink.
    #[inline]
    pub fn rest(&mut self, rest: &impl PutRest, fields: KeySet) -> Result<(), Error> {
        rest.packets().filter(|packet| !fields.contains(packet.key())).try_for_each(|packet| {
            let end = self.place::<PVAR>(packet.key()).packet(packet)?;
            self.writer.go_on_at(end.position());
            Ok(())
        })
    }

    /// Ends the node.
    ///
    /// # Errors
    /// [`SizeLimit`](ErrorKind::SizeLimit) for more than 2^31-1 bytes inside, and the errors of the sink.
    #[inline(always)]
    pub fn close(mut self) -> Result<Written, Error> {
        if self.is_long {
            self.writer.close_long(self.start)?;
        } else {
            self.writer.close(self.start)?;
        }
        Ok(Written(self.writer.position()))
    }

    /// An open node of which a part is written.
    #[inline(always)]
    pub(super) fn inside(&mut self) -> Node<'_, S, PVAR> {
        Node { writer: self.writer.nested(), start: self.start, is_long: self.is_long, budget: self.budget }
    }

    /// The error for a map key that is not a key, or a duplicate.
    #[cfg(feature = "alloc")]
    #[cold]
    pub(super) const fn invalid_key(&self) -> Error {
        Error::new(ErrorKind::InvalidKey, self.writer.position() as u64)
    }

    #[inline(always)]
    pub(super) fn key(&self, key: u8) -> Result<Key, Error> {
        Key::new(key).ok_or(Error::new(ErrorKind::InvalidKey, self.writer.position() as u64))
    }

    #[inline(always)]
    pub(super) fn place<const OTHER: bool>(&mut self, key: Key) -> Place<'_, S, OTHER> {
        Place { writer: self.writer.nested(), key, budget: self.budget }
    }
}

/// An open slice: made by [`Place::slice`].
#[derive(Debug)]
pub struct Slice<'s, S, const PVAR: bool>(pub(super) Node<'s, S, PVAR>);

impl<S: Sink, const PVAR: bool> Slice<'_, S, PVAR> {
    /// Ends the slice.
    ///
    /// # Errors
    /// As [`Node::close`].
    #[inline(always)]
    pub fn close(self) -> Result<Written, Error> {
        self.0.close()
    }
}
