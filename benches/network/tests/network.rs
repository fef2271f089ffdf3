//! Tests of the commands that measure: the echo, sweeps and their page, and workers.

mod echo;
mod hosts;
#[allow(dead_code, reason = "each test program uses its part")]
mod kit;
mod sweep;
mod workers;
