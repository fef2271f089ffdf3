//! Lines: measurements over a parameter that is a whole number.

use crate::axis::{Axis, is_wide, tick_label};
use crate::legend::{legend, legend_height, width};
use crate::number::number;
use crate::svg::{Anchor, Font, Svg};
use crate::{TOP, WIDTH};

/// Points of one series in a chart of lines.
pub struct Curve {
    pub name: String,
    /// The label at the end of the line.
    pub label: String,
    pub points: Vec<(f64, f64)>,
}

/// Lines over a parameter that is a whole number, on a logarithmic axis or a linear one.
pub fn lines(title: &str, unit: &str, parameter: &str, curves: &[&Curve], logarithmic: bool) -> String {
    let names: Vec<&str> = curves.iter().map(|curve| curve.name.as_str()).collect();
    let top = TOP + legend_height(&names) + 20.0;
    let (left, plot) = (64.0, 320.0);
    let longest = curves.iter().map(|curve| width(&curve.label)).fold(0.0, f64::max);
    let right = WIDTH - 24.0 - longest;
    let points = || curves.iter().flat_map(|curve| curve.points.iter().copied());
    let (xs, ys): (Vec<f64>, Vec<f64>) = points().unzip();
    // The axis of parameters has no margins.
    let last = xs.iter().copied().fold(0.0, f64::max);
    let x_axis = Axis { high: last, ..Axis::around(xs.iter().copied(), is_wide(xs.iter().copied())) };
    let y_axis = Axis::around(ys.iter().copied(), logarithmic);
    let text = curves.iter().map(|curve| {
        let ends = [curve.points.first(), curve.points.last()].into_iter().flatten();
        let ends: Vec<String> = ends.map(|(x, value)| format!("{} {unit} at {}", number(*value), number(*x))).collect();
        format!("{}: {}.", curve.name, ends.join(", "))
    });
    let mut svg = Svg::new(WIDTH, top + plot + 52.0, title, &text.collect::<Vec<_>>().join(" "));
    legend(&mut svg, &names, TOP + 4.0, |svg, x, y, kind| {
        svg.polyline(&[(x, y), (x + 20.0, y)], kind);
        svg.mark(x + 10.0, y, kind, true);
    });
    let x = |value: f64| left + (right - left) * x_axis.place(value);
    let y = |value: f64| top + plot * (1.0 - y_axis.place(value));
    for tick in y_axis.ticks() {
        svg.rule((left, y(tick)), (right, y(tick)), false);
        svg.text(left - 8.0, y(tick) + 4.0, Anchor::End, Font::Small, &tick_label(tick));
    }
    for tick in x_axis.ticks().into_iter().filter(|tick| tick.fract() == 0.0) {
        svg.rule((x(tick), top), (x(tick), top + plot), false);
        svg.text(x(tick), top + plot + 16.0, Anchor::Middle, Font::Small, &tick_label(tick));
    }
    let scale = if y_axis.logarithmic { format!("{unit}, log") } else { unit.to_owned() };
    svg.text(left - 8.0, top - 12.0, Anchor::End, Font::Small, &scale);
    let parameter = if x_axis.logarithmic { format!("{parameter}, log") } else { parameter.to_owned() };
    svg.text(f64::midpoint(left, right), top + plot + 38.0, Anchor::Middle, Font::Plain, &parameter);
    svg.rule((left, top + plot), (right, top + plot), true);
    svg.rule((left, top), (left, top + plot), true);
    let mut labels = Vec::new();
    for (kind, curve) in curves.iter().enumerate() {
        let places: Vec<(f64, f64)> = curve.points.iter().map(|(at, value)| (x(*at), y(*value))).collect();
        svg.polyline(&places, kind);
        for (x, y) in &places {
            svg.mark(*x, *y, kind, true);
        }
        if let Some((x, y)) = places.last() {
            labels.push((*x, *y, curve.label.as_str()));
        }
    }
    // Each label at the end of its line, moved where lines end together.
    labels.sort_by(|one, other| one.1.total_cmp(&other.1));
    let mut lowest = f64::MIN;
    for (x, y, name) in labels {
        let y = f64::max(y + 4.0, lowest + 14.0);
        svg.text(x + 10.0, y, Anchor::Start, Font::Plain, name);
        lowest = y;
    }
    svg.finish()
}
