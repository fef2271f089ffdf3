//! Y3 between processes: a peer for YoMo's servers, an RPC echo, and a proxy.

pub mod echo;
pub mod proxy;
pub mod yomo;
