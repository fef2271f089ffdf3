//! Properties that are true for every input, one in each file. The fuzz target of its name and tests/corpora call each
//! property. It takes a fuzzer's bytes, returns true if it accepts the input, and panics if it is violated.

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
