#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod args;
mod decode;
mod encode;
mod expand;
mod model;
mod shape;
mod table;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

use model::Model;

/// Implements `y3::Encode`, which writes a struct or an enum as a packet.
#[doc = include_str!("../README.md")]
#[proc_macro_derive(Encode, attributes(y3))]
pub fn encode(input: TokenStream) -> TokenStream {
    expand(&parse_macro_input!(input as DeriveInput), encode::expand)
}

/// Implements `y3::Decode`, which reads a struct or an enum from a packet. [`Encode`] documents all attributes.
#[proc_macro_derive(Decode, attributes(y3))]
pub fn decode(input: TokenStream) -> TokenStream {
    expand(&parse_macro_input!(input as DeriveInput), decode::expand)
}

fn expand(input: &DeriveInput, expand: impl FnOnce(&Model<'_>) -> proc_macro2::TokenStream) -> TokenStream {
    Model::of(input).map_or_else(syn::Error::into_compile_error, |model| expand(&model)).into()
}

#[cfg(test)]
#[path = "../tests/unit/arguments.rs"]
mod arguments;
