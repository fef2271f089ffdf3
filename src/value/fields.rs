//! Fields: a cursor over the packets of a struct, which reads them in the order of the type. An index serves other orders.
//!
//! In: a node and the keys of the fields. Out: the packet of each field, or none; at the end an error for a duplicate field.
//! Nearly all packets are written in the order of the type: reading them needs no table of fields and no second pass.
//!
//! A struct is flat if all its fields are primitives. In a flat struct, a field counts as absent if a higher key comes next. If
//! the field comes later after all, the fields are read once more, with the index (measured for eight options, five of them
//! absent: 292 instructions, or 417 if the keys are collected first). With nodes inside, the time could double at each level.

use super::inside::not_entered;
use super::traits::{Decode, Encode, Shape};
use crate::error::{Error, ErrorKind, Field, Wanted};
use crate::read::keys::KeySet;
use crate::read::packet::Packet;
use crate::read::packets::{Container, Packets, packets_from};
use crate::wire::header::Header;
use crate::wire::key::Key;
use crate::wire::mode::Mode;
use crate::write::encoder::Encoder;
use crate::write::sink::Sink;

/// The packets of a struct, read in the order of the type. Nothing borrows it, so it stays in registers.
#[derive(Debug)]
pub struct Fields<'a, 'n> {
    /// The packets that are not read yet.
    rest: &'a [u8],
    end: u64,
    /// The keys to search for. Without an index these are all keys, or none in a flat struct.
    left: KeySet,
    is_flat: bool,
    mode: Mode,
    node: &'n mut Node<'a>,
}

/// A packet read as a struct: the data needed for other orders of packets, and for errors.
#[derive(Debug)]
struct Node<'a> {
    value: &'a [u8],
    end: u64,
    /// The length of the whole packet.
    len: usize,
    /// The mode of the packets inside.
    mode: Mode,
    /// Whether it is read as a flat struct. This becomes false if its packets turn out to be in another order.
    is_flat: bool,
    fields: KeySet,
    /// The position of each field in `value`.
    index: Option<[u32; 64]>,
}

/// Reads a packet as a struct with these fields. Their keys are `keys`, and none may occur twice.
#[inline(always)]
pub fn read<'a, T>(
    packet: Packet<'a>,
    keys: KeySet,
    fields: &'static [Field],
    is_flat: bool,
    read: impl Fn(&mut Fields<'a, '_>) -> Result<T, Error>,
) -> Result<T, Error> {
    /// Adds the name of a duplicate field to an error that knows only its key.
    #[cold]
    #[inline(never)]
    fn name(error: &mut Error, fields: &'static [Field]) {
        if let Some(twice) = fields.iter().find(|field| error.is_twice(field.key())) {
            *error = error.of_field(twice);
        }
    }
    let (value, end, len, mode) = (packet.value(), packet.end(), packet.as_bytes().len(), packet.mode());
    let mut node = Node { value, end, len, mode: mode.inside(false), is_flat, fields: keys, index: None };
    if !packet.is_node() || mode.is_deepest() {
        return Err(not_entered(packet.is_node(), packet.offset()));
    }
    let mut left = if is_flat { KeySet::EMPTY } else { KeySet::ALL };
    let mut is_flat = is_flat;
    // A second time as a struct that is not flat, by the same code: with code of its own, structs inside would be called.
    let mut error = loop {
        let mut cursor = Fields { rest: value, end, left, is_flat, mode: node.mode, node: &mut node };
        let read = read(&mut cursor);
        let rest = cursor.rest;
        match read {
            Ok(value) if rest.is_empty() => return Ok(value),
            // A packet after the last field found may be a field too.
            Ok(value) => match is_whole(rest, &mut node) {
                Ok(is_whole) if is_whole || !is_flat => return Ok(value),
                Ok(_) => {}
                Err(error) => break error,
            },
            Err(error) if !is_flat || node.is_flat => break error,
            Err(_) => {}
        }
        match index(&mut node) {
            Some(found) => (left, is_flat) = (found, false),
            None => break fault(&node, None),
        }
    };
    name(&mut error, fields);
    Err(error)
}

impl<'a> Node<'a> {
    fn packets(&self) -> Packets<'a> {
        packets_from(self.value, self.end.wrapping_sub(self.value.len() as u64), Container::Node)
    }
}

/// Returns the value, or the error with the field added.
#[inline(always)]
fn of_field<T>(value: Result<T, Error>, field: &'static Field) -> Result<T, Error> {
    #[cold]
    #[inline(never)]
    fn name(error: &mut Error, field: &'static Field) {
        *error = error.of_field(field);
    }
    match value {
        Ok(value) => Ok(value),
        Err(mut error) => {
            name(&mut error, field);
            Err(error)
        }
    }
}

impl<'a> Fields<'a, '_> {
    /// Returns the field, or the value that its type gives an absent field.
    // Always inlined: otherwise `T::decode` is called through memory (63 numbers: 218 instead of 131 ns).
    #[inline(always)]
    pub fn get<T: Decode<'a>>(&mut self, field: &'static Field) -> Result<T, Error> {
        self.get_with(
            field,
            T::OPTIONAL.0,
            #[inline(always)]
            |packet| T::decode(packet),
            #[inline(always)]
            || T::absent().0,
        )
    }

    /// Returns the field as `decode` reads it, or the result of `absent` if the field is optional and absent.
    #[inline(always)]
    pub fn get_with<T>(
        &mut self,
        field: &'static Field,
        is_optional: bool,
        decode: impl FnOnce(Packet<'a>) -> Result<T, Error>,
        absent: impl FnOnce() -> Option<T>,
    ) -> Result<T, Error> {
        match self.packet(field, is_optional)? {
            Some(packet) => of_field(decode(packet), field),
            None => absent().map_or_else(|| faulty(self.node, Some(field)), Ok),
        }
    }

    /// Returns the first or the last packet with a key that may occur several times. It searches from the start.
    #[cold]
    pub fn only(&mut self, field: &'static Field, is_last: bool) -> Result<Fields<'a, '_>, Error> {
        let mut only =
            Fields { rest: &[], end: 0, left: KeySet::EMPTY, is_flat: false, mode: self.mode, node: &mut *self.node };
        for packet in only.node.packets() {
            let packet = packet?;
            if packet.key() == field.key() && (is_last || only.rest.is_empty()) {
                (only.rest, only.end) = (packet.as_bytes(), packet.end());
            }
        }
        Ok(only)
    }

    /// Returns the packet of a field: the next packet in most messages.
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
            let Some(found) = find(self.rest, (key, is_optional), self.left, self.node) else {
                return faulty(self.node, None);
            };
            (self.rest, self.left) = found;
            if key_of(self.rest) != Some(key) {
                return Ok(None);
            }
        }
        let next = Header::split(self.rest)
            .and_then(|(header, value)| Some((header, value.split_at_checked(header.value_len())?)));
        let Some((header, (value, after))) = next else { return faulty(self.node, None) };
        let packet = Packet::new(header.tag(), self.rest, value, after)
            .ending_at(self.end - after.len() as u64)
            .with_mode(self.mode);
        self.rest = after;
        Ok(Some(packet))
    }
}

/// Jumps over unknown packets. Returns the packets from a field on, if the field is left, and the keys to search for after
/// it. If another field is next, makes the index. `None` for an error, and for a flat struct that must be read again with
/// the index.
#[cold]
#[inline(never)]
fn find<'a>(
    mut rest: &'a [u8],
    (key, is_optional): (Key, bool),
    mut left: KeySet,
    node: &mut Node<'a>,
) -> Option<(&'a [u8], KeySet)> {
    if node.index.is_none() {
        rest = jump(rest, node.fields)?;
        match key_of(rest) {
            // All earlier packets belong to earlier fields.
            None => return Some((rest, KeySet::EMPTY)),
            Some(next) if next == key || node.is_flat && is_optional && next > key => {
                return Some((rest, left));
            }
            Some(_) if node.is_flat => {
                node.is_flat = false;
                return None;
            }
            Some(_) => left = index(node)?,
        }
    }
    if left.contains(key) {
        rest = node.value.get(*node.index.as_ref()?.get(usize::from(key.get()))? as usize..)?;
    }
    Some((rest, left))
}

/// Makes the index of a node and returns the keys of its fields. `None` for an invalid header or a duplicate field.
fn index(node: &mut Node<'_>) -> Option<KeySet> {
    let (mut rest, mut keys) = (node.value, KeySet::EMPTY);
    let index = node.index.insert([0; 64]);
    loop {
        rest = jump(rest, node.fields)?;
        let Some(key) = key_of(rest) else { return Some(keys) };
        let place = index.get_mut(usize::from(key.get())).filter(|_| !keys.contains(key))?;
        *place = u32::try_from(node.value.len() - rest.len()).ok()?;
        keys = keys.with(key);
        rest = after(rest)?;
    }
}

/// Whether the unread packets contain no field.
#[cold]
#[inline(never)]
fn is_whole(rest: &[u8], node: &mut Node<'_>) -> Result<bool, Error> {
    let is_whole = node.index.is_some() || jump(rest, node.fields).ok_or_else(|| fault(node, None))?.is_empty();
    if !is_whole && !node.is_flat {
        index(node).ok_or_else(|| fault(node, None))?;
    }
    Ok(is_whole)
}

/// Finds the error of a faulty node and returns it as `Err`. Through a reference: if the call wrote to the memory of the
/// result, the value of the struct would go through memory too, as words that wait for the stores of smaller fields (message of
/// five fields: 18.5 ns instead of 15.0).
#[inline(always)]
fn faulty<T>(node: &Node<'_>, missing: Option<&'static Field>) -> Result<T, Error> {
    #[cold]
    #[inline(never)]
    fn find(node: &Node<'_>, missing: Option<&'static Field>, error: &mut Error) {
        *error = fault(node, missing);
    }
    let mut error = Error::new(ErrorKind::InvalidValue, 0);
    find(node, missing, &mut error);
    Err(error)
}

/// Returns the error of a node by reading it again: first an invalid header or a duplicate field, then a missing field.
#[cold]
#[inline(never)]
fn fault(node: &Node<'_>, missing: Option<&'static Field>) -> Error {
    let mut seen = KeySet::EMPTY;
    for packet in node.packets() {
        match packet {
            Err(error) => return error,
            Ok(packet) if node.fields.contains(packet.key()) && !seen.claim(packet.key()) => {
                return Error::naming(ErrorKind::RepeatedField, packet.offset(), Wanted::NUMBER, packet.key().get());
            }
            Ok(_) => {}
        }
    }
    let error = Error::new(ErrorKind::MissingField, node.end.wrapping_sub(node.len as u64));
    missing.map_or(error, |field| error.of_field(field))
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

/// Jumps to the next packet with one of these keys and returns it.
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

/// Returns the one packet inside the node of a variant.
#[inline]
pub fn content(packet: Packet<'_>) -> Result<Packet<'_>, Error> {
    let mut items = packet.items()?;
    match (items.next().transpose()?, items.next().transpose()?) {
        (Some(content), None) => Ok(content),
        _ => Err(Error::new(ErrorKind::NotOneVariant, packet.offset())),
    }
}

/// Makes an error at a packet's tag, with the number that its message names.
#[must_use]
#[cold]
pub fn error(packet: Packet<'_>, kind: ErrorKind, number: u32) -> Error {
    Error::naming(kind, packet.offset(), Wanted::NUMBER, number)
}

/// Makes the error for a variant with content that is read without it, or the other way around.
#[must_use]
#[cold]
pub fn other_form(packet: Packet<'_>, number: u32, has_content: bool) -> Error {
    let form = if has_content { Wanted::CONTENT } else { Wanted::BARE };
    Error::naming(ErrorKind::UnknownVariant, packet.offset(), form, number)
}

/// Makes a conversion error, at the value's first byte or at the tag, as [`ErrorKind`] defines.
#[must_use]
#[cold]
pub fn refused(packet: Packet<'_>, kind: ErrorKind) -> Error {
    match kind {
        ErrorKind::InvalidValue | ErrorKind::InvalidUtf8 => Error::new(kind, packet.value_offset()),
        _ => Error::new(kind, packet.offset()),
    }
}

/// Checks the key to write a value with, for a type that states its key.
#[inline]
pub fn write_key<S: Sink>(to: &Encoder<'_, S>, key: Key, root: u8) -> Result<(), Error> {
    let position = to.position() as u64;
    if key == root { Ok(()) } else { Err(Error::naming(ErrorKind::UnexpectedKey, position, Wanted::NUMBER, root)) }
}

/// The shape of a conversion's result, and whether that result may be absent.
#[must_use]
pub fn converted<'v, T: 'v + ?Sized, U: Encode>(_: impl FnOnce(&'v T) -> U) -> (fn() -> Shape, bool) {
    (|| U::SHAPE, U::OPTIONAL.0)
}
