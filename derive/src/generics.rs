//! Generics: the parameters of an impl.
//!
//! In: those of the type and its fields. Out: the same with a bound on each type that is on the wire.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{GenericParam, Generics, Lifetime, TypeParam, parse_quote};

use crate::model::Model;

/// A bound on each parameter that the type of a field on the wire names.
pub fn bounded(model: &Model<'_>, bound: &TokenStream) -> Generics {
    let fields: Vec<TokenStream> = model.fields().iter().map(|field| field.ty.to_token_stream()).collect();
    let mut generics = model.generics.clone();
    for param in generics.type_params_mut() {
        if fields.iter().any(|ty| names(ty, param)) {
            param.bounds.push(parse_quote!(#bound));
        }
    }
    generics
}

/// The lifetime of the input in front, which outlives every other.
pub fn with_input(mut generics: Generics, input: &Lifetime) -> Generics {
    let lifetimes: Vec<Lifetime> = generics.lifetimes().map(|param| param.lifetime.clone()).collect();
    let param = if lifetimes.is_empty() { quote!(#input) } else { quote!(#input: #(#lifetimes)+*) };
    generics.params.insert(0, GenericParam::Lifetime(parse_quote!(#param)));
    generics
}

/// Whether the name of a parameter stands among these tokens.
fn names(tokens: &TokenStream, param: &TypeParam) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        proc_macro2::TokenTree::Ident(ident) => ident == param.ident,
        proc_macro2::TokenTree::Group(group) => names(&group.stream(), param),
        _ => false,
    })
}
