//! Drift: how much the machine changed its pace during the run, and what was measured again because of that.
//!
//! In: the measurements. Out: a sentence and a table for the first page.

use crate::measured::Measured;

/// What the first page says of the pace of the machine: a sentence, and a table by bench.
pub fn in_words(_measured: &Measured) -> String {
    String::new()
}
