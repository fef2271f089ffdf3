//! The shoot-out: y3 compared with other serializers, for whole structs, in turns.

use kit::turns::main as in_turns;
use peers::groups::structs;

fn main() {
    in_turns(|bench| structs(|group, ways| bench.group(group, ways)));
}
