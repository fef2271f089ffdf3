//! Benchmarks of y3 and other codecs: each reads one value of a message (`extract`), edits messages (`edits`), and reads and writes
//! whole structs (`structs`). All codecs get the same data, and each answer is asserted before it is timed.

pub mod edits;
pub mod extract;
mod formats;
pub mod groups;
pub mod structs;
