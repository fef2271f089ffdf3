//! Strategies of proptest for trees, paths and damage, over the generator of `input`.

use std::fmt::Debug;

use arbitrary::{Result, Unstructured};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

pub use super::tree::*;
use crate::corpus::TELLING;
use crate::input;

/// No files with failures: proptest prints the smallest case, which then becomes a test of its own. Miri is a thousand times
/// slower than the machine, so it gets a hundredth of the cases.
pub fn config(cases: u32) -> ProptestConfig {
    let cases = if cfg!(miri) { cases / 100 } else { cases };
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// What so many random bytes describe; fewer of them describe simpler things.
fn described<T: Debug>(bytes: usize, describe: fn(&mut Unstructured<'_>) -> Result<T>) -> impl Strategy<Value = T> {
    let describe = move |bytes: Vec<u8>| describe(&mut Unstructured::new(&bytes)).expect("missing bytes are zero");
    vec(any::<u8>(), 0..=bytes).prop_map(describe)
}

pub fn key() -> impl Strategy<Value = u8> {
    described(1, input::key)
}

pub fn value() -> impl Strategy<Value = Value> {
    described(40, input::value)
}

/// Trees of about so many packets at most, in any form that a reader accepts.
pub fn trees(packets: usize) -> impl Strategy<Value = Vec<Tree>> {
    described(8 * packets, input::trees)
}

/// Bytes that decide something in a header, and others.
pub fn byte() -> impl Strategy<Value = u8> {
    prop_oneof![4 => prop::sample::select(&TELLING[..]), 2 => 0..12u8, 1 => any::<u8>()]
}

/// Damage to an input.
#[derive(Clone, Debug)]
pub enum Damage {
    Set(Index, u8),
    Insert(Index, u8),
    Remove(Index),
    Cut(Index),
}

impl Damage {
    pub fn apply(&self, bytes: &mut Vec<u8>) {
        match self {
            Damage::Insert(place, byte) => bytes.insert(place.index(bytes.len() + 1), *byte),
            _ if bytes.is_empty() => {}
            Damage::Set(place, byte) => {
                let place = place.index(bytes.len());
                bytes[place] = *byte;
            }
            Damage::Remove(place) => drop(bytes.remove(place.index(bytes.len()))),
            Damage::Cut(place) => bytes.truncate(place.index(bytes.len())),
        }
    }
}

pub fn damage() -> impl Strategy<Value = Vec<Damage>> {
    let place = any::<Index>;
    let damage = prop_oneof![
        3 => (place(), byte()).prop_map(|(place, byte)| Damage::Set(place, byte)),
        1 => (place(), byte()).prop_map(|(place, byte)| Damage::Insert(place, byte)),
        1 => place().prop_map(Damage::Remove),
        2 => place().prop_map(Damage::Cut),
    ];
    vec(damage, 0..3)
}

/// The steps of a path; the last enters nothing.
pub fn steps() -> impl Strategy<Value = Vec<u8>> {
    described(9, input::steps)
}

/// Packets, many of them embedded in others, and paths into them.
#[derive(Clone, Debug)]
pub struct Embedded {
    pub input: Vec<u8>,
    pub paths: Vec<Vec<u8>>,
}

pub fn embedded() -> impl Strategy<Value = Embedded> {
    described(240, |u| {
        let choices = input::choices(u)?;
        let input = input::embedding(u)?;
        Ok(Embedded { paths: input::paths(&choices, &input), input })
    })
}
