//! Properties that hold for every input, one per file, called by the fuzz target of the same name and by tests/corpora.
//!
//! In: a fuzzer's bytes. Out: whether the input was accepted or rejected; a panic if the property does not hold.
//!
//! The kit of the tests is part of the crate's published package, so that its tests compile there. Cargo packs no folder that has a
//! manifest of its own, so the kit is no package, and this path crosses from one package into another.

#[path = "../../tests/kit"]
#[allow(dead_code, reason = "a room uses a part of the kit")]
mod kit {
    pub mod chunks;
    pub mod hinted;
    pub mod oracle;
    pub mod resume;
    pub mod shapes;
    pub mod shown;
}

mod input;

pub mod batch_equals_watch;
pub mod canonical;
pub mod chunked_equals_whole;
pub mod dump;
pub mod edit;
pub mod hint_equals_watch;
pub mod nom_equals_packets;
pub mod numbers;
pub mod parse;
pub mod records;
pub mod roundtrip;
pub mod skip_equals_parse;
pub mod structs;
pub mod text;
pub mod watch_equals_oracle;
pub use kit::shapes;
