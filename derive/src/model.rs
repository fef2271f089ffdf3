//! Model: how a struct or an enum maps to packets.
//!
//! In: the syntax of the type. Out: its fields and variants with their keys, checked.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Span};
use quote::format_ident;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Expr, ExprPath, Fields, Generics, Member, Path, Result, Type};

use crate::args::{Args, At, Duplicates};

/// The highest key.
const MAX_KEY: u32 = 63;

pub struct Model<'a> {
    pub ident: &'a Ident,
    pub generics: &'a Generics,
    /// The path of the crate `y3`.
    pub krate: Path,
    pub root: Option<u8>,
    pub pvar: bool,
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
    pub role: VariantRole,
}

pub enum VariantRole {
    /// A number; for a variant with content, its key.
    Number(u32),
    /// All numbers and keys that no other variant has. The content holds the packet.
    Other,
    /// The same without content, with the number that is written.
    OtherNumber(u32),
}

pub struct Field<'a> {
    pub member: Member,
    /// The name of its variable in the generated code.
    pub local: Ident,
    /// Its name in error messages.
    pub name: String,
    pub ty: &'a Type,
    pub role: Role,
}

pub enum Role {
    Keyed(Box<Keyed>),
    /// The packets with other keys.
    Rest,
    /// Not on the wire.
    Skip,
}

/// A value on the wire.
pub struct Keyed {
    /// Unused for the value of a newtype.
    pub key: u8,
    pub pvar: bool,
    pub duplicates: Duplicates,
    /// The value of an absent field.
    pub default: Option<Expr>,
    pub skip_if: Option<Expr>,
    pub with: Option<ExprPath>,
}

impl<'a> Model<'a> {
    pub fn of(input: &'a DeriveInput) -> Result<Self> {
        let args = Args::of(&input.attrs)?;
        args.allow("a type", &["root", "crate", "pvar", "duplicates"])?;
        let duplicates = args.duplicates.map_or(Duplicates::Error, |at| at.value);
        let body = match &input.data {
            Data::Struct(data) => Body::Struct(Shape::of(&data.fields, duplicates)?),
            Data::Enum(data) => {
                let variants = all(data.variants.iter().map(|variant| Variant::of(variant, duplicates)))?;
                check_variants(&variants, input)?;
                Body::Enum(variants.into_iter().map(|(variant, _)| variant).collect())
            }
            Data::Union(data) => return Err(Error::new(data.union_token.span, "a union cannot be a packet")),
        };
        Ok(Self {
            ident: &input.ident,
            generics: &input.generics,
            krate: args.krate.map_or_else(|| syn::parse_quote!(::y3), |at| at.value),
            root: args.root.as_ref().map(key).transpose()?,
            pvar: args.pvar.is_some(),
            body,
        })
    }

    /// All fields on the wire, including `rest`.
    pub fn fields(&self) -> Vec<&Field<'a>> {
        let shapes: Vec<&Shape<'a>> = match &self.body {
            Body::Struct(shape) => vec![shape],
            Body::Enum(variants) => variants.iter().map(|variant| &variant.shape).collect(),
        };
        let fields = shapes.into_iter().flat_map(Shape::fields);
        fields.filter(|field| !matches!(field.role, Role::Skip)).collect()
    }
}

impl<'a> Shape<'a> {
    fn of(fields: &'a Fields, duplicates: Duplicates) -> Result<Self> {
        match fields {
            Fields::Unit => Ok(Self::Unit),
            Fields::Unnamed(unnamed) if unnamed.unnamed.len() == 1 => {
                let (field, key) = Field::of(0, &unnamed.unnamed[0], duplicates, true)?;
                match (&field.role, key) {
                    (Role::Keyed(_), None) => Ok(Self::Newtype(field)),
                    _ => Ok(Self::Fields(vec![field])),
                }
            }
            _ => {
                let fields = all(fields.iter().enumerate().map(|(i, field)| Field::of(i, field, duplicates, false)))?;
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
    /// A field and the span of its key.
    fn of(index: usize, field: &'a syn::Field, duplicates: Duplicates, is_alone: bool) -> Result<(Self, Option<Span>)> {
        let args = Args::of(&field.attrs)?;
        let (member, name) = match &field.ident {
            Some(ident) => (Member::Named(ident.clone()), ident.unraw().to_string()),
            None => (Member::Unnamed(index.into()), index.to_string()),
        };
        let span = args.number.as_ref().map(|at| at.span).or(args.rest.as_ref().map(|at| at.span));
        let role = if args.skip.is_some() {
            args.allow("a `skip` field", &["skip", "default"])?;
            Role::Skip
        } else if args.rest.is_some() {
            args.allow("a `rest` field", &["rest"])?;
            Role::Rest
        } else {
            args.allow("a field", &["a key", "pvar", "default", "skip_if", "with", "duplicates"])?;
            let key = match &args.number {
                Some(at) => key(at)?,
                None if is_alone && !needs_key(&args) => 0,
                None => {
                    let message = format!("field `{name}` has no key: add `#[y3(0x10)]` with a key from 0x00 to 0x3f");
                    let span = field.ident.as_ref().map_or(field.ty.span(), Ident::span);
                    return Err(Error::new(span, message));
                }
            };
            Role::Keyed(Box::new(Keyed {
                key,
                pvar: args.pvar.is_some(),
                duplicates: args.duplicates.map_or(duplicates, |at| at.value),
                default: args.default.map(|at| at.value.unwrap_or_else(|| default_of(&field.ty))),
                skip_if: args.skip_if.map(|at| at.value),
                with: args.with.map(|at| at.value),
            }))
        };
        // Hygienic: expressions of the user cannot name this variable.
        let local = format_ident!("field_{}", name, span = Span::mixed_site().located_at(field.ty.span()));
        Ok((Self { member, local, name, ty: &field.ty, role }, span))
    }
}

/// `Default::default()`, with the span of the type, where the error belongs if it has no default.
fn default_of(ty: &Type) -> Expr {
    let span = Span::mixed_site().located_at(ty.span());
    syn::parse_quote_spanned!(span=> <#ty as ::core::default::Default>::default())
}

/// Whether the arguments apply only to a field with a key, which can be absent or repeated.
fn needs_key(args: &Args) -> bool {
    args.default.is_some() || args.skip_if.is_some() || args.duplicates.is_some()
}

impl<'a> Variant<'a> {
    /// A variant and the span of its number.
    fn of(variant: &'a syn::Variant, duplicates: Duplicates) -> Result<(Self, Span)> {
        let args = Args::of(&variant.attrs)?;
        args.allow("a variant", &["a key", "other"])?;
        let shape = Shape::of(&variant.fields, duplicates)?;
        let span = args.number.as_ref().map_or(variant.ident.span(), |at| at.span);
        let role = match (&args.number, &args.other, &shape) {
            (Some(number), Some(_), Shape::Unit) => VariantRole::OtherNumber(number.value),
            (None, Some(_), Shape::Newtype(_)) => VariantRole::Other,
            (Some(number), None, Shape::Unit) => VariantRole::Number(number.value),
            (Some(number), None, _) => VariantRole::Number(key(number)?.into()),
            (_, Some(other), Shape::Unit) => {
                let message = "an `other` variant without content needs the number to write: `#[y3(9, other)]`";
                return Err(Error::new(other.span, message));
            }
            (_, Some(other), _) => {
                let message =
                    "an `other` variant has no key and holds one value that reads the whole packet, such as `Packet`";
                return Err(Error::new(other.span, message));
            }
            (None, None, _) => {
                let message = format!("variant `{}` has no number: add `#[y3(0x01)]`", variant.ident);
                return Err(Error::new(variant.ident.span(), message));
            }
        };
        Ok((Self { ident: &variant.ident, shape, role }, span))
    }

    /// The number that is written.
    fn number(&self) -> Option<u32> {
        match self.role {
            VariantRole::Number(number) | VariantRole::OtherNumber(number) => Some(number),
            VariantRole::Other => None,
        }
    }

    pub fn is_other(&self) -> bool {
        !matches!(self.role, VariantRole::Number(_))
    }
}

fn key(number: &At<u32>) -> Result<u8> {
    match u8::try_from(number.value) {
        Ok(key) if number.value <= MAX_KEY => Ok(key),
        _ => Err(Error::new(number.span, format!("key {:#04x} is above 0x3f", number.value))),
    }
}

/// Checks that no key is there twice, nor `rest`.
fn check_fields(fields: &[(Field<'_>, Option<Span>)]) -> Result<()> {
    let mut seen = BTreeMap::new();
    let mut rest = None;
    all(fields.iter().map(|(field, span)| {
        let span = span.unwrap_or_else(Span::call_site);
        let earlier = match &field.role {
            Role::Keyed(keyed) => seen.insert(keyed.key, &field.name),
            Role::Rest => rest.replace(&field.name),
            Role::Skip => None,
        };
        match (earlier, &field.role) {
            (None, _) => Ok(()),
            (Some(earlier), Role::Keyed(keyed)) => {
                Err(Error::new(span, format!("field `{earlier}` has the key {:#04x} too", keyed.key)))
            }
            (Some(earlier), _) => Err(Error::new(span, format!("field `{earlier}` is `rest` too"))),
        }
    }))
    .map(drop)
}

/// Checks that no number is there twice, nor `other`.
fn check_variants(variants: &[(Variant<'_>, Span)], input: &DeriveInput) -> Result<()> {
    if variants.is_empty() {
        return Err(Error::new(input.ident.span(), "an enum without variants cannot be a packet"));
    }
    let mut seen = BTreeMap::new();
    let mut other = None;
    all(variants.iter().map(|(variant, span)| {
        let number = variant.number();
        let twice = number.and_then(|number| seen.insert(number, variant.ident).map(|earlier| (number, earlier)));
        if let Some((number, earlier)) = twice {
            return Err(Error::new(*span, format!("variant `{earlier}` has the number {number:#04x} too")));
        }
        let earlier = if variant.is_other() { other.replace(variant.ident) } else { None };
        match earlier {
            Some(earlier) => Err(Error::new(*span, format!("variant `{earlier}` is `other` too"))),
            None => Ok(()),
        }
    }))
    .map(drop)
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
