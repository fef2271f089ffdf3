//! Progress: workers as processes, and one line about a group while something runs: redrawn on a terminal, else printed each second.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use workers::broker::Broker;
use workers::group::{Group, Settings};
use workers::process::Process;
use workers::worker::Options;

use crate::terminal::{Progress, Rate};

/// Between two looks at the broker.
const LOOK: Duration = Duration::from_millis(250);
/// Between two lines where there is no terminal.
const LINE: Duration = Duration::from_secs(1);

/// Starts a worker as this program.
///
/// # Errors
/// It cannot be started.
pub fn start(own: &Path, broker: &Broker, group: &Settings, options: &Options) -> anyhow::Result<Process> {
    let mut command = Command::new(own);
    command.arg("workers");
    Process::start(command, &broker.address(), group, options)
}

/// Shows lag and rate on standard error until the future is dropped.
///
/// `more` says something beside; a broker that does not answer is said too.
pub async fn show(group: &Group, more: impl Fn() -> String) {
    let (progress, mut rate, mut told) = (Progress::still(), Rate::default(), Instant::now());
    loop {
        tokio::time::sleep(LOOK).await;
        let line = match group.lag().await {
            Ok(lag) => format!("{lag}; {:.0}/s{}", rate.of(lag.results + lag.parked), more()),
            Err(error) => format!("the broker does not answer: {error}{}", more()),
        };
        if !progress.is_hidden() {
            progress.show(&line);
        } else if told.elapsed() >= LINE {
            told = Instant::now();
            eprintln!("{line}");
        }
    }
}
