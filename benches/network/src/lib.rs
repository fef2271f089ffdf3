//! Y3 between processes, measured: an RPC echo beside its peers, the gateway beside other proxies, workers on a broker.

pub mod echo;
pub mod measure;
pub mod page;
pub mod process;
pub mod program;
pub mod workers;
pub mod yomo;
