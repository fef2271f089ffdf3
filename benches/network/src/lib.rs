//! Measures Y3 between processes: an RPC echo, the gateway and workers on a broker, beside other programs.

pub mod echo;
pub mod measure;
pub mod page;
pub mod process;
pub mod program;
pub mod workers;
pub mod yomo;
