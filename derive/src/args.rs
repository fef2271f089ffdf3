//! Args: parses the arguments of `#[y3(…)]`.
//!
//! In: the attributes of a struct, an enum, a field or a variant. Out: each argument and its span.

use proc_macro2::{Ident, Span};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Error, Expr, ExprPath, LitInt, Path, Result, Token};

/// Which of several packets with the key of a field is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Duplicates {
    Error,
    First,
    Last,
}

/// A value and its span.
pub struct At<T> {
    pub value: T,
    pub span: Span,
}

/// The arguments of all `#[y3(…)]` attributes of one item; each at most once.
#[derive(Default)]
pub struct Args {
    pub number: Option<At<u32>>,
    pub root: Option<At<u32>>,
    pub krate: Option<At<Path>>,
    pub pvar: Option<At<()>>,
    pub rest: Option<At<()>>,
    pub skip: Option<At<()>>,
    pub other: Option<At<()>>,
    /// The value of an absent field: `Default::default()`, or an expression.
    pub default: Option<At<Option<Expr>>>,
    pub skip_if: Option<At<Expr>>,
    pub with: Option<At<ExprPath>>,
    pub duplicates: Option<At<Duplicates>>,
}

impl Args {
    pub fn of(attributes: &[Attribute]) -> Result<Self> {
        let mut args = Self::default();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("y3")) {
            for arg in attribute.parse_args_with(Punctuated::<Arg, Token![,]>::parse_terminated)? {
                args.add(arg)?;
            }
        }
        Ok(args)
    }

    fn add(&mut self, Arg { kind, span }: Arg) -> Result<()> {
        match kind {
            Kind::Number(value) => put(&mut self.number, value, span),
            Kind::Root(value) => put(&mut self.root, value, span),
            Kind::Crate(value) => put(&mut self.krate, value, span),
            Kind::Pvar => put(&mut self.pvar, (), span),
            Kind::Rest => put(&mut self.rest, (), span),
            Kind::Skip => put(&mut self.skip, (), span),
            Kind::Other => put(&mut self.other, (), span),
            Kind::Default(value) => put(&mut self.default, value, span),
            Kind::SkipIf(value) => put(&mut self.skip_if, value, span),
            Kind::With(value) => put(&mut self.with, value, span),
            Kind::Duplicates(value) => put(&mut self.duplicates, value, span),
        }
    }

    /// Returns an error for an argument that is not in `allowed`; `on` names the item.
    pub fn allow(&self, on: &str, allowed: &[&str]) -> Result<()> {
        let given = [
            ("a key", self.number.as_ref().map(|arg| arg.span)),
            ("root", self.root.as_ref().map(|arg| arg.span)),
            ("crate", self.krate.as_ref().map(|arg| arg.span)),
            ("pvar", self.pvar.as_ref().map(|arg| arg.span)),
            ("rest", self.rest.as_ref().map(|arg| arg.span)),
            ("skip", self.skip.as_ref().map(|arg| arg.span)),
            ("other", self.other.as_ref().map(|arg| arg.span)),
            ("default", self.default.as_ref().map(|arg| arg.span)),
            ("skip_if", self.skip_if.as_ref().map(|arg| arg.span)),
            ("with", self.with.as_ref().map(|arg| arg.span)),
            ("duplicates", self.duplicates.as_ref().map(|arg| arg.span)),
        ];
        for (name, span) in given {
            if let Some(span) = span.filter(|_| !allowed.contains(&name)) {
                let name = if name == "a key" { name.to_owned() } else { format!("`{name}`") };
                return Err(Error::new(span, format!("{name} is not allowed on {on}")));
            }
        }
        Ok(())
    }
}

fn put<T>(place: &mut Option<At<T>>, value: T, span: Span) -> Result<()> {
    match place.replace(At { value, span }) {
        None => Ok(()),
        Some(_) => Err(Error::new(span, "duplicate argument")),
    }
}

/// One argument.
struct Arg {
    kind: Kind,
    span: Span,
}

enum Kind {
    Number(u32),
    Root(u32),
    Crate(Path),
    Pvar,
    Rest,
    Skip,
    Other,
    Default(Option<Expr>),
    SkipIf(Expr),
    With(ExprPath),
    Duplicates(Duplicates),
}

const UNKNOWN: &str = "expected a key as in 0x11, or one of: root, crate, pvar, rest, skip, other, default, skip_if, with, \
                       duplicates";

impl Parse for Arg {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let span = input.span();
        if input.peek(LitInt) {
            return Ok(Self { kind: Kind::Number(number(input)?), span });
        }
        let Ok(name) = Ident::parse_any(input) else { return Err(Error::new(span, UNKNOWN)) };
        let kind = match name.to_string().as_str() {
            "pvar" => Kind::Pvar,
            "rest" => Kind::Rest,
            "skip" => Kind::Skip,
            "other" => Kind::Other,
            "default" if !input.peek(Token![=]) => Kind::Default(None),
            "default" => Kind::Default(Some(equals(input)?)),
            "skip_if" => Kind::SkipIf(equals(input)?),
            "with" => Kind::With(equals(input)?),
            "crate" => Kind::Crate(equals(input)?),
            "root" => {
                input.parse::<Token![=]>()?;
                Kind::Root(number(input)?)
            }
            "duplicates" => Kind::Duplicates(duplicates(&equals(input)?)?),
            _ => return Err(Error::new(span, UNKNOWN)),
        };
        Ok(Self { kind, span })
    }
}

/// The value after an equals sign.
fn equals<T: Parse>(input: ParseStream<'_>) -> Result<T> {
    input.parse::<Token![=]>()?;
    input.parse()
}

fn number(input: ParseStream<'_>) -> Result<u32> {
    let literal: LitInt = input.parse()?;
    literal.base10_parse().map_err(|_| Error::new(literal.span(), "expected a number from 0 to 4294967295"))
}

fn duplicates(name: &Ident) -> Result<Duplicates> {
    match name.to_string().as_str() {
        "error" => Ok(Duplicates::Error),
        "first" => Ok(Duplicates::First),
        "last" => Ok(Duplicates::Last),
        _ => Err(Error::new(name.span(), "expected `error`, `first` or `last`")),
    }
}
