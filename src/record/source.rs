//! Source: a packet to read a value from.
//!
//! In: a packet and the remaining depth. Out: its value as a type, or the fields, items or content inside it, or an error.

use super::budget::Budget;
use super::error::{Cause, ErrorKind};
use super::rest::TakeRest;
use crate::error::ErrorKind as WireKind;
use crate::read::keys::KeySet;
use crate::read::packet::Packet;
use crate::read::packets::{Packets, packets};
use crate::read::value::Decode;
use crate::wire::integer::PVarInt;

/// A packet to read a value from: the argument of [`FromPacket::read`](crate::FromPacket::read).
///
/// With `PVAR`, integers are read as `PVarInt`.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a, const PVAR: bool> {
    packet: Packet<'a>,
    /// The offset of the packet's end. The offset of an error follows from it and the length of the value; both are known while
    /// a value is read. The offset of the tag would have to be kept for errors only (measured: a fifth of the time).
    end: u64,
    budget: Budget,
}

impl<'a, const PVAR: bool> Source<'a, PVAR> {
    #[inline(always)]
    pub(super) fn outermost(packet: Packet<'a>) -> Self {
        Self { packet, end: packet.end(), budget: Budget::FULL }
    }

    /// The packet, not decoded.
    #[must_use]
    #[inline(always)]
    pub const fn packet(&self) -> Packet<'a> {
        self.packet
    }

    /// The packet's key, 0..=63.
    #[must_use]
    #[inline(always)]
    pub const fn key(&self) -> u8 {
        self.packet.key().get()
    }

    /// Whether the packet is a node.
    #[must_use]
    #[inline(always)]
    pub const fn is_node(&self) -> bool {
        self.packet.is_node()
    }

    /// A cause about this packet. Its error names the first byte of the value for `InvalidValue`, otherwise the tag.
    #[must_use]
    #[inline(always)]
    pub fn error(&self, kind: ErrorKind) -> Cause {
        Cause::of_packet(kind, self.value_offset())
    }

    #[inline(always)]
    const fn value_offset(&self) -> u64 {
        self.end - self.packet.value().len() as u64
    }

    /// The value of a primitive.
    ///
    /// # Errors
    /// [`NotAPrimitive`](ErrorKind::NotAPrimitive) for a node, and the errors of the type.
    #[inline(always)]
    pub fn decode<T: Decode<'a>>(&self) -> Result<T, Cause> {
        match T::decode(self.packet.value()) {
            Ok(value) if !self.packet.is_node() => Ok(value),
            _ => Err(refused::<T>(self.packet.value(), self.packet.is_node(), self.end)),
        }
    }

    /// As [`decode`](Self::decode), without the error.
    #[inline(always)]
    pub(super) fn decode_in_order<T: Decode<'a>>(&self) -> Option<T> {
        if self.packet.is_node() { None } else { T::decode(self.packet.value()).ok() }
    }

    /// As [`number`](Self::number), without the error.
    #[inline(always)]
    pub(super) fn number_in_order<T: Decode<'a>>(&self) -> Option<T>
    where
        PVarInt<T>: Decode<'a>,
    {
        if PVAR { self.decode_in_order::<PVarInt<T>>().map(|PVarInt(number)| number) } else { self.decode_in_order() }
    }

    /// The integer of a primitive, in the dialect of the source.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    #[inline(always)]
    pub fn number<T: Decode<'a>>(&self) -> Result<T, Cause>
    where
        PVarInt<T>: Decode<'a>,
    {
        if PVAR { self.decode::<PVarInt<T>>().map(|PVarInt(number)| number) } else { self.decode() }
    }

    /// The packets inside a node with these keys; other packets are jumped over.
    ///
    /// # Errors
    /// [`NotANode`](WireKind::NotANode), [`DepthLimit`](WireKind::DepthLimit).
    #[inline(always)]
    pub fn fields(self, keys: KeySet) -> Result<Fields<'a, PVAR>, Cause> {
        let (packets, budget) = self.enter()?;
        Ok(Fields { packets, keys, budget, offset: self.value_offset() })
    }

    /// The same packets, to be read in the order of the type. `None` for an error, which [`fields`](Self::fields) returns.
    #[doc(hidden)]
    #[must_use]
    #[inline(always)]
    pub fn fields_in_order(self, keys: KeySet) -> Option<FieldsInOrder<'a, PVAR>> {
        let budget = self.budget.node().filter(|_| self.packet.is_node())?;
        Some(FieldsInOrder { packets: self.packet.children(), keys, budget })
    }

    /// The packets inside a node with keys other than these.
    ///
    /// # Errors
    /// As [`fields`](Self::fields).
    #[inline]
    pub fn rest<T: TakeRest<'a>>(self, keys: KeySet) -> Result<T, Cause> {
        Ok(T::take(self.packet, keys))
    }

    /// The one packet inside the node of a variant. Counts as one of 128 nested steps; see [`content`](Self::content).
    ///
    /// # Errors
    /// [`NotOneVariant`](ErrorKind::NotOneVariant), and as [`fields`](Self::fields) and [`content`](Self::content).
    #[inline]
    pub fn variant(self) -> Result<Self, Cause> {
        let (mut packets, budget) = self.enter()?;
        let packet = packets.next().transpose()?.ok_or_else(|| self.error(ErrorKind::NotOneVariant))?;
        if packets.next().transpose()?.is_some() {
            return Err(self.error(ErrorKind::NotOneVariant));
        }
        Self { packet, end: self.end, budget }.content()
    }

    /// The same packet, for the content of a newtype, an option or a variant. At most 128 of these can be nested.
    ///
    /// # Errors
    /// [`RecursionLimit`](ErrorKind::RecursionLimit).
    #[inline(always)]
    pub fn content(self) -> Result<Self, Cause> {
        match self.budget.step() {
            Some(budget) => Ok(Self { budget, ..self }),
            None => Err(self.error(ErrorKind::RecursionLimit)),
        }
    }

    /// The same packet, with integers as `PVarInt`.
    #[must_use]
    #[inline(always)]
    pub const fn pvar(self) -> Source<'a, true> {
        Source { packet: self.packet, end: self.end, budget: self.budget }
    }

    /// The same packet, with integers as `NVarInt`.
    #[inline(always)]
    pub(super) const fn nvar(self) -> Source<'a, false> {
        Source { packet: self.packet, end: self.end, budget: self.budget }
    }

    /// Returns an error for a field that was read before.
    ///
    /// # Errors
    /// [`RepeatedField`](ErrorKind::RepeatedField).
    #[inline(always)]
    pub fn vacant<T>(self, field: &Option<T>, name: &'static str) -> Result<(), Cause> {
        if field.is_none() { Ok(()) } else { Err(self.error(ErrorKind::RepeatedField(name))) }
    }

    /// The packets inside a node, as the items of a sequence.
    ///
    /// # Errors
    /// As [`fields`](Self::fields).
    #[inline(always)]
    pub fn items(self) -> Result<Sources<'a, PVAR>, Cause> {
        let (packets, budget) = self.enter()?;
        Ok(Sources { packets, budget })
    }

    #[inline(always)]
    fn enter(&self) -> Result<(Packets<'a>, Budget), Cause> {
        match self.budget.node() {
            Some(budget) if self.packet.is_node() => Ok((self.packet.children(), budget)),
            None if self.packet.is_node() => Err(self.error(ErrorKind::Wire(WireKind::DepthLimit))),
            _ => Err(self.error(ErrorKind::Wire(WireKind::NotANode))),
        }
    }
}

/// Why a value is not of a type. The value is decoded again, so that a successful decode keeps no state for errors.
#[cold]
fn refused<'a, T: Decode<'a>>(value: &'a [u8], is_node: bool, end: u64) -> Cause {
    let offset = end - value.len() as u64;
    match T::decode(value) {
        Err(error) if !is_node => Cause::in_value(error.rebased(offset)),
        _ => Cause::of_packet(ErrorKind::NotAPrimitive, offset),
    }
}

/// The packets of a struct's fields: made by [`Source::fields`].
#[derive(Clone, Debug)]
pub struct Fields<'a, const PVAR: bool> {
    packets: Packets<'a>,
    keys: KeySet,
    budget: Budget,
    /// The offset of the struct's value.
    pub(super) offset: u64,
}

impl<'a, const PVAR: bool> Fields<'a, PVAR> {
    /// The next packet that is a field.
    ///
    /// # Errors
    /// An error in a header.
    #[inline(always)]
    pub fn next_field(&mut self) -> Result<Option<Source<'a, PVAR>>, Cause> {
        let keys = self.keys;
        match self.packets.next_with(|tag| keys.contains(tag.key())) {
            None => Ok(None),
            Some(Ok(packet)) => Ok(Some(Source { packet, end: self.packets.offset(), budget: self.budget })),
            Some(Err(error)) => Err(error.into()),
        }
    }

    #[cold]
    pub(super) const fn missing(&self, name: &'static str) -> Cause {
        Cause::of_packet(ErrorKind::MissingField(name), self.offset)
    }
}

/// The packets of a struct's fields, read in the order of the type: made by [`Source::fields_in_order`].
///
/// The tag decides what the next packet is before its length is read, and errors are left to [`Fields`].
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct FieldsInOrder<'a, const PVAR: bool> {
    packets: Packets<'a>,
    keys: KeySet,
    budget: Budget,
}

impl<'a, const PVAR: bool> FieldsInOrder<'a, PVAR> {
    /// The next field if it has this key; `Some(None)` if it has another key or there is none, `None` for an error in a header.
    #[inline(always)]
    pub fn at(&mut self, key: u8) -> Option<Option<Source<'a, PVAR>>> {
        match self.packets.next_key() {
            Some(next) if next == key => {}
            Some(next) if !self.keys.contains(next) => {
                self.packets.jump_to(self.keys)?;
                if self.packets.next_key().is_none_or(|next| next != key) {
                    return Some(None);
                }
            }
            _ => return Some(None),
        }
        let packet = self.packets.next_whole()?;
        Some(Some(Source { packet, end: self.packets.offset(), budget: self.budget }))
    }

    /// `None` if fields are left, or for an error in a header.
    #[must_use]
    #[inline(always)]
    pub fn end(mut self) -> Option<()> {
        if !self.packets.remainder().is_empty() {
            self.packets.jump_to(self.keys)?;
        }
        if self.packets.remainder().is_empty() { Some(()) } else { None }
    }
}

/// The packets of a sequence's items: made by [`Source::items`].
#[derive(Clone, Debug)]
pub struct Sources<'a, const PVAR: bool> {
    packets: Packets<'a>,
    budget: Budget,
}

impl<'a, const PVAR: bool> Sources<'a, PVAR> {
    /// The packet of the next item.
    ///
    /// # Errors
    /// An error in a header.
    #[inline(always)]
    pub fn next_source(&mut self) -> Result<Option<Source<'a, PVAR>>, Cause> {
        match self.packets.next() {
            None => Ok(None),
            Some(Ok(packet)) => Ok(Some(Source { packet, end: self.packets.offset(), budget: self.budget })),
            Some(Err(error)) => Err(error.into()),
        }
    }

    #[cfg(feature = "alloc")]
    #[inline(always)]
    pub(super) fn is_done(&self) -> bool {
        self.packets.remainder().is_empty()
    }

    /// As [`next_source`](Self::next_source), without the error: `None` for it and at the end.
    #[cfg(feature = "alloc")]
    #[inline(always)]
    pub(super) fn next_in_order(&mut self) -> Option<Source<'a, PVAR>> {
        let packet = self.packets.next_whole()?;
        Some(Source { packet, end: self.packets.offset(), budget: self.budget })
    }

    /// The number of items to reserve memory for: the packets in the input, and at most 1 MiB.
    #[cfg(feature = "alloc")]
    pub(super) fn count<T>(&self) -> usize {
        const MOST: usize = 1 << 20;
        self.packets.clone().take_while(Result::is_ok).count().min(MOST / size_of::<T>().max(1))
    }

    /// Ends the iteration.
    pub(super) fn end(&mut self) {
        self.packets = packets(&[]);
    }
}
