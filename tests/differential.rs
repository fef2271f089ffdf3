//! The crate beside the naive oracle: the same packets, the same faults, at the same offsets, on any input.
//!
//! In: random bytes, random trees, damaged trees, and all short inputs over a telling alphabet. Out: no difference.

mod oracle;

use oracle::trees::{self, byte, config, damage, key};
use oracle::{Level, Read, Row, Seen, TOP};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use y3::{Decode, Error, Hit, Key, KeySet, PVar, Packet, Packets, Path, PathSet, Search, Walk};

/// What of a packet can be compared, when its parts are where they ought to be.
fn row(input: &[u8], packet: &Packet<'_>) -> Row {
    let offset = usize::try_from(packet.offset()).unwrap();
    let end = offset + packet.as_bytes().len();
    let value = end - packet.value().len()..end;
    assert_eq!(packet.as_bytes(), &input[offset..end]);
    assert_eq!(packet.value(), &input[value.clone()]);
    let tag = packet.tag().get();
    assert_eq!(packet.key().get(), tag & 0x3f);
    assert_eq!((packet.is_node(), packet.is_slice()), (tag >= 0x80, tag >= 0xc0));
    Row { tag, offset, value }
}

/// All that an iterator gives, and the fault at its end. Behind that it must give nothing, however often it is asked.
fn drain<T>(mut items: impl Iterator<Item = Result<T, Error>>) -> Read<T> {
    let mut seen = Vec::new();
    let then = loop {
        match items.next() {
            Some(Ok(item)) => seen.push(item),
            Some(Err(error)) => break Some(error),
            None => break None,
        }
        assert!(seen.len() < 1 << 20, "more items than any input here has bytes");
    };
    assert!((0..3).all(|_| items.next().is_none()), "something comes behind the end");
    (seen, then)
}

fn rows<'a>(input: &[u8], packets: impl Iterator<Item = Result<Packet<'a>, Error>>) -> Read<Row> {
    let (packets, then) = drain(packets);
    (packets.iter().map(|packet| row(input, packet)).collect(), then)
}

fn hits<'a>(input: &[u8], hits: impl Iterator<Item = Result<Hit<'a>, Error>>) -> Read<(usize, Row)> {
    let (hits, then) = drain(hits);
    let hit = |hit: &Hit<'_>| {
        let packet = hit.packet();
        assert_eq!((hit.offset(), hit.value()), (packet.offset(), packet.value()));
        (hit.path(), row(input, &packet))
    };
    (hits.iter().map(hit).collect(), then)
}

fn only(read: &Read<Seen>, wanted: impl Fn(&Seen) -> bool) -> Read<Row> {
    (read.0.iter().filter(|seen| wanted(seen)).map(Seen::row).collect(), read.1)
}

fn all(read: &Read<Seen>) -> Read<Row> {
    only(read, |_| true)
}

fn paths(keys: &[Vec<u8>]) -> Vec<Path> {
    keys.iter().map(|keys| Path::new(keys).unwrap()).collect()
}

fn path_set(keys: &[Vec<u8>]) -> PathSet<8> {
    PathSet::from_slice(&paths(keys)).unwrap()
}

/// What is watched in a comparison.
#[derive(Clone, Debug)]
struct Watched {
    paths: Vec<Vec<u8>>,
    keys: Vec<u8>,
}

impl Watched {
    fn key_set(&self) -> KeySet {
        KeySet::new(&self.keys).unwrap()
    }

    fn paths(&self) -> Vec<Path> {
        paths(&self.paths)
    }
}

/// Every reader over `packets` beside the oracle over the same `level` of the input.
fn same_packets(input: &[u8], packets: &Packets<'_>, level: Level, watched: &Watched) {
    let (keys, set) = (&watched.keys, watched.key_set());
    let siblings = oracle::siblings(input, level);
    assert_eq!(rows(input, packets.clone()), all(&siblings), "packets");
    assert_eq!(
        rows(input, packets.clone().watch(set)),
        only(&siblings, |seen| keys.contains(&seen.key())),
        "watch keys"
    );

    let walk = oracle::walk(input, level, 64, &|_| true);
    assert_eq!(rows(input, Walk::<64>::new(packets.clone())), all(&walk), "walk");
    assert_eq!(packets.clone().check().err(), walk.1, "check");
    let search = Search::<64>::new(Walk::new(packets.clone()), set);
    assert_eq!(rows(input, search), only(&walk, |seen| keys.contains(&seen.key())), "search");
    same_walk::<0>(input, packets, level);
    same_walk::<1>(input, packets, level);
    same_walk::<2>(input, packets, level);
    same_walk::<3>(input, packets, level);

    let closed = |seen: &Seen| !keys.contains(&seen.key());
    let part = oracle::walk(input, level, 64, &closed);
    assert_eq!(rows(input, SkipInside { walk: Walk::new(packets.clone()), keys: set }), all(&part), "skip_children");

    let expected = oracle::watch(input, level, &watched.paths);
    let expected = (expected.0.into_iter().map(|(path, seen)| (path, seen.row())).collect(), expected.1);
    let paths = path_set(&watched.paths);
    assert_eq!(hits(input, paths.watch_packets(packets.clone())), expected, "watch");
}

fn same_walk<const DEPTH: usize>(input: &[u8], packets: &Packets<'_>, level: Level) {
    let (expected, then) = oracle::walk(input, level, DEPTH, &|_| true);
    // Depth counts from the packets that the walk began with, and so do the oracle's paths.
    let expected: Vec<_> = expected.iter().map(|seen| (seen.path.len() - 1, seen.row())).collect();
    let mut walk = Walk::<DEPTH>::new(packets.clone());
    let mut seen = Vec::new();
    while let Some(Ok(packet)) = walk.next() {
        seen.push((walk.depth(), row(input, &packet)));
    }
    assert_eq!(seen, expected, "walk with depths, limit {DEPTH}");
    assert_eq!(drain(Walk::<DEPTH>::new(packets.clone())).1, then, "walk, limit {DEPTH}");
}

/// A walk that leaves out what is inside nodes with some keys.
struct SkipInside<'a> {
    walk: Walk<'a>,
    keys: KeySet,
}

impl<'a> Iterator for SkipInside<'a> {
    type Item = Result<Packet<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let item = self.walk.next();
        if let Some(Ok(packet)) = item {
            if self.keys.contains(packet.key()) {
                self.walk.skip_children();
            }
        }
        item
    }
}

/// Every way into an input beside the oracle.
fn same(input: &[u8], watched: &Watched) {
    same_packets(input, &y3::packets(input), TOP, watched);
    assert_eq!(y3::check(input).err(), oracle::walk(input, TOP, 64, &|_| true).1);
    assert_eq!(rows(input, y3::walk(input)), rows(input, Walk::<64>::new(y3::packets(input))));
    let set = watched.key_set();
    assert_eq!(rows(input, set.watch(input)), rows(input, y3::packets(input).watch(set)));
    assert_eq!(rows(input, set.search(input)), rows(input, Search::new(y3::walk(input), set)));
    let paths = watched.paths();
    same_path_set::<1>(input, &paths);
    same_path_set::<2>(input, &paths);
    same_path_set::<3>(input, &paths);
    same_path_set::<4>(input, &paths);
    same_path_set::<5>(input, &paths);
    same_path_set::<6>(input, &paths);
    assert_eq!(Packet::from_slice(input).map(|packet| row(input, &packet)), oracle::one(input).map(|seen| seen.row()));

    for (packet, seen) in y3::packets(input).map_while(Result::ok).zip(oracle::siblings(input, TOP).0) {
        for key in watched.keys.iter().copied().chain([0, 63, 64, 128, 255]) {
            let found = packet.find(key).map(|found| found.map(|packet| row(input, &packet)));
            assert_eq!(found, oracle::find(input, &seen, key).map(|found| found.map(|seen| seen.row())), "find {key}");
        }
        let whole = &input[..seen.value.end];
        let alone = Level { at: seen.offset, ..TOP };
        assert_eq!(packet.check().err(), oracle::walk(whole, alone, 64, &|_| true).1, "check of a packet");
        if seen.is_node() {
            same_packets(input, &packet.children(), seen.inside(), watched);
        } else {
            let not_a_node = (Vec::new(), Some(Error::new(y3::ErrorKind::NotANode, packet.offset())));
            assert_eq!(rows(input, packet.children()), not_a_node, "children of a primitive");
            let hits = path_set(&watched.paths);
            assert_eq!(drain(hits.watch_packets(packet.children())).1, not_a_node.1, "watch in a primitive");
        }
        same_packets(whole, &packet.payload(), Level { at: seen.value.start, ..TOP }, watched);
        same_typed(&packet, &seen);
    }
}

/// The first `N` paths as a set made in each way: an array, a slice, a slice with room to spare.
fn same_path_set<const N: usize>(input: &[u8], paths: &[Path]) {
    let Some(paths) = paths.first_chunk::<N>() else {
        assert!(PathSet::<N>::from_slice(paths).is_some());
        return;
    };
    let expected = hits(input, PathSet::new(*paths).watch(input));
    assert_eq!(hits(input, PathSet::<N>::from_slice(paths).unwrap().watch(input)), expected, "new and from_slice");
    assert_eq!(hits(input, PathSet::<8>::from_slice(paths).unwrap().watch(input)), expected, "with room to spare");
    let one_more = [&paths[..], &paths[..1]].concat();
    assert!(PathSet::<N>::from_slice(&one_more).is_none(), "more paths than the set has room for");
}

/// Each type read from a value beside the oracle, faults at the value's first byte.
fn same_typed(packet: &Packet<'_>, seen: &Seen) {
    fn same<'a, T: Decode<'a>, V: PartialEq + std::fmt::Debug>(
        packet: &Packet<'a>,
        seen: &Seen,
        expected: Option<V>,
        to: impl Fn(T) -> V,
    ) {
        let expected = expected.ok_or(Error::new(y3::ErrorKind::InvalidValue, seen.value.start as u64));
        assert_eq!(packet.to::<T>().map(to), expected, "{packet:x?} as {}", std::any::type_name::<T>());
    }
    let value = packet.value();
    let (nvar32, nvar64) = (oracle::nvar(value, 32), oracle::nvar(value, 64));
    let (pvar32, pvar64) = (oracle::pvar(value, 32), oracle::pvar(value, 64));
    same(packet, seen, nvar32, |v: i32| i128::from(v));
    same(packet, seen, nvar64, |v: i64| i128::from(v));
    same(packet, seen, nvar32.map(|v| oracle::unsigned(v, 32)), |v: u32| i128::from(v));
    same(packet, seen, nvar64.map(|v| oracle::unsigned(v, 64)), |v: u64| i128::from(v));
    same(packet, seen, pvar32, |PVar(v): PVar<i32>| i128::from(v));
    same(packet, seen, pvar64, |PVar(v): PVar<i64>| i128::from(v));
    same(packet, seen, pvar32.map(|v| oracle::unsigned(v, 32)), |PVar(v): PVar<u32>| i128::from(v));
    same(packet, seen, pvar64.map(|v| oracle::unsigned(v, 64)), |PVar(v): PVar<u64>| i128::from(v));
    same(packet, seen, oracle::float(value, 4), |v: f32| u64::from(v.to_bits()));
    same(packet, seen, oracle::float(value, 8), f64::to_bits);
    same(packet, seen, oracle::boolean(value), |v: bool| v);
    same(packet, seen, Some(value), |v: &[u8]| v);
    let text = match oracle::not_utf8(value) {
        Some(place) => Err(Error::new(y3::ErrorKind::InvalidUtf8, (seen.value.start + place) as u64)),
        None => Ok(value),
    };
    assert_eq!(packet.to::<&str>().map(str::as_bytes), text);
}

/// How a watched path comes from a tree: a packet's path, cut or led on, or keys at random.
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
    fn random_bytes_read_the_same(
        input in vec(byte(), 0..40),
        paths in vec(vec(prop::sample::select(vec![0u8, 1, 2, 3, 63]), 1..4), 1..=6),
        keys in keys(),
    ) {
        same(&input, &Watched { paths, keys });
    }

    #[test]
    fn valid_trees_read_the_same_and_a_watch_is_a_walk_and_a_filter(
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
    fn damaged_trees_read_the_same(
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
    fn cut_trees_are_watched_as_far_as_they_go(
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

proptest! {
    #![proptest_config(config(3000))]

    #[test]
    fn random_values_read_the_same_as_every_type(
        bytes in vec(prop_oneof![byte(), prop::sample::select(vec![0xe0, 0xf0, 0xf7, 0xf8, 0xfe])], 0..12),
    ) {
        let input = [&[0x01, u8::try_from(bytes.len()).unwrap()][..], &bytes].concat();
        same_typed(&Packet::from_slice(&input).unwrap(), &oracle::one(&input).unwrap());
    }

    /// PVarInts of the longest sizes: random bytes are hardly ever such.
    #[test]
    fn random_long_pvarints_read_the_same(groups in vec(any::<u8>(), 3..11), first in byte(), sign in any::<bool>()) {
        let mut bytes: Vec<u8> = groups.iter().map(|group| group | 0x80).collect();
        bytes[0] = first | 0x80;
        if sign {
            bytes[0] |= 0x78;
        }
        *bytes.last_mut().unwrap() &= 0x7f;
        let input = [&[0x01, u8::try_from(bytes.len()).unwrap()][..], &bytes].concat();
        same_typed(&Packet::from_slice(&input).unwrap(), &oracle::one(&input).unwrap());
    }

    #[test]
    fn a_key_set_holds_what_it_was_given(keys in vec(0..64u8, 0..10)) {
        let set = KeySet::new(&keys).unwrap();
        for key in 0..64 {
            prop_assert_eq!(set.contains(Key::new(key).unwrap()), keys.contains(&key));
        }
        prop_assert_eq!(set.is_empty(), keys.is_empty());
        prop_assert_eq!(keys.iter().filter_map(|&key| Key::new(key)).collect::<KeySet>(), set);
    }

    #[test]
    fn a_path_is_its_keys(keys in vec(0..64u8, 1..=8)) {
        let path = Path::new(&keys).unwrap();
        prop_assert_eq!(path.depth(), keys.len());
        prop_assert_eq!(path.keys().map(Key::get).collect::<Vec<_>>(), keys);
        prop_assert_eq!(path.to_string().parse::<Path>(), Ok(path));
    }
}

/// Needless leading groups and bytes, up to the widest that a type takes and past it.
#[test]
fn padded_numbers_read_the_same() {
    for power in 0..64 {
        for near in [-2, -1, 0, 1] {
            let number = (1i128 << power) + near;
            for number in [number, -number] {
                let (pvar, nvar) = (oracle::encode_pvar(number), oracle::encode_nvar(number));
                for padding in 0..12 {
                    let (group, byte) = if number < 0 { (0xff, 0xff) } else { (0x80, 0x00) };
                    for value in [[vec![group; padding], pvar.clone()], [vec![byte; padding], nvar.clone()]] {
                        let value = value.concat();
                        let input = [&[0x01, u8::try_from(value.len()).unwrap()][..], &value].concat();
                        same_typed(&Packet::from_slice(&input).unwrap(), &oracle::one(&input).unwrap());
                    }
                }
            }
        }
    }
}

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
fn every_short_input_reads_the_same() {
    let watched = Watched { paths: vec![vec![1], vec![1, 1], vec![0, 2]], keys: vec![1, 2] };
    let read = |input: &[u8]| {
        same_packets(input, &y3::packets(input), TOP, &watched);
        assert_eq!(
            Packet::from_slice(input).map(|packet| row(input, &packet)),
            oracle::one(input).map(|seen| seen.row())
        );
    };
    every_input(&[0x00, 0x01, 0x02, 0x40, 0x80, 0x81, 0x82, 0x87, 0xc1], 3, read);
    every_input(&[0x01, 0x02, 0x03, 0x80, 0x81], 5, read);
}

/// Every way to cut two nodes one in another and to break one byte of them, with a path to the innermost packet.
#[test]
fn every_damage_to_nested_nodes_reads_the_same() {
    let watched = Watched { paths: vec![vec![1, 2, 3], vec![1, 4], vec![1, 2]], keys: vec![3, 4] };
    let input =
        [0x81, 0x0e, 0x82, 0x05, 0x03, 0x00, 0x03, 0x01, 0x07, 0x04, 0x00, 0x82, 0x80, 0x01, 0x05, 0x00, 0x04, 0x00];
    for cut in 0..=input.len() {
        let input = &input[..cut];
        same(input, &watched);
        for place in 0..cut {
            for byte in (0..=16).chain([0x3f, 0x40, 0x7f, 0x80, 0x81, 0x82, 0x87, 0x88, 0xbf, 0xc0, 0xff]) {
                let mut damaged = input.to_vec();
                damaged[place] = byte;
                same_packets(&damaged, &y3::packets(&damaged), TOP, &watched);
            }
        }
    }
}
