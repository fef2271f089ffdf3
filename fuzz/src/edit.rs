//! Edit: project and remove, in every form, patch, splice, index and canonical form beside the naive editor; on an error
//! nothing has changed.
//!
//! In: which paths, then packets. Taken: nothing watched has a fault on the way.

use arbitrary::Unstructured;

use super::input::{choices, packets, paths};
use super::kit::oracle::edited::same;

pub fn property(bytes: &[u8]) -> bool {
    let mut u = Unstructured::new(bytes);
    let Ok(choices) = choices(&mut u) else { return false };
    let Ok(number) = u.arbitrary::<i32>() else { return false };
    let Ok(input) = packets(&mut u) else { return false };
    same(&input, &paths(&choices, &input), i64::from(number))
}
