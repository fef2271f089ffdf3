//! Reading allocates nothing, nor does writing into a slice, on valid and on broken input. `slice_ref` allocates at
//! most once, for its reference count.

use std::hint::black_box;

use y3::parser::{Parser, header, packet};
use y3::{
    Decode, Encoder, Error, KeySet, PVarInt, Packet, Path, PathSet, Sink, SliceSink, check, encoded_len, packets, path,
    walk,
};

use crate::counting::allocations;

/// Valid inputs, and inputs with an error at each position where one can be: an error must not allocate either.
fn inputs() -> Vec<Vec<u8>> {
    let long = [&[0x81, 0x80, 0x45, 0x13, 0x80, 0x40][..], &[0x61; 64], &[0x11, 0x00][..]].concat();
    let deep = (0..80).fold(vec![0x11, 0x00], |inside: Vec<u8>, _| {
        let size = inside.len();
        let header = [0x81, 0x80 | u8::try_from(size >> 7).unwrap(), u8::try_from(size & 0x7f).unwrap()];
        [&header[..], &inside].concat()
    });
    vec![
        vec![],
        vec![0x81, 0x08, 0x11, 0x01, 0xff, 0x90, 0x03, 0x11, 0x01, 0x43, 0x11, 0x00],
        vec![0xc1, 0x04, 0x00, 0x00, 0x80, 0x00, 0x02, 0x05, 0x81, 0x03, 0x11, 0x01, 0x07],
        long.clone(),
        long[..40].to_vec(),
        deep,
        vec![0x81, 0x02, 0x11, 0x7f],
        vec![0x81, 0x02, 0x11, 0x01],
        vec![0x81, 0x87, 0xff, 0xff, 0xff, 0x7f, 0x11, 0x00, 0x11],
        vec![0x11, 0x88, 0x80, 0x80, 0x80, 0x00],
        vec![0x11, 0x80],
    ]
}

/// The number of items before the end or the first error.
fn count<T>(items: impl Iterator<Item = Result<T, Error>>) -> usize {
    items.map_while(Result::ok).count()
}

/// The owned sets are built before the count begins.
#[cfg(feature = "alloc")]
#[test]
fn watching_with_an_owned_set_allocates_nothing() {
    let plain: y3::Paths = (0..64).map(|key| Path::new(&[0x01, key]).unwrap()).collect();
    let special = y3::Paths::new([path!(0x01, *), path!(0x01 => 0x11), path!(*, * => *, *)]);
    for input in inputs() {
        for set in [&plain, &special, &y3::Paths::new([path!(0x01 => *)])] {
            let counted = allocations(|| {
                black_box(set.watch(black_box(&input)).count());
                let mut watcher = y3::Watcher::new(set.clone(), y3::Limits::DEFAULT);
                for chunk in input.chunks(3) {
                    black_box(watcher.feed(chunk).count());
                }
            });
            assert_eq!(counted, 0, "{set:?}");
        }
    }
}

/// A name, and a function that reads an input.
type Reader = (&'static str, fn(&[u8]));

const READERS: &[Reader] = &[
    ("Hint::watch", |input| {
        const WATCHED: PathSet<2> = PathSet::new([path!(0x01, 0x11), path!(0x01, *)]);
        let mut hint = y3::hint::Hint::new(&WATCHED);
        for bytes in [input, input, &[], input] {
            black_box(hint.watch(bytes).count());
            black_box(hint.watch(bytes).next());
        }
    }),
    ("nom header", |input| {
        let _ = black_box(header::<y3::ErrorKind>().parse(input));
        let _ = black_box(header::<y3::ErrorKind>().parse_complete(input));
        let _ = black_box(header::<y3::parser::nom::error::Error<&[u8]>>().parse(input));
    }),
    ("nom packet", |input| {
        let _ = black_box(packet::<y3::ErrorKind>().parse(input));
        let _ = black_box(packet::<y3::ErrorKind>().parse_complete(input));
        let _ = black_box(packet::<y3::parser::nom::error::Error<&[u8]>>().parse_complete(input));
    }),
    ("from_slice", |input| {
        let _ = black_box(Packet::from_slice(input));
    }),
    ("packets", |input| {
        black_box(count(packets(input)));
    }),
    ("children and embedded packets", |input| {
        for packet in packets(input).map_while(Result::ok) {
            black_box((count(packet.children()), count(packet.embedded())));
        }
    }),
    ("find", |input| {
        for packet in packets(input).map_while(Result::ok) {
            let _ = black_box((packet.find(0x11), packet.find(0x3f), packet.find(0x40)));
        }
    }),
    ("walk", |input| {
        let mut walk = walk(input);
        while let Some(packet) = walk.next() {
            black_box((walk.depth(), packet.is_ok()));
        }
    }),
    ("search", |input| {
        black_box(count(y3::Patterns(["**/11".parse().unwrap()]).watch(input)));
    }),
    ("check", |input| {
        black_box(check(input)).ok();
        black_box(packets(input).map_while(Result::ok).all(|packet| packet.check().is_ok()));
    }),
    ("watch keys", |input| {
        let keys = KeySet::new(black_box(&[0x11, 0x01])).unwrap();
        black_box(count(packets(input).watch(keys)));
    }),
    ("watch paths", |input| {
        let paths = PathSet::new([path!(0x01, 0x11), path!(0x01, 0x10, 0x11), path!(0x01), path!(0x02)]);
        black_box(count(paths.watch(input)));
        for packet in packets(input).map_while(Result::ok) {
            black_box(count(paths.watch_packets(packet.children())));
            black_box(count(paths.watch_packets(packet.embedded())));
        }
    }),
    ("watch a batch", |input| {
        let paths = PathSet::new([path!(0x01, 0x11), path!(0x01, 0x10, 0x11), path!(0x01), path!(0x02)]);
        let mut items = 0;
        y3::batch::first_each(&paths, [input; 9], |_, item| items += usize::from(item.is_some()));
        black_box(items);
    }),
    ("watch paths given at run time", |input| {
        let paths = ["1/0x11", "0x01/10/0x11", "1", "1/2/3/4/5/6/7/8"].map(|path| path.parse::<Path>().unwrap());
        assert!("1/40".parse::<Path>().is_err());
        let set = PathSet::<8>::from_slice(&paths).unwrap();
        black_box(count(set.watch(input)));
        black_box((set.get(1), set.iter().len(), set.iter().last()));
    }),
    ("typed reading", |input| {
        for packet in walk(input).map_while(Result::ok) {
            typed::<i8>(&packet);
            typed::<i16>(&packet);
            typed::<u8>(&packet);
            typed::<u16>(&packet);
            typed::<usize>(&packet);
            typed::<[u8; 4]>(&packet);
            let _ = black_box(packet.get::<&str>(0x02));
            typed::<i32>(&packet);
            typed::<u32>(&packet);
            typed::<i64>(&packet);
            typed::<u64>(&packet);
            typed::<PVarInt<i32>>(&packet);
            typed::<PVarInt<u32>>(&packet);
            typed::<PVarInt<i64>>(&packet);
            typed::<PVarInt<u64>>(&packet);
            typed::<f32>(&packet);
            typed::<f64>(&packet);
            typed::<bool>(&packet);
            typed::<&str>(&packet);
            typed::<&[u8]>(&packet);
        }
    }),
];

fn typed<'a, T: Decode<'a>>(packet: &Packet<'a>) {
    let _ = black_box(packet.decode::<T>());
}

#[test]
fn the_counter_counts_every_allocation() {
    assert!(allocations(|| vec![1u8]) >= 1);
    let mut grows = Vec::with_capacity(1);
    assert_eq!(allocations(|| grows.push(1u8)), 0);
    assert_eq!(allocations(|| grows.push(2)), 1);
    assert_eq!(allocations(|| vec![0u64; black_box(9)]), 1);
}

#[test]
fn allocates_nothing_to_read() {
    for input in inputs() {
        for (name, read) in READERS {
            assert_eq!(allocations(|| read(&input)), 0, "{name} of {input:02x?}");
        }
    }
}

/// Writes values of every type, a node that grows, a slice, and calls that fail.
fn write<S: Sink>(encoder: &mut Encoder<'_, S>) -> Result<(), Error> {
    encoder.node(0x01, |node| {
        node.put(0x10, -1i32)?;
        node.put(0x11, 1u32)?;
        node.put(0x12, -1i64)?;
        node.put(0x13, 1u64)?;
        node.put(0x14, PVarInt(-1i32))?;
        node.put(0x15, PVarInt(1u64))?;
        node.put(0x16, 0.5f32)?;
        node.put(0x17, 0.5f64)?;
        node.put(0x18, true)?;
        node.put(0x19, "text that is longer than a register")?;
        node.put(0x1a, [7u8; 100])?;
        node.slice(0x1b, |items| {
            items.put(0, 1)?;
            items.node(0, |item| item.put(0x10, "a"))
        })?;
        assert!(node.put(0x40, 1).is_err());
        assert!(node.node(0x1c, |inner| inner.put(0x40, 1)).is_err());
        Ok(())
    })
}

#[test]
fn allocates_nothing_to_write_into_a_slice_or_to_count() {
    let mut needed = 0;
    assert_eq!(allocations(|| needed = encoded_len(write).unwrap()), 0);
    let mut buffer = vec![0; needed];
    for size in 0..=needed {
        let mut sink = SliceSink::new(&mut buffer[..size]);
        let mut done = Ok(());
        assert_eq!(allocations(|| done = Encoder::new(&mut sink).packets(write)), 0, "{size} bytes");
        assert_eq!((done.is_ok(), sink.written().len()), if size == needed { (true, needed) } else { (false, 0) });
    }
}

/// A buffer that is used a second time is large enough.
#[cfg(feature = "alloc")]
#[test]
fn allocates_nothing_to_write_into_a_vec_used_again() {
    let mut out = Vec::new();
    assert!(allocations(|| Encoder::new(&mut out).packets(write)) > 0);
    out.clear();
    assert_eq!(allocations(|| Encoder::new(&mut out).packets(write)), 0);
}

#[cfg(feature = "bytes")]
#[test]
fn slice_ref_allocates_at_most_once_for_each_source() {
    // `Bytes` keep their memory in one way if the vector has spare capacity and in another if not.
    let exact = vec![0x81, 0x03, 0x11, 0x01, 0x07].into_boxed_slice();
    let mut roomy = Vec::with_capacity(64);
    roomy.extend_from_slice(&exact);
    for source in [bytes::Bytes::from(exact), bytes::Bytes::from(roomy)] {
        let part =
            || y3::bytes::slice_ref(&source, Packet::from_slice(&source).unwrap().find(0x11).unwrap().unwrap().value());
        assert!(allocations(part) <= 1);
        assert_eq!(allocations(part), 0);
        assert_eq!(
            allocations(|| (
                part(),
                part(),
                y3::bytes::slice_ref(&source, &[]),
                y3::bytes::slice_ref(&source, &[0x07])
            )),
            0
        );
    }
    let fixed = bytes::Bytes::from_static(&[0x11, 0x01, 0x07]);
    assert_eq!(allocations(|| y3::bytes::slice_ref(&fixed, packets(&fixed).next().unwrap().unwrap().value())), 0);
}
