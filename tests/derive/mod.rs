//! Tests of the derive: the bytes of each type compared with other encoders, evolution, hostile packets.

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

fn keys_to(bytes: &[u8], error: y3::Error) -> Vec<u8> {
    y3::show::explain(bytes, error).keys().iter().map(|key| key.get()).collect()
}
