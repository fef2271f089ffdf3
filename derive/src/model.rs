//! Model: how a struct or an enum maps to packets.
//!
//! In: the syntax of the type. Out: its fields and variants with their keys, checked.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Fields, Generics, Member, Result, Type};

use crate::args::{Arg, Args, KEY};

/// The highest key.
const MAX_KEY: u8 = 63;

pub struct Model<'a> {
    pub ident: &'a Ident,
    pub generics: &'a Generics,
    /// The path of the crate `y3`.
    pub y3: TokenStream,
    /// The key that its packet must have.
    pub root: Option<u8>,
    pub pvar: bool,
    /// Whether something that it names may be deprecated.
    pub deprecated: bool,
    pub body: Body<'a>,
}

pub enum Body<'a> {
    Struct(Shape<'a>),
    Enum(Vec<Variant<'a>>),
}

/// The fields of a struct or a variant.
pub enum Shape<'a> {
    /// No fields.
    Unit,
    /// One value without a key.
    Newtype(Field<'a>),
    /// Values with keys.
    Fields(Vec<Field<'a>>),
}

pub struct Variant<'a> {
    pub ident: &'a Ident,
    pub shape: Shape<'a>,
    /// The number that is written; for a variant with content, its key. Only an `other` variant with content has none.
    pub number: Option<u32>,
    /// Whether it is read for all numbers and keys that no other variant has.
    pub is_other: bool,
}

pub struct Field<'a> {
    pub member: Member,
    /// The name of its variable in the generated code.
    pub local: Ident,
    /// Its name in error messages.
    pub name: String,
    pub ty: &'a Type,
    pub role: Role,
    pub pvar: bool,
    /// The value of an absent field.
    pub default: Option<TokenStream>,
    pub skip_if: Option<TokenStream>,
    pub with: Option<TokenStream>,
    /// `first` or `last`, if several packets with its key are no error.
    pub which: Option<TokenStream>,
}

pub enum Role {
    /// Has a key; unused for the value of a newtype.
    Keyed(u8),
    /// The packets with other keys.
    Rest,
    /// Not on the wire.
    Skip,
}

/// What the type says for all its fields.
struct ForAll {
    pvar: bool,
    default: Option<TokenStream>,
    which: Option<TokenStream>,
}

impl<'a> Model<'a> {
    pub fn of(input: &'a DeriveInput) -> Result<Self> {
        let args = Args::of(&input.attrs)?;
        let for_all = ForAll {
            pvar: args.has("pvar"),
            default: args
                .value("default")
                .map(|value| if value.is_empty() { default_of(&quote!(Self)) } else { value }),
            which: args.value("duplicates"),
        };
        let body = match &input.data {
            Data::Struct(data) => {
                args.allow("a struct", &["root", "crate", "pvar", "duplicates", "default"])?;
                Body::Struct(Shape::of(&data.fields, &for_all)?)
            }
            Data::Enum(data) => {
                args.allow("an enum", &["root", "crate", "pvar", "duplicates"])?;
                let variants = all(data.variants.iter().map(|variant| Variant::of(variant, &for_all)))?;
                check_variants(&variants, input)?;
                Body::Enum(variants.into_iter().map(|(variant, _)| variant).collect())
            }
            Data::Union(data) => return Err(Error::new(data.union_token.span, "a union cannot be a packet")),
        };
        let model = Self {
            ident: &input.ident,
            generics: &input.generics,
            y3: args.value("crate").unwrap_or_else(|| quote!(::y3)),
            root: args.get("root").map(key).transpose()?,
            pvar: args.has("pvar"),
            deprecated: is_deprecated(&input.to_token_stream()),
            body,
        };
        let has_keys = model.shapes().any(|shape| matches!(shape, Shape::Fields(_)));
        match args.get("default").or(args.get("duplicates")) {
            Some(arg) if !has_keys => Err(Error::new(arg.span, "no field of this type has a key")),
            _ => Ok(model),
        }
    }

    fn shapes(&self) -> impl Iterator<Item = &Shape<'a>> {
        let (one, many) = match &self.body {
            Body::Struct(shape) => (Some(shape), &[][..]),
            Body::Enum(variants) => (None, &variants[..]),
        };
        one.into_iter().chain(many.iter().map(|variant| &variant.shape))
    }

    /// All fields of the type or of its variants.
    pub fn fields(&self) -> impl Iterator<Item = &Field<'a>> {
        self.shapes().flat_map(Shape::fields)
    }
}

impl<'a> Shape<'a> {
    fn of(fields: &'a Fields, for_all: &ForAll) -> Result<Self> {
        match fields {
            Fields::Unit => Ok(Self::Unit),
            Fields::Unnamed(unnamed) if unnamed.unnamed.len() == 1 => {
                match Field::of(0, &unnamed.unnamed[0], for_all, true)? {
                    (field, None) => Ok(Self::Newtype(field)),
                    (field, Some(_)) => Ok(Self::Fields(vec![field])),
                }
            }
            _ => {
                let fields = fields.iter().enumerate().map(|(place, field)| Field::of(place, field, for_all, false));
                let fields = all(fields)?;
                check_fields(&fields)?;
                Ok(Self::Fields(fields.into_iter().map(|(field, _)| field).collect()))
            }
        }
    }

    pub fn fields(&self) -> &[Field<'a>] {
        match self {
            Self::Unit => &[],
            Self::Newtype(field) => std::slice::from_ref(field),
            Self::Fields(fields) => fields,
        }
    }
}

impl<'a> Field<'a> {
    /// A field and the span of its key, `rest` or `skip`: one that is alone may have none of them.
    fn of(place: usize, field: &'a syn::Field, all: &ForAll, is_alone: bool) -> Result<(Self, Option<Span>)> {
        let args = Args::of(&field.attrs)?;
        let (member, name) = match &field.ident {
            Some(ident) => (Member::Named(ident.clone()), ident.unraw().to_string()),
            None => (Member::Unnamed(place.into()), place.to_string()),
        };
        let (arg, role) = match (args.get("skip"), args.get("rest"), args.get(KEY)) {
            (Some(skip), ..) => {
                args.allow("a `skip` field", &["skip", "default"])?;
                (Some(skip), Role::Skip)
            }
            (_, Some(rest), _) => {
                args.allow("a `rest` field", &["rest"])?;
                (Some(rest), Role::Rest)
            }
            (.., arg) => {
                args.allow("a field", &[KEY, "pvar", "default", "skip_if", "with", "duplicates"])?;
                let needs_key = ["default", "skip_if", "duplicates"].iter().any(|name| args.has(name));
                if arg.is_none() && (!is_alone || needs_key) {
                    let message = format!("field `{name}` has no key: add `#[y3(0x10)]` with a key from 0x00 to 0x3f");
                    return Err(Error::new(field.ident.as_ref().map_or(field.ty.span(), Ident::span), message));
                }
                (arg, Role::Keyed(arg.map(key).transpose()?.unwrap_or_default()))
            }
        };
        let default = match (args.value("default"), &all.default) {
            (Some(value), _) if !value.is_empty() => Some(value),
            (None, Some(whole)) => Some(quote!((#whole).#member)),
            (own, _) => own.or(args.value("skip")).map(|_| default_of(&field.ty)),
        };
        let which = args.value("duplicates").or_else(|| all.which.clone());
        let field = Self {
            // Hygienic: expressions of the user cannot name this variable.
            local: format_ident!("field_{}", name, span = located(&field.ty)),
            member,
            name,
            ty: &field.ty,
            role,
            pvar: args.has("pvar") || all.pvar,
            default,
            skip_if: args.value("skip_if"),
            with: args.value("with"),
            which: which.filter(|which| which.to_string() != "error"),
        };
        Ok((field, arg.map(|arg| arg.span)))
    }

    pub fn key(&self) -> Option<u8> {
        if let Role::Keyed(key) = self.role { Some(key) } else { None }
    }

    /// The span of its type, for compiler errors, with the hygiene of the macro.
    pub fn span(&self) -> Span {
        located(self.ty)
    }
}

fn located(of: &impl Spanned) -> Span {
    Span::mixed_site().located_at(of.span())
}

/// `Default::default()`, with the span of the type, where the error belongs if it has no default.
fn default_of(ty: &(impl ToTokens + Spanned)) -> TokenStream {
    quote_spanned!(located(ty)=> <#ty as ::core::default::Default>::default())
}

impl<'a> Variant<'a> {
    /// A variant and the span of its number.
    fn of(variant: &'a syn::Variant, for_all: &ForAll) -> Result<(Self, Span)> {
        let args = Args::of(&variant.attrs)?;
        args.allow("a variant", &[KEY, "other"])?;
        let (shape, ident) = (Shape::of(&variant.fields, for_all)?, &variant.ident);
        let number = match (args.get(KEY), args.get("other"), &shape) {
            (Some(arg), _, Shape::Unit) => Some(arg.number),
            (None, Some(_), Shape::Newtype(_)) => None,
            (Some(arg), None, _) => Some(key(arg)?.into()),
            (None, Some(other), Shape::Unit) => {
                let message = "an `other` variant without content needs the number to write: `#[y3(9, other)]`";
                return Err(Error::new(other.span, message));
            }
            (_, Some(other), _) => {
                let message =
                    "an `other` variant has no key and holds one value that reads the whole packet, such as `Packet`";
                return Err(Error::new(other.span, message));
            }
            (None, None, _) => {
                return Err(Error::new(ident.span(), format!("variant `{ident}` has no number: add `#[y3(0x01)]`")));
            }
        };
        let span = args.get(KEY).map_or(ident.span(), |arg| arg.span);
        Ok((Self { ident, shape, number, is_other: args.has("other") }, span))
    }
}

fn key(arg: &Arg) -> Result<u8> {
    u8::try_from(arg.number).ok().filter(|key| *key <= MAX_KEY).ok_or_else(|| {
        let message = format!(
            "key {:#04x} is above 0x3f: keys are 0x00 to 0x3f; more fields go into a struct inside, which has keys of its own",
            arg.number
        );
        Error::new(arg.span, message)
    })
}

/// Checks that no key is there twice, nor `rest`.
fn check_fields(fields: &[(Field<'_>, Option<Span>)]) -> Result<()> {
    let taken: Vec<u8> = fields.iter().filter_map(|(field, _)| field.key()).collect();
    let mut seen = BTreeMap::new();
    all(fields.iter().filter(|(field, _)| !matches!(field.role, Role::Skip)).map(|(field, span)| {
        match (seen.insert(field.key(), &field.name), field.key()) {
            (None, _) => Ok(()),
            (Some(earlier), key) => {
                let message = match (key, (0..=MAX_KEY).find(|key| !taken.contains(key))) {
                    (None, _) => format!("field `{earlier}` is `rest` too"),
                    (Some(key), Some(free)) => {
                        format!("field `{earlier}` has the key {key:#04x} too; {free:#04x} is free")
                    }
                    (Some(key), None) => format!("field `{earlier}` has the key {key:#04x} too"),
                };
                Err(Error::new(span.unwrap_or_else(Span::call_site), message))
            }
        }
    }))
    .map(drop)
}

/// Checks that no number is there twice, nor `other`.
fn check_variants(variants: &[(Variant<'_>, Span)], input: &DeriveInput) -> Result<()> {
    if variants.is_empty() {
        return Err(Error::new(input.ident.span(), "an enum without variants cannot be a packet"));
    }
    let (mut seen, mut other) = (BTreeMap::new(), None);
    all(variants.iter().map(|(Variant { ident, number, is_other, .. }, span)| {
        let twice = number.and_then(|number| Some((number, seen.insert(number, ident)?)));
        let other = if *is_other { other.replace(ident) } else { None };
        match (twice, other) {
            (Some((number, earlier)), _) => {
                Err(Error::new(*span, format!("variant `{earlier}` has the number {number:#04x} too")))
            }
            (None, Some(earlier)) => Err(Error::new(*span, format!("variant `{earlier}` is `other` too"))),
            (None, None) => Ok(()),
        }
    }))
    .map(drop)
}

/// Whether an attribute somewhere in the type has that word: `#[deprecated]`, or `#[allow(deprecated)]`.
fn is_deprecated(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        proc_macro2::TokenTree::Ident(ident) => ident == "deprecated",
        proc_macro2::TokenTree::Group(group) => is_deprecated(&group.stream()),
        _ => false,
    })
}

/// All values, or all errors combined.
fn all<T>(results: impl Iterator<Item = Result<T>>) -> Result<Vec<T>> {
    let (mut values, mut errors) = (Vec::new(), None::<Error>);
    for result in results {
        match (result, &mut errors) {
            (Ok(value), _) => values.push(value),
            (Err(error), Some(errors)) => errors.combine(error),
            (Err(error), None) => errors = Some(error),
        }
    }
    errors.map_or(Ok(values), Err)
}
