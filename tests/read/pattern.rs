//! Compares patterns with `**` to a plain recursive match.

use proptest::collection::vec;
use proptest::prelude::*;
use testkit::input::packets;
use testkit::oracle::ANY;
use testkit::oracle::patterns::{self, ANY_DEPTH, text};
use testkit::oracle::trees::{self, config};
use testkit::{chunks, hinted};
use y3::hint::Hint;
use y3::{Error, ErrorKind, Limits, Pattern, Patterns, Watcher};

fn step() -> impl Strategy<Value = u8> {
    prop_oneof![6 => trees::key(), 1 => Just(ANY), 3 => Just(ANY_DEPTH)]
}

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn a_stream_gives_the_hits_of_a_slice_at_any_depth_wherever_it_is_cut(
        case in trees::case(240, packets),
        patterns in vec(vec(step(), 1..=4), 1..4),
        sizes in vec(0..6usize, 1..4),
    ) {
        let (input, set) = (case.input, patterns::parsed(&patterns));
        let expected = chunks::read_whole(set.watch(&input));
        for sizes in [&[input.len() / 2, input.len()][..], &[1], &sizes] {
            chunks::same_as(&expected, &input, &&set, sizes);
            #[cfg(feature = "std")]
            chunks::same_read_as(&expected, &input, &&set, sizes);
        }
    }

    #[test]
    fn a_pattern_is_printed_as_it_is_parsed(steps in vec(step(), 1..=8)) {
        let pattern: Pattern = text(&steps).parse().unwrap();
        prop_assert_eq!(pattern.to_string(), text(&steps));
    }
}

#[test]
fn a_wrong_pattern_is_refused_where_it_is_wrong() {
    for (text, kind, offset) in [
        ("", ErrorKind::InvalidPath, 0),
        ("**/", ErrorKind::InvalidKey, 3),
        ("01//02", ErrorKind::InvalidKey, 3),
        ("01:**", ErrorKind::InvalidKey, 2),
        ("***", ErrorKind::InvalidKey, 0),
        ("**/**/**/**/**/**/**/**/01", ErrorKind::InvalidPath, 24),
        ("40", ErrorKind::InvalidKey, 0),
    ] {
        assert_eq!(text.parse::<Pattern>(), Err(Error::new(kind, offset)), "{text}");
    }
    assert!("**/**/**/**/**/**/**/01".parse::<Pattern>().is_ok());
    assert!("**".parse::<y3::Path>().is_err(), "a path has no step of any depth");
}

/// A packet inside this many nodes.
fn nested(nodes: usize) -> Vec<u8> {
    testkit::oracle::nested(0x81, nodes, &[0x02, 0x00])
}

#[test]
fn slices_and_streams_at_any_depth_reach_the_64th_node_and_no_further() {
    let patterns = Patterns(["**".parse().unwrap()]);
    let innermost = Patterns(["**/02".parse().unwrap()]);
    for nodes in [8, 9, 10, 63, 64, 65] {
        let bytes = nested(nodes);
        let expected = chunks::read_whole(patterns.watch(&bytes));
        assert_eq!(expected.0.len(), if nodes > 64 { 64 } else { nodes + 1 });
        let limit = (nodes > 64).then(|| Error::new(ErrorKind::DepthLimit, bytes.len() as u64 - 4));
        assert_eq!(expected.1, limit);
        for cut in 0..=bytes.len() {
            chunks::same_as(&expected, &bytes, &patterns, &[cut, bytes.len()]);
        }
        chunks::same_as(&expected, &bytes, &patterns, &[1]);
        let mut hint = Hint::new(&innermost);
        (0..3).for_each(|_| hinted::same(&mut hint, &bytes, &innermost.watch(&bytes).collect(), usize::MAX));
    }
}

#[test]
fn a_stream_at_any_depth_keeps_to_a_lower_limit_of_depth() {
    let patterns = Patterns(["**/02".parse().unwrap()]);
    for (nodes, limit) in [(0, 0), (1, 0), (3, 3), (4, 3), (63, 63), (64, 63), (64, 1000)] {
        let limits = Limits::NONE.with_max_depth(limit);
        let bytes = nested(nodes);
        for sizes in [&[bytes.len()][..], &[1], &[3]] {
            let (hits, error) = chunks::watched(&bytes, &patterns, limits, sizes);
            assert_eq!(hits.len(), usize::from(nodes <= limit), "{nodes} of {limit}");
            assert_eq!(error.map(|error| error.kind()), (nodes > limit).then_some(ErrorKind::DepthLimit));
        }
    }
}

#[test]
fn a_set_at_any_depth_keeps_less_than_4_kib() {
    assert!(size_of::<Watcher<&Patterns<[Pattern; 1]>>>() < 4096);
}

#[test]
fn packets_of_one_level_are_hits_of_the_first_of_65_patterns_that_match() {
    let patterns: Vec<Pattern> =
        (0..64).map(|key| format!("**/**/**/**/**/**/**/{key:02x}").parse().unwrap()).collect();
    let patterns = Patterns([&patterns[..], &["**".parse().unwrap()]].concat());
    let bytes = nested(64);
    let indices: Vec<_> = patterns.watch(&bytes).map(|hit| hit.unwrap().path_index()).collect();
    assert_eq!(indices, [vec![1; 64], vec![2]].concat());
    chunks::same_as(&chunks::read_whole(patterns.watch(&bytes)), &bytes, &patterns, &[1]);
}

/// A `Path` has at most 8 keys: a deeper hit has no path, and an error inside more than 8 nodes has no keys.
#[test]
fn a_hit_has_its_path_up_to_eight_keys() {
    let patterns = Patterns(["**/02".parse().unwrap()]);
    for nodes in [0, 6, 7, 8, 9, 63] {
        let mut watcher = Watcher::new(&patterns, Limits::DEFAULT);
        let faulty = testkit::oracle::nested(0x81, nodes, &[0x02, 0x7f]);
        let error = watcher.feed(&faulty).find_map(Result::err).unwrap();
        assert_eq!(watcher.explain(error).keys().len(), if nodes > 8 { 0 } else { nodes + 1 });
        let bytes = nested(nodes);
        let path = patterns.watch(&bytes).next().unwrap().unwrap().path();
        let expected = (nodes < 8).then(|| format!("{}0x02", "0x01/".repeat(nodes)));
        assert_eq!(path.map(|path| path.to_string()), expected, "{nodes} nodes");
    }
}

#[test]
fn sets_and_patterns_are_shown_for_debugging() {
    let patterns: [Pattern; 2] = ["**/02".parse().unwrap(), "01/*".parse().unwrap()];
    assert_eq!(format!("{:?}", patterns[0]), format!("Pattern({})", patterns[0]));
    let set = y3::PathSet::new([y3::path!(0x02), y3::path!(0x01, 0x11)]);
    assert_eq!(format!("{set:?}"), "[Path(0x02), Path(0x01/0x11)]");
}
