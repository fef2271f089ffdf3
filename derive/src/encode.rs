//! Encode: generates the impl of `Encode`.
//!
//! In: a model. Out: the code that one would write by hand: a node, and one call for each field.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};

use crate::expand::{at, hexadecimal, implement, keys, never_absent, written};
use crate::model::{Body, Field, Model, Role, Shape, Variant};
use crate::shape;

pub fn expand(model: &Model<'_>) -> TokenStream {
    let y3 = &model.y3;
    let body = match &model.body {
        Body::Struct(shape) => write_shape(y3, shape, |field| {
            let member = &field.member;
            quote_spanned!(field.span()=> &self.#member)
        }),
        Body::Enum(variants) => {
            let arms = variants.iter().map(|variant| write_variant(model, variant));
            quote!(match self { #(#arms)* })
        }
    };
    let root = model.root.map(|root| quote!(#y3::__derive::write_key(__to, __key, #root)?;));
    let (bytes, shape) = (room(model), shape::expand(model));
    implement(
        model,
        false,
        &quote! {
            const ROOM: ::core::primitive::usize = #bytes;

            #[inline]
            fn encode<__S: #y3::Sink>(
                &self,
                __key: #y3::Key,
                __to: &mut #y3::Encoder<'_, __S>,
            ) -> ::core::result::Result<(), #y3::Error> {
                #root
                #body
            }

            #shape
        },
    )
}

/// The room to make before: a guess for enums and for what is converted.
fn room(model: &Model<'_>) -> TokenStream {
    let y3 = &model.y3;
    let Body::Struct(shape) = &model.body else { return quote!(34) };
    let rooms = shape.fields().iter().filter(|field| field.key().is_some()).map(|field| {
        let ty = written(y3, field);
        if field.with.is_some() { quote!(34) } else { quote_spanned!(field.span()=> <#ty as #y3::Encode>::ROOM) }
    });
    quote!(2 #(+ #rooms)*)
}

/// Writes a struct, or the content of a variant, with the key `__key` to the encoder `__to`.
fn write_shape(y3: &TokenStream, shape: &Shape<'_>, value: impl Fn(&Field<'_>) -> TokenStream) -> TokenStream {
    match shape {
        Shape::Unit => quote!(#y3::Encode::encode(&(), __key, __to)),
        Shape::Newtype(field) => {
            let put = put(y3, field, &value(field), &quote!(__key), &quote!(__to));
            let check = never_absent(y3, field, &quote!(#y3::Encode));
            quote!(let _ = const { #check }; #put)
        }
        Shape::Fields(fields) => {
            let writes = fields.iter().map(|field| write_field(y3, fields, field, &value(field)));
            // So many fields are 64 bytes and more.
            let long = (fields.iter().filter(|field| field.key().is_some()).count() >= 32).then(|| quote!(.long()));
            let mutable = fields.iter().any(|field| !matches!(field.role, Role::Skip)).then(|| quote!(mut));
            quote! {
                let #mutable __node = __to.open(#y3::__derive::Tag::node(__key))? #long;
                #(#writes)*
                __node.close()
            }
        }
    }
}

fn write_field(y3: &TokenStream, all: &[Field<'_>], field: &Field<'_>, value: &TokenStream) -> TokenStream {
    let to = quote!(&mut __node.encoder);
    let write = match field.role {
        Role::Skip => return TokenStream::new(),
        Role::Rest => {
            let (y3, keys) = (at(y3, field), keys(y3, all));
            quote_spanned!(field.span()=> #y3::__derive::put_rest(#to, #value, #keys))
        }
        Role::Keyed(key) => {
            let key = hexadecimal(key.into());
            put(y3, field, value, &quote!(const { #y3::__derive::key(#key) }), &to)
        }
    };
    match &field.skip_if {
        Some(skip_if) => quote!(if !(#skip_if)(#value) { #write?; }),
        None => quote!(#write?;),
    }
}

/// Writes the value of a field, or what it is converted to.
fn put(y3: &TokenStream, field: &Field<'_>, value: &TokenStream, key: &TokenStream, to: &TokenStream) -> TokenStream {
    let (span, ty) = (field.span(), written(y3, field));
    let (of, value) = match &field.with {
        Some(with) => (quote!(#y3::Encode), quote_spanned!(span=> #with::encode(#value))),
        None => (quote_spanned!(span=> <#ty as #y3::Encode>), value.clone()),
    };
    let value = match (&field.with, field.pvar) {
        (None, false) => value,
        (Some(_), false) => quote!(&#value),
        (_, true) => quote!(&#y3::PVarInt(#value)),
    };
    quote_spanned!(span=> #of::encode(#value, #key, #to))
}

fn write_variant(model: &Model<'_>, variant: &Variant<'_>) -> TokenStream {
    let (y3, Variant { ident, shape, number, .. }) = (&model.y3, variant);
    let fields = shape.fields().iter().filter(|field| !matches!(field.role, Role::Skip)).map(|field| {
        let (member, local) = (&field.member, &field.local);
        quote!(#member: #local,)
    });
    let pattern = quote!(Self::#ident { #(#fields)* .. });
    let content = write_shape(y3, shape, |field| field.local.to_token_stream());
    match (number.map(hexadecimal), shape) {
        (None, _) => quote!(#pattern => { #content }),
        (Some(number), Shape::Unit) => {
            let number = quote!(#number as ::core::primitive::u32);
            let number = if model.pvar { quote!(#y3::PVarInt(#number)) } else { number };
            quote!(#pattern => #y3::Encode::encode(&(#number), __key, __to),)
        }
        (Some(number), _) => quote! {
            #pattern => {
                let mut __variant = __to.open(#y3::__derive::Tag::node(__key))?;
                let (__key, __to) = (const { #y3::__derive::key(#number) }, &mut __variant.encoder);
                { #content }?;
                __variant.close()
            }
        },
    }
}
