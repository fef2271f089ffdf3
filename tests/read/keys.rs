//! Sets of keys beside the sets of the standard library.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use y3::{Key, KeySet, keys};

use super::key;
use testkit::oracle::trees::config;

#[test]
fn prints_the_keys_of_a_set() {
    assert_eq!(format!("{:?}", keys![0x3f, 0x02]), "{Key(0x02), Key(0x3f)}");
    assert_eq!((KeySet::EMPTY.is_empty(), keys![0].is_empty()), (true, false));
}

/// Every pair of sets over some keys beside sets of the standard library.
#[test]
fn a_key_set_agrees_with_a_set_of_the_standard_library() {
    let some = [0, 1, 31, 32, 62, 63].map(key);
    let of = |bits: u32| some.into_iter().enumerate().filter(move |(bit, _)| bits >> bit & 1 != 0).map(|(_, key)| key);
    for bits in 0..64 {
        let (set, model) = (of(bits).collect::<KeySet>(), of(bits).collect::<BTreeSet<Key>>());
        assert_eq!((set.len(), set.is_empty()), (model.len(), model.is_empty()));
        assert!(set.iter().eq(model.iter().copied()));
        for others in 0..64 {
            let other = of(others).collect::<KeySet>();
            let either: BTreeSet<Key> = model.iter().copied().chain(of(others)).collect();
            let mut assigned = set;
            assigned |= other;
            assert!((set | other).iter().eq(either));
            assert_eq!(assigned, set | other);
        }
    }
    assert_eq!((KeySet::ALL.len(), KeySet::EMPTY.len()), (64, 0));
    assert!(KeySet::ALL.iter().map(Key::get).eq(0..64));
}

proptest! {
    #![proptest_config(config(3000))]

    #[test]
    fn a_key_set_contains_exactly_the_given_keys(keys in vec(0..64u8, 0..10)) {
        let set = KeySet::new(&keys).unwrap();
        for key in 0..64 {
            prop_assert_eq!(set.contains(Key::new(key).unwrap()), keys.contains(&key));
        }
        prop_assert_eq!(set.is_empty(), keys.is_empty());
        prop_assert_eq!(keys.iter().filter_map(|&key| Key::new(key)).collect::<KeySet>(), set);
    }
}
