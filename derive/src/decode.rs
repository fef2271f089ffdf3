//! Decode: generates the impl of `Decode`.
//!
//! In: a model. Out: the code that one would write by hand: for each field one call that reads it.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use crate::expand::{at, hexadecimal, implement, keys, never_absent};
use crate::model::{Body, Field, Model, Role, Shape, Variant};

pub fn expand(model: &Model<'_>) -> TokenStream {
    let y3 = &model.y3;
    let body = match &model.body {
        Body::Struct(shape) => read_shape(y3, shape, &quote!(Self)),
        Body::Enum(variants) => read_enum(model, variants),
    };
    let root = model.root.map(|root| quote!(#y3::__derive::expect_key(__packet, #root)?;));
    implement(
        model,
        true,
        &quote! {
            #[inline]
            fn decode(__packet: #y3::Packet<'__a>) -> ::core::result::Result<Self, #y3::Error> {
                #root
                #body
            }
        },
    )
}

/// Reads a struct, or the content of a variant, from the variable `__packet`.
fn read_shape(y3: &TokenStream, shape: &Shape<'_>, name: &TokenStream) -> TokenStream {
    match shape {
        Shape::Unit => quote! {
            <() as #y3::Decode<'_>>::decode(__packet)?;
            ::core::result::Result::Ok(#name)
        },
        Shape::Newtype(field) => {
            let (span, ty, member) = (field.span(), field.ty, &field.member);
            let packet = if field.pvar { quote!(__packet.pvar()) } else { quote!(__packet) };
            let value = match &field.with {
                Some(with) => quote_spanned!(span=> #y3::__derive::convert(#packet, #with::decode)?),
                None => quote_spanned!(span=> <#ty as #y3::Decode<'_>>::decode(#packet)?),
            };
            let check = never_absent(y3, field, &quote!(#y3::Decode<'_>));
            quote!(let _ = const { #check }; ::core::result::Result::Ok(#name { #member: #value }))
        }
        Shape::Fields(fields) => {
            let values = fields.iter().map(|field| {
                let (member, value) = (&field.member, read_field(y3, fields, field));
                quote!(#member: #value,)
            });
            let single = keys(y3, fields.iter().filter(|field| field.which.is_none()));
            let keyed = fields.iter().filter(|field| field.key().is_some());
            let flat = keyed.map(|Field { ty, with, .. }| match with {
                Some(_) => quote!(false),
                None => quote_spanned!(ty.span()=> <#ty as #y3::Decode<'_>>::IS_FLAT),
            });
            quote! {
                #y3::__derive::read(__packet, #single, true #(&& #flat)*, #[inline(always)] |__fields| {
                    ::core::result::Result::Ok(#name { #(#values)* })
                })
            }
        }
    }
}

fn read_field(y3: &TokenStream, all: &[Field<'_>], field: &Field<'_>) -> TokenStream {
    let (span, ty, name) = (field.span(), field.ty, &field.name);
    let key = match field.role {
        Role::Keyed(key) => hexadecimal(key.into()),
        Role::Skip => return field.default.clone().unwrap_or_default(),
        Role::Rest => {
            let (y3, keys) = (at(y3, field), keys(y3, all));
            return quote_spanned!(span=> #y3::__derive::rest::<#ty>(__packet, #keys)?);
        }
    };
    let this = quote!(const { &#y3::__derive::Field::new(#key, #name) });
    let fields = field.which.as_ref().map_or(quote!(__fields), |which| quote!(__fields.#which(#this)?));
    let (of, inside) = if field.pvar { (quote!(#y3::PVarInt<#ty>), quote!(.0)) } else { (quote!(#ty), quote!()) };
    let absent = field.default.as_ref().map(|default| match (&field.with, field.pvar) {
        (None, true) => quote!(|| ::core::option::Option::Some(#y3::PVarInt(#default))),
        _ => quote!(|| ::core::option::Option::Some(#default)),
    });
    match (&field.with, absent) {
        (None, None) => quote_spanned!(span=> #fields.get::<#of>(#this)? #inside),
        (None, Some(absent)) => {
            quote_spanned!(span=> #fields.get_with::<#of>(#this, true, <#of as #y3::Decode<'_>>::decode, #absent)? #inside)
        }
        (Some(with), absent) => {
            let decode =
                if field.pvar { quote!(|#y3::PVarInt(__value)| #with::decode(__value)) } else { quote!(#with::decode) };
            let absent = absent.unwrap_or_else(|| quote!(|| #y3::__derive::absent(#decode)));
            quote_spanned!(span=> #fields.get_with(#this, false, |__packet| #y3::__derive::convert(__packet, #decode), #absent)?)
        }
    }
}

/// Reads an enum: a number, or a node that holds one packet.
fn read_enum(model: &Model<'_>, variants: &[Variant<'_>]) -> TokenStream {
    let y3 = &model.y3;
    let (mut numbers, mut keys) = (Vec::new(), Vec::new());
    let u32 = quote!(::core::primitive::u32);
    let unknown = quote!(::core::result::Result::Err(#y3::__derive::unknown_variant(__packet, <#u32 as ::core::convert::From<_>>::from(__number))));
    let (mut other_number, mut other_key) = (unknown.clone(), unknown);
    for Variant { ident, shape, number, is_other } in variants {
        let (read, arms) = match shape {
            // It is known by its number.
            Shape::Unit => (quote!(::core::result::Result::Ok(Self::#ident {})), &mut numbers),
            shape => (read_shape(y3, shape, &quote!(Self::#ident)), &mut keys),
        };
        match number.map(hexadecimal) {
            Some(number) if !is_other => arms.push(quote!(#number => { #read })),
            _ => {
                other_number = quote!({ #read });
                other_key = quote!({ let __packet = __whole; #read });
            }
        }
    }
    let number = if model.pvar {
        quote!(<#y3::PVarInt<#u32> as #y3::Decode<'_>>::decode(__packet)?.0)
    } else {
        quote!(<#u32 as #y3::Decode<'_>>::decode(__packet)?)
    };
    quote! {
        if __packet.is_node() {
            let __whole = __packet;
            let __packet = #y3::__derive::content(__packet)?;
            match __packet.key().get() {
                #(#keys)*
                __number => #other_key,
            }
        } else {
            match #number {
                #(#numbers)*
                __number => #other_number,
            }
        }
    }
}
