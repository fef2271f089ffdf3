//! The crate beside the naive oracle: the same packets, the same faults, at the same offsets, on any input.
//!
//! In: random bytes, random trees, damaged trees, and all short inputs over a telling alphabet. Out: no difference.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use y3::Packet;

use testkit::oracle::same::{Watched, hits, path_set, row, same, same_packets};
use testkit::oracle::trees::{self, byte, config, damage, key};
use testkit::oracle::{self, Row, Seen, TOP};

/// How a watched path is derived from a tree: a packet's path, shortened or extended; random keys; or a path again.
#[derive(Clone, Debug)]
enum Choice {
    Of(Index, usize, Vec<u8>),
    Keys(Vec<u8>),
    Again(Index),
}

fn choices() -> impl Strategy<Value = Vec<Choice>> {
    let cut = prop_oneof![3 => Just(0), 2 => 1..4usize];
    let more = prop_oneof![3 => Just(vec![]), 1 => vec(key(), 1..3)];
    let choice = prop_oneof![
        6 => (any::<Index>(), cut, more).prop_map(|(of, cut, more)| Choice::Of(of, cut, more)),
        2 => vec(key(), 1..=8).prop_map(Choice::Keys),
        1 => any::<Index>().prop_map(Choice::Again),
    ];
    vec(choice, 1..=6)
}

fn choose(choices: Vec<Choice>, seen: &[Seen]) -> Vec<Vec<u8>> {
    let mut paths: Vec<Vec<u8>> = Vec::new();
    for choice in choices {
        let mut path = match choice {
            Choice::Of(of, cut, more) if !seen.is_empty() => {
                let path = &of.get(seen).path;
                [&path[..path.len().saturating_sub(cut).max(1)], &more].concat()
            }
            Choice::Keys(keys) => keys,
            Choice::Again(index) if !paths.is_empty() => index.get(&paths).clone(),
            Choice::Of(..) | Choice::Again(_) => vec![1],
        };
        path.truncate(8);
        paths.push(path);
    }
    paths
}

fn walk_then_filter(input: &[u8], paths: &[Vec<u8>]) -> Vec<(usize, Row)> {
    let (seen, then) = oracle::walk(input, TOP, usize::MAX, &|_| true);
    assert_eq!(then, None, "the input is valid");
    let number = |seen: &Seen| paths.iter().position(|path| *path == seen.path);
    seen.iter().filter_map(|seen| Some((number(seen)?, seen.row()))).collect()
}

fn keys() -> impl Strategy<Value = Vec<u8>> {
    vec(key(), 0..4)
}

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn every_reader_agrees_with_the_oracle_on_random_bytes(
        input in vec(byte(), 0..40),
        paths in vec(vec(prop::sample::select(vec![0u8, 1, 2, 3, 63]), 1..4), 1..=6),
        keys in keys(),
    ) {
        same(&input, &Watched { paths, keys });
    }

    #[test]
    fn a_watch_finds_what_a_walk_and_a_filter_find(
        trees in trees::trees(40),
        choices in choices(),
        keys in keys(),
    ) {
        let input = trees::encode(&trees);
        let paths = choose(choices, &oracle::walk(&input, TOP, usize::MAX, &|_| true).0);
        let set = path_set(&paths);
        prop_assert_eq!(hits(&input, set.watch(&input)), (walk_then_filter(&input, &paths), None));
        same(&input, &Watched { paths, keys });
    }

    #[test]
    fn every_reader_agrees_with_the_oracle_on_damaged_trees(
        trees in trees::trees(24),
        damage in damage(),
        choices in choices(),
        keys in keys(),
    ) {
        let mut input = trees::encode(&trees);
        let paths = choose(choices, &oracle::walk(&input, TOP, usize::MAX, &|_| true).0);
        for damage in damage {
            damage.apply(&mut input);
        }
        same(&input, &Watched { paths, keys });
    }

    #[test]
    fn a_watch_finds_every_whole_hit_of_a_cut_tree(
        trees in trees::trees(24),
        cut in any::<Index>(),
        choices in choices(),
    ) {
        let mut input = trees::encode(&trees);
        let paths = choose(choices, &oracle::walk(&input, TOP, usize::MAX, &|_| true).0);
        let whole = walk_then_filter(&input, &paths);
        input.truncate(cut.index(input.len() + 1));
        let set = path_set(&paths);
        let (seen, then) = hits(&input, set.watch(&input));
        let as_far: Vec<_> = whole.into_iter().filter(|(_, row)| row.value.end <= input.len()).collect();
        prop_assert_eq!(seen, as_far);
        prop_assert_eq!(then, oracle::watch(&input, TOP, &paths).1);
    }
}

/// Where every input of some kind is tried, Miri, which is a thousand times slower, tries one in so many.
const MIRI_STEP: usize = if cfg!(miri) { 31 } else { 1 };

/// All inputs of up to `longest` bytes over an alphabet.
fn every_input(alphabet: &[u8], longest: usize, mut each: impl FnMut(&[u8])) {
    let mut level: Vec<Vec<u8>> = vec![Vec::new()];
    for _ in 0..=longest {
        for input in &level {
            each(input);
        }
        let longer = |input: &Vec<u8>| alphabet.iter().map(|&byte| [&input[..], &[byte]].concat()).collect::<Vec<_>>();
        level = level.iter().flat_map(longer).collect();
    }
}

#[test]
fn every_reader_agrees_with_the_oracle_on_every_short_input() {
    let watched = Watched { paths: vec![vec![1], vec![1, 1], vec![0, 2]], keys: vec![1, 2] };
    let read = |input: &[u8]| {
        same_packets(input, &y3::packets(input), TOP, &watched);
        assert_eq!(
            Packet::from_slice(input).map(|packet| row(input, &packet)),
            oracle::one(input).map(|seen| seen.row())
        );
    };
    let shorter = if cfg!(miri) { 2 } else { 0 };
    every_input(&[0x00, 0x01, 0x02, 0x40, 0x80, 0x81, 0x82, 0x87, 0xc1], 3 - shorter, read);
    every_input(&[0x01, 0x02, 0x03, 0x80, 0x81], 5 - 2 * shorter, read);
}

/// Two nested nodes, cut everywhere and with every byte changed, and a path to the innermost packet.
#[test]
fn every_reader_agrees_with_the_oracle_on_damaged_nested_nodes() {
    let watched = Watched { paths: vec![vec![1, 2, 3], vec![1, 4], vec![1, 2]], keys: vec![3, 4] };
    let input =
        [0x81, 0x0e, 0x82, 0x05, 0x03, 0x00, 0x03, 0x01, 0x07, 0x04, 0x00, 0x82, 0x80, 0x01, 0x05, 0x00, 0x04, 0x00];
    for cut in (0..=input.len()).rev().step_by(MIRI_STEP) {
        let input = &input[..cut];
        same(input, &watched);
        for place in 0..cut {
            let bytes = (0..=16).chain([0x3f, 0x40, 0x7f, 0x80, 0x81, 0x82, 0x87, 0x88, 0xbf, 0xc0, 0xff]);
            for byte in bytes.skip(if cfg!(miri) { place } else { 0 }).step_by(MIRI_STEP) {
                let mut damaged = input.to_vec();
                damaged[place] = byte;
                same_packets(&damaged, &y3::packets(&damaged), TOP, &watched);
            }
        }
    }
}
