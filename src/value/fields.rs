//! Fields: a cursor over the packets of a struct, which reads them in the order of the type. Other orders go through an index.
//!
//! In: a node and the keys of the fields. Out: the packet of each field, or none; at the end an error for a field that is there
//! twice. Nearly all packets are written in that order, and reading them needs no table of fields then and no second pass.

use super::Decode;
use super::sequences::not_entered;
use crate::error::{Error, ErrorKind, Field};
use crate::read::keys::KeySet;
use crate::read::packet::Packet;
use crate::read::packets::{Container, packets_from};
use crate::wire::header::Header;
use crate::wire::key::Key;
use crate::wire::mode::Mode;
use crate::wire::tag::Tag;

/// The packets of a struct, taken in the order of the type. Nothing borrows it, so that it stays in registers.
#[derive(Debug)]
pub struct Fields<'a, 'n> {
    /// The packets from the next one on, and the offset after them.
    rest: &'a [u8],
    end: u64,
    /// The keys that may still come; all until the packets are found in another order.
    left: KeySet,
    mode: Mode,
    node: &'n mut Node<'a>,
}

/// A packet read as a struct: what is needed for packets in another order, and for errors.
#[derive(Debug)]
pub struct Node<'a> {
    value: &'a [u8],
    end: u64,
    /// The length of the whole packet.
    len: usize,
    tag: Tag,
    mode: Mode,
    fields: KeySet,
    /// The keys that must not be there twice.
    single: KeySet,
    /// Where each field begins in `value`.
    index: Option<[u32; 64]>,
}

impl<'a> Node<'a> {
    /// A packet to be read into the fields of a struct with these keys.
    #[must_use]
    #[inline(always)]
    pub fn new(packet: Packet<'a>, fields: KeySet) -> Self {
        Self::with_repeats(packet, fields, fields)
    }

    /// The same, where only the keys of `single` must not be there twice.
    #[must_use]
    #[inline(always)]
    pub fn with_repeats(packet: Packet<'a>, fields: KeySet, single: KeySet) -> Self {
        Self {
            value: packet.value(),
            end: packet.end(),
            len: packet.as_bytes().len(),
            tag: packet.tag(),
            mode: packet.mode(),
            fields,
            single,
            index: None,
        }
    }

    /// The packets inside.
    ///
    /// # Errors
    /// [`NotANode`](ErrorKind::NotANode), [`DepthLimit`](ErrorKind::DepthLimit).
    #[inline(always)]
    pub fn fields(&mut self) -> Result<Fields<'a, '_>, Error> {
        if !self.tag.is_node() || self.mode.is_deepest() {
            return Err(not_entered(self.tag.is_node(), self.offset()));
        }
        Ok(Fields { rest: self.value, end: self.end, left: KeySet::ALL, mode: self.mode.inside(), node: self })
    }

    const fn offset(&self) -> u64 {
        self.end.wrapping_sub(self.len as u64)
    }
}

impl<'a> Fields<'a, '_> {
    /// The field, or the value that its type has for an absent one.
    ///
    /// # Errors
    /// [`MissingField`](ErrorKind::MissingField), [`RepeatedField`](ErrorKind::RepeatedField), those of the header and of the
    /// value.
    #[inline(always)]
    pub fn get<T: Decode<'a>>(&mut self, field: &'static Field) -> Result<T, Error> {
        match self.packet(field)? {
            Some(packet) => T::decode(packet),
            None => match T::absent() {
                Some(value) => Ok(value),
                None => Err(missing(self.node, field)),
            },
        }
    }

    /// The field, or this value for an absent one.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    #[inline(always)]
    pub fn get_or<T: Decode<'a>>(&mut self, field: &'static Field, absent: impl FnOnce() -> T) -> Result<T, Error> {
        match self.packet(field)? {
            Some(packet) => T::decode(packet),
            None => Ok(absent()),
        }
    }

    /// The packet of a field: the next one in most messages.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    #[inline(always)]
    pub fn packet(&mut self, field: &'static Field) -> Result<Option<Packet<'a>>, Error> {
        let key = Key::of_tag(field.key());
        if self.rest.first().is_none_or(|tag| Key::of_tag(*tag) != key) {
            if !self.left.contains(key) {
                return Ok(None);
            }
            let Some(found) = find(self.rest, key, self.left, self.node) else { return Err(fault(self.node)) };
            (self.rest, self.end, self.left) = (found.rest, found.end, found.left);
            if !self.left.contains(key) {
                return Ok(None);
            }
        }
        let next = Header::split(self.rest)
            .and_then(|(header, value)| Some((header, value.split_at_checked(header.value_len())?)));
        let Some((header, (value, after))) = next else { return Err(fault(self.node)) };
        let packet =
            Packet::new(header, self.rest, value).ending_at(self.end - after.len() as u64).with_mode(self.mode);
        self.rest = after;
        Ok(Some(packet))
    }

    /// The last packet with the key of a field that may be there several times. It is read on its own, from the first packet on.
    ///
    /// # Errors
    /// Those of a header.
    #[cold]
    #[inline(never)]
    pub fn last(&mut self, field: &'static Field) -> Result<Option<Packet<'a>>, Error> {
        let start = self.node.end.wrapping_sub(self.node.value.len() as u64);
        let mut last = None;
        for packet in packets_from(self.node.value, start, Container::Node).with_mode(self.mode) {
            let packet = packet?;
            if packet.key() == field.key() {
                last = Some(packet);
            }
        }
        Ok(last)
    }

    /// Ends the struct.
    ///
    /// # Errors
    /// [`RepeatedField`](ErrorKind::RepeatedField), and those of a header.
    #[inline(always)]
    pub fn finish<T>(self, value: T) -> Result<T, Error> {
        if self.rest.is_empty() || is_whole(self.rest, self.left, self.node) {
            Ok(value)
        } else {
            Err(fault(self.node))
        }
    }
}

/// The bytes from a field on, if it is left, and the offset after them.
struct Found<'a> {
    rest: &'a [u8],
    end: u64,
    left: KeySet,
}

/// Jumps over packets that are no fields. If another field is next, learns which fields there are, and where, as far as needed.
#[cold]
#[inline(never)]
fn find<'a>(rest: &'a [u8], key: Key, mut left: KeySet, node: &mut Node<'a>) -> Option<Found<'a>> {
    let (packets, end) = (node.value, node.end);
    if left == KeySet::ALL {
        let rest = jump(rest, node.fields)?;
        match rest {
            [tag, ..] if Key::of_tag(*tag) == key => return Some(Found { rest, end, left }),
            // All packets so far were fields before this one.
            [] => return Some(Found { rest, end, left: KeySet::EMPTY }),
            _ => left = once(packets, node, |_, _| {})?,
        }
        if !left.contains(key) {
            return Some(Found { rest, end, left });
        }
    }
    if node.index.is_none() {
        let mut index = [0; 64];
        once(packets, node, |key, at| {
            if let (Some(place), Ok(at)) = (index.get_mut(usize::from(key.get())), at.try_into()) {
                *place = at;
            }
        })?;
        node.index = Some(index);
    }
    let packet = packets.get(*node.index.as_ref()?.get(usize::from(key.get()))? as usize..)?;
    let (header, _) = Header::split(packet)?;
    let (packet, after) = packet.split_at_checked(header.packet_len())?;
    Some(Found { rest: packet, end: end - after.len() as u64, left })
}

/// The keys of the fields in a node; `None` for an invalid header, and for a field that is there twice and must not.
#[inline(always)]
fn once(packets: &[u8], node: &Node<'_>, mut each: impl FnMut(Key, usize)) -> Option<KeySet> {
    let (mut rest, mut keys) = (packets, KeySet::EMPTY);
    while let [tag, _, ..] = rest {
        let key = Key::of_tag(*tag);
        if !keys.contains(key) {
            if node.fields.contains(key) {
                keys = keys.with(key);
                each(key, packets.len() - rest.len());
            }
        } else if node.single.contains(key) {
            return None;
        }
        rest = after(rest)?;
    }
    if rest.is_empty() { Some(keys) } else { None }
}

/// Whether the packets that no field has taken are whole and none of them is a field that must not be there again.
#[cold]
#[inline(never)]
fn is_whole(rest: &[u8], left: KeySet, node: &Node<'_>) -> bool {
    match jump(rest, node.fields) {
        None => false,
        Some(rest) => rest.is_empty() || left != KeySet::ALL || once(node.value, node, |_, _| {}).is_some(),
    }
}

/// The error of a node: found when it is read again.
#[cold]
#[inline(never)]
fn fault(node: &Node<'_>) -> Error {
    let mut seen = KeySet::EMPTY;
    let start = node.end.wrapping_sub(node.value.len() as u64);
    for packet in packets_from(node.value, start, Container::Node) {
        match packet {
            Err(error) => return error,
            Ok(packet) if node.single.contains(packet.key()) && seen.contains(packet.key()) => {
                return Error::new(ErrorKind::RepeatedField, packet.offset());
            }
            Ok(packet) => seen = seen.with(packet.key()),
        }
    }
    Error::new(ErrorKind::MissingField, node.offset())
}

#[cold]
#[inline(never)]
fn missing(node: &Node<'_>, field: &'static Field) -> Error {
    // A header may be invalid behind the packets that were read: that is the first error then.
    match fault(node) {
        error if error.kind() == ErrorKind::MissingField => error.of_field(field),
        error => error,
    }
}

#[inline(always)]
fn after(rest: &[u8]) -> Option<&[u8]> {
    let (header, value) = Header::split(rest)?;
    value.get(header.value_len()..)
}

/// Jumps to the next packet with one of these keys.
#[inline(always)]
fn jump(mut rest: &[u8], keys: KeySet) -> Option<&[u8]> {
    while let [tag, _, ..] = rest {
        if keys.contains(Key::of_tag(*tag)) {
            break;
        }
        rest = after(rest)?;
    }
    Some(rest)
}

/// The one packet inside the node of a variant.
///
/// # Errors
/// [`NotOneVariant`](ErrorKind::NotOneVariant), [`NotANode`](ErrorKind::NotANode), [`DepthLimit`](ErrorKind::DepthLimit), and
/// those of a header.
#[inline]
pub fn content(packet: Packet<'_>) -> Result<Packet<'_>, Error> {
    let mut items = packet.items()?;
    match (items.next().transpose()?, items.next().transpose()?) {
        (Some(content), None) => Ok(content),
        _ => Err(Error::new(ErrorKind::NotOneVariant, packet.offset())),
    }
}

/// The error of a variant that the enum does not have.
#[must_use]
#[cold]
pub fn unknown_variant(packet: Packet<'_>) -> Error {
    Error::new(ErrorKind::UnknownVariant, packet.offset())
}

/// The error of a conversion from the type on the wire: at the value's first byte.
#[must_use]
#[cold]
pub fn refused(packet: Packet<'_>, kind: ErrorKind) -> Error {
    Error::new(kind, packet.value_offset())
}

/// Checks the packet's key, for a type that states it.
///
/// # Errors
/// [`UnexpectedKey`](ErrorKind::UnexpectedKey).
#[inline]
pub fn expect_key(packet: Packet<'_>, key: u8) -> Result<(), Error> {
    if packet.key() == key { Ok(()) } else { Err(Error::new(ErrorKind::UnexpectedKey, packet.offset())) }
}
