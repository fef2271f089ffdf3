//! The broker's program. The tests of `benches/network` take this file too.

use std::path::PathBuf;

use workers::broker;
pub use workers::broker::Process;

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
