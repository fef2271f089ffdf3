//! Splice: replaces a packet, or inserts packets before it or into it.
//!
//! In: packets, a path, and the packets to write there. Out: the edited packets in a sink, with the lengths of the nodes around
//! that place rewritten.

use core::ops::Range;

use super::error::EditError;
use super::follow::{Parents, find, place};
use crate::error::{Error, ErrorKind};
use crate::read::packet::Packet;
use crate::read::path::Path;
use crate::value::Encode;
use crate::wire::length;
use crate::wire::word::Word;
use crate::write::encoder::{Encoder, encoded_len};
use crate::write::sink::Sink;

/// The packets that [`replace`], [`insert`] and [`append`] write: a [`Packet`] that was read, a primitive as `(key, value)`, or
/// those of your own type.
///
/// [`write`](Self::write) is called twice, first to count the bytes, and must write the same packets each time.
///
/// # Examples
/// ```
/// use y3::{Encoder, Error, Sink, SliceSink, edit, edit::Content, path};
///
/// struct Reading(f32);
///
/// impl Content for Reading {
///     fn write<S: Sink>(&self, encoder: &mut Encoder<'_, S>) -> Result<(), Error> {
///         encoder.node(0x10, |node| node.put(0x11, self.0))
///     }
/// }
///
/// let mut buffer = [0; 16];
/// let mut out = SliceSink::new(&mut buffer);
/// edit::append(&[0x81, 0x00], path!(0x01), Reading(0.25), &mut out)?;
/// assert_eq!(out.written(), [0x81, 0x06, 0x90, 0x04, 0x11, 0x02, 0x3e, 0x80]);
/// # Ok::<(), y3::edit::EditError>(())
/// ```
pub trait Content {
    /// Writes the packets.
    ///
    /// # Errors
    /// The errors of the encoder.
    fn write<S: Sink>(&self, encoder: &mut Encoder<'_, S>) -> Result<(), Error>;
}

/// The packet with its own key; see [`Encoder::packet`].
impl Content for Packet<'_> {
    fn write<S: Sink>(&self, encoder: &mut Encoder<'_, S>) -> Result<(), Error> {
        encoder.packet(*self)
    }
}

impl<T: Content + ?Sized> Content for &T {
    fn write<S: Sink>(&self, encoder: &mut Encoder<'_, S>) -> Result<(), Error> {
        (**self).write(encoder)
    }
}

/// A primitive; see [`Encoder::put`].
impl<T: Encode> Content for (u8, T) {
    fn write<S: Sink>(&self, encoder: &mut Encoder<'_, S>) -> Result<(), Error> {
        encoder.put(self.0, &self.1)
    }
}

/// Writes the input with the first packet at a path replaced, and returns the number of bytes written.
///
/// Bytes: at `01/12`, `81 03 12 01 07` with `(0x12, 300)` becomes `81 04 12 02 01 2c`. The nodes around that place get minimal
/// lengths; all other bytes are copied unchanged and unchecked.
/// Cost: one jump per sibling before the packet at the levels entered, one new header per node around it, and one copy of the
/// input: O(depth + bytes). Allocates only what a growing sink needs.
///
/// # Errors
/// [`NotFound`](EditError::NotFound) if there is no packet at the path. [`Failed`](EditError::Failed) with the errors of
/// [`packets`](crate::packets) in the headers before and around that packet, the errors of the content,
/// [`SizeLimit`](ErrorKind::SizeLimit) for a node that becomes too long, and [`BufferTooSmall`](ErrorKind::BufferTooSmall) if
/// the sink has no room. The sink is then as it was before the call.
///
/// # Examples
/// ```
/// use y3::{SliceSink, edit, path};
///
/// let mut buffer = [0; 16];
/// let mut out = SliceSink::new(&mut buffer);
/// edit::replace(&[0x81, 0x03, 0x12, 0x01, 0x07], path!(0x01, 0x12), (0x12, 300i32), &mut out)?;
/// assert_eq!(out.written(), [0x81, 0x04, 0x12, 0x02, 0x01, 0x2c]);
/// # Ok::<(), y3::edit::EditError>(())
/// ```
/// Source: docs/spec/editing.md
#[allow(clippy::needless_pass_by_value, reason = "a key and a value are written in the call")]
pub fn replace<S: Sink>(bytes: &[u8], path: Path, content: impl Content, sink: &mut S) -> Result<usize, EditError> {
    let (packet, parents) = find(bytes, path)?;
    splice(bytes, &parents, place(packet.offset())..place(packet.end()), &content, sink)
}

/// Writes the input with packets inserted before the first packet at a path, and returns the number of bytes written.
///
/// Bytes: at `01/12`, `81 03 12 01 07` with `(0x11, true)` becomes `81 06 11 01 01 12 01 07`. Otherwise like [`replace`].
///
/// # Errors
/// As [`replace`].
///
/// # Examples
/// ```
/// use y3::{SliceSink, edit, path};
///
/// let mut buffer = [0; 16];
/// let mut out = SliceSink::new(&mut buffer);
/// edit::insert(&[0x81, 0x03, 0x12, 0x01, 0x07], path!(0x01, 0x12), (0x11, true), &mut out)?;
/// assert_eq!(out.written(), [0x81, 0x06, 0x11, 0x01, 0x01, 0x12, 0x01, 0x07]);
/// # Ok::<(), y3::edit::EditError>(())
/// ```
/// Source: docs/spec/editing.md
#[allow(clippy::needless_pass_by_value, reason = "a key and a value are written in the call")]
pub fn insert<S: Sink>(bytes: &[u8], path: Path, content: impl Content, sink: &mut S) -> Result<usize, EditError> {
    let (packet, parents) = find(bytes, path)?;
    let start = place(packet.offset());
    splice(bytes, &parents, start..start, &content, sink)
}

/// Writes the input with packets added at the end of the first node at a path, and returns the number of bytes written.
///
/// Bytes: at `01`, `81 03 12 01 07` with `(0x13, "a")` becomes `81 06 12 01 07 13 01 61`. Otherwise like [`replace`].
///
/// # Errors
/// As [`replace`]; [`NotANode`](ErrorKind::NotANode) if the packet is a primitive.
///
/// # Examples
/// ```
/// use y3::{SliceSink, edit, path};
///
/// let mut buffer = [0; 16];
/// let mut out = SliceSink::new(&mut buffer);
/// edit::append(&[0x81, 0x03, 0x12, 0x01, 0x07], path!(0x01), (0x13, "a"), &mut out)?;
/// assert_eq!(out.written(), [0x81, 0x06, 0x12, 0x01, 0x07, 0x13, 0x01, 0x61]);
/// # Ok::<(), y3::edit::EditError>(())
/// ```
/// Source: docs/spec/editing.md
#[allow(clippy::needless_pass_by_value, reason = "a key and a value are written in the call")]
pub fn append<S: Sink>(bytes: &[u8], path: Path, content: impl Content, sink: &mut S) -> Result<usize, EditError> {
    let (node, mut parents) = find(bytes, path)?;
    if !node.is_node() {
        return Err(Error::new(ErrorKind::NotANode, node.offset()).into());
    }
    if let Some(last) = parents.iter_mut().find(|parent| parent.is_none()) {
        *last = Some(node);
    }
    let end = place(node.end());
    splice(bytes, &parents, end..end, &content, sink)
}

/// Writes `bytes` with the content in place of `range`, which lies inside the nodes of `parents`.
fn splice<S: Sink>(
    bytes: &[u8],
    parents: &Parents<'_>,
    range: Range<usize>,
    content: &impl Content,
    sink: &mut S,
) -> Result<usize, EditError> {
    let mut headers = [Word::new(0, 0); Path::MAX_LEN];
    let (mut old, mut new) = (range.len(), encoded_len(|encoder| content.write(encoder))?);
    for (node, header) in parents.iter().zip(&mut headers).rev() {
        let Some(node) = node else { continue };
        let body = (node.value().len() - old).saturating_add(new);
        let too_long = Error::new(ErrorKind::SizeLimit, node.offset());
        *header = length::encode(body).ok_or(too_long)?.behind(node.tag().get());
        (old, new) = (node.as_bytes().len(), header.len() + body);
    }
    let mut encoder = Encoder::new(sink);
    let mut output = encoder.unfinished();
    let mut writer = output.writer();
    let (start, mut done) = (writer.position(), 0);
    let part = |range: Range<usize>| bytes.get(range).unwrap_or_default();
    for (node, header) in parents.iter().flatten().zip(headers) {
        writer.append(part(done..place(node.offset())))?;
        writer.store(header)?;
        done = place(node.value_offset());
    }
    writer.append(part(done..range.start))?;
    let mut inside = Encoder::inside(writer.nested());
    content.write(&mut inside)?;
    let behind = inside.position();
    writer.go_on_at(behind);
    writer.append(part(range.end..bytes.len()))?;
    let end = writer.position();
    output.end(end);
    Ok(end - start)
}
