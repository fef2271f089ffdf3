//! Times editing: each codec keeps or removes three of the 63 pairs, or overwrites one.

use peers::groups::{ALL, edit};

fn main() {
    kit::turns::main(|bench| edit(ALL, |group, ways| bench.group(group, ways)));
}
