//! Lines: measurements over a parameter that is a whole number.

use crate::axis::{Axis, is_wide, tick_label};
use crate::colour;
use crate::number::number;
use crate::svg::{Anchor, Font, Svg, WIDTH, width};

/// Points of one series in a chart of lines.
pub struct Curve {
    /// Decides the colour.
    pub name: String,
    /// The label beside the chart, with a piece of the line.
    pub label: String,
    pub points: Vec<(f64, f64)>,
}

/// The room for a piece of a line before its label.
const SWATCH: f64 = 32.0;

/// Lines over a parameter that is a whole number, on a logarithmic axis or a linear one. Labels stand to the right of all lines, in
/// the order in which the lines end.
pub fn lines(title: &str, unit: &str, parameter: &str, curves: &[&Curve], logarithmic: bool) -> String {
    let top = Svg::top(title) + 20.0;
    let (left, plot) = (80.0, 300.0);
    let longest = curves.iter().map(|curve| width(&curve.label)).fold(0.0, f64::max);
    let right = WIDTH - 24.0 - longest - SWATCH;
    let points = || curves.iter().flat_map(|curve| curve.points.iter().copied());
    let (xs, ys): (Vec<f64>, Vec<f64>) = points().unzip();
    // The axis of parameters has no margins.
    let x_axis = Axis::around(xs.iter().copied(), is_wide(xs.iter().copied()));
    let last = xs.iter().copied().fold(x_axis.low, f64::max);
    let first = if x_axis.logarithmic { xs.iter().copied().fold(last, f64::min) } else { x_axis.low };
    let x_axis = if last > first { Axis { low: first, high: last, ..x_axis } } else { x_axis };
    let y_axis = Axis::around(ys.iter().copied(), logarithmic);
    let text = curves.iter().map(|curve| {
        let ends = [curve.points.first(), curve.points.last()].into_iter().flatten();
        let ends: Vec<String> = ends.map(|(x, value)| format!("{} {unit} at {}", number(*value), number(*x))).collect();
        format!("{}: {}.", curve.name, ends.join(", "))
    });
    let mut svg = Svg::new(top + plot + 52.0, title, &text.collect::<Vec<_>>().join(" "));
    let x = |value: f64| left + (right - left) * x_axis.place(value);
    let y = |value: f64| top + plot * (1.0 - y_axis.place(value));
    for tick in y_axis.ticks() {
        svg.rule((left, y(tick)), (right, y(tick)), false);
        svg.text(left - 8.0, y(tick) + 4.0, Anchor::End, Font::Small, &tick_label(tick));
    }
    let mut free = f64::MIN;
    for tick in x_axis.ticks().into_iter().filter(|tick| tick.fract() == 0.0) {
        let (at, label) = (x(tick), tick_label(tick));
        svg.rule((at, top), (at, top + plot), false);
        if at - width(&label) / 2.0 > free {
            svg.text(at, top + plot + 16.0, Anchor::Middle, Font::Small, &label);
            free = at + width(&label) / 2.0 + 4.0;
        }
    }
    let scale = if y_axis.logarithmic { format!("{unit}, log") } else { unit.to_owned() };
    svg.text(12.0, top - 12.0, Anchor::Start, Font::Small, &scale);
    let parameter = if x_axis.logarithmic { format!("{parameter}, log") } else { parameter.to_owned() };
    svg.text(f64::midpoint(left, right), top + plot + 38.0, Anchor::Middle, Font::Plain, &parameter);
    svg.rule((left, top + plot), (right, top + plot), true);
    svg.rule((left, top), (left, top + plot), true);
    let mut labels = Vec::new();
    for (place, curve) in curves.iter().enumerate() {
        let colour = colour::of(&curve.name, place);
        let places: Vec<(f64, f64)> = curve.points.iter().map(|(at, value)| (x(*at), y(*value))).collect();
        svg.polyline(&places, colour, place);
        for (x, y) in &places {
            svg.mark(*x, *y, colour, place);
        }
        if let Some((_, y)) = places.last() {
            labels.push((*y, place, curve.label.as_str(), colour));
        }
    }
    labels.sort_by(|one, other| one.0.total_cmp(&other.0));
    // From the last one up: none below the axis, none on another.
    let mut below = top + plot + 16.0;
    for (y, place, label, colour) in labels.into_iter().rev() {
        let y = f64::min(y, below - 16.0);
        svg.polyline(&[(right + 8.0, y), (right + SWATCH, y)], colour, place);
        svg.mark(right + 20.0, y, colour, place);
        svg.text(right + SWATCH + 6.0, y + 4.0, Anchor::Start, Font::Plain, label);
        below = y;
    }
    svg.finish()
}
