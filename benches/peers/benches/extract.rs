//! Extract: one value out of a message and the 63 pairs into bytes, all codecs in turns.

use kit::turns::main as in_turns;
use peers::groups::{self, Extent};

fn main() {
    in_turns(|bench| {
        groups::extract(Extent::All, |_| true, |group, ways| bench.group(group, ways));
        groups::encode(Extent::All, |_| true, |group, ways| bench.group(group, ways));
    });
}
