//! Names and types for Y3 packets. On the wire a packet has only a key and bytes. A names file adds a name and a type to each
//! key.
//!
//! In: a names file, packets, JSON. Out: typed values, JSON for packets, packets for JSON, and the effects of changes to a names
//! file.

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
