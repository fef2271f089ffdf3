//! Names and types for Y3 packets. On the wire, a packet has only a key and bytes. A names file gives each key a name
//! and a type.
//!
//! With a names file, this library decodes packets to typed values, and converts packets to JSON and back. The library
//! also describes the effects of changes in a names file.

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
