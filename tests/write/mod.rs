//! Tests of writing: values, sinks, trees in both directions, errors and panics in the middle, and bodies that are too
//! long for the format.

mod interrupted;
#[cfg(feature = "std")]
mod io;
mod roundtrip;
mod sink;
mod size_limit;
mod value;
