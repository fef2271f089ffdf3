//! SVG: lines, texts and marks that read well on light and on dark pages and without colour.
//!
//! In: shapes in pixels, and the name of what they belong to. Out: an SVG file. The chart libraries plotters and poloto write
//! colours into each shape. Here the colours follow the page's theme, a line has a dash and a mark as well as a colour, and a
//! halo keeps texts legible on any background. Shapes of one style are one element.

use std::fmt::{Display, Write};

use crate::colour::FAMILIES;

/// The width of a chart in pixels.
pub const WIDTH: f64 = 860.0;

pub type Point = (f64, f64);

/// The approximate width of a text of the usual size.
pub fn width(text: &str) -> f64 {
    6.6 * text.chars().count() as f64
}

/// The dashes of lines, in turn.
const DASHES: [&str; 6] = ["none", "7 3", "2 3", "9 3 2 3", "4 2", "12 3"];

/// The marks of lines, in turn, drawn from their middle: circle, square, triangle, diamond, inverted triangle, cross.
const MARKS: [&str; 6] = [
    "m-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z",
    "m-4-4h8v8h-8z",
    "m0-5l5 8.5h-10z",
    "m0-5.5l5.5 5.5l-5.5 5.5l-5.5-5.5z",
    "m0 5l5-8.5h-10z",
    "m-4-4l8 8m-8 0l8-8",
];

/// The styles of texts, each with the end that is at the text's place: names, soft ones for ticks and notes, and numbers at a mark.
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

/// The lines of a title that is as wide as the chart at the most.
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
    /// The height above a chart's contents that its title takes.
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

    /// Texts at one height, each with its place and style.
    pub fn texts<T: AsRef<str>>(&mut self, y: f64, texts: impl IntoIterator<Item = (f64, &'static str, T)>) {
        let text = |(x, style, text): (f64, &str, T)| {
            format!(r#"<tspan class="{style}" x="{x:.1}">{}</tspan>"#, escaped(text.as_ref()))
        };
        let texts: String = texts.into_iter().map(text).collect();
        self.add(format_args!(r#"<text y="{y:.1}">{texts}</text>"#));
    }

    /// A light band behind a row to be noticed.
    pub fn band(&mut self, x: f64, y: f64, width: f64, height: f64) {
        self.add(format_args!(r#"<rect class="band" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}"/>"#));
    }

    fn path(&mut self, class: &str, d: &str) {
        self.add(format_args!(r#"<path class="{class}" d="{d}"/>"#));
    }

    /// Straight lines of the grid, or of an axis.
    pub fn rules(&mut self, axis: bool, rules: impl IntoIterator<Item = [Point; 2]>) {
        let rules: String = rules.into_iter().map(|rule| through(&rule)).collect();
        self.path(if axis { "axis" } else { "grid" }, &rules);
    }

    /// Lines through points; `place` decides their dash.
    pub fn lines(&mut self, lines: &[impl AsRef<[Point]>], family: usize, place: usize) {
        let class = format!("line c{family} d{}", place % DASHES.len());
        self.path(&class, &lines.iter().map(|line| through(line.as_ref())).collect::<String>());
    }

    /// Marks at points; `place` decides their shape.
    pub fn marks(&mut self, points: &[Point], family: usize, place: usize) {
        let (class, shape) = (format!("mark c{family}"), MARKS[place % MARKS.len()]);
        self.path(&class, &points.iter().map(|(x, y)| format!("M{x:.1} {y:.1}{shape}")).collect::<Vec<_>>().concat());
    }

    /// The description is for people who cannot see the picture.
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

/// A path through points.
fn through(points: &[Point]) -> String {
    let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
    format!("M{}", points.join("L"))
}

const STYLE: &str = "text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',Helvetica,Arial,sans-serif;font-size:12px;\
paint-order:stroke;stroke-width:3px;stroke-linejoin:round}.b{font-weight:600}.big{font-size:15px}.start{text-anchor:start}.middle{text-anchor:middle}\
.end{text-anchor:end}.v{font-variant-numeric:tabular-nums}.grid,.axis{fill:none;stroke-width:1}.line{fill:none;stroke-width:2}\
.mark{stroke-width:1.2}";

/// The colours of text, of soft text, of the grid, of bands and of the page.
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
