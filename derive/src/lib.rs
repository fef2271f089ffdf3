//! The derive macros of the crate [`y3`](https://docs.rs/y3): structs and enums whose keys the compiler checks.
//!
//! In: a type whose fields have keys as attributes. Out: the impl of `y3::Encode` or `y3::Decode`, or a compiler error.
//!
//! Use it through the feature `derive` of `y3`, whose module `value` documents the attributes.
#![forbid(unsafe_code)]
#![deny(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod args;
mod decode;
mod encode;
mod generics;
mod model;
mod table;

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{DeriveInput, Generics, LitInt, parse_macro_input};

use model::{Body, Field, Model, Shape};

/// Implements `y3::Encode`, which writes a struct or an enum as a packet.
#[proc_macro_derive(Encode, attributes(y3))]
pub fn encode(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand(&parse_macro_input!(input as DeriveInput), encode::expand)
}

/// Implements `y3::Decode`, which reads a struct or an enum from a packet.
#[proc_macro_derive(Decode, attributes(y3))]
pub fn decode(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand(&parse_macro_input!(input as DeriveInput), decode::expand)
}

fn expand(input: &DeriveInput, expand: impl FnOnce(&Model<'_>) -> TokenStream) -> proc_macro::TokenStream {
    Model::of(input).map_or_else(syn::Error::into_compile_error, |model| expand(&model)).into()
}

/// The impl of a trait, with the items in `body`; its documentation shows the keys. `'__a` is the lifetime of the input.
fn implement(
    model: &Model<'_>,
    generics: &Generics,
    of: impl Fn(&str) -> TokenStream,
    body: &TokenStream,
) -> TokenStream {
    let (of, of_static) = (of("'__a"), of("'static"));
    let (params, _, bounds) = generics.split_for_impl();
    let (_, args, _) = model.generics.split_for_impl();
    let (ident, table, optional) = (model.ident, table::of(model), never_absent(model, &of));
    let deprecated = model.deprecated.then(|| quote!(#[allow(deprecated)]));
    // The constant is computed where it is used, but for this one.
    let is_generic = model.generics.type_params().next().is_some() || model.generics.const_params().next().is_some();
    let check = (!is_generic).then(|| {
        let lifetimes = model.generics.lifetimes().map(|_| quote!('static));
        quote_spanned! {mixed()=>
            #deprecated
            const _: ::core::primitive::bool = <#ident<#(#lifetimes),*> as #of_static>::OPTIONAL;
        }
    });
    quote_spanned! {mixed()=>
        #[doc = #table]
        #[automatically_derived]
        #deprecated
        impl #params #of for #ident #args #bounds {
            #optional
            #body
        }
        #check
    }
}

/// Says that there always is a packet, so a value that is the whole packet of its type must be no `Option`. As a type that holds itself
/// so needs its own constant, the compiler refuses it: reading one would not end, and no limit of depth would stop it.
fn never_absent(model: &Model<'_>, of: &TokenStream) -> TokenStream {
    let y3 = &model.y3;
    let whole = match &model.body {
        Body::Struct(Shape::Newtype(field)) => Some(field),
        Body::Enum(variants) => variants.iter().find(|variant| variant.is_other).and_then(|other| other.shape.fields().first()),
        Body::Struct(_) => None,
    };
    let optional = match whole.filter(|field| field.with.is_none()) {
        Some(field) => present(y3, field, of),
        None => quote!(false),
    };
    quote_spanned!(mixed()=> const OPTIONAL: ::core::primitive::bool = #optional;)
}

/// Checks that the value of a newtype is no `Option`.
fn present(y3: &TokenStream, field: &Field<'_>, of: &TokenStream) -> TokenStream {
    let ty = field.ty;
    quote_spanned!(field.span()=> #y3::__derive::never_absent(<#ty as #of>::OPTIONAL))
}

/// The set of the keys of these fields.
fn keys<'f>(y3: &TokenStream, fields: impl IntoIterator<Item = &'f Field<'f>>) -> TokenStream {
    let keys = fields.into_iter().filter_map(|field| Some(hexadecimal(field.key()?.into())));
    quote_spanned!(mixed()=> const { #y3::__derive::keys(&[#(#keys),*]) })
}

/// A key as a hexadecimal literal.
fn hexadecimal(number: u32) -> LitInt {
    LitInt::new(&format!("{number:#04x}"), mixed())
}

/// The hygiene of the macro: its variables are hidden from the user's code.
fn mixed() -> Span {
    Span::mixed_site()
}

#[cfg(test)]
#[path = "../tests/unit/arguments.rs"]
mod arguments;
