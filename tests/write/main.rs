//! Everything that writes: values, sinks, trees and back, errors and panics half way, and bodies too long for the format.

#[path = "../kit"]
#[allow(dead_code, reason = "a room uses a part of the kit")]
mod kit {
    pub mod oracle;
}

mod interrupted;
#[cfg(feature = "std")]
mod io;
mod roundtrip;
mod sink;
mod size_limit;
mod value;
