//! The gateway: what it promises when a policy, a backend, a client or the gateway itself fails.

mod kit;
mod log;
mod process;
mod proxy;
