//! Watch equals oracle: watches, searches, walks, look-ups and values return what the naive reader returns.
//!
//! In: a choice of paths, then packets. Accepted: there is a hit.

use arbitrary::{Result, Unstructured};

use super::input::{choices, packets, paths};
use super::kit::oracle::same::{Watched, same};
use super::kit::oracle::{self, TOP};

pub fn property(bytes: &[u8]) -> bool {
    parts(&mut Unstructured::new(bytes)).is_ok_and(|(watched, input)| {
        same(&input, &watched);
        !oracle::watch(&input, TOP, &watched.paths).0.is_empty()
    })
}

fn parts(u: &mut Unstructured<'_>) -> Result<(Watched, Vec<u8>)> {
    let choices = choices(u)?;
    let input = packets(u)?;
    let paths = paths(&choices, &input);
    let keys = paths.iter().filter_map(|path| path.last().copied()).collect();
    Ok((Watched { paths, keys }, input))
}
