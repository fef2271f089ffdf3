//! Paths that cross primitives or have any key.

use super::*;

/// A primitive with these bytes, and one with a hit for 02:11.
fn frames(payload: &[u8]) -> Vec<u8> {
    [&[0x02, u8::try_from(payload.len()).unwrap()], payload, &[0x02, 0x03, 0x11, 0x01, 0x07]].concat()
}

#[test]
fn path_5() {
    rows("PATH-5");
    // Anything at all in a node where a path enters, and in a primitive where it does not.
    every_small_input(|value| {
        let len = u8::try_from(value.len()).unwrap();
        for (tag, path) in [(0x82, y3::path!(0x02 => 0x00)), (0xc2, y3::path!(0x02 => *)), (0x02, y3::path!(0x02, *))] {
            assert_eq!(PathSet::new([path]).watch(&[&[tag, len], value].concat()).count(), 0, "{path} {}", hex(value));
        }
    });
}

#[test]
fn path_6() {
    rows("PATH-6");
    for key in 0..64 {
        let bytes = [0x80 | key, 0x02, key, 0x00];
        for (path, count) in [(y3::path!(*), 1), (y3::path!(*, *), 1), (y3::path!(*, *, *), 0)] {
            assert_eq!(PathSet::new([path]).watch(&bytes).count(), count, "{path} {}", hex(&bytes));
        }
    }
}

#[test]
fn path_7() {
    rows("PATH-7");
    let paths = [y3::path!(*, 0x02), y3::path!(0x01, *), y3::path!(*, *), y3::path!(0x01, 0x02)];
    for first in 0..paths.len() {
        let set = PathSet::<4>::from_slice(&paths[first..]).unwrap();
        let hits: Vec<_> = set.watch(&[0x81, 0x02, 0x02, 0x00]).map(|hit| hit.unwrap().path_index()).collect();
        assert_eq!(hits, [0]);
    }
}

#[test]
fn skip_9() {
    rows("SKIP-9");
    // Of embedded packets a path gives what it gives of these bytes alone, but for nodes that their end cuts.
    let (across, inside) = (PathSet::new([y3::path!(0x02 => 0x01)]), PathSet::new([y3::path!(0x01)]));
    every_small_input(|payload| {
        let bytes = frames(payload);
        let entered: Vec<_> = across.watch(&bytes).map(|hit| hit.map(|hit| hit.packet())).collect();
        let packet = packets(&bytes).next().unwrap().unwrap();
        let alone = inside.watch_packets(packet.embedded()).map(|hit| hit.map(|hit| hit.packet()));
        assert!(alone.eq(entered), "{}", hex(payload));
    });
}

#[test]
fn skip_10() {
    rows("SKIP-10");
    // Whatever is embedded, the hit after it comes.
    for path in [y3::path!(0x02 => 0x11), y3::path!(0x02 => *), y3::path!(* => 0x11)] {
        every_small_input(|payload| {
            let bytes = frames(payload);
            let last = PathSet::new([path]).watch(&bytes).last().unwrap().unwrap();
            assert_eq!(last.offset(), bytes.len() as u64 - 3, "{}", hex(payload));
        });
    }
}

#[test]
fn skip_11() {
    rows("SKIP-11");
    // Whatever else is in a primitive that the input cuts short: the end of the input is the last that is reported, and once.
    let set = path_set(&[vec![0x02 | oracle::ENTERS, 0x11]]);
    every_small_input(|embedded| {
        let bytes = [&[0x02, 0x3f], embedded].concat();
        let faults: Vec<_> = set.watch(&bytes).filter_map(Result::err).map(fault).collect();
        let end = (ErrorKind::UnexpectedEnd, 0);
        assert_eq!(
            (faults.last(), faults.iter().filter(|fault| **fault == end).count()),
            (Some(&end), 1),
            "{}",
            hex(&bytes)
        );
        assert!(faults.len() <= 2, "{}", hex(&bytes));
    });
}
