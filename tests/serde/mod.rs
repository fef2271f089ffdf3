//! Whole structs in both directions.

mod attributes;
mod edges;
mod evolution;
mod go;
mod hostile;
mod recursion;
mod shapes;
mod structs;
