//! Legend: the names of the series, each with its swatch, in rows above a chart.

use crate::WIDTH;
use crate::svg::{Anchor, Font, Svg};

/// The approximate width of a text.
pub(crate) fn width(text: &str) -> f64 {
    6.6 * text.chars().count() as f64
}

/// Draws names and swatches in rows from the left and returns their height.
pub(crate) fn legend(svg: &mut Svg, names: &[&str], y: f64, swatch: impl Fn(&mut Svg, f64, f64, usize)) -> f64 {
    let (mut x, mut row) = (12.0, y);
    for (series, name) in names.iter().enumerate() {
        let needed = 42.0 + width(name);
        if x > 12.0 && x + needed > WIDTH - 12.0 {
            (x, row) = (12.0, row + 20.0);
        }
        swatch(svg, x, row, series);
        svg.text(x + 24.0, row + 4.0, Anchor::Start, Font::Plain, name);
        x += needed;
    }
    row - y + 20.0
}

pub(crate) fn legend_height(names: &[&str]) -> f64 {
    let mut measure = Svg::new(WIDTH, 0.0, "", "");
    legend(&mut measure, names, 0.0, |_, _, _, _| {})
}
