//! What the tests share: hex, the vectors, trees of typed packets, sinks, and the format as SPEC.md words it.
#![allow(dead_code, reason = "each test binary uses a part of it")]

pub mod hex;
pub mod reference;
pub mod sinks;
pub mod tree;
pub mod vectors;
