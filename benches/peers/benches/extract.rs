//! Times reading one value of a message and writing the 63 pairs.

use kit::turns::main as in_turns;
use peers::groups::{ALL, encode, extract};

fn main() {
    in_turns(|bench| {
        extract(ALL, |group, ways| bench.group(group, ways));
        encode(ALL, |group, ways| bench.group(group, ways));
    });
}
