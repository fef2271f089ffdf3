//! Encode: generates the impl of `Encode`.
//!
//! The generated code looks like handwritten code: it opens a node, then makes one call per field.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{LitInt, Type};

use crate::expand::{encoded, hexadecimal, implement, keys, never_absent, written};
use crate::model::{Field, Kind, Model, Role, Shape, Variant};
use crate::shape;

pub fn expand(model: &Model<'_>) -> TokenStream {
    let (y3, shape) = (&model.y3, shape::expand(model));
    let whole = model.shape.iter().map(|shape| write_shape(model, &quote!(Self), shape, None));
    let variants = model.variants.iter().map(|Variant { ident, shape, number, .. }| {
        let number = number.map(hexadecimal);
        write_shape(model, &quote!(Self::#ident), shape, number)
    });
    let arms = whole.chain(variants);
    let check = model.root.map(hexadecimal).map(|root| quote!(#y3::__derive::write_key(__to, __key, #root)?;));
    // The number of bytes to reserve before writing. For enums and converted fields, the number is a guess.
    let room = model.shape.as_ref().map(|shape| {
        let rooms = shape.fields.iter().filter(|field| field.is_value()).map(|field| {
            let ty = written(y3, field);
            if field.with.is_some() { quote!(34) } else { quote_spanned!(field.span=> <#ty as #y3::Encode>::ROOM.0) }
        });
        quote!(const ROOM: #y3::__derive::Derived<::core::primitive::usize> = #y3::__derive::Derived(2 #(+ #rooms)*);)
    });
    implement(
        model,
        false,
        &quote! {
            #room
            #shape

            #[inline]
            fn encode<__S: #y3::Sink>(
                &self,
                __key: #y3::Key,
                __to: &mut #y3::Encoder<'_, __S>,
            ) -> ::core::result::Result<(), #y3::Error> {
                #check
                match self { #(#arms)* }
            }
        },
    )
}

/// Generates the match arm for the pattern `path`. The arm writes a struct, or a variant with its number.
fn write_shape(model: &Model<'_>, path: &TokenStream, shape: &Shape<'_>, number: Option<LitInt>) -> TokenStream {
    let y3 = &model.y3;
    let fields = shape.on_wire().map(|Field { member, local, .. }| quote!(#member: #local,));
    let content = write_content(y3, shape);
    let write = match (number, &shape.kind) {
        (None, _) => content,
        (Some(number), Kind::Unit) => {
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

/// Generates code that writes a struct, or the content of a variant. The packet has the key `__key`.
fn write_content(y3: &TokenStream, shape: &Shape<'_>) -> TokenStream {
    let writes = write_fields(y3, shape);
    match shape.kind {
        Kind::Unit => quote!(#y3::Encode::encode(&(), __key, __to)),
        Kind::Newtype => quote!(#writes ::core::result::Result::Ok(())),
        Kind::Node => {
            // A node with so many fields usually has 64 bytes or more.
            let long = (shape.fields.iter().filter(|field| field.is_value()).count() >= 32).then(|| quote!(.long()));
            quote! {
                let mut __node = __to.open(#y3::__derive::Tag::node(__key))? #long;
                let __to = &mut __node.encoder;
                #writes
                __node.close()
            }
        }
    }
}

/// Generates code that writes the fields of a node. Adjacent fields that can be numbers form a run. The free space of
/// the output is checked once per run.
fn write_fields(y3: &TokenStream, shape: &Shape<'_>) -> TokenStream {
    /// The lengths of a run. Shorter runs take longer to compile and are not faster than single calls. Longer runs often
    /// do not fit into the free space.
    const RUN: std::ops::RangeInclusive<usize> = 3..=12;
    let is_plain = |field: &Field<'_>| {
        let is_written_as_it_is = !field.pvar && field.with.is_none() && field.skip_if.is_none();
        field.key().is_some() && is_written_as_it_is && may_be_number(field.ty)
    };
    let runs = shape.fields.chunk_by(|one, next| is_plain(one) && is_plain(next));
    let runs = runs.flat_map(|run| run.chunks(*RUN.end())).map(|run| {
        let writes = run.iter().map(|field| write_field(y3, shape, field));
        if !RUN.contains(&run.len()) {
            return quote!(#(#writes)*);
        }
        let of = run.iter().map(|Field { ty, span, .. }| quote_spanned!(*span=> <#ty as #y3::Encode>));
        let of: Vec<TokenStream> = of.collect();
        let (keys, locals) = (run.iter().filter_map(Field::key).map(hexadecimal), run.iter().map(|field| &field.local));
        quote!(__to.run(
            const { true #(&& #of::IS_SHORT.is())* },
            const { 0 #(+ #of::ROOM.0)* },
            #[inline(always)] |__run| { #(__run.put(const { #y3::Key::new(#keys).unwrap() }, #locals);)* },
            #[inline(always)] |__to| { #(#writes)* ::core::result::Result::Ok(()) },
        )?;)
    });
    runs.collect()
}

/// True if a type can be a number, judging by its name. A value of another type, such as a text, would disable the fast
/// path for all numbers in its run. Without this check, a struct with 54 numbers and nine texts took a sixth longer to
/// encode.
fn may_be_number(ty: &Type) -> bool {
    match ty {
        Type::Group(group) => may_be_number(&group.elem),
        Type::Path(path) => {
            path.path.segments.last().is_some_and(|name| name.arguments.is_empty() && name.ident != "String")
        }
        _ => false,
    }
}

/// Generates code that writes a field, or the result of the field's conversion.
fn write_field(y3: &TokenStream, all: &Shape<'_>, field: &Field<'_>) -> TokenStream {
    let (span, ty, local) = (field.span, written(y3, field), &field.local);
    let key = match field.role {
        Role::Skip => return TokenStream::new(),
        Role::Rest => {
            let (ty, keys) = (field.ty, keys(y3, &all.fields));
            return quote_spanned!(span=> <#ty as #y3::__derive::RestField<'_>>::write(#local, __to, #keys)?;);
        }
        Role::Whole => {
            let check = never_absent(y3, field, &quote!(#y3::Encode));
            quote!({ const { #check } __key })
        }
        Role::Keyed(key) => {
            let key = hexadecimal(key);
            quote!(const { #y3::Key::new(#key).unwrap() })
        }
    };
    let value = encoded(y3, field, local);
    let made = (field.pvar || field.with.is_some()).then(|| quote!(&));
    let write = quote_spanned!(span=> <#ty as #y3::Encode>::encode(#made #value, #key, __to)?;);
    match &field.skip_if {
        Some(skip_if) => quote!(if !(#skip_if)(#local) { #write }),
        None => write,
    }
}
