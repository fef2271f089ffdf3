//! Everything that writes: values, sinks, trees and back, errors and panics half way, and bodies too long for the format.

mod interrupted;
#[cfg(feature = "std")]
mod io;
mod roundtrip;
mod sink;
mod size_limit;
mod value;
