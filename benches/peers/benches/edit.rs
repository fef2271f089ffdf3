//! Edit: three of the 63 pairs kept or removed, one overwritten, all codecs in turns.

use kit::turns::main as in_turns;
use peers::groups::{ALL, edit};

fn main() {
    in_turns(|bench| edit(ALL, |group, ways| bench.group(group, ways)));
}
