//! Dots: a row for each name with a mark for each series, on a logarithmic axis.

use crate::axis::{Axis, tick_label};
use crate::legend::{legend, width};
use crate::number::number;
use crate::svg::{Anchor, Font, Svg};
use crate::{TOP, WIDTH};

/// A row of a chart of dots.
pub struct Dots {
    pub name: String,
    /// Whether the row is one of y3.
    pub own: bool,
    /// Whether the row is marked with †; the legend says why.
    pub apart: bool,
    /// A number for each series.
    pub values: Vec<Option<f64>>,
}

/// Rows of dots on a logarithmic axis. `apart` is the meaning of the mark †.
pub fn dots(title: &str, unit: &str, series: &[&str], rows: &[Dots], apart: &str) -> String {
    let longest = rows.iter().map(|row| width(&row.name)).fold(0.0, f64::max);
    let (row_height, left, right) = (19.0, longest + 44.0, WIDTH - 60.0);
    let top = TOP + 46.0;
    let plot = row_height * rows.len() as f64;
    let all: Vec<f64> = rows.iter().flat_map(|row| row.values.iter().copied().flatten()).collect();
    let axis = Axis::around(all.iter().copied(), true);
    let text = rows.iter().map(|row| {
        let values = series
            .iter()
            .zip(&row.values)
            .filter_map(|(name, value)| Some(format!("{name} {} {unit}", number((*value)?))));
        format!("{}: {}.", row.name, values.collect::<Vec<_>>().join(", "))
    });
    let mut svg = Svg::new(WIDTH, top + plot + 30.0, title, &text.collect::<Vec<_>>().join(" "));
    // The rows are sorted by the last series, whose number is printed at the end of the row.
    let full = |kind: usize| kind + 1 == series.len();
    legend(&mut svg, series, TOP + 2.0, |svg, x, y, kind| svg.mark(x + 10.0, y, kind, full(kind)));
    let marks = rows.iter().any(|row| row.apart);
    if marks {
        svg.text(WIDTH - 12.0, TOP + 6.0, Anchor::End, Font::Plain, &format!("† {apart}"));
    }
    let x = |value: f64| left + (right - left) * axis.place(value);
    for (place, row) in rows.iter().enumerate() {
        if row.own {
            svg.band(8.0, top + row_height * place as f64, WIDTH - 16.0, row_height);
        }
    }
    for tick in axis.ticks() {
        svg.rule((x(tick), top), (x(tick), top + plot), false);
        svg.text(x(tick), top - 6.0, Anchor::Middle, Font::Small, &format!("{} {unit}", tick_label(tick)));
        svg.text(x(tick), top + plot + 16.0, Anchor::Middle, Font::Small, &format!("{} {unit}", tick_label(tick)));
    }
    for (place, row) in rows.iter().enumerate() {
        let y = top + row_height * (place as f64 + 0.5);
        let font = if row.own { Font::Bold } else { Font::Plain };
        let name = if row.apart { format!("{} †", row.name) } else { row.name.clone() };
        svg.text(left - 10.0, y + 4.0, Anchor::End, font, &name);
        // Empty marks on top, so that two marks in one place are both visible.
        for (kind, value) in row.values.iter().enumerate().rev() {
            if let Some(value) = value {
                svg.mark(x(*value), y, kind, full(kind));
            }
        }
        if let Some(value) = row.values.last().copied().flatten() {
            svg.text(WIDTH - 12.0, y + 4.0, Anchor::End, Font::Value, &number(value));
        }
    }
    svg.rule((left, top), (left, top + plot), true);
    svg.finish()
}
