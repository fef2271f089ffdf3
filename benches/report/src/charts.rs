//! Charts: columns, rows of bars, rows of dots, lines.
//!
//! In: names and numbers. Out: SVG. A number that is not there leaves its place empty.

use crate::markdown::{factor, number};
use crate::svg::{Anchor, Font, Svg};

const WIDTH: f64 = 860.0;
const TOP: f64 = 44.0;

/// One name and a number for each group.
pub struct Series {
    pub name: String,
    pub values: Vec<Option<f64>>,
}

/// Where a number stands between two ends, as a part of the way.
#[derive(Clone, Copy)]
struct Axis {
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl Axis {
    /// An axis that ends on ticks around all the numbers.
    fn around(numbers: impl Iterator<Item = f64> + Clone, logarithmic: bool) -> Axis {
        let high = numbers.clone().fold(f64::MIN_POSITIVE, f64::max);
        let low = numbers.fold(high, f64::min);
        if logarithmic {
            let (low, high) = (low.log10().floor(), (high * 1.05).log10().ceil());
            return Axis { low: 10_f64.powf(low), high: 10_f64.powf(high.max(low + 1.0)), logarithmic };
        }
        let step = step(high);
        Axis { low: 0.0, high: (high * 1.02 / step).ceil() * step, logarithmic }
    }

    fn place(self, number: f64) -> f64 {
        if self.logarithmic {
            (number / self.low).log10() / (self.high / self.low).log10()
        } else {
            (number - self.low) / (self.high - self.low)
        }
    }

    fn ticks(self) -> Vec<f64> {
        let mut ticks = Vec::new();
        if self.logarithmic {
            // With less than two decades also what lies between them.
            let between: &[f64] = if self.high / self.low < 99.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
            let mut ten = self.low;
            while ten <= self.high * 1.001 {
                ticks.extend(between.iter().map(|part| part * ten).filter(|tick| *tick <= self.high * 1.001));
                ten *= 10.0;
            }
        } else {
            let step = step(self.high * 0.98);
            let mut tick = 0.0;
            while tick <= self.high * 1.001 {
                ticks.push(tick);
                tick += step;
            }
        }
        ticks
    }
}

/// A round step that gives some five ticks.
fn step(high: f64) -> f64 {
    let rough = high / 5.0;
    let ten = 10_f64.powf(rough.log10().floor());
    [1.0, 2.0, 2.5, 5.0, 10.0].map(|round| round * ten).into_iter().find(|step| *step >= rough).unwrap_or(ten)
}

/// A number on an axis.
fn tick_label(tick: f64) -> String {
    let text = number(tick);
    if text.contains('.') { text.trim_end_matches('0').to_owned() } else { text }
}

/// About how wide a text is.
fn width(text: &str) -> f64 {
    6.6 * text.chars().count() as f64
}

/// Names and swatches in rows from the left; gives the height they take.
fn legend(svg: &mut Svg, names: &[&str], y: f64, swatch: impl Fn(&mut Svg, f64, f64, usize)) -> f64 {
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

fn legend_height(names: &[&str]) -> f64 {
    let mut measure = Svg::new(WIDTH, 0.0, "", "");
    legend(&mut measure, names, 0.0, |_, _, _, _| {})
}

fn bar_swatch(svg: &mut Svg, x: f64, y: f64, series: usize) {
    svg.bar(x, y - 6.0, 18.0, 12.0, series);
}

/// The numbers in words, for those who cannot see the picture.
fn described(groups: &[String], series: &[Series], shown: impl Fn(f64) -> String) -> String {
    let group = |(place, group): (usize, &String)| {
        let value = |series: &Series| {
            let value = series.values.get(place).copied().flatten()?;
            Some(format!("{} {}", series.name, shown(value)))
        };
        format!("{group}: {}.", series.iter().filter_map(value).collect::<Vec<_>>().join(", "))
    };
    groups.iter().enumerate().map(group).collect::<Vec<_>>().join(" ")
}

fn present(series: &[Series]) -> impl Iterator<Item = f64> + Clone {
    series.iter().flat_map(|series| series.values.iter().copied().flatten())
}

/// Columns side by side in groups, on a logarithmic axis, in nanoseconds.
pub fn columns(title: &str, groups: &[String], series: &[Series]) -> String {
    let series: Vec<&Series> = series.iter().filter(|series| series.values.iter().any(Option::is_some)).collect();
    let names: Vec<&str> = series.iter().map(|series| series.name.as_str()).collect();
    let top = TOP + legend_height(&names) + 16.0;
    let (left, plot, height) = (64.0, 260.0, top + 260.0 + 44.0);
    let all: Vec<f64> = series.iter().flat_map(|series| series.values.iter().copied().flatten()).collect();
    let axis = Axis::around(all.iter().copied(), true);
    let text = groups.iter().enumerate().map(|(place, group)| {
        let value =
            |series: &&Series| Some(format!("{} {} ns", series.name, number(series.values.get(place).copied()??)));
        format!("{group}: {}.", series.iter().filter_map(value).collect::<Vec<_>>().join(", "))
    });
    let mut svg = Svg::new(WIDTH, height, title, &text.collect::<Vec<_>>().join(" "));
    legend(&mut svg, &names, TOP + 4.0, bar_swatch);
    let y = |value: f64| top + plot * (1.0 - axis.place(value));
    for tick in axis.ticks() {
        svg.rule((left, y(tick)), (WIDTH - 12.0, y(tick)), false);
        svg.text(left - 8.0, y(tick) + 4.0, Anchor::End, Font::Small, &tick_label(tick));
    }
    svg.text(left - 8.0, top - 14.0, Anchor::End, Font::Small, "ns, log");
    let room = (WIDTH - 12.0 - left) / groups.len() as f64;
    let bar = ((room - 12.0) / series.len() as f64).min(44.0);
    for (place, group) in groups.iter().enumerate() {
        let begin = left + room * place as f64;
        svg.text(begin + room / 2.0, top + plot + 20.0, Anchor::Middle, Font::Bold, group);
        let first = begin + (room - bar * series.len() as f64) / 2.0;
        for (kind, series) in series.iter().enumerate() {
            let x = first + bar * kind as f64;
            if let Some(value) = series.values.get(place).copied().flatten() {
                svg.bar(x + 2.0, y(value), bar - 4.0, top + plot - y(value), kind);
                svg.text(x + bar / 2.0, y(value) - 5.0, Anchor::Middle, Font::Value, &number(value));
            }
        }
    }
    svg.rule((left, top + plot), (WIDTH - 12.0, top + plot), true);
    svg.finish()
}

/// Bars lying in groups, on a linear axis from nought: how many times.
pub fn rows(title: &str, groups: &[String], series: &[Series]) -> String {
    let present_only = |series: &&Series| series.values.iter().any(Option::is_some);
    let names: Vec<&str> = series.iter().filter(present_only).map(|series| series.name.as_str()).collect();
    let top = TOP + legend_height(&names) + 8.0;
    let (left, bar, gap) = (84.0, 20.0, 14.0);
    let group_height = bar * names.len() as f64 + gap;
    let plot = group_height * groups.len() as f64;
    let axis = Axis::around(present(series), false);
    let mut svg = Svg::new(WIDTH, top + plot + 30.0, title, &described(groups, series, factor));
    legend(&mut svg, &names, TOP + 4.0, bar_swatch);
    let right = WIDTH - 64.0;
    let x = |value: f64| left + (right - left) * axis.place(value);
    for tick in axis.ticks() {
        svg.rule((x(tick), top), (x(tick), top + plot), false);
        svg.text(x(tick), top + plot + 16.0, Anchor::Middle, Font::Small, &format!("×{}", tick_label(tick)));
    }
    for (place, group) in groups.iter().enumerate() {
        let begin = top + group_height * place as f64 + gap / 2.0;
        svg.text(left - 10.0, begin + (group_height - gap) / 2.0 + 4.0, Anchor::End, Font::Bold, group);
        for (kind, series) in series.iter().filter(present_only).enumerate() {
            if let Some(value) = series.values.get(place).copied().flatten() {
                let y = begin + bar * kind as f64;
                svg.bar(left, y + 2.0, x(value) - left, bar - 4.0, kind);
                svg.text(x(value) + 6.0, y + bar / 2.0 + 4.0, Anchor::Start, Font::Value, &factor(value));
            }
        }
    }
    svg.rule((left, top), (left, top + plot), true);
    svg.finish()
}

/// A row of a chart of dots.
pub struct Dots {
    pub name: String,
    /// y3's own.
    pub own: bool,
    /// Set apart, and why the legend says.
    pub apart: bool,
    /// A number for each series.
    pub values: Vec<Option<f64>>,
}

/// Rows of dots on a logarithmic axis, in nanoseconds. `apart`: what the mark † says.
pub fn dots(title: &str, series: &[&str], rows: &[Dots], apart: &str) -> String {
    let longest = rows.iter().map(|row| width(&row.name)).fold(0.0, f64::max);
    let (row_height, left, right) = (19.0, longest + 44.0, WIDTH - 60.0);
    let top = TOP + 46.0;
    let plot = row_height * rows.len() as f64;
    let all: Vec<f64> = rows.iter().flat_map(|row| row.values.iter().copied().flatten()).collect();
    let axis = Axis::around(all.iter().copied(), true);
    let text = rows.iter().map(|row| {
        let values =
            series.iter().zip(&row.values).filter_map(|(name, value)| Some(format!("{name} {} ns", number((*value)?))));
        format!("{}: {}.", row.name, values.collect::<Vec<_>>().join(", "))
    });
    let mut svg = Svg::new(WIDTH, top + plot + 30.0, title, &text.collect::<Vec<_>>().join(" "));
    // The last series is the one that the rows are sorted by and whose number stands at the row's end.
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
        svg.text(x(tick), top - 6.0, Anchor::Middle, Font::Small, &format!("{} ns", tick_label(tick)));
        svg.text(x(tick), top + plot + 16.0, Anchor::Middle, Font::Small, &format!("{} ns", tick_label(tick)));
    }
    for (place, row) in rows.iter().enumerate() {
        let y = top + row_height * (place as f64 + 0.5);
        let font = if row.own { Font::Bold } else { Font::Plain };
        let name = if row.apart { format!("{} †", row.name) } else { row.name.clone() };
        svg.text(left - 10.0, y + 4.0, Anchor::End, font, &name);
        // Empty marks on top, so that two in one place are both seen.
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

/// Points of one series in a chart of lines.
pub struct Curve {
    pub name: String,
    /// At the line's end.
    pub label: String,
    pub points: Vec<(f64, f64)>,
}

/// The least of the numbers would be squeezed flat on a linear axis.
pub fn is_wide(numbers: impl Iterator<Item = f64>) -> bool {
    let (low, high) =
        numbers.fold((f64::MAX, 0.0), |(low, high), number| (f64::min(low, number), f64::max(high, number)));
    low > 0.0 && high / low > 100.0
}

/// Lines over a parameter that is a whole number, in nanoseconds on a logarithmic axis or a linear one.
pub fn lines(title: &str, parameter: &str, curves: &[&Curve], logarithmic: bool) -> String {
    let names: Vec<&str> = curves.iter().map(|curve| curve.name.as_str()).collect();
    let top = TOP + legend_height(&names) + 20.0;
    let (left, plot) = (64.0, 320.0);
    let longest = curves.iter().map(|curve| width(&curve.label)).fold(0.0, f64::max);
    let right = WIDTH - 24.0 - longest;
    let points = || curves.iter().flat_map(|curve| curve.points.iter().copied());
    let (xs, ys): (Vec<f64>, Vec<f64>) = points().unzip();
    // Parameters need no room around them.
    let last = xs.iter().copied().fold(0.0, f64::max);
    let x_axis = Axis { high: last, ..Axis::around(xs.iter().copied(), is_wide(xs.iter().copied())) };
    let y_axis = Axis::around(ys.iter().copied(), logarithmic);
    let text = curves.iter().map(|curve| {
        let ends = [curve.points.first(), curve.points.last()].into_iter().flatten();
        let ends: Vec<String> = ends.map(|(x, ns)| format!("{} ns at {}", number(*ns), number(*x))).collect();
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
    let scale = if y_axis.logarithmic { "ns, log" } else { "ns" };
    svg.text(left - 8.0, top - 12.0, Anchor::End, Font::Small, scale);
    let parameter = if x_axis.logarithmic { format!("{parameter}, log") } else { parameter.to_owned() };
    svg.text(f64::midpoint(left, right), top + plot + 38.0, Anchor::Middle, Font::Plain, &parameter);
    svg.rule((left, top + plot), (right, top + plot), true);
    svg.rule((left, top), (left, top + plot), true);
    let mut labels = Vec::new();
    for (kind, curve) in curves.iter().enumerate() {
        let places: Vec<(f64, f64)> = curve.points.iter().map(|(at, ns)| (x(*at), y(*ns))).collect();
        svg.polyline(&places, kind);
        for (x, y) in &places {
            svg.mark(*x, *y, kind, true);
        }
        if let Some((x, y)) = places.last() {
            labels.push((*x, *y, curve.label.as_str()));
        }
    }
    // Each at its line's end, pushed apart where lines end together.
    labels.sort_by(|one, other| one.1.total_cmp(&other.1));
    let mut lowest = f64::MIN;
    for (x, y, name) in labels {
        let y = f64::max(y + 4.0, lowest + 14.0);
        svg.text(x + 10.0, y, Anchor::Start, Font::Plain, name);
        lowest = y;
    }
    svg.finish()
}
