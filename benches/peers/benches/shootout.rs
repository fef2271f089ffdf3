//! Times reading and writing whole structs.

use kit::turns::main as in_turns;
use peers::groups::structs;

fn main() {
    in_turns(|bench| structs(|group, ways| bench.group(group, ways)));
}
