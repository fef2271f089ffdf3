//! Properties that hold for every input, one a file, called by the fuzz target of the same name and by tests/corpora.
//!
//! In: a fuzzer's bytes. Out: whether the input was accepted or rejected; a panic if the property does not hold.

pub mod batch_equals_watch;
pub mod canonical;
pub mod chunked_equals_whole;
pub mod dump;
pub mod edit;
pub mod first_only_equals_oracle;
pub mod hint_equals_watch;
pub mod nom_equals_packets;
pub mod numbers;
pub mod parse;
pub mod records;
pub mod roundtrip;
pub mod skip_equals_parse;
pub mod text;
pub mod watch_equals_oracle;
pub use crate::shapes;
