//! Everything that derives: what each type is on the wire, beside serde, code by hand and Go's vectors; evolution and hostile packets.
#![cfg(all(feature = "derive", feature = "alloc"))]

mod bounded;
mod evolution;
mod go;
mod hostile;
#[cfg(feature = "serde")]
mod serde;
mod types;
