//! Tests the YoMo peer with the published YoMo in Go, and with hostile servers. All run on the loopback with time limits.
//!
//! Without Go, the tests that need it are skipped. With `Y3_GO=required`, they fail instead. `Y3_YOMO_MESSAGES=100000`
//! makes deliveries longer.

mod cycles;
mod delivery;
mod ends;
mod examples;
mod fake;
mod hostile;
mod kit;
mod message;
mod restart;
mod tasks;
