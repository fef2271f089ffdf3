//! From packet: generates the impl of `FromPacket`.
//!
//! In: a model. Out: the code that one would write by hand: a loop over the packets with the keys of the fields, and a match.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::{Ident, Lifetime, Path};

use crate::args::Duplicates;
use crate::generics::{bounded, with_input};
use crate::model::{Body, Field, Keyed, Model, Role, Shape, Variant, VariantRole};
use crate::to_packet::{hexadecimal, located, mixed};

pub fn expand(model: &Model<'_>) -> TokenStream {
    let y3 = &model.krate;
    let input = Lifetime::new("'__a", Span::call_site());
    let generics = with_input(bounded(model, &quote_spanned!(mixed()=> #y3::FromPacket<#input>)), &input);
    let (params, _, bounds) = generics.split_for_impl();
    let (_, args, _) = model.generics.split_for_impl();
    let ident = model.ident;

    let pvar = model.pvar.then(|| quote_spanned!(mixed()=> let source = source.pvar();));
    let in_order = crate::in_order::method(model);
    let (keys, body) = match &model.body {
        Body::Struct(shape) => {
            let source = Ident::new("source", mixed());
            (
                keys_of(shape),
                read_shape(
                    y3,
                    shape,
                    &quote_spanned!(mixed()=> Self),
                    &source,
                    &quote_spanned!(mixed()=> source.content()?),
                ),
            )
        }
        Body::Enum(variants) => (variants.iter().filter_map(key_of).collect(), read_enum(y3, variants)),
    };
    let keys = (!keys.is_empty()).then(|| {
        quote_spanned! {mixed()=>
            const KEYS: #y3::KeySet = #y3::record::keys(&[#(#keys),*]);

        }
    });
    quote_spanned! {mixed()=>
        #[automatically_derived]
        impl #params #y3::FromPacket<#input> for #ident #args #bounds {
            #keys
            #[inline]
            fn read<const __PVAR: bool>(
                source: #y3::record::Source<#input, __PVAR>,
            ) -> ::core::result::Result<Self, #y3::record::Cause> {
                #pvar
                #body
            }
            #in_order
        }
    }
}

fn keys_of(shape: &Shape<'_>) -> Vec<syn::LitInt> {
    match shape {
        Shape::Fields(fields) => {
            let keyed = fields.iter().filter_map(|field| match &field.role {
                Role::Keyed(keyed) => Some(hexadecimal(keyed.key.into(), "")),
                Role::Rest | Role::Skip => None,
            });
            keyed.collect()
        }
        Shape::Unit | Shape::Newtype(_) => Vec::new(),
    }
}

fn key_of(variant: &Variant<'_>) -> Option<syn::LitInt> {
    match (&variant.shape, &variant.role) {
        (Shape::Unit, _) | (_, VariantRole::Other | VariantRole::OtherNumber(_)) => None,
        (_, VariantRole::Number(number)) => Some(hexadecimal(*number, "")),
    }
}

/// Reads a struct, or the content of a variant, from the variable `source`; the value of a newtype from `content`.
fn read_shape(y3: &Path, shape: &Shape<'_>, name: &TokenStream, source: &Ident, content: &TokenStream) -> TokenStream {
    match shape {
        Shape::Unit => quote_spanned! {mixed()=>
            <() as #y3::FromPacket<'_>>::read(#source)?;
            ::core::result::Result::Ok(#name)
        },
        Shape::Newtype(field) => {
            let Role::Keyed(keyed) = &field.role else { return TokenStream::new() };
            let (ty, pvar) = (field.ty, keyed.pvar.then(|| quote_spanned!(mixed()=> .pvar())));
            let value = match &keyed.with {
                Some(with) => quote_spanned!(located(field)=> #content #pvar.convert(#with::decode)?),
                None => quote_spanned!(located(field)=> <#ty as #y3::FromPacket<'_>>::read(#content #pvar)?),
            };
            quote_spanned!(mixed()=> ::core::result::Result::Ok(#name(#value)))
        }
        Shape::Fields(fields) => read_fields(y3, fields, name, source),
    }
}

fn read_fields(y3: &Path, fields: &[Field<'_>], name: &TokenStream, source: &Ident) -> TokenStream {
    let (mut slots, mut arms, mut keys, mut values) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for field in fields {
        let (member, local, ty) = (&field.member, &field.local, field.ty);
        let value = match &field.role {
            Role::Keyed(keyed) => {
                let key = hexadecimal(keyed.key.into(), "");
                slots.push(quote_spanned! {mixed()=>
                    let mut #local: ::core::option::Option<#ty> = ::core::option::Option::None;
                });
                arms.push(read_field(field, keyed));
                keys.push(key);
                finish_field(field, keyed)
            }
            Role::Rest => quote_spanned!(located(field)=> #source.rest(__KEYS)?),
            Role::Skip => quote_spanned!(located(field)=> <#ty as ::core::default::Default>::default()),
        };
        values.push(quote_spanned!(mixed()=> #member: #value,));
    }
    quote_spanned! {mixed()=>
        const __KEYS: #y3::KeySet = #y3::record::keys(&[#(#keys),*]);
        let mut fields = #source.fields(__KEYS)?;
        #(#slots)*
        while let ::core::option::Option::Some(field) = fields.next_field()? {
            match field.key() {
                #(#arms)*
                _ => {}
            }
        }
        ::core::result::Result::Ok(#name { #(#values)* })
    }
}

fn read_field(field: &Field<'_>, keyed: &Keyed) -> TokenStream {
    let (local, name, key) = (&field.local, &field.name, hexadecimal(keyed.key.into(), ""));
    let value = value_of(field, keyed);
    let read = quote_spanned!(mixed()=> #local = ::core::option::Option::Some(#value));
    match keyed.duplicates {
        Duplicates::Error => quote_spanned! {mixed()=>
            #key => {
                field.vacant(&#local, #name)?;
                #read;
            }
        },
        Duplicates::First => quote_spanned! {mixed()=>
            #key => {
                if #local.is_none() {
                    #read;
                }
            }
        },
        Duplicates::Last => quote_spanned!(mixed()=> #key => #read,),
    }
}

/// Reads the value of the packet in the variable `field`.
fn value_of(field: &Field<'_>, keyed: &Keyed) -> TokenStream {
    let (ty, pvar) = (field.ty, keyed.pvar.then(|| quote_spanned!(mixed()=> .pvar())));
    match &keyed.with {
        Some(with) => quote_spanned!(located(field)=> field #pvar.convert(#with::decode)?),
        None => quote_spanned!(located(field)=> field #pvar.value::<#ty>()?),
    }
}

/// The value that was read, or the value of an absent field.
fn finish_field(field: &Field<'_>, keyed: &Keyed) -> TokenStream {
    let (local, name) = (&field.local, &field.name);
    match (&keyed.default, &keyed.with) {
        (Some(default), _) => quote_spanned!(mixed()=> #local.unwrap_or_else(|| #default)),
        (None, Some(with)) => quote_spanned!(located(field)=> fields.convert(#local, #name, #with::decode)?),
        (None, None) => quote_spanned!(located(field)=> fields.finish(#local, #name)?),
    }
}

/// Reads an enum: a number, or a node that holds one packet.
fn read_enum(y3: &Path, variants: &[Variant<'_>]) -> TokenStream {
    let content = Ident::new("content", mixed());
    let (mut numbers, mut keys) = (Vec::new(), Vec::new());
    let unknown = |source: &str| {
        let source = Ident::new(source, mixed());
        quote_spanned!(mixed()=> ::core::result::Result::Err(#source.error(#y3::record::ErrorKind::UnknownVariant)))
    };
    let (mut other_number, mut other_content) = (unknown("source"), unknown("content"));
    for Variant { ident, shape, role } in variants {
        let name = quote_spanned!(mixed()=> Self::#ident);
        match role {
            VariantRole::Number(number) if matches!(shape, Shape::Unit) => {
                let number = hexadecimal(*number, "");
                numbers.push(quote_spanned!(mixed()=> #number => ::core::result::Result::Ok(#name),));
            }
            VariantRole::Number(number) => {
                let key = hexadecimal(*number, "");
                let read = read_shape(y3, shape, &name, &content, &quote_spanned!(mixed()=> content));
                keys.push(quote_spanned!(mixed()=> #key => { #read }));
            }
            VariantRole::Other => {
                let source = Ident::new("source", mixed());
                let read = read_shape(y3, shape, &name, &source, &quote_spanned!(mixed()=> source.content()?));
                (other_number, other_content) =
                    (quote_spanned!(mixed()=> { #read }), quote_spanned!(mixed()=> { #read }));
            }
            VariantRole::OtherNumber(_) => {
                let read = quote_spanned!(mixed()=> ::core::result::Result::Ok(#name));
                (other_number, other_content) = (read.clone(), read);
            }
        }
    }
    quote_spanned! {mixed()=>
        if source.is_node() {
            let content = source.variant()?;
            match content.key() {
                #(#keys)*
                _ => #other_content,
            }
        } else {
            match source.number::<u32>()? {
                #(#numbers)*
                _ => #other_number,
            }
        }
    }
}
