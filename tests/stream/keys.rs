//! The keys that lead to a hit, for sets with overlapping paths.

use proptest::prelude::*;
use y3::hint::Hint;
use y3::{Collector, Limits, Path, PathSet, WatchedPaths};

use testkit::input::packets;
use testkit::oracle::same::path_set;
use testkit::oracle::trees::{case, config};

type Row = (usize, u64, Option<Path>);

fn rows<'a>(hits: impl Iterator<Item = Result<y3::Hit<'a>, y3::Error>>) -> Vec<Row> {
    hits.flatten().map(|hit| (hit.path_index(), hit.offset(), hit.path())).collect()
}

fn collected<P: WatchedPaths>(input: &[u8], set: P, size: usize) -> Vec<Row> {
    let mut collector = Collector::new(set, Limits::NONE);
    let mut rows = Vec::new();
    for chunk in input.chunks(size) {
        let mut hits = collector.feed(chunk);
        while let Some(hit) = hits.next_hit() {
            rows.extend(hit.map(|hit| (hit.path_index(), hit.offset(), hit.path())));
        }
    }
    rows
}

/// The keys of a hit lead to it alone. The hit's index is that of the first path that matches them.
fn same(input: &[u8], paths: &[Vec<u8>]) {
    let set = path_set(paths);
    let found = rows(set.watch(input));
    for (index, offset, keys) in &found {
        let keys = keys.unwrap();
        assert!(keys.keys().all(|key| key.is_some()), "{keys}");
        assert_eq!(set.iter().position(|path| path.matches(keys)), Some(*index), "{keys} of {set:?}");
        let one = PathSet::new([keys]);
        assert!(rows(one.watch(input)).contains(&(0, *offset, Some(keys))), "{keys}");
        // A set of a single path is stored in another way.
        let path = set.get(*index).unwrap();
        let alone = PathSet::new([path]);
        assert!(rows(alone.watch(input)).contains(&(0, *offset, Some(path))));
        assert!(collected(input, alone, 3).contains(&(0, *offset, Some(path))));
    }
    let mut hint = Hint::new(&set);
    for _ in 0..3 {
        assert_eq!(rows(hint.watch(input)), found);
    }
    if set.watch(input).all(|hit| hit.is_ok()) {
        for size in [1, 2, 5, input.len().max(1)] {
            assert_eq!(collected(input, set, size), found, "chunks of {size}");
        }
    }
}

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn the_keys_of_a_hit_lead_to_it(case in case(300, packets)) {
        same(&case.input, &case.paths);
    }
}
