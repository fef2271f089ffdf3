//! Extract: one value out of a message and the 63 pairs into bytes, all codecs in turns.

use kit::turns::main as in_turns;
use peers::groups::{ALL, encode, extract};

fn main() {
    in_turns(|bench| {
        extract(ALL, |group, ways| bench.group(group, ways));
        encode(ALL, |group, ways| bench.group(group, ways));
    });
}
