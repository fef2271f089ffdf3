//! Lines: a chart of measurements by a parameter that is a whole number.

use crate::axis::{Axis, tick_label};
use crate::colour;
use crate::number::number;
use crate::svg::{MIDDLE, Point, SOFT, SOFT_END, SOFT_MIDDLE, START, Svg, WIDTH};

/// A line in a chart of lines.
pub struct Curve {
    /// The label of the line. It also decides the colour.
    pub name: String,
    pub points: Vec<Point>,
}

/// The length of the sample of a line before its label.
const SWATCH: f64 = 28.0;
/// The number of labels in a line of labels, and the height of this line.
const ACROSS: usize = 4;
const ROW: f64 = 20.0;

/// Draws a line and its marks. The index of the curve decides their style.
fn draw(svg: &mut Svg, (place, curve): (usize, &Curve), line: &[Point], marks: &[Point]) {
    let colour = colour::of(&curve.name, place);
    svg.lines(&[line], colour, place);
    svg.marks(marks, colour, place);
}

/// Draws a chart of lines with logarithmic axes. The labels are above the lines, sorted by the last values of the lines, the highest first.
pub fn lines(title: &str, unit: &str, parameter: &str, curves: &[Curve]) -> String {
    let mut order: Vec<(usize, &Curve)> = curves.iter().enumerate().collect();
    let end = |curve: &Curve| curve.points.last().map_or(f64::MIN, |(_, value)| *value);
    order.sort_by(|one, other| end(other.1).total_cmp(&end(one.1)));
    let above = Svg::top(title);
    let top = above + ROW * order.len().div_ceil(ACROSS) as f64 + 20.0;
    let (left, right, bottom) = (80.0, WIDTH - 40.0, top + 300.0);
    let points = || curves.iter().flat_map(|curve| curve.points.iter().copied());
    let (x_axis, y_axis) = (Axis::between(points().map(|point| point.0)), Axis::around(points().map(|point| point.1)));
    let x = |value: f64| left + (right - left) * x_axis.place(value);
    let y = |value: f64| bottom + (top - bottom) * y_axis.place(value);
    let mut svg = Svg::new(title);
    let (across, up) = (y_axis.ticks(), x_axis.ticks());
    let of_grid = across.iter().map(|tick| [(left, y(*tick)), (right, y(*tick))]);
    svg.rules(false, of_grid.chain(up.iter().map(|tick| [(x(*tick), top), (x(*tick), bottom)])));
    for tick in across {
        svg.texts(y(tick) + 4.0, [(left - 8.0, SOFT_END, tick_label(tick))]);
    }
    svg.texts(bottom + 16.0, up.into_iter().map(|tick| (x(tick), SOFT_MIDDLE, tick_label(tick))));
    svg.texts(top - 12.0, [(12.0, SOFT, format!("{unit}, log"))]);
    svg.texts(bottom + 38.0, [(f64::midpoint(left, right), MIDDLE, format!("{parameter}, log"))]);
    svg.rules(true, [[(left, bottom), (right, bottom)], [(left, top), (left, bottom)]]);
    for (place, curve) in curves.iter().enumerate() {
        let points: Vec<Point> = curve.points.iter().map(|(at, value)| (x(*at), y(*value))).collect();
        draw(&mut svg, (place, curve), &points, &points);
    }
    for (rank, curve) in order.into_iter().enumerate() {
        // The labels are not at the ends of the lines, because the mark beside a label would look like another point of the line.
        let left = 12.0 + (WIDTH - 24.0) / ACROSS as f64 * (rank % ACROSS) as f64;
        let y = above + ROW * (rank / ACROSS) as f64;
        draw(&mut svg, curve, &[(left, y), (left + SWATCH, y)], &[(left + SWATCH / 2.0, y)]);
        svg.texts(y + 4.0, [(left + SWATCH + 6.0, START, &curve.1.name)]);
    }
    let text = curves.iter().map(|curve| {
        let ends = [curve.points.first(), curve.points.last()].into_iter().flatten();
        let ends: Vec<String> = ends.map(|(x, value)| format!("{} {unit} at {}", number(*value), number(*x))).collect();
        format!("{}: {}.", curve.name, ends.join(", "))
    });
    svg.finish(bottom + 52.0, title, &text.collect::<Vec<_>>().join(" "))
}
