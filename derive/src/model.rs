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
pub const MAX_KEY: u8 = 63;

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

impl<'a> Model<'a> {
    pub fn of(input: &'a DeriveInput) -> Result<Self> {
        let args = Args::of(&input.attrs)?;
        let body = match &input.data {
            Data::Struct(data) => {
                args.allow("a struct", &["root", "crate", "pvar", "duplicates", "default"])?;
                Body::Struct(Shape::of(&data.fields, &args)?)
            }
            Data::Enum(data) if data.variants.is_empty() => {
                return Err(Error::new(input.ident.span(), "an enum without variants cannot be a packet"));
            }
            Data::Enum(data) => {
                args.allow("an enum", &["root", "crate", "pvar", "duplicates"])?;
                let variants = all(data.variants.iter().map(|variant| Variant::of(variant, &args)))?;
                check_variants(&variants)?;
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
            deprecated: input.to_token_stream().to_string().contains("deprecated"),
            body,
        };
        let has_keys = model.shapes().any(|shape| matches!(shape, Shape::Fields(fields) if !fields.is_empty()));
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
    fn of(fields: &'a Fields, of_type: &Args) -> Result<Self> {
        match fields {
            Fields::Unit => Ok(Self::Unit),
            Fields::Unnamed(unnamed) if unnamed.unnamed.len() == 1 => {
                match Field::of(0, &unnamed.unnamed[0], of_type, true)? {
                    (field, None) => Ok(Self::Newtype(field)),
                    (field, Some(_)) => Ok(Self::Fields(vec![field])),
                }
            }
            _ => {
                let fields = fields.iter().enumerate().map(|(place, field)| Field::of(place, field, of_type, false));
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
    fn of(place: usize, field: &'a syn::Field, of_type: &Args, is_alone: bool) -> Result<(Self, Option<Span>)> {
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
        let default = match (args.value("default"), of_type.value("default")) {
            (Some(value), _) if !value.is_empty() => Some(value),
            (None, Some(whole)) => {
                let whole = if whole.is_empty() { default_of(&quote!(Self)) } else { whole };
                Some(quote!({ let __whole: Self = #whole; __whole }.#member))
            }
            (own, _) => own.or(args.value("skip")).map(|_| default_of(&field.ty)),
        };
        let which = args.value("duplicates").or_else(|| of_type.value("duplicates"));
        let field = Self {
            local: format_ident!("__field_{name}"),
            member,
            name,
            ty: &field.ty,
            role,
            pvar: args.has("pvar") || of_type.has("pvar"),
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

    /// The span of its type, where errors belong.
    pub fn span(&self) -> Span {
        Span::call_site().located_at(self.ty.span())
    }
}

/// `Default::default()`, with the span of the type, where the error belongs if it has no default.
fn default_of(ty: &impl ToTokens) -> TokenStream {
    quote_spanned!(ty.span()=> <#ty as ::core::default::Default>::default())
}

impl<'a> Variant<'a> {
    /// A variant and the span of its number.
    fn of(variant: &'a syn::Variant, of_type: &Args) -> Result<(Self, Span)> {
        let args = Args::of(&variant.attrs)?;
        args.allow("a variant", &[KEY, "other"])?;
        let (shape, ident) = (Shape::of(&variant.fields, of_type)?, &variant.ident);
        let number = match (args.get(KEY), args.get("other"), &shape) {
            (Some(arg), _, Shape::Unit) => Some(arg.number),
            (None, Some(_), Shape::Newtype(field)) if !field.pvar || of_type.has("pvar") => None,
            (Some(arg), None, _) => Some(key(arg)?.into()),
            (None, Some(other), Shape::Unit) => {
                let message = "an `other` variant without content needs the number to write: `#[y3(9, other)]`";
                return Err(Error::new(other.span, message));
            }
            (None, Some(other), Shape::Newtype(_)) => {
                let message = "the numbers of all variants have one dialect: put `pvar` at the type";
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

/// Checks that nothing is there twice: neither a key of fields, nor `rest`, which has none.
fn check_fields(fields: &[(Field<'_>, Option<Span>)]) -> Result<()> {
    let taken: Vec<u8> = fields.iter().filter_map(|(field, _)| field.key()).collect();
    let fields = fields.iter().filter(|(field, _)| !matches!(field.role, Role::Skip));
    once(fields.map(|(field, span)| (Some(field.key()), &*field.name, *span)), |key, earlier| {
        let Some(key) = key else { return format!("field `{earlier}` is `rest` too") };
        let free = (key..=MAX_KEY).chain(0..key).find(|key| !taken.contains(key));
        let free = free.map_or(String::new(), |free| format!("; {free:#04x} is free"));
        format!("field `{earlier}` has the key {key:#04x} too{free}")
    })
}

/// Checks that no number is there twice, nor `other`.
fn check_variants(variants: &[(Variant<'_>, Span)]) -> Result<()> {
    let numbers = variants.iter().map(|(variant, span)| (variant.number, variant.ident, Some(*span)));
    once(numbers, |number, earlier| format!("variant `{earlier}` has the number {number:#04x} too"))?;
    let others = variants.iter().map(|(variant, span)| (variant.is_other.then_some(()), variant.ident, Some(*span)));
    once(others, |(), earlier| format!("variant `{earlier}` is `other` too"))
}

fn once<K: Copy + Ord, N: Copy>(
    items: impl Iterator<Item = (Option<K>, N, Option<Span>)>,
    message: impl Fn(K, N) -> String,
) -> Result<()> {
    let mut seen = BTreeMap::new();
    all(items.map(|(key, name, span)| match key.and_then(|key| Some((key, seen.insert(key, name)?))) {
        Some((key, earlier)) => Err(Error::new(span.unwrap_or_else(Span::call_site), message(key, earlier))),
        None => Ok(()),
    }))
    .map(drop)
}

/// All values, or all errors combined.
fn all<T>(results: impl Iterator<Item = Result<T>>) -> Result<Vec<T>> {
    let (values, errors): (Vec<_>, Vec<_>) = results.partition(Result::is_ok);
    let errors = errors.into_iter().filter_map(Result::err).reduce(|mut errors, error| {
        errors.combine(error);
        errors
    });
    errors.map_or_else(|| Ok(values.into_iter().flatten().collect()), Err)
}
