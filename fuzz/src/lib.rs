//! Properties: what holds for every input, one a file, called by the fuzz target of that name and by tests/corpora.rs.
//!
//! In: a fuzzer's bytes. Out: whether what they are was taken or refused; or a panic that says what does not hold.

#[path = "../../tests/chunks/mod.rs"]
mod chunks;
#[path = "../../tests/oracle/mod.rs"]
mod oracle;
#[path = "../../tests/resume/mod.rs"]
mod resume;
#[path = "../../tests/shapes/mod.rs"]
pub mod shapes;

mod input;

pub mod canonical;
pub mod chunked_equals_whole;
pub mod nom_equals_packets;
pub mod numbers;
pub mod parse;
pub mod records;
pub mod roundtrip;
pub mod skip_equals_parse;
pub mod structs;
pub mod watch_equals_oracle;
