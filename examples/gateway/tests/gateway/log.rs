//! The log of a test's thread. The tests of `benches/network` use this file too.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::time::Duration;

use tracing::subscriber::DefaultGuard;

/// The log lines of this thread from now on.
pub struct Log(File);

impl Log {
    pub fn start() -> (Log, DefaultGuard) {
        let file = tempfile::tempfile().unwrap();
        let log = Log(file.try_clone().unwrap());
        let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(file);
        (log, tracing::subscriber::set_default(subscriber.finish()))
    }

    pub fn text(&self) -> String {
        let mut bytes = vec![0; self.0.metadata().unwrap().len() as usize];
        self.0.read_exact_at(&mut bytes, 0).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    /// Waits until the log contains a text, for at most ten seconds.
    pub async fn says(&self, what: &str) {
        for _ in 0..1000 {
            if self.text().contains(what) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{what:?} is not in the log:\n{}", self.text());
    }
}
