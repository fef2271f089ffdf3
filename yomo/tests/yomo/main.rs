//! The YoMo peer against YoMo itself, as published in Go, and against servers that mean harm. All on loopback, all bounded.
//!
//! Tests that need Go are skipped without it; `Y3_GO=required` makes that a failure. `Y3_YOMO_MESSAGES=100000` makes the
//! deliveries long.

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
