//! What the rooms of `src` do, a folder for each, in one program, so that it is linked once: `cargo test --test rooms read::path`.

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
