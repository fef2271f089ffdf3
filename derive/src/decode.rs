//! Decode: generates the impl of `Decode`.
//!
//! In: a model. Out: the code that one would write by hand: for each field one call that reads it.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Lifetime;

use crate::generics::{bounded, with_input};
use crate::model::{Body, Field, Model, Role, Shape, Variant};
use crate::{hexadecimal, implement, keys, mixed, present};

pub fn expand(model: &Model<'_>) -> TokenStream {
    let y3 = &model.y3;
    let input = Lifetime::new("'__a", mixed());
    let of = |input: &str| {
        let input = Lifetime::new(input, mixed());
        quote_spanned!(mixed()=> #y3::Decode<#input>)
    };
    let body = match &model.body {
        Body::Struct(shape) => read_shape(y3, shape, &quote_spanned!(mixed()=> Self)),
        Body::Enum(variants) => read_enum(model, variants),
    };
    let root = model.root.map(|root| quote_spanned!(mixed()=> #y3::__derive::expect_key(packet, #root)?;));
    implement(
        model,
        &with_input(bounded(model, &of("'__a")), &input),
        of,
        &quote_spanned! {mixed()=>
            #[inline]
            fn decode(packet: #y3::Packet<#input>) -> ::core::result::Result<Self, #y3::Error> {
                #root
                #body
            }
        },
    )
}

/// Reads a struct, or the content of a variant, from the variable `packet`.
fn read_shape(y3: &TokenStream, shape: &Shape<'_>, name: &TokenStream) -> TokenStream {
    match shape {
        Shape::Unit => quote_spanned! {mixed()=>
            <() as #y3::Decode<'_>>::decode(packet)?;
            ::core::result::Result::Ok(#name)
        },
        Shape::Newtype(field) => {
            let (span, ty, member) = (field.span(), field.ty, &field.member);
            let packet =
                if field.pvar { quote_spanned!(mixed()=> packet.pvar()) } else { quote_spanned!(mixed()=> packet) };
            let value = match &field.with {
                Some(with) => quote_spanned!(span=> #y3::__derive::convert(#packet, #with::decode)?),
                None => quote_spanned!(span=> <#ty as #y3::Decode<'_>>::decode(#packet)?),
            };
            let present = field.with.is_none().then(|| {
                let present = present(y3, field, &quote_spanned!(mixed()=> #y3::Decode<'_>));
                quote_spanned!(mixed()=> let _ = const { #present };)
            });
            quote_spanned!(mixed()=> #present ::core::result::Result::Ok(#name { #member: #value }))
        }
        Shape::Fields(fields) => {
            let values = fields.iter().map(|field| {
                let (member, value) = (&field.member, read_field(y3, fields, field));
                quote_spanned!(mixed()=> #member: #value,)
            });
            let mutable = fields.iter().any(|field| field.key().is_some()).then(|| quote!(mut));
            let single = fields.iter().filter(|field| field.which.is_none());
            let keys = keys(y3, single);
            quote_spanned! {mixed()=>
                let mut node = #y3::__derive::Node::new(packet, #keys);
                let #mutable fields = node.fields()?;
                let value = #name { #(#values)* };
                fields.finish(value)
            }
        }
    }
}

fn read_field(y3: &TokenStream, all: &[Field<'_>], field: &Field<'_>) -> TokenStream {
    let (span, ty, name) = (field.span(), field.ty, &field.name);
    let number = match field.role {
        Role::Skip => return field.default.clone().unwrap_or_default(),
        Role::Rest => {
            let keys = keys(y3, all);
            return quote_spanned!(span=> #y3::__derive::rest(packet, #keys)?);
        }
        Role::Keyed(number) => hexadecimal(number.into()),
    };
    let this = quote_spanned!(mixed()=> const { &#y3::__derive::Field::new(#number, #name) });
    let fields = match &field.which {
        None => quote_spanned!(mixed()=> fields),
        Some(which) => quote_spanned!(mixed()=> fields.#which(#this)?),
    };
    match (&field.with, &field.default, field.pvar) {
        (None, None, false) => quote_spanned!(span=> #fields.get::<#ty>(#this)?),
        (None, None, true) => quote_spanned!(span=> #fields.get::<#y3::PVarInt<#ty>>(#this)?.0),
        (None, Some(default), false) => quote_spanned!(span=> #fields.get_or::<#ty>(#this, || #default)?),
        (None, Some(default), true) => {
            quote_spanned!(span=> #fields.get_or::<#y3::PVarInt<#ty>>(#this, || #y3::PVarInt(#default))?.0)
        }
        (Some(with), default, pvar) => {
            let decode = if pvar {
                quote_spanned!(span=> |#y3::PVarInt(value)| #with::decode(value))
            } else {
                quote_spanned!(span=> #with::decode)
            };
            match default {
                None => quote_spanned!(span=> #fields.convert(#this, #decode)?),
                Some(default) => quote_spanned!(span=> #fields.convert_or(#this, #decode, || #default)?),
            }
        }
    }
}

/// Reads an enum: a number, or a node that holds one packet.
fn read_enum(model: &Model<'_>, variants: &[Variant<'_>]) -> TokenStream {
    let y3 = &model.y3;
    let (mut numbers, mut keys) = (Vec::new(), Vec::new());
    let unknown = quote_spanned!(mixed()=> ::core::result::Result::Err(#y3::__derive::unknown_variant(packet)));
    let (mut other_number, mut other_key) = (unknown.clone(), unknown);
    for Variant { ident, shape, number, is_other } in variants {
        let read = match (shape, is_other) {
            // Whatever packet it is.
            (Shape::Unit, _) => quote_spanned!(mixed()=> ::core::result::Result::Ok(Self::#ident {})),
            (shape, _) => read_shape(y3, shape, &quote_spanned!(mixed()=> Self::#ident)),
        };
        if *is_other {
            other_number = quote_spanned!(mixed()=> { #read });
            other_key = quote_spanned!(mixed()=> { let packet = whole; #read });
        } else if let Some(number) = number.map(hexadecimal) {
            let arms = if matches!(shape, Shape::Unit) { &mut numbers } else { &mut keys };
            arms.push(quote_spanned!(mixed()=> #number => { #read }));
        }
    }
    let number = quote_spanned!(mixed()=> ::core::primitive::u32);
    let number = if model.pvar {
        quote_spanned!(mixed()=> <#y3::PVarInt<#number> as #y3::Decode<'_>>::decode(packet)?.0)
    } else {
        quote_spanned!(mixed()=> <#number as #y3::Decode<'_>>::decode(packet)?)
    };
    quote_spanned! {mixed()=>
        if packet.is_node() {
            let whole = packet;
            let packet = #y3::__derive::content(packet)?;
            match packet.key().get() {
                #(#keys)*
                _ => #other_key,
            }
        } else {
            match #number {
                #(#numbers)*
                _ => #other_number,
            }
        }
    }
}
