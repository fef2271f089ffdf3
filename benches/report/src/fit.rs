//! Fit: the straight line through measured points.
//!
//! In: pairs of a parameter and nanoseconds. Out: nanoseconds at zero, and nanoseconds per unit of the parameter.

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    pub start: f64,
    pub slope: f64,
}

impl Line {
    pub fn at(self, parameter: f64) -> f64 {
        self.start + self.slope * parameter
    }
}

/// Least squares of the relative errors: noise grows with the time, so short times count as much as long ones.
pub fn line(points: &[(f64, f64)]) -> Option<Line> {
    let weighed = || points.iter().filter(|(_, ns)| *ns > 0.0).map(|(x, ns)| (*x, *ns, 1.0 / (ns * ns)));
    let weight: f64 = weighed().map(|(_, _, weight)| weight).sum();
    let x = weighed().map(|(x, _, weight)| weight * x).sum::<f64>() / weight;
    let ns = weighed().map(|(_, ns, weight)| weight * ns).sum::<f64>() / weight;
    let across: f64 = weighed().map(|(at, _, weight)| weight * (at - x).powi(2)).sum();
    let slope = weighed().map(|(at, time, weight)| weight * (at - x) * (time - ns)).sum::<f64>() / across;
    slope.is_finite().then_some(Line { start: ns - slope * x, slope })
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn points_on_a_line_give_it_back() {
        let points: Vec<(f64, f64)> = [1.0, 2.0, 8.0, 63.0].iter().map(|x| (*x, 4.0 + 0.5 * x)).collect();
        let line = line(&points).expect("a line");
        assert!((line.slope - 0.5).abs() < 1e-9 && (line.start - 4.0).abs() < 1e-9, "{line:?}");
    }

    #[test]
    fn one_point_has_no_slope() {
        assert_eq!(line(&[(1.0, 2.0)]), None);
        assert_eq!(line(&[]), None);
    }
}
