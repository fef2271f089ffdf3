//! Time: what one way took in all passes.
//!
//! In: the nanoseconds of each pass. Out: the median, the lowest and the highest of those that count.

use serde::{Deserialize, Serialize};

/// A duration in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Time {
    /// The median of the passes' medians.
    pub ns: f64,
    /// The lowest and the highest pass; with one pass the confidence interval of its median.
    pub low: f64,
    pub high: f64,
}

impl Time {
    /// The distance between the passes, as a fraction of the median.
    pub fn spread(self) -> f64 {
        (self.high - self.low) / self.ns
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
    let closest =
        sorted.windows(COUNTED.min(sorted.len()).max(1)).min_by(|one, other| width(one).total_cmp(&width(other)))?;
    Some(Time { ns: median(closest)?, low: *closest.first()?, high: *closest.last()? })
}

/// The highest of some numbers in order, divided by the lowest.
fn width(sorted: &[f64]) -> f64 {
    sorted.last().zip(sorted.first()).map_or(1.0, |(high, low)| high / low)
}

#[cfg(test)]
mod tests {
    use super::of_passes;

    #[test]
    fn the_three_passes_that_lie_closest_together_count() {
        let of = |passes: &[f64]| of_passes(passes).map(|time| [time.low, time.ns, time.high]);
        assert_eq!(of(&[3.0, 1.0, 2.0]), Some([1.0, 2.0, 3.0]));
        assert_eq!(of(&[30.0, 31.0, 62.0, 32.0]), Some([30.0, 31.0, 32.0]));
        assert_eq!(of(&[62.0, 30.0, 61.0, 63.0, 31.0]), Some([61.0, 62.0, 63.0]));
        assert_eq!(of(&[5.0]), Some([5.0, 5.0, 5.0]));
        assert_eq!(of(&[]), None);
    }
}
