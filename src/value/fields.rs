//! Fields: a cursor over the packets of a struct. It reads the fields in the order in which the struct declares them.
//!
//! Nearly all writers write the fields in this order. Such packets are read in one pass without a table of fields. For
//! packets in another order, the cursor makes an index of the fields. A duplicate field is an error.
//!
//! A struct is flat if all its fields are primitives. In a flat struct, the cursor treats an optional field as absent
//! if the next packet has a higher key. If the field comes later, the cursor makes the index and reads all fields a
//! second time. Collecting the keys first would be slower: a struct with eight options, five of them absent, would take
//! 417 instead of 292 instructions. A struct that contains nodes is never read twice, because the time could double at
//! each level.

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

/// The packets of a struct, read in the order of its fields. No reference to this value exists, so the compiler keeps
/// the value in registers.
#[derive(Debug)]
pub struct Fields<'a, 'n> {
    /// The unread packets.
    rest: &'a [u8],
    end: u64,
    /// The keys of the fields that can still come. Without an index, this set contains all keys, or no keys in a flat
    /// struct.
    left: KeySet,
    is_flat: bool,
    mode: Mode,
    node: &'n mut Node<'a>,
}

/// The packet of a struct, with the data that is needed for errors and for fields in another order.
#[derive(Debug)]
struct Node<'a> {
    value: &'a [u8],
    end: u64,
    /// The length of the whole packet.
    len: usize,
    /// The mode of the packets inside this packet.
    mode: Mode,
    /// True if the packet is read as a flat struct. Becomes false if the fields are in another order.
    is_flat: bool,
    fields: KeySet,
    /// The position of each field's packet in `value`, by key.
    index: Option<[u32; 64]>,
}

/// Reads a packet as a struct with these fields. `keys` contains the keys of `fields`. Returns an error if one of these
/// keys occurs twice in the node.
#[inline(always)]
pub fn read<'a, T>(
    packet: Packet<'a>,
    keys: KeySet,
    fields: &'static [Field],
    is_flat: bool,
    read: impl Fn(&mut Fields<'a, '_>) -> Result<T, Error>,
) -> Result<T, Error> {
    /// Adds the name of a duplicate field to an error that contains only the field's key.
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
    // The second pass uses the same code as the first. With separate code, the compiler would not inline inner structs.
    let mut error = loop {
        let mut cursor = Fields { rest: value, end, left, is_flat, mode: node.mode, node: &mut node };
        let read = read(&mut cursor);
        let rest = cursor.rest;
        match read {
            Ok(value) if rest.is_empty() => return Ok(value),
            // The packets after the last field that was read can contain another field. In a struct that is not flat,
            // such a packet is a duplicate.
            Ok(value) => match is_whole(rest, &node) {
                Some(true) => return Ok(value),
                Some(false) if is_flat => {}
                _ => break fault(&node, None),
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

/// Returns the value, or the error with `field` added to its path.
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
    /// Reads a field. If the field is absent, returns the value that the field's type defines for absence.
    // Always inlined: otherwise `T::decode` is called through memory (63 numbers take 218 ns instead of 131 ns).
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

    /// Reads a field with the function `decode`. If the field is optional and absent, returns the result of `absent`.
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

    /// Finds the first or the last packet of a field that can occur several times. The search begins at the start of
    /// the node.
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

    /// Returns the packet of a field. In most messages, this packet is the next one.
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

/// Skips unknown packets. If the field's packet is found, returns the bytes from this packet on, and the keys that can
/// still come. If another field comes first, makes the index. Returns `None` for an error, and for a flat struct that
/// must be read again with the index.
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
            // The node contains no further field.
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

/// Makes the index of a node and returns the keys of the fields in the node. Returns `None` for an invalid header or a
/// duplicate field.
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

/// True if none of the unread packets is a field of the struct. Returns `None` for an invalid header.
#[cold]
#[inline(never)]
fn is_whole(rest: &[u8], node: &Node<'_>) -> Option<bool> {
    Some(node.index.is_some() || jump(rest, node.fields)?.is_empty())
}

/// Finds the error of a faulty node and returns this error as `Err`. The inner function writes the error through a
/// `&mut Error`. If the inner function returned a `Result<T, Error>`, the struct's value would be stored in memory and
/// loaded again. This is slower: a message of five fields takes 18.5 ns instead of 15.0 ns.
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

/// Reads a faulty node again and returns its error: the first invalid header or duplicate field. If there is no such
/// error, a field is missing.
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

/// Returns the key of the next packet.
#[inline(always)]
fn key_of(rest: &[u8]) -> Option<Key> {
    rest.first().map(|tag| Key::of_tag(*tag))
}

#[inline(always)]
fn after(rest: &[u8]) -> Option<&[u8]> {
    let (header, value) = Header::split(rest)?;
    value.get(header.value_len()..)
}

/// Skips packets until the next packet with a key in `keys`, and returns the bytes from this packet on.
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

/// Returns the only packet inside the node of a variant.
#[inline]
pub fn content(packet: Packet<'_>) -> Result<Packet<'_>, Error> {
    let mut items = packet.items()?;
    match (items.next().transpose()?, items.next().transpose()?) {
        (Some(content), None) => Ok(content),
        _ => Err(Error::new(ErrorKind::NotOneVariant, packet.offset())),
    }
}

/// Makes an error at a packet's tag. The error's message contains `number`.
#[must_use]
#[cold]
pub fn error(packet: Packet<'_>, kind: ErrorKind, number: u32) -> Error {
    Error::naming(kind, packet.offset(), Wanted::NUMBER, number)
}

/// Makes the error for a variant whose content is missing, or for a variant that has content but must not have any.
#[must_use]
#[cold]
pub fn other_form(packet: Packet<'_>, number: u32, has_content: bool) -> Error {
    let form = if has_content { Wanted::CONTENT } else { Wanted::BARE };
    Error::naming(ErrorKind::UnknownVariant, packet.offset(), form, number)
}

/// Makes a conversion error. The offset of the error is the value's first byte or the packet's tag, depending on its
/// [`ErrorKind`].
#[must_use]
#[cold]
pub fn refused(packet: Packet<'_>, kind: ErrorKind) -> Error {
    match kind {
        ErrorKind::InvalidValue | ErrorKind::InvalidUtf8 => Error::new(kind, packet.value_offset()),
        _ => Error::new(kind, packet.offset()),
    }
}

/// Checks the key under which a value is written, if the type declares its own key.
#[inline]
pub fn write_key<S: Sink>(to: &Encoder<'_, S>, key: Key, root: u8) -> Result<(), Error> {
    let position = to.position() as u64;
    if key == root { Ok(()) } else { Err(Error::naming(ErrorKind::UnexpectedKey, position, Wanted::NUMBER, root)) }
}

/// Returns the shape of the value that a conversion returns. The second result is true if this value can be absent.
#[must_use]
pub fn converted<'v, T: 'v + ?Sized, U: Encode>(_: impl FnOnce(&'v T) -> U) -> (fn() -> Shape, bool) {
    (|| U::SHAPE, U::OPTIONAL.0)
}
