//! Batch: inputs in turns have the first hits that each of them has alone.
//!
//! In: trees, whole and damaged, and paths into them, entering primitives and with any key too. Out: no difference.

use proptest::collection::vec;
use proptest::prelude::*;
use y3::{PathSet, path};

use testkit::oracle::same::{same_batch, same_batches};
use testkit::oracle::trees::{self, config, damage};

/// A step of few keys; bit 6 enters a primitive, bit 7 is any key.
fn path() -> impl Strategy<Value = Vec<u8>> {
    let step = prop_oneof![4 => 0u8..4, 1 => (0u8..4).prop_map(|key| key | 0x40), 1 => Just(0x80)];
    vec(step, 1..=4)
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn inputs_in_turns_have_the_first_hits_of_each(
        embedded in trees::embedded(),
        trees in prop_oneof![Just(None), trees::trees(24).prop_map(Some)],
        damage in prop_oneof![Just(Vec::new()), damage()],
        paths in vec(path(), 1..=5),
    ) {
        let (mut input, paths) = match trees {
            Some(trees) => (trees::encode(&trees), paths),
            None => (embedded.input, embedded.paths),
        };
        for damage in damage {
            damage.apply(&mut input);
        }
        same_batches(&input, &paths);
    }

    #[test]
    fn random_inputs_in_turns_have_the_first_hits_of_each(
        batch in vec(vec(trees::byte(), 0..24), 0..16),
        paths in vec(path(), 1..=5),
    ) {
        let batch: Vec<&[u8]> = batch.iter().map(|input| &input[..]).collect();
        same_batch(&batch, &paths);
    }
}

const SET: PathSet<1> = PathSet::new([path!(0x01, 0x11)]);

/// Lengths of every size, jumped over and hit.
#[cfg(feature = "alloc")]
#[test]
fn turns_jump_over_lengths_of_every_size() {
    for size in [0, 1, 63, 64, 127, 128, 8191, 8192, 1 << 20] {
        let mut input = Vec::new();
        y3::Encoder::new(&mut input)
            .node(0x01, |node| {
                node.put(0x10, vec![0x11; size].as_slice())?;
                node.put(0x11, vec![0x07; size].as_slice())?;
                node.put(0x12, 1)
            })
            .unwrap();
        same_batch(&[&input[..]; 9], &[vec![0x01, 0x11]]);
    }
}

/// The bytes after it would be packets if its size were not negative.
#[test]
fn turns_stop_at_a_negative_length() {
    for length in [&[0x41][..], &[0x7f], &[0xc0, 0x41], &[0xff, 0x7f]] {
        let input = [&[0x10], length, &[0x11, 0x01, 0x07].repeat(2000)].concat();
        same_batch(&[&input[..]; 6], &[vec![0x11]]);
    }
}

#[test]
fn an_empty_batch_tells_nothing() {
    y3::batch::first_each(&SET, [] as [&[u8]; 0], |_, _| panic!("nothing to tell"));
}
