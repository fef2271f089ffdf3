//! Compares every way of reading an input with the oracle, and panics if they differ.

use y3::iter::{Packets, Walk};
use y3::{Decode, Error, Hit, KeySet, PVarInt, Packet, Path, PathSet, Pattern, Patterns};

use super::{self as oracle, Level, Read, Row, Seen, TOP};

/// The comparable part of a packet. Asserts that its slices lie at the right positions.
pub fn row(input: &[u8], packet: &Packet<'_>) -> Row {
    let offset = usize::try_from(packet.offset()).unwrap();
    let end = offset + packet.as_bytes().len();
    let value = end - packet.value().len()..end;
    // The same memory: equal bytes elsewhere are a copy.
    assert!(std::ptr::eq(packet.as_bytes(), &raw const input[offset..end]), "{packet:?} lies elsewhere");
    assert!(std::ptr::eq(packet.value(), &raw const input[value.clone()]), "the value of {packet:?} lies elsewhere");
    let tag = packet.tag().get();
    assert_eq!(packet.key().get(), tag & 0x3f);
    assert_eq!((packet.is_node(), packet.is_slice()), (tag >= 0x80, tag >= 0xc0));
    Row { tag, offset, value }
}

/// All items of an iterator, and the error at its end. After the end, every call must return nothing.
pub fn drain<T>(mut items: impl Iterator<Item = Result<T, Error>>) -> Read<T> {
    let mut seen = Vec::new();
    let then = loop {
        match items.next() {
            Some(Ok(item)) => seen.push(item),
            Some(Err(error)) => break Some(error),
            None => break None,
        }
        assert!(seen.len() < 1 << 20, "more items than any input here has bytes");
    };
    assert!((0..3).all(|_| items.next().is_none()), "an item follows the end");
    (seen, then)
}

pub fn rows<'a>(input: &[u8], packets: impl Iterator<Item = Result<Packet<'a>, Error>>) -> Read<Row> {
    let (packets, then) = drain(packets);
    (packets.iter().map(|packet| row(input, packet)).collect(), then)
}

pub fn hits<'a>(input: &[u8], hits: impl Iterator<Item = Result<Hit<'a>, Error>>) -> Read<(usize, Row)> {
    let (hits, then) = drain(hits);
    let hit = |hit: &Hit<'_>| {
        let packet = hit.packet();
        assert_eq!((hit.offset(), hit.value()), (packet.offset(), packet.value()));
        assert_eq!((hit.tag(), hit.key()), (packet.tag(), packet.key()));
        assert!(hit.children().eq(packet.children()));
        (hit.path_index(), row(input, &packet))
    };
    (hits.iter().map(hit).collect(), then)
}

pub fn only(read: &Read<Seen>, wanted: impl Fn(&Seen) -> bool) -> Read<Row> {
    (read.0.iter().filter(|seen| wanted(seen)).map(Seen::row).collect(), read.1)
}

pub fn all(read: &Read<Seen>) -> Read<Row> {
    only(read, |_| true)
}

/// Converts paths from the oracle's steps.
pub fn paths(steps: &[Vec<u8>]) -> Vec<Path> {
    steps.iter().map(|steps| path(steps)).collect()
}

pub fn path(steps: &[u8]) -> Path {
    let step = |step: &u8| if step & oracle::ANY != 0 { Path::ANY } else { Path::new(&[step & 0x3f]).unwrap() };
    let (last, others) = steps.split_last().unwrap();
    others.iter().rev().fold(step(last), |inside, outer| {
        let outer_path = step(outer);
        if outer & oracle::ENTERS != 0 { outer_path.enter(inside) } else { outer_path.join(inside) }.unwrap()
    })
}

/// An item of a watch: a path index and a row, or an error.
pub type Item = Result<(usize, Row), Error>;

/// All items of a watch, including errors in embedded packets.
pub fn items<'a>(input: &[u8], hits: impl Iterator<Item = Result<Hit<'a>, Error>>) -> Vec<Item> {
    hits.map(|hit| hit.map(|hit| (hit.path_index(), row(input, &hit.packet())))).collect()
}

/// The same items from the oracle.
pub fn expected_items(input: &[u8], level: Level, paths: &[Vec<u8>]) -> Vec<Item> {
    let (items, then) = oracle::watch_items(input, level, paths, y3::Limits::NONE);
    let items = items.into_iter().map(|item| item.map(|(path, seen)| (path, seen.row())));
    items.chain(then.map(Err)).collect()
}

pub fn path_set(keys: &[Vec<u8>]) -> PathSet<8> {
    PathSet::from_slice(&paths(keys)).unwrap()
}

/// The paths and keys to watch in a comparison.
#[derive(Clone, Debug)]
pub struct Watched {
    pub paths: Vec<Vec<u8>>,
    pub keys: Vec<u8>,
}

impl Watched {
    fn key_set(&self) -> KeySet {
        KeySet::new(&self.keys).unwrap()
    }

    fn paths(&self) -> Vec<Path> {
        paths(&self.paths)
    }
}

/// For each key a pattern of packets with the key at any depth; and a pattern that enters all nodes.
fn any_depth(keys: &[u8]) -> Patterns<Vec<Pattern>> {
    let anywhere = keys.iter().map(|key| format!("**/{key:02x}")).chain(["**/3f/3f/3f/3f/3f/3f/3f".to_owned()]);
    Patterns(anywhere.map(|text| text.parse().unwrap()).collect())
}

/// Compares every reader of `packets` with the oracle on the same `level` of the input.
pub fn same_packets(input: &[u8], packets: &Packets<'_>, level: Level, watched: &Watched) {
    let (keys, set) = (&watched.keys, watched.key_set());
    let siblings = oracle::siblings(input, level);
    assert_eq!(rows(input, packets.clone()), all(&siblings), "packets");
    assert_eq!(
        rows(input, packets.clone().watch(set)),
        only(&siblings, |seen| keys.contains(&seen.key())),
        "watch keys"
    );

    let walk = oracle::walk(input, level, 64, &|_| true);
    assert_eq!(rows(input, Walk::new(packets.clone())), all(&walk), "walk");
    assert_eq!(packets.clone().check().err(), walk.1, "check");
    // A watch enters a packet that is cut off; a walk does not.
    if siblings.1.is_none() {
        let patterns = any_depth(keys);
        let is_wanted =
            |hit: &Result<Hit<'_>, Error>| hit.is_err() || hit.is_ok_and(|hit| keys.contains(&hit.key().get()));
        let found = patterns.watch_packets(packets.clone()).filter(is_wanted).map(|hit| Ok(hit?.packet()));
        assert_eq!(rows(input, found), only(&walk, |seen| keys.contains(&seen.key())), "watch at any depth");
    }
    for max_depth in 0..=3 {
        same_walk(input, packets, level, max_depth);
    }

    let closed = |seen: &Seen| !keys.contains(&seen.key());
    let part = oracle::walk(input, level, 64, &closed);
    assert_eq!(rows(input, SkipInside { walk: Walk::new(packets.clone()), keys: set }), all(&part), "skip_children");

    let expected = expected_items(input, level, &watched.paths);
    let paths = path_set(&watched.paths);
    assert_eq!(items(input, paths.watch_packets(packets.clone())), expected, "watch");
    #[cfg(feature = "alloc")]
    {
        let paths: y3::Paths = watched.paths().into_iter().collect();
        assert_eq!(items(input, paths.watch_packets(packets.clone())), expected, "watch with an owned set");
    }
}

fn same_walk(input: &[u8], packets: &Packets<'_>, level: Level, max_depth: usize) {
    let (expected, then) = oracle::walk(input, level, max_depth, &|_| true);
    // The walk counts depth from its first packets, and so do the oracle's paths.
    let expected: Vec<_> = expected.iter().map(|seen| (seen.path.len() - 1, seen.row())).collect();
    let mut walk = Walk::new(packets.clone()).with_max_depth(max_depth);
    let mut seen = Vec::new();
    while let Some(Ok(packet)) = walk.next() {
        seen.push((walk.depth(), row(input, &packet)));
    }
    assert_eq!(seen, expected, "walk with depths, limit {max_depth}");
    assert_eq!(drain(Walk::new(packets.clone()).with_max_depth(max_depth)).1, then, "walk, limit {max_depth}");
}

/// A walk that skips the contents of nodes with some keys.
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

/// Compares every way of reading an input with the oracle.
pub fn same(input: &[u8], watched: &Watched) {
    same_packets(input, &y3::packets(input), TOP, watched);
    assert_eq!(y3::check(input).err(), oracle::walk(input, TOP, 64, &|_| true).1);
    assert_eq!(rows(input, y3::walk(input)), rows(input, Walk::new(y3::packets(input))));
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
            let value = packet.get::<&[u8]>(key);
            let expected = oracle::find(input, &seen, key).and_then(|found| match found {
                Some(seen) if seen.is_node() => Err(Error::new(y3::ErrorKind::NotAPrimitive, seen.offset as u64)),
                found => Ok(found.map(|seen| &input[seen.value])),
            });
            assert_eq!(value, expected, "get {key}");
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
        same_packets(whole, &packet.embedded(), Level { at: seen.value.start, ..TOP }, watched);
        same_typed(&packet, &seen);
    }
}

/// The first `N` paths as a set from an array, from a slice, and from a slice shorter than the set's capacity.
fn same_path_set<const N: usize>(input: &[u8], paths: &[Path]) {
    let Some(paths) = paths.first_chunk::<N>() else {
        assert!(PathSet::<N>::from_slice(paths).is_some());
        return;
    };
    let expected = items(input, PathSet::new(*paths).watch(input));
    assert_eq!(items(input, PathSet::<N>::from_slice(paths).unwrap().watch(input)), expected, "new and from_slice");
    assert_eq!(items(input, PathSet::<8>::from_slice(paths).unwrap().watch(input)), expected, "with room to spare");
    let one_more = [&paths[..], &paths[..1]].concat();
    assert!(PathSet::<N>::from_slice(&one_more).is_none(), "more paths than the set has room for");
    for hit in PathSet::new(*paths).watch(input).map_while(Result::ok) {
        assert_eq!(PathSet::new(*paths).get(hit.path_index()), Some(paths[hit.path_index()]));
    }
}

/// The offset of the first packet at each path, or the error.
type Slots = Result<Vec<Option<u64>>, Error>;

/// Compares the first hits of each packet, and all hits, with a watch of that packet as an input of its own.
pub fn same_slots(input: &[u8], paths: &[Vec<u8>]) {
    let set = path_set(paths);
    let expected = y3::packets(input).map(|packet| {
        packet.and_then(|packet| {
            let mut slots = vec![None; 8];
            for hit in set.watch(packet.as_bytes()) {
                let hit = hit.map_err(|error| Error::new(error.kind(), error.offset() + packet.offset()))?;
                slots[hit.path_index()].get_or_insert(hit.offset() + packet.offset());
            }
            Ok(slots)
        })
    });
    let expected: Vec<Slots> = expected.collect();
    let offsets = |slots: &[Option<Packet<'_>>]| slots.iter().map(|slot| slot.map(|packet| packet.offset())).collect();
    let mut slots = [None; 8];
    let found = y3::packets(input).map(|packet| set.fill(packet?, &mut slots).map(|()| offsets(&slots)));
    assert_eq!(found.collect::<Vec<Slots>>(), expected, "slots");
    #[cfg(feature = "alloc")]
    {
        let owned: y3::Paths = set.iter().collect();
        let found = y3::packets(input).map(|packet| owned.fill(packet?, &mut slots).map(|()| offsets(&slots)));
        assert_eq!(found.collect::<Vec<Slots>>(), expected, "slots of an owned set");
    }
    for packet in y3::packets(input).map_while(Result::ok) {
        let moved: Vec<_> =
            set.watch_packets(packet).map(|hit| hit.map(|hit| hit.offset() - packet.offset()).ok()).collect();
        let alone: Vec<_> = set.watch(packet.as_bytes()).map(|hit| hit.map(|hit| hit.offset()).ok()).collect();
        assert_eq!(moved, alone, "a watch of one packet");
    }
}

/// Compares each type read from a packet with the oracle. A node is none of the types; errors are at the value's first
/// byte.
pub fn same_typed(packet: &Packet<'_>, seen: &Seen) {
    fn same<'a, T: Decode<'a>, V: PartialEq + std::fmt::Debug>(
        packet: &Packet<'a>,
        seen: &Seen,
        expected: Option<V>,
        to: impl Fn(T) -> V,
    ) {
        let expected = match expected {
            _ if seen.is_node() => Err(Error::new(y3::ErrorKind::NotAPrimitive, seen.offset as u64)),
            expected => expected.ok_or(Error::new(y3::ErrorKind::InvalidValue, seen.value.start as u64)),
        };
        assert_eq!(packet.decode::<T>().map(to), expected, "{packet:x?} as {}", std::any::type_name::<T>());
    }
    let value = packet.value();
    let (nvar32, nvar64) = (oracle::nvar(value, 32), oracle::nvar(value, 64));
    let (pvar32, pvar64) = (oracle::pvar(value, 32), oracle::pvar(value, 64));
    same(packet, seen, nvar32, |v: i32| i128::from(v));
    same(packet, seen, nvar64, |v: i64| i128::from(v));
    same(packet, seen, nvar32.map(|v| oracle::unsigned(v, 32)), |v: u32| i128::from(v));
    same(packet, seen, nvar64.map(|v| oracle::unsigned(v, 64)), |v: u64| i128::from(v));
    same(packet, seen, pvar32, |PVarInt(v): PVarInt<i32>| i128::from(v));
    same(packet, seen, pvar64, |PVarInt(v): PVarInt<i64>| i128::from(v));
    same(packet, seen, pvar32.map(|v| oracle::unsigned(v, 32)), |PVarInt(v): PVarInt<u32>| i128::from(v));
    same(packet, seen, pvar64.map(|v| oracle::unsigned(v, 64)), |PVarInt(v): PVarInt<u64>| i128::from(v));
    let within = |v: Option<i128>, least: i128, most: i128| v.filter(|v| (least..=most).contains(v));
    let (unsigned32, unsigned64) = (nvar32.map(|v| oracle::unsigned(v, 32)), nvar64.map(|v| oracle::unsigned(v, 64)));
    same(packet, seen, within(nvar32, -0x80, 0x7f), |v: i8| i128::from(v));
    same(packet, seen, within(nvar32, -0x8000, 0x7fff), |v: i16| i128::from(v));
    same(packet, seen, within(unsigned32, 0, 0xff), |v: u8| i128::from(v));
    same(packet, seen, within(unsigned32, 0, 0xffff), |v: u16| i128::from(v));
    same(packet, seen, within(unsigned64, 0, usize::MAX as i128), |v: usize| v as i128);
    same(packet, seen, within(nvar64, isize::MIN as i128, isize::MAX as i128), |v: isize| v as i128);
    same(packet, seen, within(pvar32, -0x80, 0x7f), |PVarInt(v): PVarInt<i8>| i128::from(v));
    same(packet, seen, oracle::float(value, 4), |v: f32| u64::from(v.to_bits()));
    same(packet, seen, oracle::float(value, 8), f64::to_bits);
    same(packet, seen, oracle::boolean(value), |v: bool| v);
    same(packet, seen, Some(value), |v: &[u8]| v);
    same(packet, seen, value.first_chunk().filter(|_| value.is_empty()).copied(), |v: [u8; 0]| v);
    same(packet, seen, value.first_chunk().filter(|_| value.len() == 1).copied(), |v: [u8; 1]| v);
    same(packet, seen, value.first_chunk().filter(|_| value.len() == 4).copied(), |v: [u8; 4]| v);
    let text = match oracle::not_utf8(value) {
        _ if seen.is_node() => Err(Error::new(y3::ErrorKind::NotAPrimitive, seen.offset as u64)),
        Some(place) => Err(Error::new(y3::ErrorKind::InvalidUtf8, (seen.value.start + place) as u64)),
        None => Ok(value),
    };
    assert_eq!(packet.decode::<&str>().map(str::as_bytes), text);
    if let (Ok(text), Ok(bytes)) = (packet.decode::<&str>(), packet.decode::<&[u8]>()) {
        assert!([text.as_bytes(), bytes].into_iter().all(|part| std::ptr::eq(part, packet.value())), "a copy");
    }
    #[cfg(feature = "alloc")]
    {
        same(packet, seen, Some(value.to_vec()), |v: Vec<u8>| v);
        assert_eq!(packet.decode::<String>().map(String::into_bytes), text.map(<[u8]>::to_vec));
    }
}

/// Compares a batch with its inputs one by one, for these paths and for these paths after a path of one key. A batch
/// takes inputs in turns from 256 bytes on, and skips differently from 1,024 bytes on, so each input is also read after
/// that many bytes in a node.
pub fn same_batch(batch: &[&[u8]], paths: &[Vec<u8>]) {
    same_first(batch, paths);
    let inside: Vec<Vec<u8>> =
        paths.iter().filter(|path| path.len() < 8).map(|path| [&[0x01], &path[..]].concat()).collect();
    for filler in [300, 1100] {
        let long: Vec<Vec<u8>> = batch.iter().map(|input| after(filler, input)).collect();
        same_first(&long.iter().map(Vec::as_slice).collect::<Vec<_>>(), &inside);
    }
}

/// The node 01 with a primitive 3d of length `filler` followed by `bytes`.
fn after(filler: usize, bytes: &[u8]) -> Vec<u8> {
    let packet = |tag: u8, value: &[u8]| {
        let mut front = [0; y3::Header::MAX_SIZE];
        let header = y3::Header::new(y3::Tag::from(tag), value.len()).unwrap();
        [header.encode(&mut front), value].concat()
    };
    packet(0x81, &[&packet(0x3d, &vec![0; filler]), bytes].concat())
}

fn same_first(batch: &[&[u8]], paths: &[Vec<u8>]) {
    let shallow: Vec<Vec<u8>> = [vec![0x3e]].into_iter().chain(paths.iter().cloned()).take(8).collect();
    for set in [path_set(paths), path_set(&shallow)] {
        let first: Vec<_> = batch.iter().map(|input| vec![set.watch(input).next()]).collect();
        let mut told = vec![Vec::new(); batch.len()];
        y3::batch::first_each(&set, batch.iter().copied(), |index, item| told[index].push(item));
        assert_eq!(told, first);
    }
}

/// Compares batches of an input, of its top-level packets, and of the same packets without their last byte, repeated.
pub fn same_batches(input: &[u8], paths: &[Vec<u8>]) {
    let mut batch = vec![input];
    for packet in y3::packets(input).flatten() {
        let bytes = packet.as_bytes();
        batch.extend([bytes, &bytes[..bytes.len() - 1]]);
    }
    batch.truncate(32);
    for inputs in 0..=batch.len().min(7) {
        same_batch(&batch[..inputs], paths);
    }
    same_batch(&batch.repeat(2), paths);
}
