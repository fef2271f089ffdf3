//! Names for Y3 packets. On the wire there are only numbers; a names file gives keys names and types.
//!
//! In: a file, packets, JSON. Out: values by type, packets as JSON and back, and what a change of the file means for those who read and
//! write packets.

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
