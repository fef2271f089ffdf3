//! Whole structs in both directions.
#![cfg(all(feature = "serde", feature = "alloc"))]

#[path = "../kit"]
#[allow(dead_code, reason = "a room uses a part of the kit")]
mod kit {
    pub mod go;
    pub mod hex;
    pub mod oracle;
    pub mod shapes;
    pub mod typed;
    pub mod vectors;
}

mod attributes;
mod edges;
mod evolution;
mod go;
mod hostile;
mod recursion;
mod shapes;
mod structs;
