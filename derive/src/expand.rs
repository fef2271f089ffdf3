//! Expand: generates the parts that the impls of `Encode` and `Decode` have in common.
//!
//! Names in generated code begin with two underscores, to avoid collisions with the user's names.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::visit::Visit;
use syn::{Ident, Lifetime, LitInt, Type, TypePath, WherePredicate, parse_quote};

use crate::model::{Field, Model};
use crate::table;

/// The type that is encoded for a field. It is the field's own type, or the type to which `with` converts it.
pub fn written(y3: &TokenStream, field: &Field<'_>) -> TokenStream {
    let ty = field.ty;
    match (&field.with, field.pvar) {
        (Some(_), _) => quote!(_),
        (None, true) => quote_spanned!(field.span=> #y3::PVarInt<&#ty>),
        (None, false) => ty.to_token_stream(),
    }
}

/// The expression that is encoded for a field. `local` is the variable that holds a reference to the field.
pub fn encoded(y3: &TokenStream, field: &Field<'_>, local: &Ident) -> TokenStream {
    let value = match &field.with {
        Some(with) => quote_spanned!(field.span=> #with::encode(#local)),
        None => local.to_token_stream(),
    };
    if field.pvar { quote!(#y3::PVarInt(#value)) } else { value }
}

/// Generates the impl of `Encode` or `Decode`. The documentation of the impl contains a table of the keys. In an impl
/// of `Decode`, `'__a` is the lifetime of the input.
pub fn implement(model: &Model<'_>, is_decode: bool, body: &TokenStream) -> TokenStream {
    let (y3, ident, table) = (&model.y3, model.ident, table::of(model));
    let of = if is_decode { quote!(#y3::Decode<'__a>) } else { quote!(#y3::Encode) };
    let of_any = if is_decode { quote!(#y3::Decode<'_>) } else { of.clone() };

    let deprecated = model.deprecated.then(
        || quote!(#[allow(deprecated, reason = "the impl has to name the type and its fields, which the user marked")]),
    );
    let lifetimes: Vec<Lifetime> = model.generics.lifetimes().map(|param| param.lifetime.clone()).collect();
    // The constants of a type without parameters are computed here, so errors in them appear even if nobody uses the
    // type.
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

/// Generates a check that fails to compile if the field's value can be absent. Converted values need no check. The
/// check also rejects a type that is encoded as itself, such as `struct A(Box<A>)`, because reading it would never end.
pub fn never_absent(y3: &TokenStream, field: &Field<'_>, of: &TokenStream) -> TokenStream {
    if field.with.is_some() {
        return TokenStream::new();
    }
    let ty = field.ty;
    // The compiler reports the error at the call, so the call has the span of the field.
    let check = quote_spanned!(field.span=> __never_absent(<#ty as #of>::OPTIONAL));
    quote!(use #y3::__derive::never_absent as __never_absent; #check)
}

/// Returns bounds for all type parameters that occur in the types of fields, and for their associated types.
///
/// A converted field adds no bounds, because the user's functions convert it.
fn bounds(model: &Model<'_>, of: &TokenStream) -> Vec<WherePredicate> {
    let mut params =
        Params { names: model.generics.type_params().map(|param| &param.ident).collect(), found: Vec::new() };
    for field in model.fields().filter(|field| field.is_value() && field.with.is_none()) {
        params.visit_type(field.ty);
    }
    let types: BTreeMap<String, &TypePath> = params.found.iter().map(|ty| (quote!(#ty).to_string(), *ty)).collect();
    types.values().map(|ty| parse_quote!(#ty: #of)).collect()
}

/// Collects type parameters, and associated types of type parameters.
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

/// An expression for the set of the keys of these fields.
pub fn keys<'f>(y3: &TokenStream, fields: impl IntoIterator<Item = &'f Field<'f>>) -> TokenStream {
    let keys = fields.into_iter().filter_map(Field::key).map(hexadecimal);
    quote!(#y3::keys![#(#keys),*])
}

/// A key as a hexadecimal literal.
pub fn hexadecimal(number: u32) -> LitInt {
    LitInt::new(&format!("{number:#04x}"), proc_macro2::Span::call_site())
}
