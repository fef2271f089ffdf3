//! Times reading one value of a message and writing the 63 pairs.

use peers::groups::{ALL, encode, extract};

fn main() {
    kit::turns::main(|bench| {
        extract(ALL, |group, ways| bench.group(group, ways));
        encode(ALL, |group, ways| bench.group(group, ways));
    });
}
