//! Proptest strategies for trees, packets and paths, based on the generator in `input`.

use std::fmt::Debug;

use arbitrary::{Result, Unstructured};
use proptest::collection::vec;
use proptest::prelude::*;

pub use super::tree::*;
use crate::input;

/// No files of failures: proptest prints the smallest failing case, which then becomes a test. Miri runs a hundredth of
/// the cases, because it is a thousand times slower.
pub fn config(cases: u32) -> ProptestConfig {
    let cases = if cfg!(miri) { cases / 100 } else { cases };
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// What this many random bytes describe. Fewer bytes describe simpler values.
fn described<T: Debug>(
    bytes: usize,
    describe: impl Fn(&mut Unstructured<'_>) -> Result<T>,
) -> impl Strategy<Value = T> {
    let describe = move |bytes: Vec<u8>| describe(&mut Unstructured::new(&bytes)).expect("missing bytes are zero");
    vec(any::<u8>(), 0..=bytes).prop_map(describe)
}

pub fn key() -> impl Strategy<Value = u8> {
    described(1, input::key)
}

pub fn value() -> impl Strategy<Value = Value> {
    described(40, input::value)
}

/// Trees of about this many packets at most, in any form that a reader accepts.
pub fn trees(packets: usize) -> impl Strategy<Value = Vec<Tree>> {
    described(8 * packets, input::trees)
}

/// Packets, and paths to some of them.
#[derive(Clone, Debug)]
pub struct Case {
    pub input: Vec<u8>,
    pub paths: Vec<Vec<u8>>,
}

/// A case from this many random bytes: they choose the paths, then the packets.
pub fn case(bytes: usize, packets: fn(&mut Unstructured<'_>) -> Result<Vec<u8>>) -> impl Strategy<Value = Case> {
    described(bytes, move |u| {
        let choices = input::choices(u)?;
        let input = packets(u)?;
        Ok(Case { paths: input::paths(&choices, &input), input })
    })
}
