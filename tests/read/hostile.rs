//! Hostile nesting and numbers of packets: no reader needs stack for each level, or more than a step for each packet.
//!
//! In: 100,000 nodes one in another, and 524,288 packets. Out: what each reader gives, on a stack of 64 KiB.

use std::thread;

use testkit::oracle::packed;
use y3::{ErrorKind, Packet, Path, PathSet, Patterns, check, keys, packets, path, walk};

/// A tenth under Miri, which is a thousand times slower.
const DEEP: usize = if cfg!(miri) { 10_000 } else { 100_000 };

/// Runs on a stack that one call for each level would overflow.
fn on_a_small_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| thread::Builder::new().stack_size(64 << 10).spawn_scoped(scope, run).unwrap().join().unwrap())
}

/// That many nodes with key 1 around some bytes. Each is written backwards, so that none is moved.
fn nest(nodes: usize, inside: &[u8]) -> Vec<u8> {
    let mut backwards: Vec<u8> = inside.iter().rev().copied().collect();
    for _ in 0..nodes {
        let header = y3::Header::new(y3::Tag::from(0x81), backwards.len()).unwrap();
        backwards.extend(header.encode(&mut [0; y3::Header::MAX_SIZE]).iter().rev());
    }
    backwards.reverse();
    backwards
}

#[test]
fn deep_nesting_needs_no_stack_and_ends_at_the_64th_node_where_all_is_read() {
    const ALONG: PathSet<2> = PathSet::new([path!(1, 1, 1, 1, 1, 1, 1, 1), path!(1)]);
    for inside in [&packed(0x02, &[7])[..], &[0x02, 0x7f], &[]] {
        let bytes = nest(DEEP, inside);
        let innermost =
            (0..64).fold(Packet::from_slice(&bytes).unwrap(), |packet, _| packet.children().next().unwrap().unwrap());
        on_a_small_stack(|| {
            let limit = check(&bytes).unwrap_err();
            assert_eq!((limit.kind(), limit.offset()), (ErrorKind::DepthLimit, innermost.offset()));
            let walked: Vec<_> = walk(&bytes).map(|packet| packet.map(drop)).collect();
            assert_eq!((walked.len(), walked[64]), (65, Err(limit)));
            let searched: Vec<_> =
                Patterns(["**/02".parse().unwrap()]).watch(&bytes).map(|hit| hit.map(drop)).collect();
            assert_eq!(searched, [Err(limit)]);
            // A watch goes no deeper than its paths, and a look-up one step.
            assert_eq!(ALONG.watch(&bytes).map(Result::unwrap).map(|hit| hit.path_index()).collect::<Vec<_>>(), [1, 0]);
            assert_eq!(packets(&bytes).watch(keys![1]).map(Result::unwrap).count(), 1);
        });
    }
}

#[test]
fn a_look_up_and_a_watch_go_down_100_000_levels_step_by_step() {
    let bytes = nest(DEEP, &packed(0x02, &[7]));
    on_a_small_stack(|| {
        let (mut packet, mut steps) = (Packet::from_slice(&bytes).unwrap(), 1);
        while let Some(inner) = packet.find(0x01).unwrap() {
            (packet, steps) = (inner, steps + 1);
        }
        assert_eq!((steps, packet.get(0x02)), (DEEP, Ok(Some(7))));
        let eight = PathSet::new([Path::new(&[1; 8]).unwrap()]);
        let (mut level, mut levels) = (packets(&bytes), 0);
        while let Some(hit) = eight.watch_packets(level.clone()).next() {
            (level, levels) = (hit.unwrap().packet().children(), levels + 8);
        }
        assert_eq!(levels, DEEP);
    });
}

#[test]
fn the_smallest_packet_is_two_bytes() {
    // Less under Miri, which is a thousand times slower.
    let len = if cfg!(miri) { 1 << 10 } else { 1 << 20 };
    let bytes = vec![0; len];
    assert_eq!(packets(&bytes).map(Result::unwrap).count(), len / 2);
    assert!(check(&bytes).is_ok() && packets(&[0]).next().unwrap().is_err());
    // A size hint counts bytes that are there, never a length from the wire.
    assert_eq!(packets(&bytes).size_hint(), (1, Some(len / 2)));
    assert!(packets(&[0x01, 0x87, 0xff, 0xff, 0xff, 0x7f]).size_hint().1.unwrap() <= 3);
}
