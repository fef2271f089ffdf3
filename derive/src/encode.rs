//! Encode: generates the impl of `Encode`.
//!
//! In: a model. Out: the code that one would write by hand: a node, and one call for each field.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use crate::expand::{at, encoded, hexadecimal, implement, keys, never_absent, written};
use crate::model::{Field, Model, Role, Shape, Variant};
use crate::shape;

pub fn expand(model: &Model<'_>) -> TokenStream {
    let (y3, shape) = (&model.y3, shape::expand(model));
    let variants = model.variants.iter().map(|variant| write_variant(model, variant));
    let root = model.root.map(hexadecimal);
    let root = root.map(|root| quote!(#y3::__derive::write_key(__to, __key, #root)?;));
    // The room to make before: of enums it is a guess.
    let room_of_all = model.as_struct().map(|whole| {
        let rooms = whole.shape.fields().iter().filter(|field| field.is_value()).map(|field| room(y3, field));
        quote!(const ROOM: ::core::primitive::usize = 2 #(+ #rooms)*;)
    });
    implement(
        model,
        false,
        &quote! {
            #room_of_all
            #shape

            #[inline]
            fn encode<__S: #y3::Sink>(
                &self,
                __key: #y3::Key,
                __to: &mut #y3::Encoder<'_, __S>,
            ) -> ::core::result::Result<(), #y3::Error> {
                #root
                match self { #(#variants)* }
            }
        },
    )
}

/// A guess for what is converted.
fn room(y3: &TokenStream, field: &Field<'_>) -> TokenStream {
    let ty = written(y3, field);
    if field.with.is_some() { quote!(34) } else { quote_spanned!(field.span=> <#ty as #y3::Encode>::ROOM) }
}

fn write_variant(model: &Model<'_>, Variant { path, shape, number, .. }: &Variant<'_>) -> TokenStream {
    let y3 = &model.y3;
    let fields = shape.on_wire().map(|Field { member, local, .. }| quote!(#member: #local,));
    let content = write_content(y3, shape);
    let write = match (number.map(hexadecimal), shape) {
        (None, _) => content,
        (Some(number), Shape::Unit) => {
            let number = quote!(#number as ::core::primitive::u32);
            let number = if model.pvar { quote!(#y3::PVarInt(#number)) } else { number };
            quote!(#y3::Encode::encode(&(#number), __key, __to))
        }
        (Some(number), _) => quote! {
            let mut __variant = __to.open(#y3::__derive::Tag::node(__key))?;
            let (__key, __to) = (const { #y3::Key::new(#number).unwrap() }, &mut __variant.encoder);
            { #content }?;
            __variant.close()
        },
    };
    quote!(#path { #(#fields)* .. } => { #write })
}

/// Writes a struct, or the content of a variant, with the key `__key` to the encoder `__to`.
fn write_content(y3: &TokenStream, shape: &Shape<'_>) -> TokenStream {
    match shape {
        Shape::Unit => quote!(#y3::Encode::encode(&(), __key, __to)),
        Shape::Newtype(field) => {
            let put = put(y3, field, &quote!(__key), &quote!(__to));
            let check = never_absent(y3, field, &quote!(#y3::Encode));
            quote!(const { #check } #put)
        }
        Shape::Fields(fields) => {
            let writes = fields.iter().map(|field| write_field(y3, fields, field));
            // So many fields are 64 bytes and more.
            let long = (fields.iter().filter(|field| field.is_value()).count() >= 32).then(|| quote!(.long()));
            let mutable = shape.on_wire().next().map(|_| quote!(mut));
            quote! {
                let #mutable __node = __to.open(#y3::__derive::Tag::node(__key))? #long;
                #(#writes)*
                __node.close()
            }
        }
    }
}

fn write_field(y3: &TokenStream, all: &[Field<'_>], field: &Field<'_>) -> TokenStream {
    let (to, local) = (quote!(&mut __node.encoder), &field.local);
    let write = match field.role {
        Role::Skip | Role::Whole => return TokenStream::new(),
        Role::Rest => {
            let (y3, keys) = (at(y3, field), keys(y3, all));
            quote_spanned!(field.span=> #y3::__derive::RestField::write(#local, #to, #keys))
        }
        Role::Keyed(key) => {
            let key = hexadecimal(key);
            put(y3, field, &quote!(const { #y3::Key::new(#key).unwrap() }), &to)
        }
    };
    match &field.skip_if {
        Some(skip_if) => quote!(if !(#skip_if)(#local) { #write?; }),
        None => quote!(#write?;),
    }
}

/// Writes the value of a field, or what it is converted to.
fn put(y3: &TokenStream, field: &Field<'_>, key: &TokenStream, to: &TokenStream) -> TokenStream {
    let (ty, value) = (written(y3, field), encoded(y3, field, &field.local));
    let made = (field.pvar || field.with.is_some()).then(|| quote!(&));
    quote_spanned!(field.span=> <#ty as #y3::Encode>::encode(#made #value, #key, #to))
}
