//! Y3 between processes: an RPC echo, a proxy, and workers on a broker.

pub mod echo;
pub mod proxy;
pub mod report;
pub mod terminal;
pub mod workers;
