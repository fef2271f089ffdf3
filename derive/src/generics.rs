//! Generics: the parameters of an impl.
//!
//! In: the parameters of the type, and its fields. Out: the same parameters, with bounds on those that fields on the wire use.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{GenericParam, Generics, Lifetime, TypeParam, parse_quote};

use crate::model::Model;

/// Adds a bound to each type parameter that the type of a field on the wire names.
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

/// Adds the lifetime of the input as the first parameter; it outlives all others.
pub fn with_input(mut generics: Generics, input: &Lifetime) -> Generics {
    let lifetimes: Vec<Lifetime> = generics.lifetimes().map(|param| param.lifetime.clone()).collect();
    let param = if lifetimes.is_empty() { quote!(#input) } else { quote!(#input: #(#lifetimes)+*) };
    generics.params.insert(0, GenericParam::Lifetime(parse_quote!(#param)));
    generics
}

/// Whether the tokens contain the name of a parameter.
fn names(tokens: &TokenStream, param: &TypeParam) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        proc_macro2::TokenTree::Ident(ident) => ident == param.ident,
        proc_macro2::TokenTree::Group(group) => names(&group.stream(), param),
        _ => false,
    })
}
