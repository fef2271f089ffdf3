//! The shoot-out: y3 compared with other serializers, for whole structs, in turns.

use kit::turns::main as in_turns;
use peers::groups;

fn main() {
    in_turns(|bench| {
        groups::structs(|group, ways| bench.group(group, ways));
    });
}
