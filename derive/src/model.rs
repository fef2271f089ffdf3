//! Model: describes how a struct or an enum maps to packets.
//!
//! The fields and variants of a model are checked. For example, no two fields have the same key.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Error, Fields, Generics, Member, Result, Type};

use crate::args::{Arg, Args, KEY};

/// The highest key.
pub const MAX_KEY: u32 = 63;

pub struct Model<'a> {
    pub ident: &'a Ident,
    pub generics: &'a Generics,
    /// The path of the crate `y3`.
    pub y3: TokenStream,
    /// The key that the packet of this type must have.
    pub root: Option<u32>,
    pub pvar: bool,
    /// True if the type or a part of it can be marked as deprecated.
    pub deprecated: bool,
    /// The fields, if the type is a struct.
    pub shape: Option<Shape<'a>>,
    /// The variants, if the type is an enum.
    pub variants: Vec<Variant<'a>>,
}

pub struct Variant<'a> {
    pub ident: &'a Ident,
    pub shape: Shape<'a>,
    /// The number on the wire. If the variant has content, the number is a key. An `other` variant with content has no
    /// number.
    pub number: Option<u32>,
    /// True if this variant also represents all unknown numbers and keys.
    pub is_other: bool,
    /// The span of the number.
    span: Span,
}

/// The fields of a struct or a variant.
pub struct Shape<'a> {
    pub kind: Kind,
    pub fields: Vec<Field<'a>>,
}

pub enum Kind {
    /// A struct or variant without fields or parentheses.
    Unit,
    /// One value without a key.
    Newtype,
    /// Values with keys.
    Node,
}

pub struct Field<'a> {
    pub member: Member,
    /// The variable that holds a reference to the field in the generated code.
    pub local: Ident,
    /// The name of the field in error messages.
    pub name: String,
    pub ty: &'a Type,
    pub role: Role,
    pub pvar: bool,
    /// The value of an absent field.
    pub default: Option<TokenStream>,
    pub skip_if: Option<TokenStream>,
    pub with: Option<TokenStream>,
    /// `Some(true)` reads the last of several packets with this key, and `Some(false)` the first. `None` rejects
    /// duplicates.
    pub is_last: Option<bool>,
    /// The span of the type, where the compiler reports errors.
    pub span: Span,
    /// The span of the key, or of `rest`.
    of_key: Span,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Role {
    Keyed(u32),
    /// The whole packet, as in a newtype.
    Whole,
    /// All packets whose key belongs to no other field.
    Rest,
    /// The field is not encoded.
    Skip,
}

impl<'a> Model<'a> {
    pub fn of(input: &'a DeriveInput) -> Result<Self> {
        let args = Args::of(&input.attrs)?;
        let (mut shape, mut variants) = (None, Vec::new());
        match &input.data {
            Data::Struct(data) => {
                args.allow("a struct", &["root", "crate", "pvar", "duplicates", "default"])?;
                shape = Some(Shape::of(&data.fields, &args)?);
            }
            Data::Enum(data) if data.variants.is_empty() => {
                return Err(Error::new(input.ident.span(), "an enum without variants cannot be a packet"));
            }
            Data::Enum(data) => {
                args.allow("an enum", &["root", "crate", "pvar", "duplicates"])?;
                let mut free = Free::of(data.variants.iter().map(|variant| &*variant.attrs));
                variants = all(data.variants.iter().map(|variant| Variant::of(variant, &args, &mut free)))?;
                check_variants(&variants)?;
            }
            Data::Union(data) => return Err(Error::new(data.union_token.span, "a union cannot be a packet")),
        }
        let model = Self {
            ident: &input.ident,
            generics: &input.generics,
            y3: args.value("crate").unwrap_or_else(|| quote!(::y3)),
            root: args.get("root").map(key).transpose()?,
            pvar: args.has("pvar"),
            deprecated: input.to_token_stream().to_string().contains("deprecated"),
            shape,
            variants,
        };
        let has_keys = model.fields().any(|field| field.role != Role::Whole);
        match args.get("default").or(args.get("duplicates")) {
            Some(arg) if !has_keys => Err(arg.error("no field of this type has a key")),
            _ => Ok(model),
        }
    }

    /// The field that represents the whole packet: the field of a newtype or of an `other` variant.
    pub fn whole(&self) -> Option<&Field<'a>> {
        let other = self.variants.iter().find(|variant| variant.is_other).map(|other| &other.shape);
        self.shape.as_ref().or(other)?.fields.first().filter(|field| field.role == Role::Whole)
    }

    /// All fields of the type or of its variants.
    pub fn fields(&self) -> impl Iterator<Item = &Field<'a>> {
        let of_variants = self.variants.iter().map(|variant| &variant.shape);
        self.shape.iter().chain(of_variants).flat_map(|shape| &shape.fields)
    }
}

impl<'a> Shape<'a> {
    fn of(fields: &'a Fields, of_type: &Args) -> Result<Self> {
        let is_alone = matches!(fields, Fields::Unnamed(fields) if fields.unnamed.len() == 1);
        let mut free = Free::of(fields.iter().map(|field| &*field.attrs));
        let named =
            fields.iter().enumerate().map(|(place, field)| Field::of(place, field, of_type, is_alone, &mut free));
        let all = all(named)?;
        check_fields(&all)?;
        let kind = match fields {
            Fields::Unit => Kind::Unit,
            _ if all.iter().any(|field| field.role == Role::Whole) => Kind::Newtype,
            _ => Kind::Node,
        };
        Ok(Self { kind, fields: all })
    }

    pub fn on_wire(&self) -> impl Iterator<Item = &Field<'a>> {
        self.fields.iter().filter(|field| field.role != Role::Skip)
    }
}

impl<'a> Field<'a> {
    /// Reads a field and its attributes. A field needs a key, unless it is the only field of a tuple struct.
    fn of(place: usize, field: &'a syn::Field, of_type: &Args, is_alone: bool, free: &mut Free) -> Result<Self> {
        let (args, ty) = (Args::of(&field.attrs)?, &field.ty);
        let span = Span::call_site().located_at(ty.span());
        let (member, name) = match &field.ident {
            Some(ident) => (Member::Named(ident.clone()), ident.unraw().to_string()),
            None => (Member::Unnamed(place.into()), place.to_string()),
        };
        let role = if args.has("skip") {
            args.allow("a `skip` field", &["skip", "default"])?;
            Role::Skip
        } else if args.has("rest") {
            args.allow("a `rest` field", &["rest"])?;
            Role::Rest
        } else {
            args.allow("a field", &[KEY, "pvar", "default", "skip_if", "with", "duplicates"])?;
            args.get(KEY).map(key).transpose()?.map_or(Role::Whole, Role::Keyed)
        };
        let needs_key = !is_alone || ["default", "skip_if", "duplicates"].iter().any(|name| args.has(name));
        if role == Role::Whole && needs_key {
            let message = format!("field `{name}` has no key from 0x00 to 0x3f: {}", free.add(0x10));
            return Err(Error::new(field.ident.as_ref().map_or(ty.span(), Ident::span), message));
        }
        let default = match (args.value("default"), of_type.value("default")) {
            (Some(value), _) if !value.is_empty() => Some(value),
            (None, Some(whole)) => {
                let whole = if whole.is_empty() { default_of(&quote!(Self)) } else { whole };
                Some(quote!({ let __whole: Self = #whole; __whole }.#member))
            }
            (own, _) => own.or(args.value("skip")).map(|_| default_of(ty)),
        };
        let which = args.value("duplicates").or_else(|| of_type.value("duplicates")).map(|which| which.to_string());
        Ok(Self {
            local: format_ident!("__field_{name}", span = span),
            span,
            of_key: args.get(KEY).or(args.get("rest")).map_or(span, |arg| arg.span),
            member,
            name,
            ty,
            role,
            pvar: args.has("pvar") || of_type.has("pvar"),
            default,
            skip_if: args.value("skip_if"),
            with: args.value("with"),
            is_last: which.filter(|which| which != "error").map(|which| which == "last"),
        })
    }

    pub fn key(&self) -> Option<u32> {
        if let Role::Keyed(key) = self.role { Some(key) } else { None }
    }

    /// True if the field is written as one packet.
    pub fn is_value(&self) -> bool {
        matches!(self.role, Role::Keyed(_) | Role::Whole)
    }
}

/// An expression that calls `Default::default()`. The expression has the span of the type, so the compiler reports a
/// missing impl at the type.
fn default_of(ty: &impl ToTokens) -> TokenStream {
    quote_spanned!(ty.span()=> <#ty as ::core::default::Default>::default())
}

impl<'a> Variant<'a> {
    fn of(variant: &'a syn::Variant, of_type: &Args, free: &mut Free) -> Result<Self> {
        let args = Args::of(&variant.attrs)?;
        args.allow("a variant", &[KEY, "other"])?;
        let (shape, ident) = (Shape::of(&variant.fields, of_type)?, &variant.ident);
        let number = match (args.get(KEY), args.get("other"), &shape.kind) {
            (Some(arg), _, Kind::Unit) => Ok(Some(arg.number)),
            (Some(arg), None, _) => key(arg).map(Some),
            (None, None, _) => {
                Err(Error::new(ident.span(), format!("variant `{ident}` has no number: {}", free.add(0x01))))
            }
            (None, Some(_), Kind::Newtype) if of_type.has("pvar") || !shape.fields.iter().any(|field| field.pvar) => {
                Ok(None)
            }
            (None, Some(other), Kind::Newtype) => {
                Err(other.error("all variants use the same integer dialect: put `pvar` on the type"))
            }
            (None, Some(other), Kind::Unit) => {
                Err(other.error("an `other` variant without content needs the number to write: `#[y3(9, other)]`"))
            }
            (_, Some(other), _) => Err(other.error(
                "an `other` variant with content has no key and one field, which reads the whole packet, such as a `Packet`",
            )),
        }?;
        let span = args.get(KEY).map_or(ident.span(), |arg| arg.span);
        Ok(Self { ident, shape, number, is_other: args.has("other"), span })
    }
}

fn key(arg: &Arg) -> Result<u32> {
    Some(arg.number).filter(|key| *key <= MAX_KEY).ok_or_else(|| {
        arg.error(format!(
            "key {:#04x} is above 0x3f: keys are 0x00 to 0x3f; put further fields in a nested struct, which has keys of its own",
            arg.number
        ))
    })
}

/// Checks that no two fields have the same key, and that at most one field is `rest`.
fn check_fields(fields: &[Field<'_>]) -> Result<()> {
    let free = Free(fields.iter().filter_map(Field::key).collect());
    let claims = fields.iter().filter(|field| field.role != Role::Skip).map(|field| {
        let claim = field.key().map_or("is `rest` too".to_owned(), |key| format!("has the key {key:#04x} too"));
        (claim, format!("field `{}`", field.name), field.of_key, field.key())
    });
    once(claims, free)
}

/// Checks that no two variants have the same number, and that at most one variant is `other`.
fn check_variants(variants: &[Variant<'_>]) -> Result<()> {
    let free = Free(variants.iter().filter_map(|variant| variant.number).collect());
    let claims = variants.iter().flat_map(|Variant { ident, number, is_other, span, .. }| {
        let claim = number.map(|number| format!("has the number {number:#04x} too"));
        let claims = claim.map(|claim| (claim, *number)).into_iter();
        let claims = claims.chain(is_other.then(|| ("is `other` too".to_owned(), None)));
        claims.map(move |(claim, number)| (claim, format!("variant `{ident}`"), *span, number))
    });
    once(claims, free)
}

/// Returns an error for each claim that occurs twice, for example if two fields claim the same key. A claim consists of
/// a text, an owner, a span, and an optional key.
fn once(claims: impl Iterator<Item = (String, String, Span, Option<u32>)>, mut free: Free) -> Result<()> {
    let mut seen = BTreeMap::new();
    let results = claims.map(|(claim, name, span, key)| match seen.insert(claim.clone(), name) {
        Some(earlier) => {
            let free = key.and_then(|key| free.take(key)).map(|free| format!("; {free:#04x} is free"));
            Err(Error::new(span, format!("{earlier} {claim}{}", free.unwrap_or_default())))
        }
        None => Ok(()),
    });
    all(results).map(drop)
}

/// The keys in use. If an error message proposes a key, this key is added, so the next message proposes another key.
struct Free(BTreeSet<u32>);

impl Free {
    /// The keys of the fields or variants with these attributes.
    fn of<'a>(all: impl Iterator<Item = &'a [Attribute]>) -> Self {
        Self(all.filter_map(|attributes| Some(Args::of(attributes).ok()?.get(KEY)?.number)).collect())
    }

    /// Returns the first free key, beginning at `from`, and marks the key as used.
    fn take(&mut self, from: u32) -> Option<u32> {
        let key = (from..=MAX_KEY).chain(0..from.min(MAX_KEY)).find(|key| !self.0.contains(key))?;
        self.0.insert(key);
        Some(key)
    }

    /// Proposes an attribute with a free key, for an error message.
    fn add(&mut self, from: u32) -> String {
        match self.take(from) {
            Some(key) => format!("add `#[y3({key:#04x})]`"),
            None => "all are taken; put further fields in a nested struct".to_owned(),
        }
    }
}

/// Returns all values. If there are errors, all of them are combined into one.
fn all<T>(results: impl Iterator<Item = Result<T>>) -> Result<Vec<T>> {
    let (values, errors): (Vec<_>, Vec<_>) = results.partition(Result::is_ok);
    let errors = errors.into_iter().filter_map(Result::err).reduce(|mut errors, error| {
        errors.combine(error);
        errors
    });
    errors.map_or_else(|| Ok(values.into_iter().flatten().collect()), Err)
}
