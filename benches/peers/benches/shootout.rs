//! Times reading and writing whole structs.

use peers::groups::structs;

fn main() {
    kit::turns::main(|bench| structs(|group, ways| bench.group(group, ways)));
}
