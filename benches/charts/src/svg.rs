//! SVG: lines, texts and marks that read well on light and on dark pages and without colour.
//!
//! In: shapes in pixels, and the name of what they belong to. Out: an SVG file. The chart libraries plotters and poloto write
//! colours into each shape. Here the colours follow the page's theme, a line has a dash and a mark as well as a colour, and a
//! halo keeps texts legible on any background.

use std::fmt::{Display, Write};

use crate::colour::Colour;

/// The width of a chart in pixels.
pub const WIDTH: f64 = 860.0;

/// The approximate width of a text of the usual size.
pub fn width(text: &str) -> f64 {
    6.6 * text.chars().count() as f64
}

/// The dashes of lines, in turn.
const DASHES: [&str; 6] = ["none", "7 3", "2 3", "9 3 2 3", "4 2", "12 3"];

/// The marks of lines, in turn: circle, square, triangle, diamond, inverted triangle, cross.
const MARKS: [&str; 6] = [
    "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z",
    "M-4-4h8v8h-8z",
    "M0-5l5 8.5h-10z",
    "M0-5.5l5.5 5.5l-5.5 5.5l-5.5-5.5z",
    "M0 5l5-8.5h-10z",
    "M-4-4l8 8M-4 4l8-8",
];

/// Which end of a text is at its place.
pub const START: &str = "start";
pub const MIDDLE: &str = "middle";
pub const END: &str = "end";

/// The styles of texts: soft is grey, for ticks and units; a value is a number at a mark.
const TITLE: &str = "t b big";
pub const PLAIN: &str = "t";
pub const BOLD: &str = "t b";
pub const SOFT: &str = "t s";
pub const VALUE: &str = "t v";

#[derive(Default)]
pub struct Svg {
    body: String,
    colours: Vec<Colour>,
}

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
        for (place, line) in title_lines(title).iter().enumerate() {
            svg.text(12.0, 22.0 + 19.0 * place as f64, START, TITLE, line);
        }
        svg
    }

    fn add(&mut self, shape: impl Display) {
        writeln!(self.body, "{shape}").expect("a string takes all");
    }

    /// The class of a colour.
    fn class(&mut self, colour: Colour) -> usize {
        self.colours.iter().position(|known| *known == colour).unwrap_or_else(|| {
            self.colours.push(colour);
            self.colours.len() - 1
        })
    }

    pub fn text(&mut self, x: f64, y: f64, anchor: &str, style: &str, text: &str) {
        let text = escaped(text);
        self.add(format_args!(r#"<text class="{style}" x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#));
    }

    /// A line of the grid, or an axis.
    pub fn rule(&mut self, from: (f64, f64), to: (f64, f64), axis: bool) {
        let class = if axis { "axis" } else { "grid" };
        let ((x1, y1), (x2, y2)) = (from, to);
        self.add(format_args!(r#"<path class="{class}" d="M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}"/>"#));
    }

    /// A light band behind a row to be noticed.
    pub fn band(&mut self, x: f64, y: f64, width: f64, height: f64) {
        self.add(format_args!(r#"<rect class="band" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}"/>"#));
    }

    /// A line; `place` decides its dash.
    pub fn polyline(&mut self, points: &[(f64, f64)], colour: Colour, place: usize) {
        let (class, dash) = (self.class(colour), place % DASHES.len());
        let list: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        self.add(format_args!(r#"<polyline class="line c{class} d{dash}" points="{}"/>"#, list.join(" ")));
    }

    /// A mark; `place` decides its shape.
    pub fn mark(&mut self, x: f64, y: f64, colour: Colour, place: usize) {
        let (class, shape) = (self.class(colour), MARKS[place % MARKS.len()]);
        self.add(format_args!(r#"<path class="mark c{class}" transform="translate({x:.1} {y:.1})" d="{shape}"/>"#));
    }

    /// The description is for people who cannot see the picture.
    pub fn finish(self, height: f64, title: &str, description: &str) -> String {
        let Svg { body, colours } = self;
        let (title, description) = (escaped(title), escaped(description));
        let mut style = String::from(STYLE);
        for (place, dash) in DASHES.iter().enumerate() {
            write!(style, ".d{place}{{stroke-dasharray:{dash}}}").expect("a string takes all");
        }
        style += &theme(["#1f2328", "#59636e", "#d1d9e0", "#ddf4ff", "#ffffff"], &colours, |(light, _)| light);
        let dark = theme(["#e6edf3", "#9198a1", "#3d444d", "#12283f", "#0d1117"], &colours, |(_, dark)| dark);
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

const STYLE: &str = "text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',Helvetica,Arial,sans-serif;font-size:12px;\
paint-order:stroke;stroke-width:3px;stroke-linejoin:round}.b{font-weight:600}.big{font-size:15px}\
.v{font-variant-numeric:tabular-nums}.grid,.axis{fill:none;stroke-width:1}.line{fill:none;stroke-width:2}\
.mark{stroke-width:1.2}";

/// The colours of text, of soft text, of the grid, of bands and of the page.
fn theme(base: [&str; 5], colours: &[Colour], side: fn(Colour) -> &'static str) -> String {
    let [ink, soft, grid, band, paper] = base;
    let mut style = format!(
        ".t{{fill:{ink};stroke:{paper}}}.s{{fill:{soft}}}.grid{{stroke:{grid}}}.axis{{stroke:{soft}}}.band{{fill:{band}}}"
    );
    for (class, colour) in colours.iter().enumerate() {
        let colour = side(*colour);
        write!(style, ".c{class}{{stroke:{colour}}}.mark.c{class}{{fill:{colour}}}").expect("a string takes all");
    }
    style
}
