//! Lines: measurements over a parameter that is a whole number.

use crate::axis::{Axis, tick_label};
use crate::colour;
use crate::number::number;
use crate::svg::{END, MIDDLE, PLAIN, SOFT, START, Svg, WIDTH, width};

/// Points of one series in a chart of lines.
pub struct Curve {
    /// Decides the colour, and stands above the chart beside a piece of the line.
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

/// The length of a piece of a line before its label.
const SWATCH: f64 = 28.0;
/// The room between two labels.
const GAP: f64 = 22.0;
/// The height of a line of labels.
const ROW: f64 = 20.0;

/// The places of the labels: as many beside each other as there is room for. A label beside the end of its line would need a mark
/// there too, which looks like one more point.
fn legend(labels: &[&str]) -> Vec<(f64, usize)> {
    let (mut x, mut row) = (12.0, 0);
    let place = |label: &&str| {
        let wide = SWATCH + 6.0 + width(label);
        if x + wide > WIDTH - 12.0 && x > 12.0 {
            (x, row) = (12.0, row + 1);
        }
        let at = (x, row);
        x += wide + GAP;
        at
    };
    labels.iter().map(place).collect()
}

/// Lines over a parameter that is a whole number, on logarithmic axes. Labels stand above, in the order in which the
/// lines end, the highest first.
pub fn lines(title: &str, unit: &str, parameter: &str, curves: &[Curve]) -> String {
    let mut order: Vec<(usize, &Curve)> = curves.iter().enumerate().collect();
    let end = |curve: &Curve| curve.points.last().map_or(f64::MIN, |(_, value)| *value);
    order.sort_by(|one, other| end(other.1).total_cmp(&end(one.1)));
    let labels = legend(&order.iter().map(|(_, curve)| curve.name.as_str()).collect::<Vec<_>>());
    let above = Svg::top(title);
    let top = above + ROW * labels.last().map_or(0.0, |(_, row)| *row as f64 + 1.0) + 20.0;
    let (left, plot, right) = (80.0, 300.0, WIDTH - 40.0);
    let points = || curves.iter().flat_map(|curve| curve.points.iter().copied());
    let (xs, ys): (Vec<f64>, Vec<f64>) = points().unzip();
    let (x_axis, y_axis) = (Axis::between(xs.into_iter()), Axis::around(ys.into_iter()));
    let text = curves.iter().map(|curve| {
        let ends = [curve.points.first(), curve.points.last()].into_iter().flatten();
        let ends: Vec<String> = ends.map(|(x, value)| format!("{} {unit} at {}", number(*value), number(*x))).collect();
        format!("{}: {}.", curve.name, ends.join(", "))
    });
    let mut svg = Svg::new(title);
    let x = |value: f64| left + (right - left) * x_axis.place(value);
    let y = |value: f64| top + plot * (1.0 - y_axis.place(value));
    for tick in y_axis.ticks() {
        svg.rule((left, y(tick)), (right, y(tick)), false);
        svg.text(left - 8.0, y(tick) + 4.0, END, SOFT, &tick_label(tick));
    }
    let mut free = f64::MIN;
    for tick in x_axis.ticks().into_iter().filter(|tick| tick.fract() == 0.0) {
        let (at, label) = (x(tick), tick_label(tick));
        svg.rule((at, top), (at, top + plot), false);
        if at - width(&label) / 2.0 > free {
            svg.text(at, top + plot + 16.0, MIDDLE, SOFT, &label);
            free = at + width(&label) / 2.0 + 4.0;
        }
    }
    svg.text(12.0, top - 12.0, START, SOFT, &format!("{unit}, log"));
    svg.text(f64::midpoint(left, right), top + plot + 38.0, MIDDLE, PLAIN, &format!("{parameter}, log"));
    svg.rule((left, top + plot), (right, top + plot), true);
    svg.rule((left, top), (left, top + plot), true);
    for (place, curve) in curves.iter().enumerate() {
        let colour = colour::of(&curve.name, place);
        let places: Vec<(f64, f64)> = curve.points.iter().map(|(at, value)| (x(*at), y(*value))).collect();
        svg.polyline(&places, colour, place);
        for (x, y) in &places {
            svg.mark(*x, *y, colour, place);
        }
    }
    for ((place, curve), (left, row)) in order.into_iter().zip(labels) {
        let (colour, y) = (colour::of(&curve.name, place), above + ROW * row as f64);
        svg.polyline(&[(left, y), (left + SWATCH, y)], colour, place);
        svg.mark(left + SWATCH / 2.0, y, colour, place);
        svg.text(left + SWATCH + 6.0, y + 4.0, START, PLAIN, &curve.name);
    }
    svg.finish(top + plot + 52.0, title, &text.collect::<Vec<_>>().join(" "))
}
