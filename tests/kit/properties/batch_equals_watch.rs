//! Batch equals watch: a batch has the first hits that a watch of each input has.
//!
//! The first bytes choose paths, the others make packets. The input is accepted if there is a hit.

use arbitrary::{Result, Unstructured};

use crate::input::{choices, packets, paths};
use crate::oracle::same::{path_set, same_batches};

pub fn property(bytes: &[u8]) -> bool {
    parts(&mut Unstructured::new(bytes)).is_ok_and(|(paths, input)| {
        same_batches(&input, &paths);
        path_set(&paths).watch(&input).any(|item| item.is_ok())
    })
}

fn parts(u: &mut Unstructured<'_>) -> Result<(Vec<Vec<u8>>, Vec<u8>)> {
    let choices = choices(u)?;
    let input = packets(u)?;
    Ok((paths(&choices, &input), input))
}
