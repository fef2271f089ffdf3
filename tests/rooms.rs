//! Tests of `src`, a folder for each of its folders, in one program that is linked only once.
//! `cargo test --test rooms read::path` runs the tests of a file.

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
