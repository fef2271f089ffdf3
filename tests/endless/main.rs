//! A watcher reads an endless stream without allocating, and its memory does not grow. The stream has packets of every
//! size, generated on demand, each with one watched value of eight bytes. It is 64 MiB long; the environment variable
//! `Y3_STREAM_GIB=1` sets its length in GiB.

#[path = "../alloc/counting.rs"]
mod counting;

use counting::allocations;
use y3::{Event, Limits, PathSet, Watcher, path};

const WATCHED: PathSet<1> = PathSet::new([path!(0x01, 0x11)]);

/// A packet of about `len` bytes with its watched value in the middle.
fn packet(len: usize, number: u64) -> Vec<u8> {
    let mut room = vec![0; len + 64];
    let mut sink = y3::SliceSink::new(&mut room);
    y3::Encoder::new(&mut sink)
        .node(0x01, |node| {
            node.put(0x10, &vec![0x11u8; len / 2][..])?;
            node.put(0x11, &number.to_be_bytes()[..])?;
            node.put(0x12, &vec![0x81u8; len / 2][..])
        })
        .unwrap();
    sink.written().to_vec()
}

/// The resident memory in KiB, if the system reports it.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.trim().parse().ok())
}

fn total() -> u64 {
    // Miri is a thousand times slower, so it reads less.
    let default = if cfg!(miri) { 2 << 20 } else { 64 << 20 };
    std::env::var("Y3_STREAM_GIB").map_or(default, |gib| gib.parse::<u64>().unwrap() << 30)
}

#[test]
fn an_endless_stream_needs_no_memory() {
    let total = total();
    let packets: Vec<_> = [16, 100, 5_000, 70_000, 1 << 20].iter().zip(0..).map(|(len, n)| packet(*len, n)).collect();
    for chunk in [1 << 10, 16 << 10, 64 << 10] {
        let mut watcher = Watcher::new(&WATCHED, Limits::DEFAULT);
        let (mut fed, mut hits, mut value) = (0u64, 0u64, ([0u8; 8], 0));
        let before = resident();
        let count = allocations(|| {
            for packet in packets.iter().cycle() {
                for part in packet.chunks(chunk) {
                    for event in watcher.feed(part) {
                        match event.unwrap() {
                            Event::Hit(hit) => {
                                value.0.copy_from_slice(hit.value());
                                value.1 = 8;
                            }
                            Event::Start { header, .. } => assert_eq!(header.value_len(), 8),
                            Event::Data { bytes, .. } => {
                                value.0[value.1..value.1 + bytes.len()].copy_from_slice(bytes);
                                value.1 += bytes.len();
                            }
                            Event::End { .. } => {}
                            other => panic!("{other:?}"),
                        }
                        if value.1 == 8 {
                            assert_eq!(u64::from_be_bytes(value.0), hits % 5);
                            (hits, value) = (hits + 1, ([0; 8], 0));
                        }
                    }
                }
                fed += packet.len() as u64;
                if fed >= total {
                    break;
                }
            }
        });
        assert_eq!(count, 0, "allocations");
        assert_eq!((watcher.offset(), watcher.finish()), (fed, Ok(())));
        assert!(hits > fed / (1 << 20));
        if let (Some(before), Some(after)) = (before, resident()) {
            assert!(after < before + 1024, "resident memory went from {before} to {after} KiB");
        }
    }
}

/// Reads byte by byte, with errors, skips and resumes.
#[test]
fn no_way_through_the_watcher_allocates() {
    let input = [0x81, 0x05, 0x11, 0x01, 0x07, 0x10, 0x00, 0x81, 0x03, 0x11, 0x7f, 0x00, 0x02, 0xbf, 0x7f];
    let count = allocations(|| {
        let mut watcher = Watcher::new(&WATCHED, Limits::DEFAULT);
        for byte in &input {
            let mut events = watcher.feed(std::slice::from_ref(byte));
            while let Some(event) = events.next() {
                if event.is_err() {
                    assert!(events.resume());
                }
            }
        }
        assert_eq!(watcher.skip(watcher.skip_hint()), 8191);
        assert_eq!(watcher.finish(), Ok(()));
    });
    assert_eq!(count, 0);
}

/// The buffer of the collector grows to the longest split hit and no further.
#[test]
#[cfg(feature = "alloc")]
fn the_buffer_for_split_hits_is_used_again() {
    let mut collector = y3::Collector::new(&WATCHED, Limits::DEFAULT);
    let packets: Vec<_> = [16, 100, 5_000, 70_000].iter().zip(0..).map(|(len, n)| packet(*len, n)).collect();
    let run = |collector: &mut y3::Collector<&PathSet<1>>| {
        let mut hits = 0;
        for packet in packets.iter().cycle().take(400) {
            for part in packet.chunks(7) {
                let mut found = collector.feed(part);
                while let Some(hit) = found.next_hit() {
                    assert_eq!(hit.unwrap().value().len(), 8);
                    hits += 1;
                }
            }
        }
        assert_eq!(hits, 400);
    };
    run(&mut collector);
    let count = allocations(|| run(&mut collector));
    assert!(count == 0 && collector.capacity() <= 64, "{count} allocations, {} bytes", collector.capacity());
}
