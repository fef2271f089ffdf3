//! Encode, parse, encode again: the same tree, the same bytes, in every sink; and sinks that errors leave as they were.
//!
//! In: random trees, and bodies about every size at which a length takes another byte. Out: no difference.

mod oracle;

use oracle::trees::{self, Tree, Value, config, key, value};
use oracle::written::{assert_round_trip, in_slice, put, write};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use y3::{Encoder, Error, ErrorKind, Items, Sink, SliceSink, encoded_len};

fn canonical_trees(packets: usize) -> impl Strategy<Value = Vec<Tree>> {
    trees::trees(packets).prop_map(|mut trees| {
        trees::canonical(&mut trees, false);
        trees
    })
}

/// So many nodes one in another, slices in turn, about a primitive with a value of `size` bytes and packets beside it.
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

/// Where every size of some kind is tried, Miri, which is a thousand times slower, tries one in so many.
const MIRI_STEP: usize = if cfg!(miri) { 37 } else { 1 };

#[test]
fn bodies_about_every_step_of_the_length_come_back() {
    let sizes = (0..3).chain(40..72).chain(110..140).chain(8160..8200).chain(1_048_550..1_048_580);
    for size in sizes.step_by(MIRI_STEP) {
        // The large ones are a matter of memory copied, so fewer of them.
        let depths = if size > 8200 { 3..4 } else { 0..5 };
        for depth in depths {
            for beside in [false, true] {
                assert_round_trip(&nested(depth, size, beside));
            }
        }
    }
    for value in [62, 63, 64, 65, 126, 127, 128, 129, 8190, 8191, 8192, 8193] {
        // A node's body of exactly that size.
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
fn many_levels_come_back() {
    for depth in [63, 64] {
        assert_round_trip(&nested(depth, 3, true));
    }
    // Deeper than a walk goes, but an encoder has no limit.
    let expected = trees::encode(&nested(300, 3, true));
    assert_eq!(encoded_len(|encoder| write(encoder, &nested(300, 3, true))), Ok(expected.len()));
    assert_eq!(in_slice(expected.len(), |encoder| write(encoder, &nested(300, 3, true))), (expected, Ok(())));
}

#[test]
fn a_slice_one_byte_too_small_for_a_node_that_grows_is_left_alone() {
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

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn trees_come_back(trees in canonical_trees(40)) {
        assert_round_trip(&trees);
    }

    #[test]
    fn single_values_come_back(key in 0..64u8, value in value()) {
        assert_round_trip(&[Tree::Leaf { key, value, form: trees::Form::default() }]);
    }

    /// What a sink holds after it ran full is whole packets, the outermost that fit.
    #[test]
    fn a_slice_too_small_holds_the_packets_before_the_one_that_did_not_fit(
        trees in canonical_trees(12),
        size in any::<Index>(),
    ) {
        let expected = trees::encode(&trees);
        prop_assume!(!expected.is_empty());
        let size = size.index(expected.len());
        let mut fit = 0;
        for tree in &trees {
            let end = fit + trees::encode(std::slice::from_ref(tree)).len();
            if end > size {
                break;
            }
            fit = end;
        }
        let (written, done) = in_slice(size, |encoder| write(encoder, &trees));
        prop_assert_eq!(&written[..], &expected[..fit]);
        let error = done.unwrap_err();
        prop_assert_eq!(error.kind(), ErrorKind::BufferTooSmall);
        prop_assert!((fit..=size).contains(&usize::try_from(error.offset()).unwrap()), "{}", error);
    }
}

#[test]
fn every_smaller_slice_is_too_small() {
    let mut trees = nested(3, 60, true);
    trees.extend(nested(0, 5, false));
    trees.extend(nested(2, 30, true));
    let expected = trees::encode(&trees);
    let end = |tree: &Tree| trees::encode(std::slice::from_ref(tree)).len();
    let ends: Vec<usize> = (1..=trees.len()).map(|count| trees[..count].iter().map(end).sum()).collect();
    for size in 0..expected.len() {
        let fit = ends.iter().copied().filter(|&end| end <= size).max().unwrap_or(0);
        let (written, done) = in_slice(size, |encoder| write(encoder, &trees));
        assert_eq!(written, expected[..fit]);
        assert_eq!(done.unwrap_err().kind(), ErrorKind::BufferTooSmall);
    }
}

/// What a caller does with an encoder; the results of all but the last of these are thrown away.
#[derive(Clone, Debug)]
enum Call {
    Put(u8, Value),
    Node(u8, Vec<Call>),
    Slice(u8, Vec<Call>),
    /// The body of a node ends here, with an error of its own.
    Fail,
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let key = || prop_oneof![8 => key(), 1 => 64..=255u8];
    let leaf =
        prop_oneof![10 => (key(), value()).prop_map(|(key, value)| Call::Put(key, value)), 1 => Just(Call::Fail)];
    let call = leaf.prop_recursive(3, 16, 5, move |call| {
        let calls = vec(call, 0..5);
        prop_oneof![
            (key(), calls.clone()).prop_map(|(key, calls)| Call::Node(key, calls)),
            (key(), calls).prop_map(|(key, calls)| Call::Slice(key, calls)),
        ]
    });
    vec(call, 0..6)
}

const OWN: Error = Error::new(ErrorKind::InvalidValue, 77);

/// Errors of single calls are dropped; only `Fail` ends a body.
fn call<S: Sink, const NESTED: bool>(
    encoder: &mut Encoder<'_, S, NESTED>,
    calls: &[Call],
    results: &mut Vec<Option<ErrorKind>>,
) -> Result<(), Error> {
    for each in calls {
        let done = match each {
            Call::Put(key, value) => put(encoder, *key, value),
            Call::Node(key, calls) => encoder.node(*key, |node| call(node, calls, results)),
            Call::Slice(key, calls) => encoder.slice(*key, |items| call_items(items, calls, results)),
            Call::Fail => return Err(OWN),
        };
        results.push(done.err().map(|error| error.kind()));
    }
    Ok(())
}

fn call_items<S: Sink>(
    items: &mut Items<'_, '_, S>,
    calls: &[Call],
    results: &mut Vec<Option<ErrorKind>>,
) -> Result<(), Error> {
    for each in calls {
        let done = match each {
            Call::Put(_, value) => items.put(&value.encode()[..]),
            Call::Node(_, calls) => items.node(|node| call(node, calls, results)),
            Call::Slice(_, calls) => items.slice(|items| call_items(items, calls, results)),
            Call::Fail => return Err(OWN),
        };
        results.push(done.err().map(|error| error.kind()));
    }
    Ok(())
}

/// What an output of `room` bytes holds after the calls: a call that fails leaves nothing of itself [CAN-4].
fn model(out: &mut Vec<u8>, room: usize, calls: &[Call], in_slice: bool, results: &mut Vec<Option<ErrorKind>>) -> bool {
    for each in calls {
        let start = out.len();
        let (tag, key, inside) = match each {
            Call::Put(key, value) => (0x00, key, Err(value.encode())),
            Call::Node(key, calls) => (0x80, key, Ok(calls)),
            Call::Slice(key, calls) => (0xc0, key, Ok(calls)),
            Call::Fail => return false,
        };
        let key = if in_slice { 0 } else { *key };
        if key > 63 {
            results.push(Some(ErrorKind::InvalidKey));
            continue;
        }
        let mut done = Ok(());
        let value = match inside {
            Err(value) => value,
            // A node with no room for tag and length fails before its body is asked.
            Ok(_) if start + 2 > room => vec![0; room],
            Ok(calls) => {
                out.extend([0, 0]);
                if !model(out, room, calls, tag == 0xc0, results) {
                    done = Err(OWN.kind());
                }
                out.split_off(start + 2)
            }
        };
        out.truncate(start);
        let packet = [&[tag | key][..], &oracle::encode_pvar(value.len() as i128), &value].concat();
        if done.is_ok() && start + packet.len() > room {
            done = Err(ErrorKind::BufferTooSmall);
        }
        if done.is_ok() {
            out.extend(packet);
        }
        results.push(done.err());
    }
    true
}

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn calls_that_fail_leave_nothing_behind(
        calls in calls(),
        room in prop_oneof![2 => Just(100_000), 3 => 0..200usize],
    ) {
        let (mut expected, mut expected_results) = (Vec::new(), Vec::new());
        let whole = model(&mut expected, room, &calls, false, &mut expected_results);

        let mut results = Vec::new();
        let (written, done) = in_slice(room, |encoder| call(encoder, &calls, &mut results));
        prop_assert_eq!(&written, &expected);
        prop_assert_eq!((done.is_ok(), &results), (whole, &expected_results));
        prop_assert_eq!(y3::check(&written), Ok(()));

        #[cfg(feature = "alloc")]
        if room == 100_000 {
            let (mut sink, mut results) = (vec![0xee], Vec::new());
            let done = call(&mut Encoder::new(&mut sink), &calls, &mut results);
            prop_assert_eq!((&sink[1..], sink[0]), (&expected[..], 0xee));
            prop_assert_eq!((done.is_ok(), &results), (whole, &expected_results));
        }
    }
}

/// The kind, the offset in the sink, and the packets on both sides of the call that failed.
#[test]
fn errors_say_where_in_the_sink_the_packet_was_to_begin() {
    let mut buffer = [0; 64];
    let mut sink = SliceSink::new(&mut buffer);
    let mut encoder = Encoder::new(&mut sink);
    encoder.put(0x01, true).unwrap();
    assert_eq!(encoder.put(64, true), Err(Error::new(ErrorKind::InvalidKey, 3)));
    assert_eq!(encoder.node(64, |_| panic!("never asked")), Err(Error::new(ErrorKind::InvalidKey, 3)));
    assert_eq!(encoder.slice(255, |_| panic!("never asked")), Err(Error::new(ErrorKind::InvalidKey, 3)));
    let inside = encoder.node(0x02, |node| {
        node.put(0x03, 1)?;
        node.put(200, 1)
    });
    assert_eq!(inside, Err(Error::new(ErrorKind::InvalidKey, 8)));
    assert_eq!(encoder.put(0x04, [0; 64]), Err(Error::new(ErrorKind::BufferTooSmall, 3)));
    let inside = encoder.node(0x02, |node| {
        node.put(0x03, 1)?;
        node.put(0x04, [0; 60])
    });
    assert_eq!(inside, Err(Error::new(ErrorKind::BufferTooSmall, 8)));
    assert_eq!(encoder.node(0x02, |node| node.put(0x03, [0; 57])), Ok(()));
    assert_eq!(encoder.put(0x05, ""), Err(Error::new(ErrorKind::BufferTooSmall, 64)));
    assert_eq!(encoder.node(0x05, |_| Ok(())), Err(Error::new(ErrorKind::BufferTooSmall, 64)));
    assert_eq!(sink.written().len(), 64);
    assert_eq!(sink.written()[..7], [0x01, 0x01, 0x01, 0x82, 0x3b, 0x03, 0x39]);

    // A body of 64 bytes fits, but not with a length of two bytes.
    let mut buffer = [0; 66];
    let mut sink = SliceSink::new(&mut buffer);
    let node = Encoder::new(&mut sink).node(0x02, |node| node.put(0x03, [0; 62]));
    assert_eq!(node, Err(Error::new(ErrorKind::BufferTooSmall, 0)));
    assert_eq!(sink.written(), []);
}

/// Bodies of 2^31-1 bytes and one more. The zeros are never read nor written, so no machine needs to have them: pages of
/// zeroed memory come into being when they are touched.
#[cfg(all(target_pointer_width = "64", not(miri)))]
mod size_limit {
    use super::*;

    const MAX: usize = 0x7fff_ffff;

    #[test]
    fn values_stop_at_two_to_the_31_minus_one() {
        let zeros = vec![0u8; MAX + 1];
        assert_eq!(encoded_len(|encoder| encoder.put(0x01, &zeros[..MAX])), Ok(1 + 5 + MAX));
        let too_large = |offset| Err(Error::new(ErrorKind::SizeLimit, offset));
        assert_eq!(encoded_len(|encoder| encoder.put(0x01, &zeros[..])), too_large(0).map(|()| 0));

        let (written, done) = in_slice(9, |encoder| {
            encoder.put(0x01, true)?;
            encoder.put(0x02, &zeros[..])
        });
        assert_eq!((&written[..], done), (&[0x01, 0x01, 0x01][..], too_large(3)));
        // What has no room is no matter of the format, and what the format cannot say is no matter of room.
        let (_, done) = in_slice(9, |encoder| encoder.put(0x02, &zeros[..MAX]));
        assert_eq!(done, Err(Error::new(ErrorKind::BufferTooSmall, 0)));

        #[cfg(feature = "alloc")]
        {
            let mut out = vec![0xee];
            let mut encoder = Encoder::new(&mut out);
            assert_eq!(encoder.put(0x02, &zeros[..]), too_large(1));
            assert_eq!(encoder.put(0x03, true), Ok(()));
            let node = encoder.node(0x04, |node| {
                node.put(0x05, true)?;
                node.put(0x06, &zeros[..])
            });
            assert_eq!(node, too_large(9));
            assert_eq!(out, [0xee, 0x03, 0x01, 0x01]);
        }
    }

    /// A packet of three bytes, and a node with a body of 2^31-1 bytes and `more`: two packets with headers of six bytes.
    fn write_body<const NESTED: bool>(
        encoder: &mut Encoder<'_, y3::Count, NESTED>,
        zeros: &[u8],
        more: usize,
    ) -> Result<(), Error> {
        encoder.put(0x01, true)?;
        encoder.node(0x02, |node| {
            node.put(0x03, &zeros[..1 << 30])?;
            node.put(0x04, &zeros[..MAX - 6 - (1 << 30) - 6 + more])
        })
    }

    #[test]
    fn nodes_stop_at_two_to_the_31_minus_one() {
        let zeros = vec![0u8; MAX];
        assert_eq!(encoded_len(|encoder| write_body(encoder, &zeros, 0)), Ok(3 + 6 + MAX));
        assert_eq!(encoded_len(|encoder| write_body(encoder, &zeros, 1)), Err(Error::new(ErrorKind::SizeLimit, 3)));
        // A node that fits in a node that does not.
        let nested = encoded_len(|encoder| encoder.slice(0x01, |items| items.node(|node| write_body(node, &zeros, 0))));
        assert_eq!(nested, Err(Error::new(ErrorKind::SizeLimit, 2)));
        // Packets back to back have no limit.
        let row = encoded_len(|encoder| (0..3).try_for_each(|_| write_body(encoder, &zeros, 0)));
        assert_eq!(row, Ok(3 * (3 + 6 + MAX)));
    }
}
