//! Dots: a row for each name with a dot in each panel, on a logarithmic axis that all panels share.

use crate::axis::{Axis, tick_label};
use crate::colour;
use crate::number::rounded;
use crate::svg::{BOLD, END, MIDDLE, PLAIN, SOFT, START, Svg, VALUE, WIDTH, width};

/// A row of a chart of dots.
pub struct Row {
    pub name: String,
    /// Whether the row is one of y3, which has a band.
    pub own: bool,
    /// A dot for each panel.
    pub dots: Vec<Option<Dot>>,
}

/// A number, and the lowest and the highest that were measured.
#[derive(Clone, Copy, Debug)]
pub struct Dot {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

impl Dot {
    fn shown(self) -> String {
        rounded(self.value, (self.high - self.low) / self.value)
    }
}

const ROW: f64 = 19.0;
const GAP: f64 = 20.0;
/// The room for a number at the end of a panel.
const NUMBER: f64 = 54.0;
/// Panels in one line; more continue below.
const ACROSS: usize = 4;
/// A range is drawn if it is wider than this, in pixels: a dot hides the others.
const DOT: f64 = 9.0;
const LEGEND: &str = "a line through a dot: from the lowest to the highest measured";

/// Rows of dots in panels. A line through a dot is the spread, where it is wider than the dot; a legend says so.
pub fn dots(title: &str, unit: &str, panels: &[&str], rows: &[Row]) -> String {
    let left = rows.iter().map(|row| width(&row.name)).fold(0.0, f64::max) + 30.0;
    let top = Svg::top(title) + 12.0;
    let plot = ROW * rows.len() as f64;
    let block = plot + 62.0;
    let across = panels.len().clamp(1, ACROSS);
    let panel = (WIDTH - 12.0 - left - GAP * (across - 1) as f64) / across as f64;
    let all = rows.iter().flat_map(|row| row.dots.iter().flatten().map(|dot| dot.value));
    let axis = Axis::around(all.collect::<Vec<f64>>().into_iter());
    let place = |value: f64| (panel - NUMBER - 6.0) * axis.place(value);
    // The ends of the line through a dot, if the dot does not hide it.
    let range = |dot: &Dot| {
        let (low, high) = (place(dot.low.max(axis.low)), place(dot.high.min(axis.high)));
        (high - low > DOT).then_some((low, high))
    };
    let ranges = rows.iter().flat_map(|row| row.dots.iter().flatten()).any(|dot| range(dot).is_some());
    let legend = if ranges { 20.0 } else { 0.0 };
    let text = rows.iter().map(|row| {
        let of = |(panel, dot): (&&str, &Option<Dot>)| Some(format!("{panel} {} {unit}", (*dot)?.shown()));
        let values: Vec<String> = panels.iter().zip(&row.dots).filter_map(of).collect();
        format!("{}: {}.", row.name, values.join(", "))
    });
    let blocks = panels.len().div_ceil(across);
    let mut svg = Svg::new(title);
    for (down, names) in panels.chunks(across).enumerate() {
        let top = top + block * down as f64 + 18.0;
        for (place, row) in rows.iter().enumerate() {
            let y = top + ROW * place as f64;
            if row.own {
                svg.band(8.0, y, WIDTH - 16.0, ROW);
            }
            svg.text(left - 12.0, y + ROW / 2.0 + 4.0, END, if row.own { BOLD } else { PLAIN }, &row.name);
        }
        for (beside, name) in names.iter().enumerate() {
            let left = left + (panel + GAP) * beside as f64;
            let x = |value: f64| left + place(value);
            svg.text(left, top - 10.0, START, BOLD, name);
            svg.rule((left, top), (left, top + plot), true);
            let ticks = axis.ticks();
            // As many labels as fit: every tick, or every second or third.
            let step = (1..ticks.len()).find(|step| x(ticks[*step]) - x(ticks[0]) >= 40.0);
            for (tick, value) in ticks.iter().enumerate() {
                svg.rule((x(*value), top), (x(*value), top + plot), false);
                if tick % step.unwrap_or(ticks.len()) == 0 {
                    let label = if tick == 0 { format!("{} {unit}", tick_label(*value)) } else { tick_label(*value) };
                    svg.text(x(*value), top + plot + 16.0, MIDDLE, SOFT, &label);
                }
            }
            for (place, row) in rows.iter().enumerate() {
                let y = top + ROW * (place as f64 + 0.5);
                let Some(dot) = row.dots.get(ACROSS * down + beside).copied().flatten() else { continue };
                let colour = colour::of(&row.name, place);
                if let Some((low, high)) = range(&dot) {
                    svg.polyline(&[(left + low, y), (left + high, y)], colour, 0);
                }
                svg.mark(x(dot.value), y, colour, 0);
                svg.text(left + panel, y + 4.0, END, VALUE, &dot.shown());
            }
        }
    }
    if ranges {
        svg.text(12.0, top + block * blocks as f64, START, SOFT, LEGEND);
    }
    svg.finish(top + block * blocks as f64 - 8.0 + legend, title, &text.collect::<Vec<_>>().join(" "))
}
