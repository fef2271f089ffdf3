//! Tests of the gateway when a policy, a backend, a client or the gateway itself fails.

mod kit;
mod log;
mod process;
mod proxy;
