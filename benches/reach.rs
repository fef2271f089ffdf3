//! Reach: sets of 1 to 4,096 paths, constant and owned, and paths that enter embedded packets beside two watches by hand, over a recorded
//! session.

use criterion::{Criterion, criterion_group, criterion_main};
use kit::bench::{Group, standard, time};
use kit::{Sum, hand};
use y3::{Path, PathSet, Paths, path};

/// 2,003 frames. 2,000 of them carry a payload with one reading.
const RECORDING: &[u8] = include_bytes!("../tests/data/noise.y3");
const FRAMES: usize = 2000;

const PAYLOAD: PathSet<1> = PathSet::new([path!(0x3f, 0x02)]);
const NOISE: PathSet<1> = PathSet::new([path!(0x01, 0x10, 0x11)]);
const ENTERING: PathSet<1> = PathSet::new([path!(0x3f, 0x02 => 0x01, 0x10, 0x11)]);
const CHUNK: usize = 4096;

/// The path at an index: the first is the payload's. The others begin in the same frames and lead to no packet.
const fn path_at(index: usize) -> Path {
    let [low, high, ..] = (index % 4096).to_le_bytes();
    match Path::new(&[0x3f, high << 2 | low >> 6, low & 0x3f]) {
        Some(path) if index > 0 => path,
        _ => path!(0x3f, 0x02),
    }
}

const fn set<const N: usize>() -> PathSet<N> {
    let mut paths = [path_at(0); N];
    let mut index = 0;
    while index < N {
        paths[index] = path_at(index);
        index += 1;
    }
    PathSet::new(paths)
}

fn constant<const N: usize>(group: &mut Group<'_>, want: Sum) {
    let set = const { set::<N>() };
    time(group, &format!("constant, {N} paths"), RECORDING, want, |input| Sum::of_hits(set.watch(input)));
    owned(group, N, want);
    let spare = PathSet::<N>::from_slice(&[path_at(0)]).expect("there is room");
    time(group, &format!("one path, room for {N}"), RECORDING, want, |input| Sum::of_hits(spare.watch(input)));
}

fn owned(group: &mut Group<'_>, count: usize, want: Sum) {
    let paths: Paths = (0..count).map(path_at).collect();
    time(group, &format!("owned, {count} paths"), RECORDING, want, |input| Sum::of_hits(paths.watch(input)));
}

fn sets(criterion: &mut Criterion) {
    let want = by_hand(RECORDING, Some);
    assert_eq!(want.values, FRAMES);
    let mut group = criterion.benchmark_group("reach/sets");
    constant::<1>(&mut group, want);
    constant::<8>(&mut group, want);
    constant::<64>(&mut group, want);
    constant::<200>(&mut group, want);
    owned(&mut group, 4096, want);
    group.finish();
}

/// The payload of each frame, and what is taken of it.
#[inline(always)]
fn by_hand<'a>(input: &'a [u8], take: impl Fn(&'a [u8]) -> Option<&'a [u8]>) -> Sum {
    let (mut sum, mut rest) = (Sum::default(), input);
    while !rest.is_empty() {
        let (tag, value, after) = hand::packet(rest).expect("the recording has no faults");
        let payload = if tag == 0xbf { hand::find(value, &[0x02]).expect("no faults") } else { None };
        if let Some(value) = payload.and_then(&take) {
            sum.add(value);
        }
        rest = after;
    }
    sum
}

fn embedded(criterion: &mut Criterion) {
    let find = |input: &[u8]| by_hand(input, |payload| hand::find(payload, &[0x01, 0x10, 0x11]).expect("no faults"));
    let want = find(RECORDING);
    assert_eq!(want.values, FRAMES);
    let owned: Paths = ENTERING.iter().collect();
    let mut group = criterion.benchmark_group("reach/embedded");
    time(&mut group, "hand, first reading", RECORDING, want, find);
    time(&mut group, "y3 two watches", RECORDING, want, |input| {
        let mut sum = Sum::default();
        for hit in PAYLOAD.watch(input) {
            let payload = hit.expect("no faults").packet().embedded();
            for reading in NOISE.watch_packets(payload) {
                sum.add(reading.expect("no faults").value());
            }
        }
        sum
    });
    time(&mut group, "y3 one path", RECORDING, want, |input| Sum::of_hits(ENTERING.watch(input)));
    time(&mut group, "y3 one path, owned", RECORDING, want, |input| Sum::of_hits(owned.watch(input)));
    time(&mut group, "y3 one path, packet by packet", RECORDING, want, |input| {
        let (mut sum, mut slots) = (Sum::default(), [None]);
        for packet in y3::packets(input) {
            ENTERING.fill(packet.expect("no faults"), &mut slots).expect("no faults");
            if let [Some(noise)] = slots {
                sum.add(noise.value());
            }
        }
        sum
    });
    time(&mut group, "y3 one path, chunks of 4 KiB", RECORDING, want, |input| Sum::of_chunks(&ENTERING, input, CHUNK));
    group.finish();
}

criterion_group!(name = reach; config = standard(); targets = sets, embedded);
criterion_main!(reach);
