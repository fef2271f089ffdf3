//! Everything that derives: what each type is on the wire, beside serde, code by hand and Go's vectors; evolution and hostile packets.

mod arguments;
mod errors;
#[cfg(feature = "serde")]
mod evolution;
#[cfg(feature = "serde")]
mod go;
mod hostile;
#[cfg(feature = "std")]
mod modules;
mod room;
mod types;

/// The keys that lead to the packet with an error.
fn keys_to(bytes: &[u8], error: y3::Error) -> Vec<u8> {
    y3::show::explain(bytes, error).keys().iter().map(|key| key.get()).collect()
}
