//! Compares a hint with the watch of the same paths, packet by packet over a history of packets. It panics where the
//! hint yields anything else, and returns the number of hits.

use y3::hint::Hint;
use y3::{Error, Hit, Path, PathSet, WatchedPaths};

/// Hits and errors. Errors in embedded packets do not end a watch.
type Items<'a> = Vec<Result<Hit<'a>, Error>>;

/// Changes one byte of a packet. The hint then takes only this many items from the changed packet.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    pub place: usize,
    pub bits: u8,
    pub taken: usize,
    /// True if the change starts from the original packet, false if from the packet after the earlier changes.
    pub to_first: bool,
}

/// Reads a packet, then for each change the changed packet twice and the packet before it again. Nothing that a hint
/// remembers may change what it yields, nor may an iterator that is dropped early.
pub fn same_after_any_history(paths: &[Path], packet: &[u8], changes: &[Change]) -> usize {
    let set = PathSet::<8>::from_slice(paths).expect("at most eight paths");
    let single = PathSet::<1>::from_slice(paths);
    let (mut hint, mut one) = (Hint::new(&set), single.as_ref().map(Hint::new));
    let mut hits = 0;
    let mut each = |bytes: &[u8], taken| {
        let want: Items<'_> = set.watch(bytes).collect();
        hits += want.iter().filter(|item| item.is_ok()).count();
        same(&mut hint, bytes, &want, taken);
        if let Some((one, single)) = one.as_mut().zip(single.as_ref()) {
            same(one, bytes, &single.watch(bytes).collect(), taken);
        }
    };
    each(packet, usize::MAX);
    each(packet, 1);
    let mut last = packet.to_vec();
    for change in changes {
        let mut next = if change.to_first { packet.to_vec() } else { last.clone() };
        let place = change.place % next.len().max(1);
        if let Some(byte) = next.get_mut(place) {
            *byte ^= change.bits;
        }
        each(&next, change.taken);
        each(&next, usize::MAX);
        each(&last, usize::MAX);
        last = next;
    }
    each(packet, usize::MAX);
    hits
}

/// Takes this many items of a packet, or all items and then nothing more.
pub fn same<'a, P: WatchedPaths>(hint: &mut Hint<P>, bytes: &'a [u8], want: &Items<'a>, taken: usize) {
    let mut watch = hint.watch(bytes);
    let seen: Items<'a> = watch.by_ref().take(taken.min(want.len() + 1)).collect();
    assert_eq!(seen, want[..taken.min(want.len())], "{bytes:02x?}");
    if taken > want.len() {
        assert!((0..3).all(|_| watch.next().is_none()), "an item follows the end of {bytes:02x?}");
    }
    // Equal slices elsewhere in the input do not count.
    let place =
        |item: &Result<Hit<'a>, Error>| item.map(|hit| (hit.packet().as_bytes().as_ptr(), hit.value().as_ptr())).ok();
    assert!(seen.iter().map(place).eq(want.iter().take(taken).map(place)), "{bytes:02x?}");
}
