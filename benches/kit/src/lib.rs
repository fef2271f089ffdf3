//! What all benches share: messages in Y3 and JSON, scenarios, buffer regimes, readers, and timing of threads.
//!
//! In: nothing. Out: the same data and the same order of visits for every bench, so that figures can be compared.
#![forbid(unsafe_code)]

#[cfg(feature = "criterion")]
pub mod bench;
pub mod counted;
pub mod data;
pub mod hand;
pub mod message;
pub mod readers;
pub mod regime;
pub mod scenario;
pub mod threads;
pub mod turns;
pub mod watched;

/// The result of a reader of many packets: the number of values, and of bytes in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    pub values: usize,
    pub bytes: usize,
}

impl Sum {
    #[inline(always)]
    pub fn add(&mut self, value: &[u8]) {
        self.values += 1;
        self.bytes += value.len();
    }
}
