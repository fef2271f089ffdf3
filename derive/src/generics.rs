//! Generics: the parameters of an impl.
//!
//! In: the parameters of the type, and its fields. Out: the same parameters, with bounds on those that fields on the wire use.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{GenericArgument, GenericParam, Generics, Ident, Lifetime, PathArguments, Type, parse_quote};

use crate::model::{Model, Role};

/// Adds a bound on each type parameter in the type of a field on the wire, and on the parameter's associated types there.
///
/// A converted field has none: what its conversion asks for, only the user knows.
pub fn bounded(model: &Model<'_>, bound: &TokenStream) -> Generics {
    let params: Vec<&Ident> = model.generics.type_params().map(|param| &param.ident).collect();
    let mut types = Vec::new();
    for field in model.fields().filter(|field| matches!(field.role, Role::Keyed(_)) && field.with.is_none()) {
        collect(field.ty, &params, &mut types);
    }
    types.sort_by_key(ToString::to_string);
    types.dedup_by_key(|ty| ty.to_string());
    let mut generics = model.generics.clone();
    if !types.is_empty() {
        generics
            .make_where_clause()
            .predicates
            .extend(types.iter().map(|ty| -> syn::WherePredicate { parse_quote!(#ty: #bound) }));
    }
    generics
}

/// The parameters and their associated types in a type.
fn collect(ty: &Type, params: &[&Ident], found: &mut Vec<TokenStream>) {
    match ty {
        Type::Path(path) => {
            let starts = |path: &syn::Path| path.segments.first().is_some_and(|first| params.contains(&&first.ident));
            let of_param = match &path.qself {
                Some(qself) => matches!(&*qself.ty, Type::Path(inner) if inner.qself.is_none() && starts(&inner.path)),
                None => path.path.leading_colon.is_none() && starts(&path.path),
            };
            if of_param {
                return found.push(ty.to_token_stream());
            }
            for segment in &path.path.segments {
                match &segment.arguments {
                    PathArguments::AngleBracketed(args) => args.args.iter().for_each(|arg| {
                        if let GenericArgument::Type(ty) = arg {
                            collect(ty, params, found);
                        }
                    }),
                    PathArguments::Parenthesized(args) => {
                        args.inputs.iter().for_each(|arg| collect(&arg.ty, params, found));
                    }
                    PathArguments::None => {}
                }
            }
        }
        Type::Array(array) => collect(&array.elem, params, found),
        Type::Slice(slice) => collect(&slice.elem, params, found),
        Type::Group(group) => collect(&group.elem, params, found),
        Type::Paren(paren) => collect(&paren.elem, params, found),
        Type::Reference(reference) => collect(&reference.elem, params, found),
        Type::Tuple(tuple) => tuple.elems.iter().for_each(|ty| collect(ty, params, found)),
        _ => {}
    }
}

/// Adds the lifetime of the input as the first parameter; it outlives all others.
pub fn with_input(mut generics: Generics, input: &Lifetime) -> Generics {
    let lifetimes: Vec<Lifetime> = generics.lifetimes().map(|param| param.lifetime.clone()).collect();
    let param = if lifetimes.is_empty() { quote!(#input) } else { quote!(#input: #(#lifetimes)+*) };
    generics.params.insert(0, GenericParam::Lifetime(parse_quote!(#param)));
    generics
}
