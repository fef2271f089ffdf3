//! Charts of measurements as SVG: columns, rows of bars, rows of dots, lines.
//!
//! In: names, numbers and their unit. Out: one SVG file as text, for light and dark pages, with a title and a description in words.
//! A missing number leaves its place empty.
#![forbid(unsafe_code)]

mod axis;
mod bars;
mod dots;
mod legend;
mod lines;
pub mod number;
mod svg;

pub use axis::is_wide;
pub use bars::{Series, columns, rows};
pub use dots::{Dots, dots};
pub use lines::{Curve, lines};

/// The size of a chart in pixels, and the height above its plot for the title.
const WIDTH: f64 = 860.0;
const TOP: f64 = 44.0;
