//! Draws charts of measurements as SVG: rows of dots in panels, and lines.
//!
//! [`dots()`] and [`lines()`] return an SVG file as text. The charts suit light and dark pages. Each chart has a title, and a description
//! for screen readers. A codec has the same colour in all charts.
#![forbid(unsafe_code)]

mod axis;
mod colour;
mod dots;
mod lines;
pub mod number;
mod svg;

pub use dots::{Dot, Row, dots};
pub use lines::{Curve, lines};
