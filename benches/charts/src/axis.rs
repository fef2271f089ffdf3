//! Axis: a logarithmic axis with ticks.

use crate::number::number;

/// A logarithmic axis from `low` to `high`.
#[derive(Clone, Copy)]
pub(crate) struct Axis {
    pub low: f64,
    pub high: f64,
}

impl Axis {
    /// An axis that includes all positive numbers with a margin. Both its ends are round numbers.
    pub(crate) fn around(numbers: impl Iterator<Item = f64> + Clone) -> Axis {
        let Axis { low, high } = Axis::between(numbers);
        let low = rounds(low * 0.95).filter(|round| *round <= low * 0.95).fold(f64::MIN_POSITIVE, f64::max);
        let high = rounds(high * 1.05).find(|round| *round >= high * 1.05).unwrap_or(high);
        Axis { low, high: high.max(low * 5.0) }
    }

    /// An axis from the lowest positive number to the highest number, without a margin.
    pub(crate) fn between(numbers: impl Iterator<Item = f64> + Clone) -> Axis {
        let high = numbers.clone().fold(0.0, f64::max);
        let high = if high > 0.0 { high } else { 1.0 };
        Axis { low: numbers.filter(|number| *number > 0.0).fold(high, f64::min), high }
    }

    /// The position of a number on the axis: 0 at the low end, 1 at the high end.
    pub(crate) fn place(self, number: f64) -> f64 {
        if self.high > self.low { (number.max(self.low) / self.low).ln() / (self.high / self.low).ln() } else { 0.0 }
    }

    pub(crate) fn ticks(self) -> Vec<f64> {
        let end = self.high * 1.001;
        // An axis of less than two decades also has ticks at 2 and 5 times a power of ten.
        let between: &[f64] = if self.high / self.low < 99.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let first = 10_f64.powf(self.low.log10().floor());
        let tens = (0..).map(|power| first * 10_f64.powi(power)).take_while(|ten| *ten <= end);
        let ticks = tens.flat_map(|ten| between.iter().map(move |part| part * ten));
        ticks.filter(|tick| (self.low * 0.999..=end).contains(tick)).collect()
    }
}

/// Four round numbers (1, 2 and 5 times a power of ten) around a number. The first is at most the number, and the last is above it.
fn rounds(number: f64) -> impl Iterator<Item = f64> {
    let ten = 10_f64.powf(number.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(move |part| part * ten)
}

/// The label of a tick.
pub(crate) fn tick_label(tick: f64) -> String {
    let text = number(tick);
    if text.contains('.') { text.trim_end_matches('0').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::Axis;

    #[test]
    fn a_logarithmic_axis_has_round_ends_and_ticks_at_powers_of_ten() {
        let axis = Axis::around([3.0, 4200.0].into_iter());
        assert!((axis.low - 2.0).abs() < 1e-9 && (axis.high - 5000.0).abs() < 1e-6, "{} {}", axis.low, axis.high);
        assert!((axis.place(100.0) - 0.5).abs() < 1e-9);
        assert_eq!(axis.ticks(), [10.0, 100.0, 1000.0]);
        assert_eq!(Axis::around([30.0, 80.0].into_iter()).ticks(), [20.0, 50.0, 100.0]);
        assert!((Axis::around([2.05, 80.0].into_iter()).low - 1.0).abs() < 1e-9, "a dot is not on the axis");
    }
}
