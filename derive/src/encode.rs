//! Encode: generates the impl of `Encode`.
//!
//! In: a model. Out: the code that one would write by hand: a node, and one call for each field.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};

use crate::generics::bounded;
use crate::model::{Body, Field, Model, Role, Shape, Variant};
use crate::{hexadecimal, implement, keys, mixed, present};

pub fn expand(model: &Model<'_>) -> TokenStream {
    let y3 = &model.y3;
    let body = match &model.body {
        Body::Struct(shape) => write_shape(y3, shape, |field| {
            let member = &field.member;
            quote_spanned!(field.span()=> &self.#member)
        }),
        Body::Enum(variants) => {
            let arms = variants.iter().map(|variant| write_variant(model, variant));
            quote_spanned!(mixed()=> match self { #(#arms)* })
        }
    };
    let root = model.root.map(|root| quote_spanned!(mixed()=> #y3::__derive::write_key(to, key, #root)?;));
    let room = room(model);
    let of = quote_spanned!(mixed()=> #y3::Encode);
    implement(
        model,
        &bounded(model, &of),
        |_| of.clone(),
        &quote_spanned! {mixed()=>
            #room

            #[inline]
            fn encode<__S: #y3::Sink>(
                &self,
                key: #y3::Key,
                to: &mut #y3::Encoder<'_, __S>,
            ) -> ::core::result::Result<(), #y3::Error> {
                #root
                #body
            }
        },
    )
}

/// The room to make before.
fn room(model: &Model<'_>) -> TokenStream {
    let y3 = &model.y3;
    let (fields, room) = match &model.body {
        Body::Struct(Shape::Fields(fields)) => (&fields[..], quote!(2)),
        Body::Struct(Shape::Newtype(field)) => (std::slice::from_ref(field), quote!(0)),
        Body::Struct(Shape::Unit) => (&[][..], quote!(2)),
        Body::Enum(_) => (&[][..], quote!(34)),
    };
    // That of a converted field is not known.
    let rooms = fields.iter().filter(|field| field.key().is_some()).map(|field| match field.with {
        Some(_) => quote!(34),
        None => {
            let ty = written(y3, field);
            quote_spanned!(field.span()=> <#ty as #y3::Encode>::ROOM)
        }
    });
    quote_spanned!(mixed()=> const ROOM: ::core::primitive::usize = #room #(+ #rooms)*;)
}

/// Writes a struct, or the content of a variant, with the key in `key` to the encoder `to`.
fn write_shape(y3: &TokenStream, shape: &Shape<'_>, value: impl Fn(&Field<'_>) -> TokenStream) -> TokenStream {
    match shape {
        Shape::Unit => quote_spanned!(mixed()=> <() as #y3::Encode>::encode(&(), key, to)),
        Shape::Newtype(field) => {
            let put = put(y3, field, &value(field), &quote_spanned!(mixed()=> key), &quote_spanned!(mixed()=> to));
            let present = field.with.is_none().then(|| {
                let present = present(y3, field, &quote_spanned!(mixed()=> #y3::Encode));
                quote_spanned!(mixed()=> let _ = const { #present };)
            });
            quote_spanned!(mixed()=> #present #put)
        }
        Shape::Fields(fields) => {
            let writes = fields.iter().map(|field| write_field(y3, fields, field, &value(field)));
            let mutable = fields.iter().any(|field| !matches!(field.role, Role::Skip)).then(|| quote!(mut));
            quote_spanned! {mixed()=>
                let #mutable node = to.open(#y3::Tag::node(key))?;
                #(#writes)*
                node.close()
            }
        }
    }
}

fn write_field(y3: &TokenStream, all: &[Field<'_>], field: &Field<'_>, value: &TokenStream) -> TokenStream {
    let node = quote_spanned!(mixed()=> &mut node.encoder);
    let write = match field.role {
        Role::Skip => return TokenStream::new(),
        Role::Rest => {
            let keys = keys(y3, all);
            quote_spanned!(field.span()=> #y3::__derive::put_rest(#node, #value, #keys)?;)
        }
        Role::Keyed(number) => {
            let key = hexadecimal(number.into());
            let put = put(y3, field, value, &quote_spanned!(mixed()=> const { #y3::__derive::key(#key) }), &node);
            quote_spanned!(mixed()=> #put?;)
        }
    };
    match &field.skip_if {
        Some(skip_if) => quote_spanned!(mixed()=> if !(#skip_if)(#value) { #write }),
        None => write,
    }
}

/// Writes the value of a field, or what it is converted to.
fn put(y3: &TokenStream, field: &Field<'_>, value: &TokenStream, key: &TokenStream, to: &TokenStream) -> TokenStream {
    let (span, ty) = (field.span(), written(y3, field));
    let of = if field.with.is_some() {
        quote_spanned!(mixed()=> #y3::Encode)
    } else {
        quote_spanned!(span=> <#ty as #y3::Encode>)
    };
    let value = match (&field.with, field.pvar) {
        (None, false) => value.clone(),
        (None, true) => quote_spanned!(mixed()=> &#y3::PVarInt(#value)),
        (Some(with), false) => quote_spanned!(span=> &#with::encode(#value)),
        (Some(with), true) => quote_spanned!(span=> &#y3::PVarInt(#with::encode(#value))),
    };
    quote_spanned!(span=> #of::encode(#value, #key, #to))
}

/// The type of a field as it is written.
fn written(y3: &TokenStream, field: &Field<'_>) -> TokenStream {
    let ty = field.ty;
    if field.pvar { quote_spanned!(field.span()=> #y3::PVarInt<&#ty>) } else { ty.to_token_stream() }
}

fn write_variant(model: &Model<'_>, variant: &Variant<'_>) -> TokenStream {
    let (y3, Variant { ident, shape, number, .. }) = (&model.y3, variant);
    // `&&T` becomes `&T` where it is handed on.
    let content = write_shape(y3, shape, |field| {
        let local = &field.local;
        quote_spanned!(field.span()=> #local)
    });
    let fields = shape.fields().iter().filter(|field| !matches!(field.role, Role::Skip)).map(|field| {
        let (member, local) = (&field.member, &field.local);
        quote_spanned!(mixed()=> #member: #local,)
    });
    let pattern = quote_spanned!(mixed()=> Self::#ident { #(#fields)* .. });
    match (number.map(hexadecimal), shape) {
        (None, _) => quote_spanned!(mixed()=> #pattern => { #content }),
        (Some(number), Shape::Unit) => {
            let number = quote_spanned!(mixed()=> #number as ::core::primitive::u32);
            let number = if model.pvar { quote_spanned!(mixed()=> #y3::PVarInt(#number)) } else { number };
            quote_spanned!(mixed()=> #pattern => #y3::Encode::encode(&(#number), key, to),)
        }
        (Some(number), _) => quote_spanned! {mixed()=>
            #pattern => {
                let mut variant = to.open(#y3::Tag::node(key))?;
                let (key, to) = (const { #y3::__derive::key(#number) }, &mut variant.encoder);
                { #content }?;
                variant.close()
            }
        },
    }
}
