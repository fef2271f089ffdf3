//! Tests of `src`, a folder for each of its folders. They are one program so that they are linked only once: `cargo
//! test --test rooms read::path`.

#[cfg(all(feature = "derive", feature = "alloc"))]
mod derive;
mod edit;
mod read;
#[cfg(all(feature = "serde", feature = "alloc"))]
mod serde;
mod show;
mod stream;
mod wire;
mod write;
