//! Hint equals watch: a hint yields the hits, errors and offsets of a watch of the same paths, after any history of
//! packets.
//!
//! The first bytes choose paths, which of their steps enter primitives or are wildcards, and changes of bytes. The
//! others make packets. The input is accepted if there is a hit.

use arbitrary::{Result, Unstructured};
use y3::Path;

use crate::hinted::{Change, same_after_any_history};
use crate::input::{choices, packets, paths};
use crate::oracle::same::path;

pub fn property(bytes: &[u8]) -> bool {
    parts(&mut Unstructured::new(bytes))
        .is_ok_and(|(paths, changes, input)| same_after_any_history(&paths, &input, &changes) > 0)
}

fn parts(u: &mut Unstructured<'_>) -> Result<(Vec<Path>, Vec<Change>, Vec<u8>)> {
    let choices = choices(u)?;
    // One bit for each depth.
    let (entered, any): (u8, u8) = (u.arbitrary()?, u.arbitrary()?);
    let count = u.int_in_range(0..=16u8)?;
    let changes = (0..count).map(|_| change(u)).collect::<Result<_>>()?;
    let input = packets(u)?;
    let step = |(depth, key): (usize, &u8)| key | (entered >> depth & 1) << 6 | (any >> depth & 1) << 7;
    let steps = |keys: Vec<u8>| path(&keys.iter().enumerate().map(step).collect::<Vec<u8>>());
    Ok((paths(&choices, &input).into_iter().map(steps).collect(), changes, input))
}

fn change(u: &mut Unstructured<'_>) -> Result<Change> {
    let (place, bits, taken) = (u16::into(u.arbitrary()?), u.arbitrary()?, u.arbitrary::<u8>()?);
    Ok(Change { place, bits, taken: usize::from(taken >> 1), to_first: taken & 1 != 0 })
}
