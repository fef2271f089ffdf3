//! Progress: one line about a group while something runs, redrawn on a terminal, else printed each second.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use super::group::Group;

/// Between two looks at the broker.
const LOOK: Duration = Duration::from_millis(250);
/// Between two lines where there is no terminal.
const LINE: Duration = Duration::from_secs(1);

/// Shows lag and rate on standard error until the future is dropped.
///
/// `more` says something beside; a broker that does not answer is said too.
pub async fn show(group: &Group, more: impl Fn() -> String) {
    let bar = if std::io::stderr().is_terminal() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
    let (mut before, mut looked, mut told) = (None, Instant::now(), Instant::now());
    loop {
        tokio::time::sleep(LOOK).await;
        let line = match group.lag().await {
            Ok(lag) => {
                let done = lag.results + lag.parked;
                let seconds = looked.elapsed().as_secs_f64();
                let rate = done.saturating_sub(before.unwrap_or(done)) as f64 / seconds;
                (before, looked) = (Some(done), Instant::now());
                format!("{lag}; {rate:.0}/s{}", more())
            }
            Err(error) => format!("the broker does not answer: {error}{}", more()),
        };
        if !bar.is_hidden() {
            bar.set_message(line);
            bar.tick();
        } else if told.elapsed() >= LINE {
            told = Instant::now();
            eprintln!("{line}");
        }
    }
}
