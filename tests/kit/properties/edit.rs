//! Edit: every edit (keep and remove in every form and over streams, patches, rules, combined rules, the canonical
//! form) agrees with the naive editor. An error leaves the output unchanged.
//!
//! The first bytes choose paths, the others make packets. The input is accepted if all paths can be followed without an
//! error.

use arbitrary::Unstructured;
use y3::Limits;
use y3::edit::{Edit, Rule};

use crate::input::{choices, packets, paths};
use crate::oracle::edited::{Ruled, filter_rules, rules, same, same_stream};
use crate::oracle::packed;

pub fn property(bytes: &[u8]) -> bool {
    let mut u = Unstructured::new(bytes);
    let Ok(choices) = choices(&mut u) else { return false };
    let Ok(number) = u.arbitrary::<i32>() else { return false };
    let Ok(input) = packets(&mut u) else { return false };
    let paths = paths(&choices, &input);
    let [keeps, sizes @ ..] = number.to_le_bytes().map(usize::from);
    let filter = filter_rules(&paths, keeps & 1 == 0);
    let limits = Limits::NONE.with_max_packet_len(if keeps & 2 == 0 { usize::MAX } else { keeps });
    // At least three steps, so that a path still has two if `rules` cuts it in half.
    let inside = |path: &Vec<u8>| [&[0x80][..], path, &path[..usize::from(path.len() == 1)]].concat();
    let inside: Vec<_> = paths.iter().filter(|path| path.len() < 8).map(inside).collect();
    let rules = rules(&inside, number);
    let rules: Vec<Rule<'_>> = rules.iter().map(Ruled::rule).collect();
    // Nodes around the packets keep their correct lengths even if a packet in them has an error.
    for input in [&input, &[packed(0x81, &input), packed(0x82, &input)].concat()] {
        for edit in [Edit::from_rules(&filter), Edit::from_rules(&rules), Edit::from_rules(&rules).skip_absent()] {
            same_stream(input, &edit, limits, &sizes);
        }
    }
    same(&input, &paths, number)
}
