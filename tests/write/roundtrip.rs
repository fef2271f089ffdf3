//! Encodes, parses and encodes again, in every sink and in slices that are too small: the tree and the bytes stay the
//! same. The bodies are near every size at which a length takes another byte. The property `roundtrip` tests random
//! trees, and `interrupted` tests packets after one that did not fit.

use y3::{Encoder, Error, ErrorKind, SliceSink, encoded_len};

use testkit::oracle::trees::{self, Tree, Value};
use testkit::oracle::written::{assert_round_trip, in_slice, write};

/// Nested nodes and slices around a primitive with a value of `size` bytes and, with `beside`, other packets.
fn nested(depth: usize, size: usize, beside: bool) -> Vec<Tree> {
    let leaf = |size| Tree::Leaf { key: 0, value: Value::Bytes(vec![0x5a; size]), form: trees::Form::default() };
    let mut inside = vec![leaf(size)];
    for level in 0..depth {
        if beside {
            inside.insert(0, leaf(level));
            inside.push(leaf(1));
        }
        inside = vec![Tree::Node { key: 0, is_slice: level % 2 == 1, inside, form: trees::Form::default() }];
    }
    inside
}

/// Miri is a thousand times slower. Where a test tries all sizes of a kind, Miri tries one of this many.
const MIRI_STEP: usize = if cfg!(miri) { 37 } else { 1 };

#[test]
fn reads_back_bodies_about_every_step_of_the_length() {
    let sizes = (0..3).chain(40..72).chain(110..140).chain(8160..8200).chain(1_048_550..1_048_580);
    for size in sizes.step_by(MIRI_STEP) {
        // Large sizes mostly copy memory, so fewer depths are enough.
        let depths = if size > 8200 { 3..4 } else { 0..5 };
        for depth in depths {
            for beside in [false, true] {
                assert_round_trip(&nested(depth, size, beside));
            }
        }
    }
    for value in [62, 63, 64, 65, 126, 127, 128, 129, 8190, 8191, 8192, 8193] {
        // The body of the node has exactly this size.
        let header = if value - 2 < 64 {
            2
        } else if value - 3 < 8192 {
            3
        } else {
            4
        };
        let trees = nested(1, value - header, false);
        assert_eq!(y3::packets(&trees::encode(&trees)).next().unwrap().unwrap().value().len(), value);
        assert_round_trip(&trees);
    }
}

#[test]
fn reads_back_64_levels_and_writes_no_65() {
    for depth in [63, 64] {
        assert_round_trip(&nested(depth, 3, true));
    }
    // No reader would accept this depth.
    for depth in [65, 300] {
        let trees = nested(depth, 3, true);
        let done = in_slice(trees::encode(&trees).len(), |encoder| write(encoder, &trees)).1;
        assert_eq!(done.map_err(|error| error.kind()), Err(ErrorKind::DepthLimit));
        let counted = encoded_len(|encoder| write(encoder, &trees));
        assert_eq!(counted.map_err(|error| error.kind()), Err(ErrorKind::DepthLimit));
    }
}

#[test]
fn leaves_a_slice_alone_that_is_too_small_for_a_node_that_grows() {
    for size in (0..140).chain(8180..8200).step_by(MIRI_STEP) {
        for depth in 1..4 {
            let trees = nested(depth, size, true);
            let needed = trees::encode(&trees).len();
            for short in 1..=depth.min(needed) {
                let (written, done) = in_slice(needed - short, |encoder| write(encoder, &trees));
                assert_eq!((written.len(), done.unwrap_err().kind()), (0, ErrorKind::BufferTooSmall), "{size} {depth}");
            }
        }
    }
}

/// Asserts the kind of the error, its offset in the sink, and the packets before and after the failed call.
#[test]
fn reports_where_in_the_sink_the_refused_packet_was_to_begin() {
    let mut buffer = [0; 64];
    let mut sink = SliceSink::new(&mut buffer);
    let mut encoder = Encoder::new(&mut sink);
    encoder.put(0x01, true).unwrap();
    assert_eq!(encoder.put(64, true), Err(Error::new(ErrorKind::InvalidKey, 3)));
    assert_eq!(encoder.node(64, |_| panic!("the body is called")), Err(Error::new(ErrorKind::InvalidKey, 3)));
    assert_eq!(encoder.slice(255, |_| panic!("the body is called")), Err(Error::new(ErrorKind::InvalidKey, 3)));
    let inside = encoder.node(0x02, |node| {
        node.put(0x03, 1)?;
        node.put(200, 1)
    });
    assert_eq!(inside, Err(Error::new(ErrorKind::InvalidKey, 8)));
    assert_eq!(encoder.put(0x04, [0u8; 64]), Err(Error::new(ErrorKind::BufferTooSmall, 3)));
    let inside = encoder.node(0x02, |node| {
        node.put(0x03, 1)?;
        node.put(0x04, [0u8; 60])
    });
    assert_eq!(inside, Err(Error::new(ErrorKind::BufferTooSmall, 8)));
    assert_eq!(encoder.node(0x02, |node| node.put(0x03, [0u8; 57])), Ok(()));
    assert_eq!(encoder.put(0x05, ""), Err(Error::new(ErrorKind::BufferTooSmall, 64)));
    assert_eq!(encoder.node(0x05, |_| Ok(())), Err(Error::new(ErrorKind::BufferTooSmall, 64)));
    assert_eq!(sink.written().len(), 64);
    assert_eq!(sink.written()[..7], [0x01, 0x01, 0x01, 0x82, 0x3b, 0x03, 0x39]);

    // The body of 64 bytes fits, but not with its length of two bytes.
    let mut buffer = [0; 66];
    let mut sink = SliceSink::new(&mut buffer);
    let node = Encoder::new(&mut sink).node(0x02, |node| node.put(0x03, [0u8; 62]));
    assert_eq!(node, Err(Error::new(ErrorKind::BufferTooSmall, 0)));
    assert!(sink.written().is_empty());
}
