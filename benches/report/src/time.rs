//! Time: what one way took in all passes.
//!
//! In: the nanoseconds of each pass. Out: the median, the lowest and the highest of those that count.

use serde::{Deserialize, Serialize};

/// A duration in nanoseconds, or a ratio of two.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Time {
    /// The median of the passes that count.
    pub ns: f64,
    pub low: f64,
    pub high: f64,
}

impl Time {
    /// The distance between the passes, as a fraction of the median.
    pub fn spread(self) -> f64 {
        (self.high - self.low) / self.ns
    }

    #[must_use]
    pub fn map(self, each: impl Fn(f64) -> f64) -> Time {
        Time { ns: each(self.ns), low: each(self.low), high: each(self.high) }
    }
}

/// The middle one of some numbers, or the mean of the two in the middle.
pub fn median(numbers: &[f64]) -> Option<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    let high = *sorted.get(half)?;
    Some(if sorted.len() % 2 == 1 { high } else { f64::midpoint(sorted[half - 1], high) })
}

/// The passes that count.
const COUNTED: usize = 3;

/// The median, the lowest and the highest of the three passes that lie closest together: of what was measured again, because the
/// machine or the way was not steady, one or two do not count.
pub fn of_passes(passes: &[f64]) -> Option<Time> {
    let mut sorted = passes.to_vec();
    sorted.sort_by(f64::total_cmp);
    let width = |window: &[f64]| window.last().zip(window.first()).map_or(1.0, |(high, low)| high / low);
    let windows = sorted.windows(COUNTED.min(sorted.len()).max(1));
    let closest = windows.min_by(|one, other| width(one).total_cmp(&width(other)))?;
    Some(Time { ns: median(closest)?, low: *closest.first()?, high: *closest.last()? })
}

/// The lower quartile of the turns of a pass: a disturbance can only make a turn longer. Between two quick runs on a machine with more
/// programs than cores, nine in ten figures differ by less than 5.5% (medians of turns: 16%).
pub fn of_turns(turns: &[f64]) -> Option<f64> {
    let mut sorted = turns.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 4).copied()
}
