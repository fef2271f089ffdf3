//! The derive macros of the crate [`y3`](https://docs.rs/y3): structs and enums whose keys the compiler checks.
//!
//! In: a type whose fields have keys as attributes. Out: the impl of `y3::ToPacket` or `y3::FromPacket`, or a compiler error.
//!
//! Use it through the feature `derive` of `y3`. The module `y3::record` documents the attributes.
#![forbid(unsafe_code)]
#![deny(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod args;
mod from_packet;
mod generics;
mod in_order;
mod model;
mod to_packet;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

use model::Model;

/// Implements `y3::ToPacket`, which writes a struct or an enum as a packet.
#[proc_macro_derive(ToPacket, attributes(y3))]
pub fn to_packet(input: TokenStream) -> TokenStream {
    expand(&parse_macro_input!(input as DeriveInput), to_packet::expand)
}

/// Implements `y3::FromPacket`, which reads a struct or an enum from a packet.
#[proc_macro_derive(FromPacket, attributes(y3))]
pub fn from_packet(input: TokenStream) -> TokenStream {
    expand(&parse_macro_input!(input as DeriveInput), from_packet::expand)
}

fn expand(input: &DeriveInput, expand: impl FnOnce(&Model<'_>) -> proc_macro2::TokenStream) -> TokenStream {
    Model::of(input).map_or_else(syn::Error::into_compile_error, |model| expand(&model)).into()
}
