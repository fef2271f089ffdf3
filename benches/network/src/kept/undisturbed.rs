//! Undisturbed: rows that are measured again when the hypervisor took the cores meanwhile.
//!
//! In: how to measure a row, and how long a sweep may take for those measured again. Out: the row with the least time stolen.

use std::time::{Duration, Instant};

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

/// Whether so much stolen time, in percent, makes a row one to measure again.
#[must_use]
pub fn is_disturbed(stolen: Option<f64>) -> bool {
    stolen.is_some_and(|stolen| stolen > MOST_STOLEN)
}

/// Stolen time in the words of a table.
#[must_use]
pub fn cell(stolen: Option<f64>) -> String {
    stolen.map_or_else(String::new, |stolen| format!("{stolen:.1}%"))
}

/// The rows of a sweep.
#[derive(Debug)]
pub struct Undisturbed {
    again: u32,
    left: Duration,
}

impl Undisturbed {
    /// Rows of so many seconds; those measured again may take `left` together, so that a sweep has an end on any machine.
    #[must_use]
    pub fn new(seconds: f64, left: f64) -> Undisturbed {
        Undisturbed { again: if seconds < SHORT { 0 } else { AGAIN }, left: Duration::from_secs_f64(left) }
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
        least_of(self.again, &mut self.left, measure, Ticks::now, |before, now| now.stolen_since(before), PAUSE).await
    }
}

async fn least_of<T, C>(
    again: u32,
    left: &mut Duration,
    mut measure: impl AsyncFnMut() -> anyhow::Result<T>,
    mut clock: impl FnMut() -> Option<C>,
    stolen: impl Fn(C, C) -> f64,
    pause: Duration,
) -> anyhow::Result<(T, Option<f64>)> {
    let mut once = async || {
        let before = clock();
        let row = measure().await?;
        anyhow::Ok((row, before.zip(clock()).map(|(before, now)| stolen(before, now))))
    };
    let mut best = once().await?;
    for _ in 0..again {
        let Some(least) = best.1.filter(|_| is_disturbed(best.1) && !left.is_zero()) else { break };
        let begin = Instant::now();
        tracing::info!("{least:.1}% of all cores' time was stolen; the row is measured again");
        tokio::time::sleep(pause).await;
        match once().await {
            Ok(next) if next.1.is_some_and(|stolen| stolen < least) => best = next,
            Ok(_) => {}
            Err(error) => tracing::warn!(error = format!("{error:#}"), "the row before stays"),
        }
        *left = left.saturating_sub(begin.elapsed());
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of the row that is kept and how many were measured, if so much is stolen from one after the other.
    fn kept(stolen: &[Option<f64>]) -> (usize, Option<f64>, usize) {
        kept_within(Duration::MAX, stolen)
    }

    fn kept_within(mut left: Duration, stolen: &[Option<f64>]) -> (usize, Option<f64>, usize) {
        let (mut rows, mut looks) = (0, 0);
        let event_loop = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let measure = async || {
            rows += 1;
            anyhow::Ok(rows)
        };
        // Two looks a row.
        let clock = || {
            looks += 1;
            stolen[(looks - 1) / 2]
        };
        let found = least_of(AGAIN, &mut left, measure, clock, |_, now| now, Duration::ZERO);
        let (row, share) = event_loop.block_on(found).unwrap();
        (row, share, rows)
    }

    #[test]
    fn a_row_that_was_not_disturbed_is_measured_once() {
        assert_eq!(kept(&[Some(0.3)]), (1, Some(0.3), 1));
        assert_eq!(kept(&[Some(MOST_STOLEN)]), (1, Some(MOST_STOLEN), 1));
    }

    #[test]
    fn a_disturbed_row_is_measured_again_until_one_is_not() {
        assert_eq!(kept(&[Some(30.0), Some(40.0), Some(1.0)]), (3, Some(1.0), 3));
    }

    #[test]
    fn of_four_disturbed_rows_the_one_with_the_least_stolen_stays() {
        assert_eq!(kept(&[Some(30.0), Some(10.0), Some(20.0), Some(40.0)]), (2, Some(10.0), 4));
    }

    #[test]
    fn a_sweep_whose_time_for_it_is_over_measures_nothing_again() {
        assert_eq!(kept_within(Duration::ZERO, &[Some(30.0), Some(0.0)]), (1, Some(30.0), 1));
        // The second takes what is left.
        assert_eq!(kept_within(Duration::from_nanos(1), &[Some(30.0), Some(20.0), Some(0.0)]), (2, Some(20.0), 2));
    }

    #[test]
    fn where_nothing_is_told_of_stolen_time_the_row_stays() {
        assert_eq!(kept(&[None]), (1, None, 1));
    }

    #[test]
    fn a_failure_of_a_later_time_leaves_the_row_before_and_one_of_the_first_is_told() {
        let event_loop = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let run = |good: usize| {
            let mut rows = 0;
            let measure = async || {
                rows += 1;
                anyhow::ensure!(rows <= good, "no reply");
                Ok(rows)
            };
            let mut left = Duration::MAX;
            event_loop.block_on(least_of(AGAIN, &mut left, measure, || Some(()), |(), ()| 50.0, Duration::ZERO))
        };
        assert_eq!(run(1).unwrap(), (1, Some(50.0)));
        assert_eq!(run(0).unwrap_err().to_string(), "no reply");
    }
}
