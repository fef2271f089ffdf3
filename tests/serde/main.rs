//! Whole structs in both directions.
#![cfg(all(feature = "serde", feature = "alloc"))]

mod attributes;
mod edges;
mod evolution;
mod go;
mod hostile;
mod recursion;
mod shapes;
mod structs;
