//! Edit: keep and remove, in every form and over streams, patch, rules that write, rules together and canonical form agree with the
//! naive editor; an error leaves the output unchanged.
//!
//! In: a choice of paths, then packets. Accepted: all paths can be followed without an error.

use arbitrary::Unstructured;
use y3::{Limits, edit::Edit};

use super::input::{choices, packets, paths};
use crate::oracle::edited::{Act, Ruled, filter_rules, same, same_rules, same_stream};

pub fn property(bytes: &[u8]) -> bool {
    let mut u = Unstructured::new(bytes);
    let Ok(choices) = choices(&mut u) else { return false };
    let Ok(number) = u.arbitrary::<i32>() else { return false };
    let Ok(input) = packets(&mut u) else { return false };
    let paths = paths(&choices, &input);
    same_rules(&input, &rules(&paths, number));
    let [keeps, sizes @ ..] = number.to_le_bytes().map(usize::from);
    let filter = filter_rules(&paths, keeps & 1 == 0);
    let limits = Limits::NONE.with_max_packet_len(if keeps & 2 == 0 { usize::MAX } else { keeps });
    same_stream(&input, &Edit::from_rules(&filter), limits, &sizes);
    same(&input, &paths, i64::from(number))
}

/// A rule for each path; three bits of the number choose what it does.
fn rules(paths: &[Vec<u8>], number: i32) -> Vec<Ruled> {
    let rule = |(path, shift): (&Vec<u8>, u32)| {
        let [bits, ..] = (number >> (3 * shift % 30)).to_le_bytes();
        let [key, ..] = (number >> shift).to_le_bytes();
        let (what, key) = (bits & 7, key & 0x3f);
        let act = match what {
            0 => Act::Keep,
            1 => Act::Remove,
            2 => Act::Rename(key),
            3 => Act::Set,
            4 => Act::Replace,
            5 => Act::Insert,
            _ => Act::Append,
        };
        let packet = if what & 1 == 0 { vec![key, 0x01, what] } else { vec![0xc0 | key, 0x02, 0x02, 0x00] };
        Ruled { path: path.clone(), act, packet }
    };
    paths.iter().zip(0..).map(rule).collect()
}
