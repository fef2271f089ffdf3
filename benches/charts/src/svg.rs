//! SVG: lines, texts, bars and marks that read well on light and on dark pages and without colour.
//!
//! In: shapes in pixels, and the number of the series they belong to. Out: an SVG file. The chart libraries plotters and poloto write
//! colours into each shape or have no patterns. Here a series has a pattern, a dash or a mark as well as a colour, the colours
//! follow the page's theme, and a halo keeps texts legible on any background.

use std::fmt::{Display, Write};

/// The number of series that can be distinguished.
const SERIES: usize = 8;

/// Colours for light and for dark pages: blue, orange, green, purple, brown, grey, teal, pink. Patterns, dashes and marks
/// distinguish series for people who do not see the colours.
const COLOURS: [(&str, &str); SERIES] = [
    ("#0550ae", "#6cb6ff"),
    ("#bc4c00", "#f0883e"),
    ("#1a7f37", "#57ab5a"),
    ("#8250df", "#c297ff"),
    ("#9a3412", "#ffa28b"),
    ("#57606a", "#adbac7"),
    ("#0e7c86", "#56d4dd"),
    ("#bf3989", "#f778ba"),
];

/// The pattern that fills a bar, in a square of eight pixels; the first is solid.
const PATTERNS: [&str; SERIES - 1] = [
    r#"<path class="h" d="M-2 2l4-4M0 8l8-8M6 10l4-4"/>"#,
    r#"<circle class="f" cx="2" cy="2" r="1.3"/><circle class="f" cx="6" cy="6" r="1.3"/>"#,
    r#"<path class="h" d="M-2 6l4 4M0 0l8 8M6-2l4 4"/>"#,
    r#"<path class="h" d="M0 2h8M0 6h8"/>"#,
    "",
    r#"<path class="h" d="M2 0v8M6 0v8"/>"#,
    r#"<path class="h" d="M0 4h8M4 0v8"/>"#,
];

/// The dashes of a series' line.
const DASHES: [&str; SERIES] = ["", "7 3", "2 3", "9 3 2 3", "4 2", "1 2", "12 3", "9 2 2 2 2 2"];

const PAPER: (&str, &str) = ("#ffffff", "#0d1117");

#[derive(Clone, Copy)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// The style of a text.
#[derive(Clone, Copy)]
pub enum Font {
    Title,
    Plain,
    Bold,
    /// Small and grey: ticks, units.
    Small,
    /// A number at a bar or a mark.
    Value,
}

pub struct Svg {
    width: f64,
    height: f64,
    title: String,
    description: String,
    body: String,
}

/// Escapes `text` for XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

impl Svg {
    /// The description is for people who cannot see the picture.
    pub fn new(width: f64, height: f64, title: &str, description: &str) -> Svg {
        let mut svg =
            Svg { width, height, title: title.to_owned(), description: description.to_owned(), body: String::new() };
        svg.text(12.0, 22.0, Anchor::Start, Font::Title, title);
        svg
    }

    fn add(&mut self, shape: impl Display) {
        writeln!(self.body, "{shape}").expect("a string takes all");
    }

    pub fn text(&mut self, x: f64, y: f64, anchor: Anchor, font: Font, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let class = match font {
            Font::Title => "t b big",
            Font::Plain => "t",
            Font::Bold => "t b",
            Font::Small => "t s",
            Font::Value => "t v",
        };
        let text = escaped(text);
        self.add(format_args!(r#"<text class="{class}" x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#));
    }

    /// A line of the grid, or an axis.
    pub fn rule(&mut self, from: (f64, f64), to: (f64, f64), axis: bool) {
        let class = if axis { "axis" } else { "grid" };
        let ((x1, y1), (x2, y2)) = (from, to);
        self.add(format_args!(r#"<path class="{class}" d="M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}"/>"#));
    }

    /// A light band behind rows to be noticed.
    pub fn band(&mut self, x: f64, y: f64, width: f64, height: f64) {
        self.add(format_args!(r#"<rect class="band" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}"/>"#));
    }

    pub fn bar(&mut self, x: f64, y: f64, width: f64, height: f64, series: usize) {
        let series = series % SERIES;
        self.add(format_args!(
            r#"<rect class="bar p{series} c{series}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}"/>"#
        ));
    }

    pub fn polyline(&mut self, points: &[(f64, f64)], series: usize) {
        let series = series % SERIES;
        let list: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        self.add(format_args!(r#"<polyline class="line c{series}" points="{}"/>"#, list.join(" ")));
    }

    /// The mark of a series: circle, square, triangle, diamond, inverted triangle, two kinds of cross, slab; empty or
    /// filled.
    pub fn mark(&mut self, x: f64, y: f64, series: usize, full: bool) {
        let series = series % SERIES;
        let inside = if full { "full" } else { "empty" };
        let shape = match series {
            0 => "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z",
            1 => "M-4-4h8v8h-8z",
            2 => "M0-5l5 8.5h-10z",
            3 => "M0-5.5l5.5 5.5l-5.5 5.5l-5.5-5.5z",
            4 => "M0 5l5-8.5h-10z",
            5 => "M-4-4l8 8M-4 4l8-8",
            6 => "M-5 0h10M0-5v10",
            _ => "M-2.5-5h5v10h-5z",
        };
        self.add(format_args!(
            r#"<path class="mark {inside} c{series} k{series}" transform="translate({x:.1} {y:.1})" d="{shape}"/>"#
        ));
    }

    pub fn finish(self) -> String {
        let Svg { width, height, title, description, body } = self;
        let (title, description) = (escaped(&title), escaped(&description));
        let mut patterns = String::new();
        for (pattern, series) in PATTERNS.iter().zip(1..) {
            write!(
                patterns,
                r#"<pattern id="p{series}" class="k{series}" width="8" height="8" patternUnits="userSpaceOnUse">{pattern}</pattern>"#
            )
            .expect("a string takes all");
        }
        let mut style = String::from(STYLE);
        for (series, dash) in DASHES.iter().enumerate() {
            let fill = if series == 0 { String::new() } else { format!(".p{series}{{fill:url(#p{series})}}") };
            let dash = if dash.is_empty() { "none" } else { dash };
            write!(style, "{fill}.line.c{series}{{stroke-dasharray:{dash}}}").expect("a string takes all");
        }
        style += &theme("#1f2328", "#59636e", "#d1d9e0", "#ddf4ff", PAPER.0, |(light, _)| light);
        let dark = theme("#e6edf3", "#9198a1", "#3d444d", "#12283f", PAPER.1, |(_, dark)| dark);
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0}" height="{height:.0}" viewBox="0 0 {width:.0} {height:.0}" role="img" aria-labelledby="title desc">
<title id="title">{title}</title>
<desc id="desc">{description}</desc>
<style>{style}@media (prefers-color-scheme:dark){{{dark}}}</style>
<defs>{patterns}</defs>
{body}</svg>
"#
        )
    }
}

const STYLE: &str = "text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',Helvetica,Arial,sans-serif;font-size:12px;\
paint-order:stroke;stroke-width:3px;stroke-linejoin:round}.b{font-weight:600}.big{font-size:15px}.s{font-size:11px}\
.v{font-size:10px;font-variant-numeric:tabular-nums}.grid,.axis{fill:none;stroke-width:1}.bar{stroke-width:1.2}.empty{fill:none}\
.line{fill:none;stroke-width:2}.mark{stroke-width:1.6}";

fn theme(
    ink: &str,
    soft: &str,
    grid: &str,
    band: &str,
    paper: &str,
    colour: fn((&'static str, &'static str)) -> &'static str,
) -> String {
    let mut style = format!(
        ".t{{fill:{ink};stroke:{paper}}}.s{{fill:{soft}}}.grid{{stroke:{grid}}}.axis{{stroke:{soft}}}.band{{fill:{band}}}"
    );
    for (series, colours) in COLOURS.into_iter().enumerate() {
        let colour = colour(colours);
        write!(
            style,
            ".c{series}{{stroke:{colour}}}.full.k{series}{{fill:{colour}}}.k{series} .h{{fill:none;stroke:{colour};stroke-width:1.6}}.k{series} .f{{fill:{colour}}}"
        )
        .expect("a string takes all");
        if series == 0 {
            write!(style, ".p0{{fill:{colour}}}").expect("a string takes all");
        }
    }
    style
}
