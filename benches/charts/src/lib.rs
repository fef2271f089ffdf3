//! Charts of measurements as SVG: rows of dots in panels side by side, and lines.
//!
//! In: names, numbers and their unit. Out: one SVG file as text, for light and dark pages, with a title and a description in words.
//! A codec has one colour in all charts. A missing number leaves its place empty.
#![forbid(unsafe_code)]

mod axis;
mod colour;
mod dots;
mod lines;
pub mod number;
mod svg;

pub use dots::{Dot, Row, dots};
pub use lines::{Curve, lines};
