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
use crate::write::encoder::Encoder;
use crate::write::sink::Sink;

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
    /// Where each field begins in `value`.
    index: Option<[u32; 64]>,
}

impl<'a> Node<'a> {
    /// A packet to be read into the fields of a struct with these keys, of which none may be there twice.
    #[must_use]
    #[inline(always)]
    pub fn new(packet: Packet<'a>, fields: KeySet) -> Self {
        Self {
            value: packet.value(),
            end: packet.end(),
            len: packet.as_bytes().len(),
            tag: packet.tag(),
            mode: packet.mode(),
            fields,
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

    /// The field, converted from the type on the wire.
    ///
    /// # Errors
    /// As [`get`](Self::get), and that of the conversion at the value's first byte.
    #[inline(always)]
    pub fn convert<U: Decode<'a>, T>(
        &mut self,
        field: &'static Field,
        decode: impl FnOnce(U) -> Result<T, ErrorKind>,
    ) -> Result<T, Error> {
        match self.packet(field)? {
            Some(packet) => convert(packet, decode),
            None => U::absent().and_then(|value| decode(value).ok()).ok_or_else(|| missing(self.node, field)),
        }
    }

    /// The field, converted from the type on the wire, or this value for an absent one.
    ///
    /// # Errors
    /// As [`convert`](Self::convert).
    #[inline(always)]
    pub fn convert_or<U: Decode<'a>, T>(
        &mut self,
        field: &'static Field,
        decode: impl FnOnce(U) -> Result<T, ErrorKind>,
        absent: impl FnOnce() -> T,
    ) -> Result<T, Error> {
        match self.packet(field)? {
            Some(packet) => convert(packet, decode),
            None => Ok(absent()),
        }
    }

    /// Only the first packet with the key of a field that may be there several times. It is searched from the start.
    ///
    /// # Errors
    /// Those of a header.
    #[cold]
    pub fn first(&mut self, field: &'static Field) -> Result<Fields<'a, '_>, Error> {
        self.only(field, false)
    }

    /// Only the last packet with the key of a field that may be there several times. It is searched from the start.
    ///
    /// # Errors
    /// Those of a header.
    #[cold]
    pub fn last(&mut self, field: &'static Field) -> Result<Fields<'a, '_>, Error> {
        self.only(field, true)
    }

    fn only(&mut self, field: &'static Field, is_last: bool) -> Result<Fields<'a, '_>, Error> {
        let start = self.node.end.wrapping_sub(self.node.value.len() as u64);
        let (mut rest, mut end) = (&[][..], self.node.end);
        for packet in packets_from(self.node.value, start, Container::Node) {
            let packet = packet?;
            if packet.key() == field.key() && (is_last || rest.is_empty()) {
                (rest, end) = (packet.as_bytes(), packet.end());
            }
        }
        let left = if rest.is_empty() { KeySet::EMPTY } else { KeySet::ALL };
        Ok(Fields { rest, end, left, mode: self.mode, node: &mut *self.node })
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

/// The keys of the fields in a node; `None` for an invalid header, and for a field that is there twice.
#[inline(always)]
fn once(packets: &[u8], node: &Node<'_>, mut each: impl FnMut(Key, usize)) -> Option<KeySet> {
    let (mut rest, mut keys) = (packets, KeySet::EMPTY);
    while let [tag, _, ..] = rest {
        let key = Key::of_tag(*tag);
        if node.fields.contains(key) {
            if keys.contains(key) {
                return None;
            }
            keys = keys.with(key);
            each(key, packets.len() - rest.len());
        }
        rest = after(rest)?;
    }
    if rest.is_empty() { Some(keys) } else { None }
}

/// Whether the packets that no field has taken are whole and none of them is a field.
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
            Ok(packet) if node.fields.contains(packet.key()) && seen.contains(packet.key()) => {
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

/// A value converted from the type on the wire.
///
/// # Errors
/// Those of the value, and that of the conversion at the value's first byte.
#[inline(always)]
pub fn convert<'a, U: Decode<'a>, T>(
    packet: Packet<'a>,
    decode: impl FnOnce(U) -> Result<T, ErrorKind>,
) -> Result<T, Error> {
    match decode(U::decode(packet)?) {
        Ok(value) => Ok(value),
        Err(kind) => Err(Error::new(kind, packet.value_offset())),
    }
}

/// Checks the packet's key, for a type that states it.
///
/// # Errors
/// [`UnexpectedKey`](ErrorKind::UnexpectedKey).
#[inline]
pub fn expect_key(packet: Packet<'_>, key: u8) -> Result<(), Error> {
    if packet.key() == key { Ok(()) } else { Err(Error::new(ErrorKind::UnexpectedKey, packet.offset())) }
}

/// Checks the key that a value is to be written with, for a type that states it.
///
/// # Errors
/// [`UnexpectedKey`](ErrorKind::UnexpectedKey).
#[inline]
pub fn write_key<S: Sink>(to: &Encoder<'_, S>, key: Key, root: u8) -> Result<(), Error> {
    if key == root { Ok(()) } else { Err(to.error(ErrorKind::UnexpectedKey)) }
}

/// The key that the derive has checked.
#[must_use]
#[inline(always)]
pub const fn key(number: u8) -> Key {
    Key::of_tag(number)
}

/// The keys that the derive has checked.
#[must_use]
pub const fn keys(numbers: &[u8]) -> KeySet {
    match KeySet::new(numbers) {
        Some(keys) => keys,
        None => KeySet::EMPTY,
    }
}

/// Refuses a type that may be absent where a packet is needed.
///
/// # Panics
/// If it may be absent; in a `const` that is an error of the compiler.
#[must_use]
pub const fn never_absent(is_optional: bool) -> bool {
    assert!(!is_optional, "an `Option` has no packet of its own: it is a field of a struct with keys");
    is_optional
}
