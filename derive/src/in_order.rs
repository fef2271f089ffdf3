//! In order: generates the method that reads packets whose fields have the order of the type, as most have.
//!
//! In: a model. Out: the hidden method `read_in_order`, which returns `None` for all other packets.

use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;
use syn::Path;

use crate::model::{Body, Field, Keyed, Model, Role, Shape, Variant, VariantRole};
use crate::to_packet::{hexadecimal, located, mixed};

/// The method, or none if it would be no faster than `read`.
pub fn method(model: &Model<'_>) -> Option<TokenStream> {
    let y3 = &model.krate;
    let source = Ident::new("source", mixed());
    let body = match &model.body {
        Body::Struct(shape) => {
            let content = quote_spanned!(mixed()=> source.content().ok()?);
            read_shape(y3, shape, &quote_spanned!(mixed()=> Self), &source, &content)?
        }
        Body::Enum(variants) => read_enum(y3, variants)?,
    };
    let pvar = model.pvar.then(|| quote_spanned!(mixed()=> let source = source.pvar();));
    Some(quote_spanned! {mixed()=>

        #[inline]
        fn read_in_order<const __PVAR: bool>(
            source: #y3::record::Source<'__a, __PVAR>,
        ) -> ::core::option::Option<Self> {
            #pvar
            #body
        }
    })
}

fn read_shape(
    y3: &Path,
    shape: &Shape<'_>,
    name: &TokenStream,
    source: &Ident,
    content: &TokenStream,
) -> Option<TokenStream> {
    match shape {
        Shape::Newtype(field) => {
            let Role::Keyed(keyed) = &field.role else { return None };
            let (ty, pvar) = (field.ty, keyed.pvar.then(|| quote_spanned!(mixed()=> .pvar())));
            let value = match &keyed.with {
                Some(with) => quote_spanned!(located(field)=> #content #pvar.convert(#with::decode).ok()?),
                None => quote_spanned!(located(field)=> <#ty as #y3::FromPacket<'_>>::read_in_order(#content #pvar)?),
            };
            Some(quote_spanned!(mixed()=> ::core::option::Option::Some(#name(#value))))
        }
        Shape::Fields(fields) => Some(read_fields(y3, fields, name, source)),
        Shape::Unit => None,
    }
}

fn read_fields(y3: &Path, fields: &[Field<'_>], name: &TokenStream, source: &Ident) -> TokenStream {
    let (mut reads, mut keys, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for field in fields {
        let (member, local, ty) = (&field.member, &field.local, field.ty);
        let value = match &field.role {
            Role::Keyed(keyed) => {
                let key = hexadecimal(keyed.key.into(), "");
                let (value, absent) = (value_of(field, keyed), absent(y3, field, keyed));
                reads.push(quote_spanned! {mixed()=>
                    let #local = match fields.at(#key)? {
                        ::core::option::Option::Some(field) => #value,
                        ::core::option::Option::None => #absent,
                    };
                });
                keys.push(key);
                quote_spanned!(mixed()=> #local)
            }
            Role::Rest => quote_spanned!(located(field)=> #source.rest(__KEYS).ok()?),
            Role::Skip => quote_spanned!(located(field)=> <#ty as ::core::default::Default>::default()),
        };
        values.push(quote_spanned!(mixed()=> #member: #value,));
    }
    let mutable = (!reads.is_empty()).then(|| quote_spanned!(mixed()=> mut));
    quote_spanned! {mixed()=>
        const __KEYS: #y3::KeySet = #y3::record::keys(&[#(#keys),*]);
        let #mutable fields = #source.fields_in_order(__KEYS)?;
        #(#reads)*
        fields.end()?;
        ::core::option::Option::Some(#name { #(#values)* })
    }
}

fn value_of(field: &Field<'_>, keyed: &Keyed) -> TokenStream {
    let (ty, pvar) = (field.ty, keyed.pvar.then(|| quote_spanned!(mixed()=> .pvar())));
    match &keyed.with {
        Some(with) => quote_spanned!(located(field)=> field #pvar.convert(#with::decode).ok()?),
        None => quote_spanned!(located(field)=> field #pvar.value_in_order::<#ty>()?),
    }
}

fn absent(y3: &Path, field: &Field<'_>, keyed: &Keyed) -> TokenStream {
    let ty = field.ty;
    match (&keyed.default, &keyed.with) {
        (Some(default), _) => quote_spanned!(mixed()=> #default),
        (None, Some(with)) => quote_spanned!(located(field)=> #y3::record::absent(#with::decode)?),
        (None, None) => quote_spanned!(located(field)=> <#ty as #y3::record::FromField<'_>>::absent()?),
    }
}

/// Reads the content of variants in order; numbers and `other` variants as `read` does.
fn read_enum(y3: &Path, variants: &[Variant<'_>]) -> Option<TokenStream> {
    let content = Ident::new("content", mixed());
    let mut arms = Vec::new();
    for Variant { ident, shape, role } in variants {
        let VariantRole::Number(number) = role else { continue };
        let name = quote_spanned!(mixed()=> Self::#ident);
        if let Some(read) = read_shape(y3, shape, &name, &content, &quote_spanned!(mixed()=> content)) {
            let key = hexadecimal(*number, "");
            arms.push(quote_spanned!(mixed()=> #key => { #read }));
        }
    }
    if arms.is_empty() {
        return None;
    }
    Some(quote_spanned! {mixed()=>
        if source.is_node() {
            let content = source.variant().ok()?;
            match content.key() {
                #(#arms)*
                _ => <Self as #y3::FromPacket<'_>>::read(source).ok(),
            }
        } else {
            <Self as #y3::FromPacket<'_>>::read(source).ok()
        }
    })
}
