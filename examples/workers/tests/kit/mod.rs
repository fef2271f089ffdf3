//! The broker's program, and processes that end with a test. The tests of `benches/network` take this file too.

use std::path::PathBuf;
use std::process::Child;

use workers::broker;

/// The broker's program, or `None` with a message.
pub fn nats_server() -> Option<PathBuf> {
    match broker::find(None) {
        Ok(program) => Some(program),
        Err(reason) => {
            assert!(std::env::var("Y3_NATS").as_deref() != Ok("required"), "Y3_NATS=required: {reason:#}");
            eprintln!("skipped: {reason:#}");
            None
        }
    }
}

/// A process that ends with the test.
pub struct Guard(pub Child);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
