//! Paths that cross primitives, and paths with any key.

use proptest::collection::vec;
use proptest::prelude::*;
use y3::{Error, ErrorKind, Path, PathSet, Paths, path};

use testkit::oracle::TOP;
use testkit::oracle::same::{expected_items, items as given, paths};
use testkit::oracle::trees::{self, byte, config};

/// Hits as path index, offset and value, and errors as kind and offset, in the order given.
type Item = Result<(usize, u64, Vec<u8>), (ErrorKind, u64)>;

fn items(set: &Paths, bytes: &[u8]) -> Vec<Item> {
    let item = |hit: Result<y3::Hit<'_>, Error>| {
        hit.map(|hit| (hit.path_index(), hit.offset(), hit.value().to_vec()))
            .map_err(|error| (error.kind(), error.offset()))
    };
    let items: Vec<_> = set.watch(bytes).map(item).collect();
    if let Some(set) = PathSet::<8>::from_slice(&set.iter().collect::<Vec<_>>()) {
        assert!(set.watch(bytes).map(item).eq(items.clone()), "an owned set is a constant one");
    }
    items
}

fn set(paths: &str) -> Paths {
    paths.split(' ').map(|path| path.parse::<Path>().unwrap()).collect()
}

/// Two frames `3f{02: payload}`, the first with the payload given.
fn frames(payload: &[u8]) -> Vec<u8> {
    let len = u8::try_from(payload.len()).unwrap();
    let frame = [&[0xbf, len + 2, 0x02, len], payload].concat();
    [&frame[..], &[0xbf, 0x05, 0x02, 0x03, 0x11, 0x01, 0x07]].concat()
}

#[test]
fn a_path_enters_a_primitive_and_not_a_node() {
    let bytes = [0xbf, 0x09, 0x02, 0x03, 0x11, 0x01, 0x07, 0x82, 0x02, 0x11, 0x00];
    assert_eq!(items(&set("3f/02:11"), &bytes), [Ok((0, 4, vec![0x07]))]);
    assert_eq!(items(&set("3f/02/11"), &bytes), [Ok((0, 9, vec![]))]);
    assert_eq!(
        items(&set("3f/02/11 3f/02:11 3f/02"), &bytes),
        [Ok((2, 2, vec![0x11, 0x01, 0x07])), Ok((1, 4, vec![0x07])), Ok((2, 7, vec![0x11, 0x00])), Ok((0, 9, vec![])),]
    );
}

#[test]
fn a_fault_in_embedded_packets_ends_these_only() {
    for (payload, kind, offset) in [
        (&[0x11, 0x02, 0x07][..], ErrorKind::UnexpectedEnd, 4),
        (&[0x11], ErrorKind::UnexpectedEnd, 4),
        (&[0x11, 0x80], ErrorKind::UnexpectedEnd, 4),
        (&[0x11, 0x7f, 0x00], ErrorKind::NegativeLength, 5),
        (&[0x12, 0x00, 0x12, 0x7f], ErrorKind::NegativeLength, 7),
    ] {
        for paths in ["3f/02:11", "3f/02:11 01/02", "*/02:*", "*/*:11", "3f/02:11 3f/*:11"] {
            let mut expected = vec![Err((kind, offset)), Ok((0, payload.len() as u64 + 8, vec![0x07]))];
            if paths == "*/02:*" && payload.starts_with(&[0x12]) {
                expected.insert(0, Ok((0, 4, vec![])));
            }
            assert_eq!(items(&set(paths), &frames(payload)), expected, "{paths}, {payload:x?}");
        }
    }
}

#[test]
fn an_embedded_node_ends_inside_its_primitive() {
    let bytes = frames(&[0x81, 0x02, 0x11, 0x01, 0x07]);
    let reads = set("3f/02:01/11 3f/02:11");
    assert_eq!(items(&reads, &bytes), [Err((ErrorKind::Overrun, 6)), Ok((1, 13, vec![0x07]))]);
    // What reaches past its end is not entered.
    let bytes = frames(&[0x81, 0x04, 0x11, 0x01, 0x07]);
    assert_eq!(items(&reads, &bytes), [Err((ErrorKind::UnexpectedEnd, 4)), Ok((1, 13, vec![0x07]))]);
}

#[test]
fn embedded_packets_embed_others() {
    let inner = [0x02, 0x07, 0x03, 0x03, 0x11, 0x7f, 0x07, 0x11, 0x00];
    for paths in ["3f/02:02:03:11 3f/02:02:11", "3f/02:02:*:11 3f/02:02:*"] {
        let hits = items(&set(paths), &frames(&inner));
        assert!(hits.contains(&Err((ErrorKind::NegativeLength, 9))), "{hits:?}");
        assert!(hits.contains(&Ok((1, 11, vec![]))), "{hits:?}");
    }
}

#[test]
fn a_primitive_that_is_entered_and_cut_gives_what_is_whole_and_then_the_end_of_the_input() {
    let bytes = [0xbf, 0x09, 0x02, 0x07, 0x11, 0x01, 0x07, 0x11];
    assert_eq!(items(&set("3f/02:11"), &bytes), [Ok((0, 4, vec![0x07])), Err((ErrorKind::UnexpectedEnd, 0))]);
    let bytes = [0xbf, 0x09, 0x02, 0x07, 0x11, 0x7f, 0x07];
    assert_eq!(
        items(&set("3f/02:11"), &bytes),
        [Err((ErrorKind::NegativeLength, 5)), Err((ErrorKind::UnexpectedEnd, 0))]
    );
    assert_eq!(
        items(&set("02:11"), &bytes[2..]),
        [Err((ErrorKind::NegativeLength, 3)), Err((ErrorKind::UnexpectedEnd, 0))]
    );
}

#[test]
fn any_key_is_any_key_at_one_level_and_the_first_pattern_counts() {
    let bytes = [0x81, 0x06, 0x11, 0x01, 0x07, 0x12, 0x01, 0x08, 0x82, 0x02, 0x11, 0x00];
    assert_eq!(items(&set("*"), &bytes).len(), 2);
    assert_eq!(items(&set("01/*"), &bytes), [Ok((0, 2, vec![0x07])), Ok((0, 5, vec![0x08]))]);
    assert_eq!(
        items(&set("*/12 01/* */11"), &bytes),
        [Ok((1, 2, vec![0x07])), Ok((0, 5, vec![0x08])), Ok((2, 10, vec![]))]
    );
}

#[test]
fn a_constant_path_enters_and_has_any_key() {
    const INSIDE: u8 = 0x10;
    const PATHS: [Path; 4] = [path!(*), path!(0x3f, 0x02 => INSIDE, *), path!(* => 2,), path!(*, * => *, *,)];
    assert_eq!(PATHS.map(|path| path.to_string()), ["*", "0x3f/0x02:0x10/*", "*:0x02", "*/*:*/*"]);
    assert_eq!(PATHS.map(|path| path.to_string().parse::<Path>().unwrap()), PATHS);
    assert_eq!(path!(1, 2, 3, 4, 5, 6, 7, 8).enter(Path::ANY), None);
    assert_eq!("1/2:".parse::<Path>(), Err(Error::new(ErrorKind::InvalidKey, 4)));
    assert_eq!("1/**".parse::<Path>(), Err(Error::new(ErrorKind::AnyDepth, 2)));
    assert_eq!("1:2:3:4:5:6:7:8:9".parse::<Path>(), Err(Error::new(ErrorKind::InvalidPath, 16)));
}

fn same(input: &[u8], steps: &[Vec<u8>]) -> usize {
    let expected = expected_items(input, TOP, steps);
    let set: Paths = paths(steps).into_iter().collect();
    assert_eq!(given(input, set.watch(input)), expected, "{set:?}");
    if let Some(set) = PathSet::<8>::from_slice(&paths(steps)) {
        assert_eq!(given(input, set.watch(input)), expected, "{set:?}");
    }
    // Each path alone has its own way of looking up.
    for steps in steps {
        let set = PathSet::new([testkit::oracle::same::path(steps)]);
        assert_eq!(given(input, set.watch(input)), expected_items(input, TOP, std::slice::from_ref(steps)), "{set:?}");
    }
    expected.iter().filter(|item| item.is_ok()).count()
}

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn a_watch_gives_of_embedded_packets_what_a_naive_one_gives(embedded in trees::embedded()) {
        same(&embedded.input, &embedded.paths);
    }

    #[test]
    fn a_watch_gives_of_random_bytes_what_a_naive_one_gives(input in vec(byte(), 0..60), paths in vec(trees::steps(), 0..=20)) {
        same(&input, &paths);
    }

    #[test]
    fn a_path_of_any_steps_comes_back_from_its_text(steps in trees::steps()) {
        let path = testkit::oracle::same::path(&steps);
        prop_assert_eq!(path.len(), steps.len());
        prop_assert_eq!(path.to_string().parse::<Path>(), Ok(path));
    }
}

#[test]
fn ten_thousand_embedded_levels_end_at_the_depth_of_the_path() {
    let mut bytes = vec![0x02, 0x01, 0x05];
    while bytes.len() < 40_000 {
        bytes = testkit::oracle::packed(0x02, &bytes);
    }
    for paths in ["02:02:02:02:02:02:02:02", "*:*:*:*:*:*:*:*", "02:* 02:02:02:*:*:02:02:02"] {
        let hits = items(&set(paths), &bytes);
        assert!(hits.iter().all(Result::is_ok) && hits.len() <= 2, "{paths}: {} hits", hits.len());
        let deepest = hits.last().unwrap().as_ref().unwrap();
        assert!(deepest.1 >= 21 && deepest.2.len() > 39_000);
    }
}

#[test]
fn embedded_packets_that_claim_more_than_there_is_cost_only_themselves() {
    // Each carrier is whole, and the packet in it claims 2 GiB.
    let mut bytes = Vec::new();
    for _ in 0..1000 {
        bytes.extend([0x02, 0x06, 0x91, 0x87, 0xff, 0xff, 0xff, 0x7f, 0x02, 0x02, 0x11, 0x00]);
    }
    for paths in ["02:11", "02:11/01 02:11", "*:*"] {
        let items = items(&set(paths), &bytes);
        assert_eq!(items.len(), 2000, "{paths}");
        assert!(items.chunks(2).all(|pair| pair[0].is_err() && pair[1].is_ok()), "{paths}");
    }
}

#[test]
fn an_owned_set_of_many_paths_names_each_of_them() {
    let keys = || (0..64u8).flat_map(|a| (0..64).map(move |b| (a, b)));
    let set: Paths = keys().map(|(a, b)| Path::new(&[a, b]).unwrap()).collect();
    assert_eq!((set.len(), set.clone()), (4096, set.clone()));
    for (index, (a, b)) in keys().enumerate() {
        let bytes = [0x80 | a, 0x02, b, 0x00];
        let hit = set.watch(&bytes).next().unwrap().unwrap();
        assert_eq!((hit.path_index(), set.get(index)), (index, Path::new(&[a, b])));
    }
}

#[test]
fn an_owned_set_goes_to_another_thread_with_its_reader() {
    fn watcher(paths: &[Path]) -> y3::Watcher<Paths> {
        y3::Watcher::new(paths.iter().copied().collect(), y3::Limits::DEFAULT)
    }
    let mut watcher = watcher(&[path!(0x01, 0x11)]);
    let events = std::thread::spawn(move || watcher.feed(&[0x81, 0x02, 0x11, 0x00]).count());
    assert_eq!(events.join().unwrap(), 1);
}
