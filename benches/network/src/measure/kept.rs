//! Kept: what sweeps keep of a measurement: the row in the middle of several, with as little stolen time as there was.
//!
//! In: how to measure a row. Out: a row and how far to trust it; CSVs.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Context;
use report::machine::said;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::process::Ticks;

/// More stolen time than this, in percent of all cores' time, and a row is measured again. Under full load and undisturbed, the
/// machine of the report has 0.3.
const MOST_STOLEN: f64 = 2.0;
/// How often a row is measured again.
const AGAIN: u32 = 3;
/// Rows of less than this many seconds are measured once: they show that a sweep works, and a tick is a hundredth of a second.
const SHORT: f64 = 1.0;
/// Before a row is measured again: what took the cores may be over then.
const PAUSE: Duration = Duration::from_secs(3);

/// Reads a CSV; a file that does not exist has no rows.
///
/// # Errors
/// A line that is not of such a CSV.
pub fn read<T: DeserializeOwned>(path: &Path) -> anyhow::Result<Vec<T>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let read = || csv::Reader::from_path(path)?.deserialize().collect::<Result<_, _>>();
    read().with_context(|| format!("cannot read {}", path.display()))
}

/// Writes a CSV; the file is replaced as a whole.
///
/// # Errors
/// The file cannot be written.
pub fn write<T: Serialize>(path: &Path, rows: impl IntoIterator<Item = T>) -> anyhow::Result<()> {
    let mut out = csv::Writer::from_writer(Vec::new());
    for row in rows {
        out.serialize(row)?;
    }
    std::fs::write(path, out.into_inner()?).with_context(|| format!("cannot write {}", path.display()))
}

/// The commit of the working tree, marked if something besides the report is not committed; empty outside of a repository.
#[must_use]
pub fn commit() -> String {
    let git = |arguments: &[&str]| said(Command::new("git").current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments));
    let Some(commit) = git(&["rev-parse", "--short", "HEAD"]) else { return String::new() };
    // The report is written there.
    let changes = git(&["status", "--porcelain", "--", ":(top)", ":(top,exclude)docs/report"]);
    match changes.as_deref() {
        Some("") => commit,
        _ => commit + " with uncommitted changes",
    }
}

/// The row whose number is in the middle (of two, the lower one), how many there were, and the largest number's distance from the
/// smallest in percent of it; no distance for one row.
///
/// # Panics
/// Without a row.
pub fn middle<T: Clone>(rows: &[T], value: impl Fn(&T) -> f64) -> (T, usize, Option<f64>) {
    let mut sorted: Vec<&T> = rows.iter().collect();
    sorted.sort_by(|one, other| value(one).total_cmp(&value(other)));
    let row = sorted[(sorted.len() - 1) / 2];
    let range = value(sorted[sorted.len() - 1]) - value(sorted[0]);
    let spread = (sorted.len() > 1).then(|| 100.0 * range / value(row));
    (row.clone(), sorted.len(), spread)
}

/// Rows that are measured again when the hypervisor took the cores meanwhile.
#[derive(Debug)]
pub struct Undisturbed {
    again: u32,
    left: Duration,
    pause: Duration,
}

impl Undisturbed {
    /// Rows of so many seconds; those measured again may take `left` together, so that a sweep has an end on any machine.
    #[must_use]
    pub fn new(seconds: f64, left: f64) -> Undisturbed {
        let again = if seconds < SHORT { 0 } else { AGAIN };
        Undisturbed { again, left: Duration::from_secs_f64(left), pause: PAUSE }
    }

    /// Measures a row, up to three times again while more than 2% of all cores' time is stolen, and returns the one with the least
    /// and its stolen time in percent. Where the system does not tell, it is the first one.
    ///
    /// # Errors
    /// Those of the first time; a later time that fails changes nothing.
    pub async fn least<T>(
        &mut self,
        measure: impl AsyncFnMut() -> anyhow::Result<T>,
    ) -> anyhow::Result<(T, Option<f64>)> {
        self.least_of(measure, Ticks::now, |before, now| now.stolen_since(before)).await
    }

    async fn least_of<T, C>(
        &mut self,
        mut measure: impl AsyncFnMut() -> anyhow::Result<T>,
        mut clock: impl FnMut() -> Option<C>,
        stolen: impl Fn(C, C) -> f64,
    ) -> anyhow::Result<(T, Option<f64>)> {
        let mut once = async || {
            let before = clock();
            let row = measure().await?;
            anyhow::Ok((row, before.zip(clock()).map(|(before, now)| stolen(before, now))))
        };
        let mut best = once().await?;
        for _ in 0..self.again {
            let Some(least) = best.1.filter(|stolen| *stolen > MOST_STOLEN && !self.left.is_zero()) else { break };
            let begin = Instant::now();
            tracing::info!("{least:.1}% of all cores' time was stolen; the row is measured again");
            tokio::time::sleep(self.pause).await;
            match once().await {
                Ok(next) if next.1.is_some_and(|stolen| stolen < least) => best = next,
                Ok(_) => {}
                Err(error) => tracing::warn!(error = format!("{error:#}"), "the row before stays"),
            }
            self.left = self.left.saturating_sub(begin.elapsed());
        }
        Ok(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of the row that is kept, its stolen time, and how many were measured, if so much is stolen from one after the other.
    /// Rows after the first `good` ones fail.
    fn kept(good: usize, left: Duration, stolen: &[Option<f64>]) -> anyhow::Result<(usize, Option<f64>, usize)> {
        let (mut rows, mut looks) = (0, 0);
        let measure = async || {
            rows += 1;
            anyhow::ensure!(rows <= good, "no reply");
            Ok(rows)
        };
        // Two looks a row.
        let clock = || {
            looks += 1;
            stolen[(looks - 1) / 2]
        };
        let mut undisturbed = Undisturbed { again: AGAIN, left, pause: Duration::ZERO };
        let found = undisturbed.least_of(measure, clock, |_, now| now);
        let (row, share) = crate::program::event_loop()?.block_on(found)?;
        Ok((row, share, rows))
    }

    #[test]
    fn a_disturbed_row_is_measured_again_until_one_is_not_and_the_one_with_the_least_stolen_stays() {
        let [long, none, tick] = [Duration::MAX, Duration::ZERO, Duration::from_nanos(1)];
        for (left, stolen, expected) in [
            (long, &[Some(0.3)][..], (1, Some(0.3), 1)),
            (long, &[Some(MOST_STOLEN)], (1, Some(MOST_STOLEN), 1)),
            (long, &[Some(30.0), Some(40.0), Some(1.0)], (3, Some(1.0), 3)),
            (long, &[Some(30.0), Some(10.0), Some(20.0), Some(40.0)], (2, Some(10.0), 4)),
            // The time for it is over, or the second takes what is left.
            (none, &[Some(30.0), Some(0.0)], (1, Some(30.0), 1)),
            (tick, &[Some(30.0), Some(20.0), Some(0.0)], (2, Some(20.0), 2)),
            // The system does not tell.
            (long, &[None], (1, None, 1)),
        ] {
            assert_eq!(kept(usize::MAX, left, stolen).unwrap(), expected, "{stolen:?}");
        }
    }

    #[test]
    fn a_failure_of_a_later_time_leaves_the_row_before_and_one_of_the_first_is_told() {
        assert_eq!(kept(1, Duration::MAX, &[Some(50.0); 4]).unwrap(), (1, Some(50.0), 4));
        assert_eq!(kept(0, Duration::MAX, &[Some(50.0); 4]).unwrap_err().to_string(), "no reply");
    }

    #[test]
    fn the_row_in_the_middle_stays_with_the_range_of_all() {
        assert_eq!(middle(&[100.0], |row| *row), (100.0, 1, None));
        assert_eq!(middle(&[90.0, 120.0, 100.0], |row| *row), (100.0, 3, Some(30.0)));
        assert_eq!(middle(&[120.0, 100.0], |row| *row), (100.0, 2, Some(20.0)));
    }
}
