//! Compares sets of keys with the sets of the standard library.

use std::collections::BTreeSet;

use y3::{Key, KeySet, keys};

#[test]
fn prints_the_keys_of_a_set() {
    assert_eq!(format!("{:?}", keys![0x3f, 0x02]), "{Key(0x02), Key(0x3f)}");
    assert_eq!((KeySet::EMPTY.is_empty(), keys![0].is_empty()), (true, false));
}

#[test]
fn a_key_set_agrees_with_a_set_of_the_standard_library() {
    let some = [0, 1, 31, 32, 62, 63].map(|key| Key::new(key).unwrap());
    let of = |bits: u32| some.into_iter().enumerate().filter(move |(bit, _)| bits >> bit & 1 != 0).map(|(_, key)| key);
    for bits in 0..64 {
        let (set, model) = (of(bits).collect::<KeySet>(), of(bits).collect::<BTreeSet<Key>>());
        assert_eq!((set.len(), set.is_empty()), (model.len(), model.is_empty()));
        assert!(set.iter().eq(model.iter().copied()));
        assert!(KeySet::ALL.iter().all(|key| set.contains(key) == model.contains(&key)));
    }
    assert_eq!((KeySet::ALL.len(), KeySet::EMPTY.len()), (64, 0));
    assert!(KeySet::ALL.iter().map(Key::get).eq(0..64));
}
