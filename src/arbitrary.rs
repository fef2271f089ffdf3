//! Makes keys, numbers, paths, limits and well-formed packets for fuzz targets.
//!

use alloc::vec::Vec;

use ::arbitrary::{Arbitrary, Result, Unstructured};

use crate::error::Error;
use crate::limits::{Limits, MAX_DEPTH};
use crate::read::path::Path;
use crate::wire::integer::PVarInt;
use crate::wire::key::Key;
use crate::wire::tag::Tag;
use crate::write::encoder::Encoder;

/// Makes the bytes of one well-formed packet, for fuzz targets that need valid input. In a type that derives
/// `Arbitrary`, a field can use this function: `#[arbitrary(with = y3::arbitrary::packet)]`.
///
/// The packet is canonical. Its nodes are nested at most [`MAX_DEPTH`] deep, so [`check`](crate::check) accepts the
/// packet. The first byte of the fuzzer's input becomes the tag. For a primitive, the next byte is the length of the
/// value, and the bytes of the value follow. For a node, the next byte is the number of packets in the node, and the
/// bytes for these packets follow. If the fuzzer's input is too short, the packet is shorter.
///
/// # Errors
/// Returns `IncorrectFormat` if the packet would have more than 2^31-1 bytes.
///
/// # Examples
/// ```
/// let bytes = y3::arbitrary::packet(&mut arbitrary::Unstructured::new(&[0x81, 1, 0x02, 1, 0xff]));
/// assert_eq!(bytes.unwrap(), [0x81, 0x03, 0x02, 0x01, 0xff]);
/// ```
pub fn packet(u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let written = Encoder::new(&mut bytes).packets(|encoder| write(encoder, u, MAX_DEPTH));
    written.map(|()| bytes).map_err(|_| ::arbitrary::Error::IncorrectFormat)
}

type Written = core::result::Result<(), Error>;

/// Writes one packet with at most `nodes` nested nodes. An item of a slice gets key 0.
fn write(encoder: &mut Encoder<'_, Vec<u8>>, u: &mut Unstructured<'_>, nodes: usize) -> Written {
    let tag = Tag::from(u8::arbitrary(u).unwrap_or(0));
    let key = tag.key().get();
    match nodes.checked_sub(1) {
        Some(nodes) if tag.is_slice() => encoder.slice(key, |items| fill(u, |u| write(items, u, nodes))),
        Some(nodes) if tag.is_node() => encoder.node(key, |node| fill(u, |u| write(node, u, nodes))),
        _ => encoder.put(key, value(u)),
    }
}

/// Writes the body of a node. The first input byte is the number of packets in the node. If the input runs out, the
/// node has fewer packets.
fn fill<'a>(u: &mut Unstructured<'a>, mut write: impl FnMut(&mut Unstructured<'a>) -> Written) -> Written {
    let packets = u8::arbitrary(u).unwrap_or(0);
    (0..packets).try_for_each(|_| if u.is_empty() { Ok(()) } else { write(u) })
}

/// Returns a value. The first input byte is the value's length. If the input runs out, the value is shorter.
fn value<'a>(u: &mut Unstructured<'a>) -> &'a [u8] {
    let len = u8::arbitrary(u).map_or(0, usize::from).min(u.len());
    u.bytes(len).unwrap_or_default()
}

/// Implements `Arbitrary` for `$type` by converting a value of type `$from`.
macro_rules! made_of {
    ($($(#[$doc:meta])* impl[$($generics:tt)*] $type:ty: $from:ty => $make:expr;)*) => {$(
        $(#[$doc])*
        impl<'a, $($generics)*> Arbitrary<'a> for $type {
            fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
                <$from>::arbitrary(u).map($make)
            }

            fn size_hint(depth: usize) -> (usize, Option<usize>) {
                <$from>::size_hint(depth)
            }
        }
    )*};
}

made_of! {
    /// Uses one byte of the input: the low six bits are the key.
    impl[] Key: u8 => Key::of_tag;
    /// Reads an integer of type `T` from the input.
    impl[T: Arbitrary<'a>] PVarInt<T>: T => PVarInt;
    /// Uses five bytes of the input for two size limits of at most 65,535 and a depth limit. The size limits are small,
    /// so that small inputs can exceed them.
    impl[] Limits: (u16, u16, u8) => |(packet, value, depth)| {
        let depth = usize::from(depth) % (MAX_DEPTH + 1);
        Limits::NONE.with_max_packet_len(packet.into()).with_max_value_len(value.into()).with_max_depth(depth)
    };
}

/// The first byte of the input gives the number of steps, 1 to 8. Each step uses one more byte. The low six bits of
/// this byte are the key. If bit `0x80` is set, the step matches every key. If bit `0x40` is set, the path enters
/// embedded packets at this step. The last step ignores bit `0x40`.
///
/// # Examples
/// ```
/// use arbitrary::{Arbitrary, Unstructured};
/// use y3::{Path, path};
///
/// let mut bytes = Unstructured::new(&[2, 0x01, 0x50, 0x80, 0xff]);
/// assert_eq!(Path::arbitrary(&mut bytes).unwrap(), path!(0x01, 0x10 => *));
/// assert_eq!(bytes.len(), 1);
/// ```
impl<'a> Arbitrary<'a> for Path {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let mut steps = [(None, false); Path::MAX_LEN];
        let len = u.int_in_range(1..=Path::MAX_LEN)?;
        for (position, step) in (1..=len).zip(&mut steps) {
            let byte = u8::arbitrary(u)?;
            let key = if byte & 0x80 == 0 { Some(Key::of_tag(byte).get()) } else { None };
            *step = (key, byte & 0x40 != 0 && position < len);
        }
        steps.get(..len).and_then(Path::of_steps).ok_or(::arbitrary::Error::IncorrectFormat)
    }

    fn size_hint(_: usize) -> (usize, Option<usize>) {
        (2, Some(1 + Path::MAX_LEN))
    }
}
