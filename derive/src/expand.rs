//! Expand: what both impls have in common: parameters, bounds and constants.
//!
//! In: a model, and the items of an impl. Out: the impl.
//!
//! Names in generated code have two underscores in front, so that no item of the user's has the name of a variable.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::visit::Visit;
use syn::{Ident, Lifetime, LitInt, Type, TypePath, WherePredicate, parse_quote};

use crate::model::{Field, Model};
use crate::table;

/// The type of a field as it is written.
pub fn written(y3: &TokenStream, field: &Field<'_>) -> TokenStream {
    let ty = field.ty;
    match (&field.with, field.pvar) {
        (Some(_), _) => quote!(_),
        (None, true) => quote_spanned!(field.span=> #y3::PVarInt<&#ty>),
        (None, false) => ty.to_token_stream(),
    }
}

/// The expression that is written for a field, made of the variable that refers to it.
pub fn encoded(y3: &TokenStream, field: &Field<'_>, local: &Ident) -> TokenStream {
    let value = match &field.with {
        Some(with) => quote_spanned!(field.span=> #with::encode(#local)),
        None => local.to_token_stream(),
    };
    if field.pvar { quote!(#y3::PVarInt(#value)) } else { value }
}

/// The impl of `Encode`, or of `Decode` with `'__a` as the lifetime of the input; its documentation shows the keys.
pub fn implement(model: &Model<'_>, is_decode: bool, body: &TokenStream) -> TokenStream {
    let (y3, ident, table) = (&model.y3, model.ident, table::of(model));
    let of = if is_decode { quote!(#y3::Decode<'__a>) } else { quote!(#y3::Encode) };
    let of_any = if is_decode { quote!(#y3::Decode<'_>) } else { of.clone() };

    let deprecated = model.deprecated.then(
        || quote!(#[allow(deprecated, reason = "the impl has to name the type and its fields, which the user marked")]),
    );
    let lifetimes: Vec<Lifetime> = model.generics.lifetimes().map(|param| param.lifetime.clone()).collect();
    // Constants of a type with parameters are computed where they are used; those of one without, here.
    let check = (lifetimes.len() == model.generics.params.len()).then(|| {
        let lifetimes = lifetimes.iter().map(|_| quote!('_));
        let this = quote!(<#ident<#(#lifetimes),*> as #of_any>);
        let room = (!is_decode).then(|| quote!(#this::ROOM));
        quote!(#deprecated const _: () = { let _ = (#this::OPTIONAL, #room); };)
    });
    let (_, args, _) = model.generics.split_for_impl();
    let mut generics = model.generics.clone();
    if is_decode {
        generics.params.insert(0, parse_quote!('__a: #(#lifetimes)+*));
    }
    generics.make_where_clause().predicates.extend(bounds(model, &of));
    let (params, _, bounds) = generics.split_for_impl();
    let check_whole = model.whole().map(|field| never_absent(y3, field, &of));
    quote! {
        #[doc = #table]
        #[automatically_derived]
        #deprecated
        impl #params #of for #ident #args #bounds {
            const OPTIONAL: #y3::__derive::Derived<::core::primitive::bool> = {
                #check_whole;
                #y3::__derive::Derived(false)
            };

            #body
        }
        #check
    }
}

/// An error of the compiler if the value may have no packet; what a conversion makes always has one. A type that holds itself as its
/// whole packet so needs its own constant, which is an error too: no limit of depth would end reading it.
pub fn never_absent(y3: &TokenStream, field: &Field<'_>, of: &TokenStream) -> TokenStream {
    if field.with.is_some() {
        return TokenStream::new();
    }
    let ty = field.ty;
    // The error stands where the call is, so that its path must be that of the field.
    let check = quote_spanned!(field.span=> __never_absent(<#ty as #of>::OPTIONAL));
    quote!(use #y3::__derive::never_absent as __never_absent; #check)
}

/// Bounds on each type parameter in the type of a field on the wire, or on the parameter's associated type there.
///
/// A converted field has none: only the user knows what its conversion asks for.
fn bounds(model: &Model<'_>, of: &TokenStream) -> Vec<WherePredicate> {
    let mut params =
        Params { names: model.generics.type_params().map(|param| &param.ident).collect(), found: Vec::new() };
    for field in model.fields().filter(|field| field.is_value() && field.with.is_none()) {
        params.visit_type(field.ty);
    }
    let types: BTreeMap<String, &TypePath> = params.found.iter().map(|ty| (quote!(#ty).to_string(), *ty)).collect();
    types.values().map(|ty| parse_quote!(#ty: #of)).collect()
}

/// The type parameters in types, and their associated types.
struct Params<'a> {
    names: Vec<&'a Ident>,
    found: Vec<&'a TypePath>,
}

impl<'a> Visit<'a> for Params<'a> {
    fn visit_type_path(&mut self, ty: &'a TypePath) {
        let path = match ty.qself.as_ref().map(|qself| &*qself.ty) {
            None => Some(&ty.path),
            Some(Type::Path(inner)) => Some(&inner.path),
            Some(_) => None,
        };
        let first = path.and_then(|path| path.segments.first());
        if first.is_some_and(|first| self.names.contains(&&first.ident)) {
            self.found.push(ty);
        } else {
            self.visit_path(&ty.path);
        }
    }
}

/// The set of the keys of these fields.
pub fn keys<'f>(y3: &TokenStream, fields: impl IntoIterator<Item = &'f Field<'f>>) -> TokenStream {
    let keys = fields.into_iter().filter_map(Field::key).map(hexadecimal);
    quote!(#y3::keys![#(#keys),*])
}

/// A key as a hexadecimal literal.
pub fn hexadecimal(number: u32) -> LitInt {
    LitInt::new(&format!("{number:#04x}"), proc_macro2::Span::call_site())
}
