//! Skip equals parse: skipping values and walking through them return the same siblings and the same error at the same
//! byte, except for errors inside the skipped values. `check` finds those errors.
//!
//! The bytes are the input, which is accepted if they are valid at every depth.

use y3::iter::{Packets, Walk};
use y3::{Error, KeySet, Packet, PathSet};

use crate::oracle::same::{all, drain, rows};
use crate::oracle::{self, Level, TOP};

pub fn property(bytes: &[u8]) -> bool {
    same(bytes, &y3::packets(bytes), TOP);
    for packet in y3::walk(bytes).map_while(Result::ok).filter(Packet::is_node) {
        let start = usize::try_from(packet.offset()).unwrap();
        let end = start + packet.as_bytes().len();
        let inside = Level { at: end - packet.value().len(), end: Some(end as u128), outermost: Some(start) };
        same(bytes, &packet.children(), inside);
    }
    y3::check(bytes).is_ok()
}

fn same(bytes: &[u8], packets: &Packets<'_>, level: Level) {
    let jumped = rows(bytes, packets.clone());
    assert_eq!(jumped, all(&oracle::siblings(bytes, level)), "the oracle's siblings");
    assert_eq!(rows(bytes, packets.clone().watch(KeySet::ALL)), jumped, "a watch of every key");
    // A watch of no keys reads the same headers.
    assert_eq!(drain(packets.clone().watch(KeySet::EMPTY)), (vec![], jumped.1), "a watch of no key");
    let nothing = PathSet::<1>::default();
    assert_eq!(drain(nothing.watch_packets(packets.clone())), (vec![], jumped.1), "a watch of no path");

    let (walked, fault) = walk(packets);
    let (siblings, then) = drain(packets.clone());
    let Some(fault) = fault else {
        assert_eq!((walked, None), (siblings, then), "a walk without a fault");
        return;
    };
    let Some(((last, before), same)) = walked.split_last().zip(siblings.get(..walked.len())) else {
        assert_eq!((walked, Some(fault)), (siblings, then), "an error in the first header");
        return;
    };
    assert_eq!(walked, same, "the packets of a walk before its error");
    assert!(before.iter().all(|packet| packet.check().is_ok()), "an error inside a packet is missed");
    if last.offset() < fault.offset() && fault.offset() < last.offset() + last.as_bytes().len() as u64 {
        assert_eq!(last.check(), Err(fault), "the error inside {last:x?}, which is skipped");
    } else {
        assert_eq!((walked.len(), Some(fault)), (siblings.len(), then), "an error in a header of this level");
        assert_eq!(last.check(), Ok(()), "an error inside a packet is missed");
    }
}

/// The packets of this level as a walk through all packets returns them, and the error that ends it.
fn walk<'a>(packets: &Packets<'a>) -> (Vec<Packet<'a>>, Option<Error>) {
    let mut walk = Walk::new(packets.clone());
    let mut outside = Vec::new();
    loop {
        match walk.next() {
            Some(Ok(packet)) if walk.depth() == 0 => outside.push(packet),
            Some(Ok(_)) => {}
            Some(Err(error)) => return (outside, Some(error)),
            None => return (outside, None),
        }
    }
}
