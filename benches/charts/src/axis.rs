//! Axis: the position of a number between two round ends, and the ticks between them.

use crate::number::number;

/// The position of a number between two ends, as a fraction.
#[derive(Clone, Copy)]
pub(crate) struct Axis {
    pub low: f64,
    pub high: f64,
    pub logarithmic: bool,
}

impl Axis {
    /// An axis that ends on ticks around all the numbers; a logarithmic one around those that it can show, the positive.
    pub(crate) fn around(numbers: impl Iterator<Item = f64> + Clone, logarithmic: bool) -> Axis {
        let high = numbers.clone().fold(0.0, f64::max);
        let high = if high > 0.0 { high } else { 1.0 };
        let low = numbers.filter(|number| !logarithmic || *number > 0.0).fold(high, f64::min);
        if logarithmic {
            let low = rounds(low * 0.95).filter(|round| *round <= low * 0.95).fold(f64::MIN_POSITIVE, f64::max);
            let high = rounds(high * 1.05).find(|round| *round >= high * 1.05).unwrap_or(high);
            return Axis { low, high: high.max(low * 5.0), logarithmic };
        }
        let step = step(high);
        Axis { low: 0.0, high: (high * 1.02 / step).ceil() * step, logarithmic }
    }

    pub(crate) fn place(self, number: f64) -> f64 {
        if self.logarithmic {
            (number.max(self.low) / self.low).log10() / (self.high / self.low).log10()
        } else {
            (number - self.low) / (self.high - self.low)
        }
    }

    pub(crate) fn ticks(self) -> Vec<f64> {
        let end = self.high * 1.001;
        if !self.logarithmic {
            let step = step(self.high * 0.98);
            // A step is at least a fifth of the axis.
            return (0..10).map(|place| f64::from(place) * step).take_while(|tick| *tick <= end).collect();
        }
        // With less than two decades also ticks at 2 and 5.
        let between: &[f64] = if self.high / self.low < 99.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let first = 10_f64.powf(self.low.log10().floor());
        let tens = (0..).map(|power| first * 10_f64.powi(power)).take_while(|ten| *ten <= end);
        let ticks = tens.flat_map(|ten| between.iter().map(move |part| part * ten));
        ticks.filter(|tick| (self.low * 0.999..=end).contains(tick)).collect()
    }
}

/// The numbers 1, 2 and 5 times a power of ten, from just below a number to just above it.
fn rounds(number: f64) -> impl Iterator<Item = f64> {
    let ten = 10_f64.powf(number.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(move |part| part * ten)
}

/// A round step for about five ticks.
fn step(high: f64) -> f64 {
    let rough = high / 5.0;
    let ten = 10_f64.powf(rough.log10().floor());
    [1.0, 2.0, 2.5, 5.0, 10.0].map(|round| round * ten).into_iter().find(|step| *step >= rough).unwrap_or(ten)
}

/// The label of a tick.
pub(crate) fn tick_label(tick: f64) -> String {
    let text = number(tick);
    if text.contains('.') { text.trim_end_matches('0').to_owned() } else { text }
}

/// Whether the smallest number would be invisible on a linear axis.
pub(crate) fn is_wide(numbers: impl Iterator<Item = f64>) -> bool {
    let (low, high) =
        numbers.fold((f64::MAX, 0.0), |(low, high), number| (f64::min(low, number), f64::max(high, number)));
    low > 0.0 && high / low > 100.0
}

#[cfg(test)]
mod tests {
    use super::{Axis, tick_label};

    #[test]
    fn a_linear_axis_starts_at_zero_and_ends_on_a_tick_above_all_numbers() {
        let labels = |high: f64| Axis::around([3.0, high].into_iter(), false).ticks().into_iter().map(tick_label);
        assert_eq!(labels(42.0).collect::<Vec<_>>(), ["0", "10", "20", "30", "40", "50"]);
        assert_eq!(labels(12.0).collect::<Vec<_>>(), ["0", "2.5", "5", "7.5", "10", "12.5"]);
    }

    #[test]
    fn a_logarithmic_axis_has_round_ends_and_ticks_at_powers_of_ten() {
        let axis = Axis::around([3.0, 4200.0].into_iter(), true);
        assert!((axis.low - 2.0).abs() < 1e-9 && (axis.high - 5000.0).abs() < 1e-6, "{} {}", axis.low, axis.high);
        assert!((axis.place(100.0) - 0.5).abs() < 1e-9);
        assert_eq!(axis.ticks(), [10.0, 100.0, 1000.0]);
        assert_eq!(Axis::around([30.0, 80.0].into_iter(), true).ticks(), [20.0, 50.0, 100.0]);
        assert!((Axis::around([2.05, 80.0].into_iter(), true).low - 1.0).abs() < 1e-9, "a dot is not on the axis");
    }
}
