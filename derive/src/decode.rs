//! Decode: generates the impl of `Decode`.
//!
//! The generated code looks like handwritten code, with one call per field.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Error;

use crate::expand::{hexadecimal, implement, keys, never_absent};
use crate::model::{Field, Kind, MAX_KEY, Model, Role, Shape, Variant};

pub fn expand(model: &Model<'_>) -> TokenStream {
    if let Some(error) = model.fields().filter(|field| field.is_value() && field.with.is_none()).find_map(lasting) {
        return error.into_compile_error();
    }
    let y3 = &model.y3;
    let body = model.shape.as_ref().map_or_else(|| read_enum(model), |shape| read_content(y3, shape, &quote!(Self)));
    let flat = model.whole().filter(|_| model.shape.is_some()).map_or(quote!(false), |field| is_flat(y3, field));
    let root = model.root.map(hexadecimal).map(|root| {
        let unexpected = error(y3, "UnexpectedKey", &quote!(#root));
        quote!(if __packet.key() != #root { return #unexpected; })
    });
    implement(
        model,
        true,
        &quote! {
            const IS_FLAT: #y3::__derive::Derived<::core::primitive::bool> = #y3::__derive::Derived(#flat);

            #[inline]
            fn decode(__packet: #y3::Packet<'__a>) -> ::core::result::Result<Self, #y3::Error> {
                #root
                #body
            }
        },
    )
}

/// Returns an error for a field whose type contains `&'static str` or `&'static [u8]`, since the input does not live
/// that long.
fn lasting(field: &Field<'_>) -> Option<Error> {
    let ty = field.ty.to_token_stream().to_string();
    let types = [("& 'static str", "&'a str", "String"), ("& 'static [u8]", "&'a [u8]", "Vec<u8>")];
    let (_, borrowed, owned) = types.into_iter().find(|(lasting, ..)| ty.contains(lasting))?;
    let message = format!(
        "field `{}` is borrowed from the input, which is not `'static`: write `{borrowed}` and give the type the lifetime `'a`, or `{owned}`",
        field.name,
    );
    Some(Error::new_spanned(field.ty, message))
}

/// Generates code that reads a struct, or the content of a variant, from the variable `__packet`.
fn read_content(y3: &TokenStream, shape: &Shape<'_>, path: &TokenStream) -> TokenStream {
    let values = shape.fields.iter().map(|field| {
        let (member, value) = (&field.member, read_field(y3, shape, field));
        quote!(#member: #value,)
    });
    let value = quote!(::core::result::Result::Ok(#path { #(#values)* }));
    match shape.kind {
        Kind::Unit => quote!(<() as #y3::Decode<'_>>::decode(__packet)?; #value),
        Kind::Newtype => value,
        Kind::Node => {
            let single = keys(y3, shape.fields.iter().filter(|field| field.is_last.is_none()));
            let flat = shape.fields.iter().filter(|field| field.is_value()).map(|field| is_flat(y3, field));
            let named = shape.fields.iter().filter_map(|field| constant(y3, field));
            let named = quote!(const { &[#(#named),*] });
            let read = quote!(#[inline(always)] |__fields| #value);
            quote!(#y3::__derive::read(__packet, #single, #named, true #(&& #flat)*, #read))
        }
    }
}

/// Returns an expression that is true if the field is a primitive. For a converted field the expression is false,
/// since its wire type is unknown and its conversion must run only once.
fn is_flat(y3: &TokenStream, field: &Field<'_>) -> TokenStream {
    let ty = field.ty;
    if field.with.is_some() { quote!(false) } else { quote_spanned!(field.span=> <#ty as #y3::Decode<'_>>::IS_FLAT.0) }
}

/// Returns a constant with the key and name of the field, for error messages. Returns `None` if the field has no key.
fn constant(y3: &TokenStream, field: &Field<'_>) -> Option<TokenStream> {
    let (key, name) = (hexadecimal(field.key()?), &field.name);
    Some(quote!(#y3::__derive::Field::new(#key, #name)))
}

fn read_field(y3: &TokenStream, all: &Shape<'_>, field: &Field<'_>) -> TokenStream {
    let (span, ty) = (field.span, field.ty);
    let packet = if field.pvar { quote!(__packet.pvar()) } else { quote!(__packet) };
    let decode = match &field.with {
        Some(with) => quote_spanned! {span=>
            #with::decode(<_ as #y3::Decode<'_>>::decode(#packet)?)
                .map_err(|__kind| #y3::__derive::refused(__packet, __kind))
        },
        None => quote_spanned!(span=> <#ty as #y3::Decode<'_>>::decode(#packet)),
    };
    let this = match field.role {
        Role::Keyed(_) => constant(y3, field),
        Role::Whole => {
            let check = never_absent(y3, field, &quote!(#y3::Decode<'_>));
            return quote!({ const { #check } #decode? });
        }
        Role::Skip => return field.default.clone().unwrap_or_default(),
        Role::Rest => {
            let keys = keys(y3, &all.fields);
            return quote_spanned!(span=> <#ty as #y3::__derive::RestField<'_>>::read(__packet, #keys)?);
        }
    };
    let this = quote!(const { &#this });
    let fields = field.is_last.map_or(quote!(__fields), |is_last| quote!(__fields.only(#this, #is_last)?));
    let of = quote_spanned!(span=> <#ty as #y3::Decode<'_>>);
    let (is_optional, absent) = match (&field.default, &field.with) {
        (Some(default), _) => (quote!(true), quote!(::core::option::Option::Some(#default))),
        (None, Some(with)) => {
            (quote!(false), quote_spanned!(span=> #with::decode(<_ as #y3::Decode<'_>>::absent().get()?).ok()))
        }
        (None, None) if field.pvar => (quote!(#of::OPTIONAL.0), quote!(#of::absent().get())),
        (None, None) => return quote_spanned!(span=> #fields.get::<#ty>(#this)?),
    };
    quote_spanned!(span=> #fields.get_with(#this, #is_optional, #[inline(always)] |__packet| #decode, #[inline(always)] || #absent)?)
}

/// Generates code that reads an enum from a number, or from a node that contains one packet.
fn read_enum(model: &Model<'_>) -> TokenStream {
    let y3 = &model.y3;
    let (mut numbers, mut keys) = (Vec::new(), Vec::new());
    let unknown = error(y3, "UnknownVariant", &quote!(__number));
    let takes_others = model.variants.iter().any(|variant| variant.is_other);
    let (mut other_number, mut other_key) = (unknown.clone(), unknown);
    for Variant { ident, shape, number, is_other, .. } in &model.variants {
        let (read, arms) = match shape.kind {
            // The number alone identifies this variant.
            Kind::Unit => (quote!(::core::result::Result::Ok(Self::#ident {})), &mut numbers),
            _ => {
                let read = read_content(y3, shape, &quote!(Self::#ident));
                (quote!(#y3::__derive::within(__packet, |__packet| { #read })), &mut keys)
            }
        };
        match *number {
            Some(key) if !is_other => {
                let number = hexadecimal(key);
                arms.push(quote!(#number => { #read }));
                // A known variant in the other form (with or without content) must not be read as unknown.
                let (arms, has_content) = match shape.kind {
                    Kind::Unit => (&mut keys, false),
                    _ => (&mut numbers, true),
                };
                if !takes_others && key <= MAX_KEY {
                    let error = quote!(#y3::__derive::other_form(__packet, #number, #has_content));
                    arms.push(quote!(#number => ::core::result::Result::Err(#error),));
                }
            }
            _ => {
                other_number = quote!({ #read });
                other_key = quote!({ let __packet = __whole; #read });
            }
        }
    }
    let packet = if model.pvar { quote!(__packet.pvar()) } else { quote!(__packet) };
    quote! {
        if __packet.is_node() {
            let __whole = __packet;
            let __packet = #y3::__derive::content(__packet)?;
            match __packet.key().get() {
                #(#keys)*
                __number => #other_key,
            }
        } else {
            match <::core::primitive::u32 as #y3::Decode<'_>>::decode(#packet)? {
                #(#numbers)*
                __number => #other_number,
            }
        }
    }
}

/// Returns an expression for an error of this kind. The error is about the packet in the variable `__packet`, and its
/// message contains `number`.
fn error(y3: &TokenStream, kind: &str, number: &TokenStream) -> TokenStream {
    let kind = format_ident!("{kind}");
    quote!(::core::result::Result::Err(#y3::__derive::error(__packet, #y3::ErrorKind::#kind, #number as ::core::primitive::u32)))
}
