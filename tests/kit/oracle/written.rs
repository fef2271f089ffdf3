//! Writes trees to every sink and reads them back. It panics where the bytes or the trees differ.

use y3::iter::Packets;
use y3::{Encoder, Error, ErrorKind, MAX_DEPTH, PVarInt, Packet, Sink, SliceSink, encoded_len};

use super::trees::{self, Dialect, Tree, Value};
use super::{TOP, walk};

/// Makes a call with the value as its own type.
macro_rules! typed {
    ($value:expr, $typed:ident => $call:expr) => {
        typed!($value, $typed => $call;
            I32 *$typed, U32 *$typed, I64 *$typed, U64 *$typed, Bool *$typed, Text &$typed[..], Bytes &$typed[..],
            PVarI32 PVarInt(*$typed), PVarU32 PVarInt(*$typed), PVarI64 PVarInt(*$typed), PVarU64 PVarInt(*$typed),
            F32 f32::from_bits(*$typed), F64 f64::from_bits(*$typed))
    };
    ($value:expr, $typed:ident => $call:expr; $($variant:ident $as:expr),*) => {
        match $value {
            $(Value::$variant($typed) => {
                let $typed = $as;
                $call
            })*
        }
    };
}

/// Writes the trees with calls of the encoder. Items of a slice are written like the packets of a node.
pub fn write<S: Sink, const NESTED: bool>(encoder: &mut Encoder<'_, S, NESTED>, trees: &[Tree]) -> Result<(), Error> {
    for tree in trees {
        match tree {
            Tree::Leaf { key, value, .. } => put(encoder, *key, value)?,
            Tree::Node { key, is_slice: false, inside, .. } => encoder.node(*key, |node| write(node, inside))?,
            Tree::Node { key, is_slice: true, inside, .. } => encoder.slice(*key, |items| write(items, inside))?,
        }
    }
    Ok(())
}

/// A function of its own because its stack frame is large in a debug build and the recursion is deep.
pub fn put<S: Sink, const NESTED: bool>(
    encoder: &mut Encoder<'_, S, NESTED>,
    key: u8,
    value: &Value,
) -> Result<(), Error> {
    typed!(value, value => encoder.put(key, value))
}

/// Compares parsed packets with the trees from which they were made.
pub fn assert_same(packets: Packets<'_>, trees: &[Tree]) {
    let packets: Vec<_> = packets.map(Result::unwrap).collect();
    assert_eq!(packets.len(), trees.len());
    for (packet, tree) in packets.iter().zip(trees) {
        match tree {
            Tree::Leaf { key, value, .. } => {
                assert_eq!((packet.key().get(), packet.is_node()), (*key, false));
                assert_value(packet, value);
            }
            Tree::Node { key, is_slice, inside, .. } => {
                assert_eq!((packet.key().get(), packet.is_node(), packet.is_slice()), (*key, true, *is_slice));
                assert_same(packet.children(), inside);
            }
        }
    }
}

/// Compares floats as bits: a NaN keeps its payload and zero its sign.
fn assert_value(packet: &Packet<'_>, value: &Value) {
    let is_pvar = *value == value.in_dialect(Dialect::PVar);
    let dialect = if is_pvar { Dialect::PVar } else { Dialect::NVar };
    let read = Value::read(value.kind(), dialect, packet);
    assert_eq!(read.map(|read| read.in_dialect(dialect)).as_ref(), Ok(value));
}

/// Writes parsed packets again with their value bytes. Items of slices get key 0.
pub fn rewrite<S: Sink, const NESTED: bool>(
    encoder: &mut Encoder<'_, S, NESTED>,
    packets: Packets<'_>,
) -> Result<(), Error> {
    for packet in packets {
        let packet = packet?;
        let key = packet.key().get();
        match (packet.is_slice(), packet.is_node()) {
            (true, _) => encoder.slice(key, |items| rewrite(items, packet.children()))?,
            (_, true) => encoder.node(key, |node| rewrite(node, packet.children()))?,
            _ => encoder.put(key, packet.value())?,
        }
    }
    Ok(())
}

/// Writes into a slice of this size after bytes that are there already. Returns the bytes and the result.
pub fn in_slice(
    size: usize,
    write: impl FnOnce(&mut Encoder<'_, SliceSink<'_>>) -> Result<(), Error>,
) -> (Vec<u8>, Result<(), Error>) {
    // The old bytes of a reused buffer must not show through.
    let mut buffer = vec![0xa5; size];
    let mut sink = SliceSink::new(&mut buffer);
    let done = Encoder::new(&mut sink).packets(write);
    (sink.written().to_vec(), done)
}

/// The bytes of the trees. All sinks, empty or not, must agree on the bytes and the error, and `encoded_len` on their
/// number.
pub fn encode(trees: &[Tree]) -> Result<Vec<u8>, Error> {
    let len = encoded_len(|encoder| write(encoder, trees));
    // If the trees can be written, the first slice has exactly the necessary size and the second is larger.
    let room = len.unwrap_or(1 << 16);
    let (written, done) = in_slice(room, |encoder| write(encoder, trees));
    assert_eq!(done, len.map(drop), "the slice and the count disagree");
    assert!(in_slice(room + 40, |encoder| write(encoder, trees)) == (written.clone(), done), "with room to spare");
    if let Ok(len) = len {
        assert_eq!(written.len(), len, "encoded_len is not exact");
        too_small(trees, &written);
    }

    #[cfg(feature = "alloc")]
    {
        assert!(after::<Vec<u8>>(&[0xa5; 3], trees) == (written.clone(), done), "a vector holds other bytes");
        let mut out = Vec::new();
        let mut borrowed: &mut dyn Sink = &mut out;
        assert_eq!(Encoder::new(&mut borrowed).packets(|encoder| write(encoder, trees)), done);
        assert!(out == written, "a vector behind a reference holds other bytes");
    }
    #[cfg(feature = "std")]
    {
        let mut sink = y3::WriteSink::new(Vec::new());
        assert_eq!(Encoder::new(&mut sink).packets(|encoder| write(encoder, trees)), done);
        sink.flush().unwrap();
        assert!(*sink.writer() == written, "the writer received other bytes");
    }
    #[cfg(feature = "bytes")]
    assert!(after::<bytes::BytesMut>(&[0xa5], trees) == (written.clone(), done), "a BytesMut holds other bytes");
    done.map(|()| written)
}

/// Asserts that with one byte too few the last packet fails and the others stay.
fn too_small(trees: &[Tree], expected: &[u8]) {
    let Some(short) = expected.len().checked_sub(1) else { return };
    let (written, done) = in_slice(short, |encoder| write(encoder, trees));
    let error = done.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BufferTooSmall);
    assert!((written.len() as u64..expected.len() as u64).contains(&error.offset()), "{error}");
    assert!(expected.starts_with(&written));
    assert!(trees.len() != 1 || written.is_empty(), "part of a packet is left");
}

/// What a growing sink appends to the bytes that it holds; the offset of an error counts from there.
#[cfg(feature = "alloc")]
fn after<S: Sink + Default + AsRef<[u8]> + for<'a> Extend<&'a u8>>(
    before: &[u8],
    trees: &[Tree],
) -> (Vec<u8>, Result<(), Error>) {
    let mut sink = S::default();
    sink.extend(before);
    let done = Encoder::new(&mut sink).packets(|encoder| write(encoder, trees));
    let written = sink.as_ref().strip_prefix(before).expect("the earlier bytes stay");
    (written.to_vec(), done.map_err(|error| Error::new(error.kind(), error.offset() - before.len() as u64)))
}

/// The trees before the first one that has more nested nodes than a reader enters. No encoder writes that one.
pub fn before_too_deep(trees: &[Tree]) -> &[Tree] {
    let is_sound =
        |tree: &&Tree| walk(&trees::encode(std::slice::from_ref(*tree)), TOP, MAX_DEPTH, &|_| true).1.is_none();
    &trees[..trees.iter().take_while(is_sound).count()]
}

/// Writes trees in every way and reads them back. Writing ends at a tree that is too deep; the trees before it stay.
pub fn assert_round_trip(all: &[Tree]) {
    let trees = before_too_deep(all);
    let expected = trees::encode(trees);
    if trees.len() < all.len() {
        let error = encode(all).unwrap_err();
        let range = expected.len() as u64..trees::encode(all).len() as u64;
        assert!(error.kind() == ErrorKind::DepthLimit && range.contains(&error.offset()), "{error}");
        assert!(in_slice(1 << 16, |encoder| write(encoder, all)) == (expected.clone(), Err(error)));
    }
    let written = encode(trees).unwrap();
    assert!(written == expected, "{written:02x?} for {expected:02x?}");

    assert_eq!(y3::check(&written), Ok(()));
    assert_same(y3::packets(&written), trees);
    let (again, done) = in_slice(expected.len(), |encoder| rewrite(encoder, y3::packets(&written)));
    assert_eq!(done, Ok(()));
    assert!(again == expected, "written again: {again:02x?} for {expected:02x?}");
}
