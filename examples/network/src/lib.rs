//! Y3 between processes: a peer for YoMo's servers, and an RPC echo.

pub mod echo;
pub mod yomo;
