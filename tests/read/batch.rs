//! Batches with lengths of every size. The property `batch_equals_watch` compares batches with watches.

use testkit::oracle::same::same_batch;
use y3::{PathSet, path};

const SET: PathSet<1> = PathSet::new([path!(0x01, 0x11)]);

/// Lengths of every size, some skipped and some hit.
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

/// Lengths on both sides of the one from which inputs are read in turns, with fewer and more inputs than turns.
#[cfg(feature = "alloc")]
#[test]
fn a_batch_of_any_number_of_inputs_has_all_their_hits() {
    for len in [255, 256, 1023, 1024] {
        let watched = &[0x11, 0x01, 0x07];
        let mut input = [&[0x10, 0x00].repeat(len / 2 - 4)[..], watched].concat();
        input.resize(len, 0x00);
        for count in 1..=12 {
            same_batch(&vec![&input[..]; count], &[vec![0x11]]);
        }
    }
}

/// The bytes after the negative length would be packets if the length were positive.
#[test]
fn turns_stop_at_a_negative_length() {
    for length in [&[0x41][..], &[0x7f], &[0xc0, 0x41], &[0xff, 0x7f]] {
        let input = [&[0x10], length, &[0x11, 0x01, 0x07].repeat(2000)].concat();
        same_batch(&[&input[..]; 6], &[vec![0x11]]);
    }
}

#[test]
fn an_empty_batch_tells_nothing() {
    y3::batch::first_each(&SET, [] as [&[u8]; 0], |_, _| panic!("a hit without inputs"));
}
