//! Shape: generates what a names file says of a type.
//!
//! In: a model. Out: the function `shape` of `Encode`, whose parts are functions too: a type may hold itself.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;

use crate::expand::written;
use crate::model::{Body, Field, MAX_KEY, Model, Shape};

pub fn expand(model: &Model<'_>) -> TokenStream {
    let (y3, name) = (&model.y3, model.ident.unraw().to_string());
    let shape = match &model.body {
        Body::Struct(shape) => content(y3, shape),
        Body::Enum(_) => one_of(model),
    };
    quote! {
        const SHAPE: #y3::__derive::Shape =
            #y3::__derive::Shape::Named(::core::any::type_name::<Self>, #name, || #shape);
    }
}

/// Variants with a number that is a key; numbers alone if there are none.
fn one_of(model: &Model<'_>) -> TokenStream {
    let (y3, Body::Enum(variants)) = (&model.y3, &model.body) else { return TokenStream::new() };
    let rows = variants.iter().filter_map(|variant| {
        let name = variant.ident.unraw().to_string();
        let key = u8::try_from(variant.number?).ok().filter(|key| *key <= MAX_KEY)?;
        let shape = match &variant.shape {
            Shape::Unit => quote!(#y3::__derive::Shape::Number),
            shape => content(y3, shape),
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
    match shape {
        Shape::Unit => quote!(#y3::__derive::Shape::Value("bytes")),
        Shape::Newtype(field) => {
            let value = value(y3, field);
            quote!((#value.0)())
        }
        Shape::Fields(fields) => {
            let rows = fields.iter().filter_map(|field| {
                let (key, name, value) = (field.key()?, &field.name, value(y3, field));
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

/// The shape of a field's value, and whether it may be absent.
fn value(y3: &TokenStream, field: &Field<'_>) -> TokenStream {
    let (span, ty, written) = (field.span(), field.ty, written(y3, field));
    match (&field.with, field.pvar) {
        (None, _) => {
            let of = quote_spanned!(span=> <#written as #y3::Encode>);
            quote_spanned!(span=> (|| #of::SHAPE, #of::OPTIONAL))
        }
        (Some(with), false) => {
            quote_spanned!(span=> #y3::__derive::converted::<#ty, _>(|__value| #with::encode(__value)))
        }
        (Some(with), true) => {
            quote_spanned!(span=> #y3::__derive::converted::<#ty, _>(|__value| #y3::PVarInt(#with::encode(__value))))
        }
    }
}
