//! Reach: watches 1 to 4,096 paths in a recorded session, with constant and owned sets. Also reads embedded packets
//! with one path, and with two watches.

use std::hint::black_box;

use kit::bench::{Cases, Throughput, main as bench, standard};
use kit::{Sum, hand};
use y3::{Path, PathSet, Paths, path};

/// The number of readings. The session has 2,003 frames, and 2,000 of them have a payload with one reading.
const RECORDING: &[u8] = include_bytes!("../tests/data/noise.y3");
const FRAMES: usize = 2000;

const PAYLOAD: PathSet<1> = PathSet::new([path!(0x3f, 0x02)]);
const NOISE: PathSet<1> = PathSet::new([path!(0x01, 0x10, 0x11)]);
const ENTERING: PathSet<1> = PathSet::new([path!(0x3f, 0x02 => 0x01, 0x10, 0x11)]);
const CHUNK: usize = 4096;

pub fn cases(cases: &mut impl Cases) {
    sets(cases);
    embedded(cases);
}

/// The path at an index. The first path is that of the payload. The others begin in the same frames and match no
/// packet.
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

fn sets(cases: &mut impl Cases) {
    let want: Sum = payloads().collect();
    assert_eq!(want.values, FRAMES);
    cases.group("reach/sets", Throughput::Bytes(RECORDING.len() as u64));
    macro_rules! watched {
        ($name:literal, $count:expr, $set:expr) => {{
            let name = format!($name, $count);
            cases.case(&name, &want, || Sum::of_hits($set.watch(black_box(RECORDING))));
            cases.case(format!("{name}, chunks of 4 KiB"), &want, || Sum::of_chunks($set, black_box(RECORDING), CHUNK));
        }};
    }
    macro_rules! sets {
        ($($count:literal)*) => {$(
            let owned: Paths = (0..$count).map(path_at).collect();
            let spare = PathSet::<$count>::from_slice(&[path_at(0)]).expect("there is room");
            watched!("constant, {} paths", $count, const { &set::<$count>() });
            watched!("owned, {} paths", $count, &owned);
            watched!("one path, room for {}", $count, &spare);
        )*};
    }
    sets!(1 8 64 200);
    let (large, owned): (_, Paths) = (set::<4096>(), (0..4096).map(path_at).collect());
    watched!("not owned, {} paths", 4096, &large);
    watched!("owned, {} paths", 4096, &owned);
}

/// The payload of each frame, found by hand.
#[inline(always)]
fn payloads() -> impl Iterator<Item = &'static [u8]> {
    let frames = hand::packets(black_box(RECORDING)).filter(|(tag, _)| *tag == 0xbf);
    frames.filter_map(|(_, frame)| hand::find(frame, &[0x02]).expect("no faults"))
}

fn embedded(cases: &mut impl Cases) {
    let find = || payloads().filter_map(|payload| hand::find(payload, &[0x01, 0x10, 0x11]).expect("no faults"));
    let want: Sum = find().collect();
    assert_eq!(want.values, FRAMES);
    let owned: Paths = ENTERING.iter().collect();
    let input = || black_box(RECORDING);
    cases.group("reach/embedded", Throughput::Bytes(RECORDING.len() as u64));
    cases.case("hand, first reading", &want, || find().collect::<Sum>());
    cases.case("y3 two watches", &want, || {
        let mut sum = Sum::default();
        for hit in PAYLOAD.watch(input()) {
            let payload = hit.expect("no faults").packet().embedded();
            for reading in NOISE.watch_packets(payload) {
                sum.add(reading.expect("no faults").value());
            }
        }
        sum
    });
    cases.case("y3 one path", &want, || Sum::of_hits(ENTERING.watch(input())));
    cases.case("y3 one path, owned", &want, || Sum::of_hits(owned.watch(input())));
    cases.case("y3 one path, packet by packet", &want, || {
        let (mut sum, mut slots) = (Sum::default(), [None]);
        for packet in y3::packets(input()) {
            ENTERING.fill(packet.expect("no faults"), &mut slots).expect("no faults");
            if let [Some(noise)] = slots {
                sum.add(noise.value());
            }
        }
        sum
    });
    cases.case("y3 one path, chunks of 4 KiB", &want, || Sum::of_chunks(&ENTERING, input(), CHUNK));
}

#[allow(dead_code, reason = "the package `counts` has these cases too")]
fn main() {
    bench(standard(), cases);
}
