//! Y3 between processes: a peer for YoMo's servers, an RPC echo, and workers on a broker.

pub mod echo;
pub mod workers;
pub mod yomo;
