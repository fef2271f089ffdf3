//! Dots: a chart with a row for each name, and a dot in each panel. All panels have the same logarithmic axis.

use crate::axis::{Axis, tick_label};
use crate::colour;
use crate::number::rounded;
use crate::svg::{BOLD, BOLD_END, END, SOFT_MIDDLE, Svg, VALUE, WIDTH, width};

/// A row in a chart of dots.
pub struct Row {
    pub name: String,
    /// True if the row belongs to y3. Such a row has a coloured band.
    pub own: bool,
    /// The dots, one for each panel. `None` leaves the place empty.
    pub dots: Vec<Option<Dot>>,
}

/// A number and its spread. The spread is the fraction by which the measurements differ, and decides how many digits are shown.
#[derive(Clone, Copy, Debug)]
pub struct Dot {
    pub value: f64,
    pub spread: f64,
}

impl Dot {
    fn shown(self) -> String {
        rounded(self.value, self.spread)
    }
}

const ROW: f64 = 19.0;
const GAP: f64 = 20.0;
/// The width of the number at the right end of a panel.
const NUMBER: f64 = 54.0;
/// The maximum number of panels side by side.
const ACROSS: usize = 4;

/// Draws a chart of dots. Each row has a dot in each panel.
pub fn dots(title: &str, unit: &str, panels: &[&str], rows: &[Row]) -> String {
    let left = rows.iter().map(|row| width(&row.name)).fold(0.0, f64::max) + 30.0;
    let plot = ROW * rows.len() as f64;
    let block = plot + 62.0;
    let across = panels.len().clamp(1, ACROSS);
    let panel = (WIDTH - 12.0 - left - GAP * (across - 1) as f64) / across as f64;
    let axis = Axis::around(rows.iter().flat_map(|row| row.dots.iter().flatten()).map(|dot| dot.value));
    let place = |value: f64| (panel - NUMBER - 6.0) * axis.place(value);
    // Labels every tick, every second or every third, so that the labels fit.
    let ticks = axis.ticks();
    let step = (1..ticks.len()).find(|step| place(ticks[*step]) - place(ticks[0]) >= 50.0).unwrap_or(usize::MAX);
    let label = |tick: usize| tick_label(ticks[tick]) + &if tick == 0 { format!(" {unit}") } else { String::new() };
    let mut svg = Svg::new(title);
    let mut top = Svg::top(title) + 30.0;
    for (down, names) in panels.chunks(across).enumerate() {
        let lefts: Vec<f64> = (0..names.len()).map(|beside| left + (panel + GAP) * beside as f64).collect();
        let bottom = top + plot;
        for (place, _) in rows.iter().enumerate().filter(|(_, row)| row.own) {
            svg.band(8.0, top + ROW * place as f64, WIDTH - 16.0, ROW);
        }
        svg.texts(top - 10.0, lefts.iter().zip(names).map(|(left, name)| (*left, BOLD, name)));
        let across = |tick: f64| lefts.iter().map(move |left| left + place(tick));
        svg.rules(false, ticks.iter().flat_map(|tick| across(*tick)).map(|x| [(x, top), (x, bottom)]));
        svg.rules(true, lefts.iter().map(|left| [(*left, top), (*left, bottom)]));
        let labels = (0..ticks.len()).step_by(step).flat_map(|tick| across(ticks[tick]).map(move |x| (x, tick)));
        svg.texts(bottom + 16.0, labels.map(|(x, tick)| (x, SOFT_MIDDLE, label(tick))));
        for (place_of_row, row) in rows.iter().enumerate() {
            let y = top + ROW * (place_of_row as f64 + 0.5);
            let colour = colour::of(&row.name, place_of_row);
            let dots = row.dots.iter().skip(ACROSS * down).zip(&lefts);
            let dots: Vec<(&f64, &Dot)> = dots.filter_map(|(dot, left)| Some((left, dot.as_ref()?))).collect();
            let name = (left - 12.0, if row.own { BOLD_END } else { END }, row.name.clone());
            let values = dots.iter().map(|(left, dot)| (*left + panel, VALUE, dot.shown()));
            svg.texts(y + 4.0, std::iter::once(name).chain(values));
            svg.marks(&dots.iter().map(|(left, dot)| (*left + place(dot.value), y)).collect::<Vec<_>>(), colour, 0);
        }
        top += block;
    }
    let text = rows.iter().map(|row| {
        let of = |(panel, dot): (&&str, &Option<Dot>)| Some(format!("{panel} {} {unit}", (*dot)?.shown()));
        let values: Vec<String> = panels.iter().zip(&row.dots).filter_map(of).collect();
        format!("{}: {}.", row.name, values.join(", "))
    });
    svg.finish(top - 26.0, title, &text.collect::<Vec<_>>().join(" "))
}
