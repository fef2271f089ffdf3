//! Writing: trees through every sink, and back.
//!
//! In: trees as a writer may write them. Out: nothing, or a panic that says where the bytes or what is read from them differ.

use y3::{Encoder, Error, MAX_DEPTH, PVarInt, Packet, Packets, Sink, SliceEncoder, SliceSink, encoded_len};

use super::trees::{self, Tree, Value};
use super::{TOP, walk};

/// The encoder's calls for these trees.
pub fn write<S: Sink, const NESTED: bool>(encoder: &mut Encoder<'_, S, NESTED>, trees: &[Tree]) -> Result<(), Error> {
    for tree in trees {
        match tree {
            Tree::Leaf { key, value, .. } => put(encoder, *key, value)?,
            Tree::Node { key, is_slice: false, inside, .. } => encoder.node(*key, |node| write(node, inside))?,
            Tree::Node { key, is_slice: true, inside, .. } => {
                encoder.slice(*key, |items| write_items(items, inside))?;
            }
        }
    }
    Ok(())
}

fn write_items<S: Sink>(items: &mut SliceEncoder<'_, '_, S>, trees: &[Tree]) -> Result<(), Error> {
    for tree in trees {
        match tree {
            Tree::Leaf { value: Value::I64(v), .. } => items.put(*v)?,
            Tree::Leaf { value, .. } => items.put(&value.encode()[..])?,
            Tree::Node { is_slice: false, inside, .. } => items.node(|node| write(node, inside))?,
            Tree::Node { is_slice: true, inside, .. } => items.slice(|items| write_items(items, inside))?,
        }
    }
    Ok(())
}

pub fn put<S: Sink, const NESTED: bool>(
    encoder: &mut Encoder<'_, S, NESTED>,
    key: u8,
    value: &Value,
) -> Result<(), Error> {
    match value {
        Value::I32(v) => encoder.put(key, *v),
        Value::U32(v) => encoder.put(key, *v),
        Value::I64(v) => encoder.put(key, *v),
        Value::U64(v) => encoder.put(key, *v),
        Value::PVarI32(v) => encoder.put(key, PVarInt(*v)),
        Value::PVarU32(v) => encoder.put(key, PVarInt(*v)),
        Value::PVarI64(v) => encoder.put(key, PVarInt(*v)),
        Value::PVarU64(v) => encoder.put(key, PVarInt(*v)),
        Value::F32(bits) => encoder.put(key, f32::from_bits(*bits)),
        Value::F64(bits) => encoder.put(key, f64::from_bits(*bits)),
        Value::Bool(v) => encoder.put(key, *v),
        Value::Text(text) => encoder.put(key, &text[..]),
        Value::Bytes(bytes) => encoder.put(key, &bytes[..]),
    }
}

/// Parsed packets beside the trees they were made from.
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

fn assert_value(packet: &Packet<'_>, value: &Value) {
    match value {
        Value::I32(v) => assert_eq!(packet.to(), Ok(*v)),
        Value::U32(v) => assert_eq!(packet.to(), Ok(*v)),
        Value::I64(v) => assert_eq!(packet.to(), Ok(*v)),
        Value::U64(v) => assert_eq!(packet.to(), Ok(*v)),
        Value::PVarI32(v) => assert_eq!(packet.to(), Ok(PVarInt(*v))),
        Value::PVarU32(v) => assert_eq!(packet.to(), Ok(PVarInt(*v))),
        Value::PVarI64(v) => assert_eq!(packet.to(), Ok(PVarInt(*v))),
        Value::PVarU64(v) => assert_eq!(packet.to(), Ok(PVarInt(*v))),
        // Bits, not numbers: a NaN keeps its payload and zero its sign.
        Value::F32(bits) => assert_eq!(packet.to::<f32>().map(f32::to_bits), Ok(*bits)),
        Value::F64(bits) => assert_eq!(packet.to::<f64>().map(f64::to_bits), Ok(*bits)),
        Value::Bool(v) => assert_eq!(packet.to(), Ok(*v)),
        Value::Text(text) => assert_eq!(packet.to(), Ok(&text[..])),
        Value::Bytes(bytes) => assert_eq!(packet.to(), Ok(&bytes[..])),
    }
}

/// Writes parsed packets again, values as the bytes they are. Items of slices get key 0.
pub fn rewrite<S: Sink, const NESTED: bool>(
    encoder: &mut Encoder<'_, S, NESTED>,
    packets: Packets<'_>,
) -> Result<(), Error> {
    for packet in packets {
        let packet = packet?;
        let key = packet.key().get();
        match (packet.is_slice(), packet.is_node()) {
            (true, _) => encoder.slice(key, |items| rewrite_items(items, packet.children()))?,
            (_, true) => encoder.node(key, |node| rewrite(node, packet.children()))?,
            _ => encoder.put(key, packet.value())?,
        }
    }
    Ok(())
}

fn rewrite_items<S: Sink>(items: &mut SliceEncoder<'_, '_, S>, packets: Packets<'_>) -> Result<(), Error> {
    for packet in packets {
        let packet = packet?;
        match (packet.is_slice(), packet.is_node()) {
            (true, _) => items.slice(|items| rewrite_items(items, packet.children()))?,
            (_, true) => items.node(|node| rewrite(node, packet.children()))?,
            _ => items.put(packet.value())?,
        }
    }
    Ok(())
}

/// What a writer leaves in a slice of that size behind bytes that were there before, and how the writing ended.
pub fn in_slice(
    size: usize,
    write: impl FnOnce(&mut Encoder<'_, SliceSink<'_>>) -> Result<(), Error>,
) -> (Vec<u8>, Result<(), Error>) {
    // Old bytes of a buffer used again must not show through.
    let mut buffer = vec![0xa5; size];
    let mut sink = SliceSink::new(&mut buffer);
    let done = Encoder::new(&mut sink).packets(write);
    (sink.written().to_vec(), done)
}

/// Every way to write trees, and back.
pub fn assert_round_trip(trees: &[Tree]) {
    let expected = trees::encode(trees);
    assert_eq!(encoded_len(|encoder| write(encoder, trees)), Ok(expected.len()), "encoded_len");

    let (written, done) = in_slice(expected.len(), |encoder| write(encoder, trees));
    assert_eq!(done, Ok(()));
    assert!(written == expected, "SliceSink of the size needed: {written:02x?} for {expected:02x?}");
    let (written, _) = in_slice(expected.len() + 40, |encoder| write(encoder, trees));
    assert!(written == expected, "SliceSink with room to spare: {written:02x?} for {expected:02x?}");

    // Sound, or deeper than a check goes.
    assert_eq!(y3::check(&written).err(), walk(&written, TOP, MAX_DEPTH, &|_| true).1);
    assert_same(y3::packets(&written), trees);
    let (again, done) = in_slice(expected.len(), |encoder| rewrite(encoder, y3::packets(&written)));
    assert_eq!(done, Ok(()));
    assert!(again == expected, "written again: {again:02x?} for {expected:02x?}");

    #[cfg(feature = "alloc")]
    assert_growing::<Vec<u8>>(trees, &expected);
    #[cfg(feature = "bytes")]
    assert_growing::<bytes::BytesMut>(trees, &expected);
}

/// A sink that grows has the same bytes behind those that it held before.
#[cfg(feature = "alloc")]
fn assert_growing<S: Sink + Default + AsRef<[u8]>>(trees: &[Tree], expected: &[u8]) {
    let mut sink = S::default();
    Encoder::new(&mut sink).packets(|encoder| write(encoder, trees)).unwrap();
    assert!(sink.as_ref() == expected, "{:02x?} for {expected:02x?}", sink.as_ref());
    Encoder::new(&mut sink).packets(|encoder| write(encoder, trees)).unwrap();
    assert!(sink.as_ref() == [expected, expected].concat(), "appended");
}
