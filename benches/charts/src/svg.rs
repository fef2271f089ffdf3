//! SVG: draws lines, texts and marks that are legible on light and on dark pages, and without colour.
//!
//! The chart libraries plotters and poloto write a fixed colour into each shape. In this module, the colours follow the theme of the
//! page. Each line has a dash and a mark as well as a colour. A halo keeps texts legible on any background.

use std::fmt::{Display, Write};

use crate::colour::FAMILIES;

/// The width of a chart in pixels.
pub const WIDTH: f64 = 860.0;

pub type Point = (f64, f64);

/// The approximate width of a text of the usual size in pixels.
pub fn width(text: &str) -> f64 {
    6.6 * text.chars().count() as f64
}

/// The dashes of the lines.
const DASHES: [&str; 6] = ["none", "7 3", "2 3", "9 3 2 3", "4 2", "12 3"];

/// The marks of the lines, as paths from the middle of the mark: circle, square, triangle, diamond, inverted triangle, cross.
const MARKS: [&str; 6] = [
    "m-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z",
    "m-4-4h8v8h-8z",
    "m0-5l5 8.5h-10z",
    "m0-5.5l5.5 5.5l-5.5 5.5l-5.5-5.5z",
    "m0 5l5-8.5h-10z",
    "m-4-4l8 8m-8 0l8-8",
];

/// The styles of texts. `b` is bold, `s` is soft (for ticks and notes), and `v` is for numbers. `start`, `middle` and `end` tell which
/// part of the text is at the given position.
const TITLE: &str = "b big";
pub const BOLD: &str = "b";
pub const BOLD_END: &str = "b end";
pub const START: &str = "start";
pub const MIDDLE: &str = "middle";
pub const END: &str = "end";
pub const SOFT: &str = "s";
pub const SOFT_MIDDLE: &str = "s middle";
pub const SOFT_END: &str = "s end";
pub const VALUE: &str = "v end";

#[derive(Default)]
pub struct Svg(String);

/// Escapes `text` for XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Breaks a title into lines that fit the width of the chart.
fn title_lines(title: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in title.split(' ') {
        match lines.last_mut() {
            Some(line) if 1.4 * width(&format!("{line} {word}")) <= WIDTH - 24.0 => *line = format!("{line} {word}"),
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

impl Svg {
    /// The height of the title of a chart.
    pub fn top(title: &str) -> f64 {
        26.0 + 19.0 * title_lines(title).len() as f64
    }

    pub fn new(title: &str) -> Svg {
        let mut svg = Svg::default();
        for (place, line) in title_lines(title).into_iter().enumerate() {
            svg.texts(22.0 + 19.0 * place as f64, [(12.0, TITLE, line)]);
        }
        svg
    }

    fn add(&mut self, shape: impl Display) {
        writeln!(self.0, "{shape}").expect("a string takes all");
    }

    /// Adds texts at one height. Each text has its horizontal position and its style.
    pub fn texts<T: AsRef<str>>(&mut self, y: f64, texts: impl IntoIterator<Item = (f64, &'static str, T)>) {
        let text = |(x, style, text): (f64, &str, T)| {
            format!(r#"<tspan class="{style}" x="{x:.1}">{}</tspan>"#, escaped(text.as_ref()))
        };
        let texts: String = texts.into_iter().map(text).collect();
        self.add(format_args!(r#"<text y="{y:.1}">{texts}</text>"#));
    }

    /// Adds a light band behind a row.
    pub fn band(&mut self, x: f64, y: f64, width: f64, height: f64) {
        self.add(format_args!(r#"<rect class="band" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}"/>"#));
    }

    fn path(&mut self, class: &str, d: &str) {
        self.add(format_args!(r#"<path class="{class}" d="{d}"/>"#));
    }

    /// Adds straight lines of the grid, or of an axis if `axis` is true.
    pub fn rules(&mut self, axis: bool, rules: impl IntoIterator<Item = [Point; 2]>) {
        let rules: String = rules.into_iter().map(|rule| through(&rule)).collect();
        self.path(if axis { "axis" } else { "grid" }, &rules);
    }

    /// Adds lines through points. `place` decides the dash.
    pub fn lines(&mut self, lines: &[impl AsRef<[Point]>], family: usize, place: usize) {
        let class = format!("line c{family} d{}", place % DASHES.len());
        self.path(&class, &lines.iter().map(|line| through(line.as_ref())).collect::<String>());
    }

    /// Adds marks at points. `place` decides their shape.
    pub fn marks(&mut self, points: &[Point], family: usize, place: usize) {
        let (class, shape) = (format!("mark c{family}"), MARKS[place % MARKS.len()]);
        self.path(&class, &points.iter().map(|(x, y)| format!("M{x:.1} {y:.1}{shape}")).collect::<Vec<_>>().concat());
    }

    /// Returns the SVG file. The description is for people who cannot see the picture.
    pub fn finish(self, height: f64, title: &str, description: &str) -> String {
        let (Svg(body), mut style) = (self, String::from(STYLE));
        let (title, description) = (escaped(title), escaped(description));
        for (place, dash) in DASHES.iter().enumerate() {
            write!(style, ".d{place}{{stroke-dasharray:{dash}}}").expect("a string takes all");
        }
        style += &theme(["#1f2328", "#59636e", "#d1d9e0", "#ddf4ff", "#ffffff"], |(_, light, _)| light);
        let dark = theme(["#e6edf3", "#9198a1", "#3d444d", "#12283f", "#0d1117"], |(.., dark)| dark);
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH:.0}" height="{height:.0}" viewBox="0 0 {WIDTH:.0} {height:.0}" role="img" aria-labelledby="title desc">
<title id="title">{title}</title>
<desc id="desc">{description}</desc>
<style>{style}@media (prefers-color-scheme:dark){{{dark}}}</style>
{body}</svg>
"#
        )
    }
}

/// The path data of a line through points.
fn through(points: &[Point]) -> String {
    let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
    format!("M{}", points.join("L"))
}

const STYLE: &str = "text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',Helvetica,Arial,sans-serif;font-size:12px;\
paint-order:stroke;stroke-width:3px;stroke-linejoin:round}.b{font-weight:600}.big{font-size:15px}.start{text-anchor:start}.middle{text-anchor:middle}\
.end{text-anchor:end}.v{font-variant-numeric:tabular-nums}.grid,.axis{fill:none;stroke-width:1}.line{fill:none;stroke-width:2}\
.mark{stroke-width:1.2}";

/// The style sheet for light or for dark pages. `base` has the colours of text, soft text, the grid, bands and the page.
fn theme(base: [&str; 5], side: impl Fn((&[&str], &'static str, &'static str)) -> &'static str) -> String {
    let [ink, soft, grid, band, paper] = base;
    let mut style = format!(
        "text{{fill:{ink};stroke:{paper}}}.s{{fill:{soft}}}.grid{{stroke:{grid}}}.axis{{stroke:{soft}}}.band{{fill:{band}}}"
    );
    for (class, family) in FAMILIES.iter().enumerate() {
        let colour = side(*family);
        write!(style, ".c{class}{{stroke:{colour}}}.mark.c{class}{{fill:{colour}}}").expect("a string takes all");
    }
    style
}
