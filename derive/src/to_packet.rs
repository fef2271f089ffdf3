//! To packet: generates the impl of `ToPacket`.
//!
//! In: a model. Out: the code that one would write by hand: a node, and one call per field.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;

use crate::generics::bounded;
use crate::model::{Body, Field, Keyed, Model, Role, Shape, Variant, VariantRole};

pub fn expand(model: &Model<'_>) -> TokenStream {
    let y3 = &model.krate;
    let generics = bounded(model, &quote_spanned!(mixed()=> #y3::ToPacket));
    let (params, _, bounds) = generics.split_for_impl();
    let (_, args, _) = model.generics.split_for_impl();
    let ident = model.ident;

    let root = model.root.map(|key| {
        quote_spanned! {mixed()=>
            const ROOT: #y3::Key = #y3::record::key(#key);
        }
    });
    let pvar = model.pvar.then(|| quote_spanned!(mixed()=> let place = place.pvar();));
    let (bound, body) = match &model.body {
        Body::Struct(shape) => (bound_of(y3, shape), write_struct(y3, shape)),
        Body::Enum(variants) => {
            let bounds = variants.iter().map(|variant| bound_of_variant(y3, variant));
            let arms = variants.iter().map(|variant| write_variant(y3, variant));
            (
                quote_spanned!(mixed()=> #y3::record::Bound::ZERO #(.or(#bounds))*),
                quote_spanned! {mixed()=>
                    match self {
                        #(#arms)*
                    }
                },
            )
        }
    };
    let least = match &model.body {
        Body::Struct(Shape::Fields(fields)) => {
            let least = least_of(y3, fields);
            Some(quote_spanned!(mixed()=> const MIN_LEN: usize = 2 + #least;))
        }
        _ => None,
    };
    let bound = if model.pvar { quote_spanned!(mixed()=> #bound.in_pvar()) } else { bound };
    quote_spanned! {mixed()=>
        #[automatically_derived]
        impl #params #y3::ToPacket for #ident #args #bounds {
            #root
            const BOUND: #y3::record::Bound = #bound;
            #least

            #[inline]
            fn write<__S: #y3::Sink, const __PVAR: bool>(
                &self,
                place: #y3::record::Place<'_, __S, __PVAR>,
            ) -> ::core::result::Result<#y3::record::Written, #y3::Error> {
                #pvar
                #body
            }
        }
    }
}

fn bound_of(y3: &syn::Path, shape: &Shape<'_>) -> TokenStream {
    match shape {
        Shape::Unit => quote_spanned!(mixed()=> #y3::record::Bound::of_values(0, 0)),
        Shape::Newtype(field) => bound_of_field(y3, field, &quote_spanned!(mixed()=> #y3::ToPacket)),
        Shape::Fields(fields) => {
            let fields = fields.iter().filter(|field| !matches!(field.role, Role::Skip));
            let fields = fields.map(|field| bound_of_field(y3, field, &quote_spanned!(mixed()=> #y3::record::ToField)));
            quote_spanned!(mixed()=> #y3::record::Bound::ZERO #(.and(#fields))*.packet())
        }
    }
}

/// No bound for a converted field: the macro does not know the type on the wire.
fn bound_of_field(y3: &syn::Path, field: &Field<'_>, of: &TokenStream) -> TokenStream {
    let ty = field.ty;
    match &field.role {
        Role::Keyed(keyed) if keyed.with.is_none() => {
            let bound = quote_spanned!(located(field)=> <#ty as #of>::BOUND);
            if keyed.pvar { quote_spanned!(mixed()=> #bound.in_pvar()) } else { bound }
        }
        _ => quote_spanned!(mixed()=> #y3::record::Bound::NONE),
    }
}

/// The minimum length of all fields. That of a converted field may be 0, as may that of one that can be left out.
fn least_of(y3: &syn::Path, fields: &[Field<'_>]) -> TokenStream {
    let always = |field: &&Field<'_>| match &field.role {
        Role::Keyed(keyed) => keyed.with.is_none() && keyed.skip_if.is_none(),
        Role::Rest | Role::Skip => false,
    };
    let fields = fields.iter().filter(always).map(|field| {
        let ty = field.ty;
        quote_spanned!(located(field)=> <#ty as #y3::record::ToField>::MIN_LEN)
    });
    quote_spanned!(mixed()=> 0 #(+ #fields)*)
}

fn bound_of_variant(y3: &syn::Path, variant: &Variant<'_>) -> TokenStream {
    let bound = bound_of(y3, &variant.shape);
    match variant.role {
        VariantRole::Number(number) | VariantRole::OtherNumber(number) if matches!(variant.shape, Shape::Unit) => {
            quote_spanned!(mixed()=> #y3::record::Bound::of_number(#number))
        }
        VariantRole::Other => bound,
        _ => quote_spanned!(mixed()=> #bound.packet()),
    }
}

fn write_struct(y3: &syn::Path, shape: &Shape<'_>) -> TokenStream {
    write_shape(y3, shape, |field| {
        let member = &field.member;
        quote_spanned!(located(field)=> &self.#member)
    })
}

/// Writes the packet of a struct, or of a variant's content.
fn write_shape(y3: &syn::Path, shape: &Shape<'_>, value: impl Fn(&Field<'_>) -> TokenStream) -> TokenStream {
    match shape {
        Shape::Unit => quote_spanned!(mixed()=> place.bytes(&[])),
        Shape::Newtype(field) => {
            let Role::Keyed(keyed) = &field.role else { return TokenStream::new() };
            let value = encoded(field, keyed, &value(field));
            let place = if keyed.pvar {
                quote_spanned!(mixed()=> place.content()?.pvar())
            } else {
                quote_spanned!(mixed()=> place.content()?)
            };
            quote_spanned!(located(field)=> #y3::ToPacket::write(#value, #place))
        }
        Shape::Fields(fields) => {
            let (mut writes, mut keys, mut run) = (Vec::new(), Vec::new(), Run::default());
            for field in fields {
                if let Role::Keyed(keyed) = &field.role {
                    keys.push(keyed.key);
                    match Part::of(field, keyed) {
                        Part::Number => run.numbers.push((field, keyed)),
                        Part::Text => {
                            writes.push(run.write(y3, &value));
                            run.text = Some((field, keyed));
                        }
                        Part::Other => {
                            writes.push(run.write(y3, &value));
                            writes.push(write_field(field, keyed, &value(field)));
                        }
                    }
                }
            }
            writes.push(run.write(y3, &value));
            let least = least_of(y3, fields);
            let rest = fields.iter().filter(|field| matches!(field.role, Role::Rest)).map(|field| {
                let value = value(field);
                quote_spanned!(located(field)=> node.rest(#value, const { #y3::record::keys(&[#(#keys),*]) })?;)
            });
            let mutable = (!fields.is_empty()).then(|| quote_spanned!(mixed()=> mut));
            quote_spanned! {mixed()=>
                let #mutable node = place.node_of(const { #least >= 64 })?;
                #(#writes)*
                #(#rest)*
                node.close()
            }
        }
    }
}

/// How a field is written. The names of types only decide how fields are grouped; their bounds decide how they are written.
enum Part {
    /// With the numbers around it.
    Number,
    /// With the numbers after it.
    Text,
    /// By itself.
    Other,
}

impl Part {
    fn of(field: &Field<'_>, keyed: &Keyed) -> Self {
        const NUMBERS: [&str; 12] =
            ["bool", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "usize"];
        if keyed.with.is_some() || keyed.skip_if.is_some() {
            return Self::Other;
        }
        let name = |ty: &syn::Type| match ty {
            syn::Type::Path(path) => path.path.get_ident().map(Ident::to_string),
            _ => None,
        };
        let is_borrowed = matches!(field.ty, syn::Type::Reference(_));
        let ty = if let syn::Type::Reference(reference) = field.ty { &reference.elem } else { field.ty };
        match name(ty).as_deref() {
            Some("str" | "String") => Self::Text,
            Some(name) if !is_borrowed && NUMBERS.contains(&name) => Self::Number,
            _ => Self::Other,
        }
    }
}

/// Fields that are written with one check of the room for all: a text, if it is short, and numbers.
#[derive(Default)]
struct Run<'f> {
    text: Option<(&'f Field<'f>, &'f Keyed)>,
    numbers: Vec<(&'f Field<'f>, &'f Keyed)>,
}

impl Run<'_> {
    /// Fewer numbers are written one by one.
    const FEWEST: usize = 3;

    /// Writes the fields; the run is then empty.
    fn write(&mut self, y3: &syn::Path, value: &impl Fn(&Field<'_>) -> TokenStream) -> TokenStream {
        let text = self.text.take();
        if self.numbers.len() < Self::FEWEST {
            let fields = text.into_iter().chain(self.numbers.drain(..));
            return fields.map(|(field, keyed)| write_field(field, keyed, &value(field))).collect();
        }
        let numbers = self.numbers.drain(..).rev().fold(quote_spanned!(mixed()=> ()), |fields, (field, keyed)| {
            let (key, pvar, value) = (hexadecimal(keyed.key.into(), "u8"), keyed.pvar, value(field));
            quote_spanned!(located(field)=> (#y3::record::InRun::<_, #pvar>(#key, #value), #fields))
        });
        match text {
            Some((field, keyed)) => {
                let (key, value) = (hexadecimal(keyed.key.into(), "u8"), value(field));
                quote_spanned!(located(field)=> node.run(::core::option::Option::Some((#key, #value)), || #numbers)?;)
            }
            None => quote_spanned!(mixed()=> node.run(::core::option::Option::None::<(u8, &str)>, || #numbers)?;),
        }
    }
}

fn write_field(field: &Field<'_>, keyed: &Keyed, value: &TokenStream) -> TokenStream {
    let key = hexadecimal(keyed.key.into(), "u8");
    let method = Ident::new(if keyed.pvar { "pvar_field" } else { "field" }, located(field));
    let encoded = encoded(field, keyed, value);
    let write = quote_spanned!(located(field)=> node.#method(#key, #encoded)?;);
    match &keyed.skip_if {
        Some(skip_if) => quote_spanned! {mixed()=>
            if !(#skip_if)(#value) {
                #write
            }
        },
        None => write,
    }
}

/// The field, or its conversion by the `with` module.
fn encoded(field: &Field<'_>, keyed: &Keyed, value: &TokenStream) -> TokenStream {
    match &keyed.with {
        Some(with) => quote_spanned!(located(field)=> &#with::encode(#value)),
        None => value.clone(),
    }
}

fn write_variant(y3: &syn::Path, variant: &Variant<'_>) -> TokenStream {
    let ident = variant.ident;
    let pattern = pattern(variant);
    let number = match variant.role {
        VariantRole::Number(number) | VariantRole::OtherNumber(number) => number,
        VariantRole::Other => {
            let write = variant.shape.fields().iter().map(|field| {
                let local = &field.local;
                quote_spanned!(located(field)=> #y3::ToPacket::write(#local, place.content()?))
            });
            return quote_spanned!(mixed()=> Self::#ident #pattern => #(#write)*,);
        }
    };
    if matches!(variant.shape, Shape::Unit) {
        let number = hexadecimal(number, "u32");
        return quote_spanned!(mixed()=> Self::#ident => place.number(#number),);
    }
    let key = hexadecimal(number, "u8");
    // `place.variant` counts the step of recursion, also for a newtype's value.
    let content = match &variant.shape {
        Shape::Newtype(field) => {
            let local = &field.local;
            let Role::Keyed(keyed) = &field.role else { return TokenStream::new() };
            let value = encoded(field, keyed, &quote_spanned!(mixed()=> #local));
            let place =
                if keyed.pvar { quote_spanned!(mixed()=> place.pvar()) } else { quote_spanned!(mixed()=> place) };
            quote_spanned!(located(field)=> #y3::ToPacket::write(#value, #place))
        }
        shape => write_shape(y3, shape, |field| {
            let local = &field.local;
            quote_spanned!(mixed()=> #local)
        }),
    };
    quote_spanned!(mixed()=> Self::#ident #pattern => place.variant(#key, |place| { #content }),)
}

/// The pattern that binds the fields of a variant as references.
fn pattern(variant: &Variant<'_>) -> Option<TokenStream> {
    if matches!(variant.shape, Shape::Unit) {
        return None;
    }
    let fields = variant.shape.fields().iter().filter(|field| !matches!(field.role, Role::Skip)).map(|field| {
        let (member, local) = (&field.member, &field.local);
        quote_spanned!(mixed()=> #member: #local)
    });
    Some(quote_spanned!(mixed()=> { #(#fields,)* .. }))
}

/// The span of the field's type, for compiler errors, with the hygiene of the macro.
pub fn located(field: &Field<'_>) -> Span {
    Span::mixed_site().located_at(field.ty.span())
}

/// A key as a hexadecimal literal.
pub fn hexadecimal(number: u32, suffix: &str) -> syn::LitInt {
    syn::LitInt::new(&format!("{number:#04x}{suffix}"), mixed())
}

/// The hygiene of the macro: its variables are hidden from the user's code.
pub fn mixed() -> Span {
    Span::mixed_site()
}
