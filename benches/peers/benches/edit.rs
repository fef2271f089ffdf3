//! Edit: three of the 63 pairs kept or removed, one overwritten, all codecs in turns.

use kit::turns::main as in_turns;
use peers::groups::{self, Extent};

fn main() {
    in_turns(|bench| {
        groups::edit(Extent::All, |_| true, |group, ways| bench.group(group, ways));
    });
}
