//! Fields: a cursor over the packets of a struct, which reads them in the order of the type. Other orders go through an index.
//!
//! In: a node and the keys of the fields. Out: the packet of each field, or none; at the end an error for a field that is there
//! twice. Nearly all packets are written in that order, and reading them needs no table of fields then and no second pass.
//!
//! A struct is flat if its fields are primitives. In it a field is absent if a higher key comes next; if it comes later after all, the
//! fields are read once more, each through the index (measured: 292 instructions for eight options of which five are absent, 417 where
//! the keys are collected first). With nodes inside, the time could double at each level.

use super::Decode;
use super::sequences::not_entered;
use crate::error::{Error, ErrorKind, Field};
use crate::read::keys::KeySet;
use crate::read::packet::Packet;
use crate::read::packets::{Container, packets_from};
use crate::wire::header::Header;
use crate::wire::key::Key;
use crate::wire::mode::Mode;
use crate::write::encoder::Encoder;
use crate::write::sink::Sink;

/// The packets of a struct, taken in the order of the type. Nothing borrows it, so that it stays in registers.
#[derive(Debug)]
pub struct Fields<'a, 'n> {
    /// The packets from the next one on, and the offset after them.
    rest: &'a [u8],
    end: u64,
    /// The keys to search for; while the packets are in order, all of them, and none in a flat struct.
    left: KeySet,
    is_flat: bool,
    mode: Mode,
    node: &'n mut Node<'a>,
}

/// A packet read as a struct: what is needed for packets in another order, and for errors.
#[derive(Debug)]
struct Node<'a> {
    value: &'a [u8],
    end: u64,
    /// The length of the whole packet.
    len: usize,
    mode: Mode,
    is_flat: bool,
    fields: KeySet,
    /// Where each field begins in `value`.
    index: Option<[u32; 64]>,
}

/// Reads a packet as a struct whose fields have these keys, of which none may be there twice.
///
/// # Errors
/// [`NotANode`](ErrorKind::NotANode), [`DepthLimit`](ErrorKind::DepthLimit), [`RepeatedField`](ErrorKind::RepeatedField), those of
/// a header and those of `read`.
#[inline(always)]
pub fn read<'a, T>(
    packet: Packet<'a>,
    fields: KeySet,
    is_flat: bool,
    read: impl Fn(&mut Fields<'a, '_>) -> Result<T, Error>,
) -> Result<T, Error> {
    /// The second time, all fields are searched.
    #[cold]
    #[inline(never)]
    fn again<'a, T>(node: &mut Node<'a>, read: impl Fn(&mut Fields<'a, '_>) -> Result<T, Error>) -> Result<T, Error> {
        let left = once(node.value, node, |_, _| {}).ok_or_else(|| fault(node))?;
        read(&mut Fields { rest: &[], end: node.end, left, is_flat: true, mode: node.mode.inside(), node })
    }

    let (value, end, len, mode) = (packet.value(), packet.end(), packet.as_bytes().len(), packet.mode());
    let mut node = Node { value, end, len, mode, is_flat, fields, index: None };
    if !packet.is_node() || mode.is_deepest() {
        return Err(not_entered(packet.is_node(), node.offset()));
    }
    let left = if is_flat { KeySet::EMPTY } else { KeySet::ALL };
    let mut fields = Fields { rest: value, end, left, is_flat, mode: mode.inside(), node: &mut node };
    let value = read(&mut fields)?;
    let (rest, left) = (fields.rest, fields.left);
    if rest.is_empty() && (!is_flat || left.is_empty()) {
        return Ok(value);
    }
    match is_in_order(rest, left, &node) {
        Some(false) if is_flat => again(&mut node, read),
        Some(_) => Ok(value),
        None => Err(fault(&node)),
    }
}

impl Node<'_> {
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
        match self.packet(field, T::OPTIONAL)? {
            Some(packet) => T::decode(packet),
            None => T::absent().ok_or_else(|| missing(self.node, field)),
        }
    }

    /// The field as `decode` reads it, or what `absent` makes of an absent one, if it may be absent.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    #[inline(always)]
    pub fn get_with<T>(
        &mut self,
        field: &'static Field,
        is_optional: bool,
        decode: impl FnOnce(Packet<'a>) -> Result<T, Error>,
        absent: impl FnOnce() -> Option<T>,
    ) -> Result<T, Error> {
        match self.packet(field, is_optional)? {
            Some(packet) => decode(packet),
            None => absent().ok_or_else(|| missing(self.node, field)),
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
        Ok(Fields { rest, end, left, is_flat: false, mode: self.mode, node: &mut *self.node })
    }

    /// The packet of a field: the next one in most messages.
    #[inline(always)]
    fn packet(&mut self, field: &'static Field, is_optional: bool) -> Result<Option<Packet<'a>>, Error> {
        let key = Key::of_tag(field.key());
        let next = key_of(self.rest);
        if next != Some(key) {
            let is_absent = match next {
                Some(next) if self.is_flat => is_optional && next > key,
                _ => !self.left.contains(key),
            };
            if is_absent {
                return Ok(None);
            }
            let wanted = field.key() | if is_optional { OPTIONAL } else { 0 };
            let Some(found) = find(self.rest, wanted, self.left, self.node) else { return Err(fault(self.node)) };
            (self.rest, self.end, self.left) = (found.rest, found.end, found.left);
            if key_of(self.rest) != Some(key) {
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
}

/// The bytes from a field on, if it is left, and the offset after them.
struct Found<'a> {
    rest: &'a [u8],
    end: u64,
    left: KeySet,
}

/// The bit of a key that may be absent.
const OPTIONAL: u8 = 0x80;

/// Jumps over packets that are no fields. If another field is next, learns which fields there are, and where, as far as needed.
#[cold]
#[inline(never)]
fn find<'a>(rest: &'a [u8], wanted: u8, mut left: KeySet, node: &mut Node<'a>) -> Option<Found<'a>> {
    let (key, packets, end) = (Key::of_tag(wanted), node.value, node.end);
    let is_skipped = node.is_flat && wanted & OPTIONAL != 0;
    let is_in_order = if node.is_flat { !rest.is_empty() } else { left == KeySet::ALL };
    if is_in_order {
        let rest = jump(rest, node.fields)?;
        match key_of(rest) {
            // All packets so far were fields before this one.
            None => return Some(Found { rest, end, left: KeySet::EMPTY }),
            Some(next) if next == key || is_skipped && next > key => return Some(Found { rest, end, left }),
            _ => left = once(packets, node, |_, _| {})?,
        }
        if !left.contains(key) {
            return Some(Found { rest: if node.is_flat { &[] } else { rest }, end, left });
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

/// Whether the fields were read in order. `None` if the packets that no field has taken are not whole, or one of them was there before.
#[cold]
#[inline(never)]
fn is_in_order(rest: &[u8], left: KeySet, node: &Node<'_>) -> Option<bool> {
    let was_in_order = left == if node.is_flat { KeySet::EMPTY } else { KeySet::ALL };
    let is_done = jump(rest, node.fields)?.is_empty();
    if was_in_order && !is_done {
        once(node.value, node, |_, _| {})?;
    }
    Some(was_in_order && is_done)
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
                return Error::of_number(ErrorKind::RepeatedField, packet.offset(), packet.key().get().into());
            }
            Ok(packet) => seen = seen.with(packet.key()),
        }
    }
    Error::new(ErrorKind::MissingField, node.offset())
}

#[cold]
#[inline(never)]
fn missing(node: &Node<'_>, field: &'static Field) -> Error {
    // A header may be invalid after the packets that were read: that is the first error then.
    match fault(node) {
        error if error.kind() == ErrorKind::MissingField => error.of_field(field),
        error => error,
    }
}

/// The next key.
#[inline(always)]
fn key_of(rest: &[u8]) -> Option<Key> {
    rest.first().map(|tag| Key::of_tag(*tag))
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

/// The error of a variant that the enum does not have, with its number or key.
#[must_use]
#[cold]
pub fn unknown_variant(packet: Packet<'_>, number: u32) -> Error {
    Error::of_number(ErrorKind::UnknownVariant, packet.offset(), number)
}

/// What a conversion makes of an absent field, if the type on the wire may be absent.
#[inline]
pub fn absent<'a, U: Decode<'a>, T>(decode: impl FnOnce(U) -> Result<T, ErrorKind>) -> Option<T> {
    decode(U::absent()?).ok()
}

/// A value converted from the type on the wire.
///
/// # Errors
/// Those of the value, and that of the conversion: at the value's first byte if it is about the value, otherwise at the tag, as
/// [`ErrorKind`] says.
#[inline(always)]
pub fn convert<'a, U: Decode<'a>, T>(
    packet: Packet<'a>,
    decode: impl FnOnce(U) -> Result<T, ErrorKind>,
) -> Result<T, Error> {
    match decode(U::decode(packet)?) {
        Ok(value) => Ok(value),
        Err(kind @ (ErrorKind::InvalidValue | ErrorKind::InvalidUtf8)) => Err(Error::new(kind, packet.value_offset())),
        Err(kind) => Err(Error::new(kind, packet.offset())),
    }
}

/// Checks the packet's key, for a type that states it.
///
/// # Errors
/// [`UnexpectedKey`](ErrorKind::UnexpectedKey).
#[inline]
pub fn expect_key(packet: Packet<'_>, key: u8) -> Result<(), Error> {
    if packet.key() == key {
        Ok(())
    } else {
        Err(Error::of_number(ErrorKind::UnexpectedKey, packet.offset(), key.into()))
    }
}

/// Checks the key that a value is to be written with, for a type that states it.
///
/// # Errors
/// [`UnexpectedKey`](ErrorKind::UnexpectedKey).
#[inline]
pub fn write_key<S: Sink>(to: &Encoder<'_, S>, key: Key, root: u8) -> Result<(), Error> {
    let position = to.position() as u64;
    if key == root { Ok(()) } else { Err(Error::of_number(ErrorKind::UnexpectedKey, position, root.into())) }
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
