//! The programs that measure: the echo, sweeps and their page, the workers' demo; and the crate's reader on real connections.

mod connections;
mod echo;
mod hosts;
#[allow(dead_code, reason = "each test program uses its part")]
mod kit;
mod link;
mod sweep;
mod workers;
