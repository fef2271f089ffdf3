//! Shape: generates the constant `SHAPE` of `Encode`, which describes a type for names files.
//!
//! The constant contains functions that return the shapes of fields. Without functions, the shape of a recursive type
//! would contain itself.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;

use crate::expand::{encoded, hexadecimal, written};
use crate::model::{Field, Kind, MAX_KEY, Model, Shape};

pub fn expand(model: &Model<'_>) -> TokenStream {
    let (y3, name) = (&model.y3, model.ident.unraw().to_string());
    let shape = model.shape.as_ref().map_or_else(|| one_of(model), |shape| content(y3, shape));
    quote! {
        const SHAPE: #y3::__derive::Shape =
            #y3::__derive::Shape::Named(::core::any::type_name::<Self>, #name, || #shape);
    }
}

/// The shape of an enum. It consists of the variants whose number is a valid key. If there are none, the shape is a
/// number.
fn one_of(model: &Model<'_>) -> TokenStream {
    let y3 = &model.y3;
    let rows = model.variants.iter().filter_map(|variant| {
        let key = hexadecimal(variant.number.filter(|number| *number <= MAX_KEY)?);
        let name = variant.ident.unraw().to_string();
        let shape = match variant.shape.kind {
            // This variant is a number without content.
            Kind::Unit => quote!(#y3::__derive::Shape::Value("")),
            _ => content(y3, &variant.shape),
        };
        Some(quote!(__each(#key, #name, false, || #shape);))
    });
    let rows: Vec<TokenStream> = rows.collect();
    match (rows.is_empty(), model.pvar) {
        (false, _) => quote!(#y3::__derive::Shape::OneOf(|__each| { #(#rows)* })),
        (true, false) => quote!(#y3::__derive::Shape::Value("u32")),
        (true, true) => quote!(#y3::__derive::Shape::Value("pvar u32")),
    }
}

fn content(y3: &TokenStream, shape: &Shape<'_>) -> TokenStream {
    let values = shape.fields.iter().map(|field| value(y3, field));
    match shape.kind {
        Kind::Unit => quote!(#y3::__derive::Shape::Value("bytes")),
        Kind::Newtype => quote!(#((#values.0)())*),
        Kind::Node => {
            let rows = shape.fields.iter().zip(values).filter_map(|(field, value)| {
                let (key, name) = (hexadecimal(field.key()?), &field.name);
                let may_be_absent = field.default.is_some() || field.skip_if.is_some();
                Some(quote!({
                    let (__shape, __is_optional) = #value;
                    __each(#key, #name, __is_optional || #may_be_absent, __shape);
                }))
            });
            quote!(#y3::__derive::Shape::Node(|__each| { #(#rows)* }))
        }
    }
}

/// An expression for a pair: the shape of a field's value, and a `bool` that is true if the value can be absent.
fn value(y3: &TokenStream, field: &Field<'_>) -> TokenStream {
    let (ty, written, encoded) = (field.ty, written(y3, field), encoded(y3, field, &format_ident!("__value")));
    match &field.with {
        None => {
            let of = quote_spanned!(field.span=> <#written as #y3::Encode>);
            quote!((|| #of::SHAPE, #of::OPTIONAL.0))
        }
        Some(_) => quote_spanned!(field.span=> #y3::__derive::converted::<#ty, _>(|__value| #encoded)),
    }
}
