//! Times editing: each codec keeps or removes three of the 63 pairs, or overwrites one.

use kit::turns::main as in_turns;
use peers::groups::{ALL, edit};

fn main() {
    in_turns(|bench| edit(ALL, |group, ways| bench.group(group, ways)));
}
