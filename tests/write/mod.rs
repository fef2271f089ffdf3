//! Tests of writing: values, sinks, trees in both directions, errors and panics in the middle, bodies that are too
//! long.

mod interrupted;
#[cfg(feature = "std")]
mod io;
mod roundtrip;
mod sink;
mod size_limit;
mod value;
