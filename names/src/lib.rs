//! Names and types for Y3 packets. The wire carries only keys and bytes; a names file gives keys names and types.
//!
//! In: a names file, packets, JSON. Out: typed values, packets as JSON and back, and the effect of a change of the file on its readers and
//! writers.

mod encode;
mod encode_error;
pub mod guard;
mod json;
pub mod lint;
mod model;
mod parse;
mod place;
mod rows;
mod scalar;
mod schema;
mod show;
mod value;

pub use encode_error::EncodeError;
pub use model::{Field, Fields, Names, Type};
pub use parse::{ParseError, near};
pub use place::{in_text, visible};
pub use rows::NamedRow;
pub use scalar::Scalar;
pub use schema::{Member, Schema};
pub use show::DecodeError;
pub use value::Value;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
