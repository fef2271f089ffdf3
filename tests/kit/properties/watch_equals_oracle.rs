//! Watch equals oracle: watches, slots, searches, walks, look-ups and values return what the naive reader returns.
//! Paths may enter primitives and have wildcards; as patterns, their steps into primitives become any depth.
//!
//! The first bytes choose paths, the others make packets. The input is accepted if there is a hit.

use arbitrary::{Result, Unstructured};
use y3::Limits;

use crate::input::{choices, packets, paths};
use crate::oracle::same::{Watched, same, same_slots};
use crate::oracle::{self, ANY, ENTERS, TOP, patterns};

pub fn property(bytes: &[u8]) -> bool {
    parts(&mut Unstructured::new(bytes)).is_ok_and(|(watched, input)| {
        same(&input, &watched);
        same_slots(&input, &watched.paths);
        patterns::same(&input, &watched.paths.iter().map(|path| pattern(path)).collect::<Vec<_>>());
        oracle::watch_items(&input, TOP, &watched.paths, Limits::NONE).0.iter().any(Result::is_ok)
    })
}

fn parts(u: &mut Unstructured<'_>) -> Result<(Watched, Vec<u8>)> {
    let choices = choices(u)?;
    let input = packets(u)?;
    let paths = paths(&choices, &input);
    let keys = paths.iter().filter_map(|path| path.last().map(|step| step & 0x3f)).collect();
    Ok((Watched { paths, keys }, input))
}

/// A pattern has any depth at most twice, because the time of the naive matcher grows exponentially with it.
fn pattern(path: &[u8]) -> Vec<u8> {
    let mut left = 2u8;
    let step = |step: &u8| {
        if step & ENTERS != 0 && left > 0 {
            left -= 1;
            patterns::ANY_DEPTH
        } else if step & ANY != 0 {
            ANY
        } else {
            step & 0x3f
        }
    };
    path.iter().map(step).collect()
}
