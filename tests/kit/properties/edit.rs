//! Edit: project and remove, in every form, patch, splice, index and canonical form agree with the naive editor; an error leaves
//! the output unchanged.
//!
//! In: a choice of paths, then packets. Accepted: all paths can be followed without an error.

use arbitrary::Unstructured;

use super::input::{choices, packets, paths};
use crate::oracle::edited::same;

pub fn property(bytes: &[u8]) -> bool {
    let mut u = Unstructured::new(bytes);
    let Ok(choices) = choices(&mut u) else { return false };
    let Ok(number) = u.arbitrary::<i32>() else { return false };
    let Ok(input) = packets(&mut u) else { return false };
    same(&input, &paths(&choices, &input), i64::from(number))
}
