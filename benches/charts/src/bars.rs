//! Bars: columns side by side on a logarithmic axis, and rows on a linear one.

use crate::axis::{Axis, tick_label};
use crate::legend::{legend, legend_height};
use crate::number::{factor, number};
use crate::svg::{Anchor, Font, Svg};
use crate::{TOP, WIDTH};

/// One name and a number for each group.
pub struct Series {
    pub name: String,
    pub values: Vec<Option<f64>>,
}

fn bar_swatch(svg: &mut Svg, x: f64, y: f64, series: usize) {
    svg.bar(x, y - 6.0, 18.0, 12.0, series);
}

/// The numbers as text, for people who cannot see the picture.
fn described(groups: &[String], series: &[&Series], shown: impl Fn(f64) -> String) -> String {
    let group = |(place, group): (usize, &String)| {
        let value = |series: &&Series| {
            let value = series.values.get(place).copied().flatten()?;
            Some(format!("{} {}", series.name, shown(value)))
        };
        format!("{group}: {}.", series.iter().filter_map(value).collect::<Vec<_>>().join(", "))
    };
    groups.iter().enumerate().map(group).collect::<Vec<_>>().join(" ")
}

/// The series that have at least one number.
fn present(series: &[Series]) -> Vec<&Series> {
    series.iter().filter(|series| series.values.iter().any(Option::is_some)).collect()
}

fn numbers<'a>(series: &'a [&Series]) -> impl Iterator<Item = f64> + Clone + 'a {
    series.iter().flat_map(|series| series.values.iter().copied().flatten())
}

/// Columns side by side in groups, on a logarithmic axis.
pub fn columns(title: &str, unit: &str, groups: &[String], series: &[Series]) -> String {
    let series = present(series);
    let names: Vec<&str> = series.iter().map(|series| series.name.as_str()).collect();
    let top = TOP + legend_height(&names) + 16.0;
    let (left, plot, height) = (64.0, 260.0, top + 260.0 + 44.0);
    let axis = Axis::around(numbers(&series), true);
    let mut svg =
        Svg::new(WIDTH, height, title, &described(groups, &series, |value| format!("{} {unit}", number(value))));
    legend(&mut svg, &names, TOP + 4.0, bar_swatch);
    let y = |value: f64| top + plot * (1.0 - axis.place(value));
    for tick in axis.ticks() {
        svg.rule((left, y(tick)), (WIDTH - 12.0, y(tick)), false);
        svg.text(left - 8.0, y(tick) + 4.0, Anchor::End, Font::Small, &tick_label(tick));
    }
    svg.text(left - 8.0, top - 14.0, Anchor::End, Font::Small, &format!("{unit}, log"));
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

/// Horizontal bars in groups, on a linear axis from zero, for factors.
pub fn rows(title: &str, groups: &[String], series: &[Series]) -> String {
    let series = present(series);
    let names: Vec<&str> = series.iter().map(|series| series.name.as_str()).collect();
    let top = TOP + legend_height(&names) + 8.0;
    let (left, bar, gap) = (84.0, 20.0, 14.0);
    let group_height = bar * names.len() as f64 + gap;
    let plot = group_height * groups.len() as f64;
    let axis = Axis::around(numbers(&series), false);
    let mut svg = Svg::new(WIDTH, top + plot + 30.0, title, &described(groups, &series, factor));
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
        for (kind, series) in series.iter().enumerate() {
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
