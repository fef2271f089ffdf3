//! Edit: keep and remove, in every form and over streams, patch, rules that write, rules together and canonical form agree with the
//! naive editor; an error leaves the output unchanged.
//!
//! In: a choice of paths, then packets. Accepted: all paths can be followed without an error.

use arbitrary::Unstructured;
use y3::{Limits, edit::Edit};

use crate::input::{choices, packets, paths};
use crate::oracle::edited::{filter_rules, same, same_stream};

pub fn property(bytes: &[u8]) -> bool {
    let mut u = Unstructured::new(bytes);
    let Ok(choices) = choices(&mut u) else { return false };
    let Ok(number) = u.arbitrary::<i32>() else { return false };
    let Ok(input) = packets(&mut u) else { return false };
    let paths = paths(&choices, &input);
    let [keeps, sizes @ ..] = number.to_le_bytes().map(usize::from);
    let filter = filter_rules(&paths, keeps & 1 == 0);
    let limits = Limits::NONE.with_max_packet_len(if keeps & 2 == 0 { usize::MAX } else { keeps });
    same_stream(&input, &Edit::from_rules(&filter), limits, &sizes);
    same(&input, &paths, number)
}
