//! Y3 between processes, measured: an RPC echo beside its peers, the gateway beside other proxies, workers on a broker.

pub mod echo;
pub mod kept;
pub mod process;
pub mod program;
pub mod proxy;
pub mod report;
pub mod terminal;
pub mod workers;
pub mod yomo;
