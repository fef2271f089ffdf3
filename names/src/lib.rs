//! Names for Y3 packets. On the wire there are only numbers; a names file gives keys names and types.
//!
//! In: a file, packets, JSON. Out: packets as JSON and back, and what a change of the file means for those who read and write packets.

mod encode;
pub mod guard;
pub mod lint;
mod model;
mod parse;
mod show;

pub use encode::{EncodeError, Json};
pub use model::{Dialect, Field, Fields, Names, Type, Value};
pub use parse::{ParseError, nearest};
pub use show::ShowError;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
