//! Args: parses the arguments of `#[y3(…)]`.
//!
//! A duplicate argument on the same type, field or variant is an error.

use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Error, Expr, ExprPath, Ident, LitInt, LitStr, Path, Result, Token};

/// The name of an argument that is only a number, such as the key of a field.
pub const KEY: &str = "a key";

const NAMES: [&str; 10] =
    ["root", "crate", "pvar", "rest", "skip", "other", "default", "skip_if", "with", "duplicates"];

/// The arguments of all `#[y3(…)]` attributes of one item.
pub struct Args(Vec<Arg>);

pub struct Arg {
    name: String,
    pub span: Span,
    /// The number, if the argument is a key or `root`.
    pub number: u32,
    /// The tokens after the equals sign, if any.
    pub value: TokenStream,
}

impl Args {
    pub fn of(attributes: &[Attribute]) -> Result<Self> {
        let mut args = Self(Vec::new());
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("y3")) {
            for arg in attribute.parse_args_with(Punctuated::<Arg, Token![,]>::parse_terminated)? {
                if args.has(&arg.name) {
                    return Err(arg.error("duplicate argument"));
                }
                args.0.push(arg);
            }
        }
        Ok(args)
    }

    /// Returns an error for an argument that is not in `allowed`. `on` is the name of the item in the error message.
    pub fn allow(&self, on: &str, allowed: &[&str]) -> Result<()> {
        let Some(arg) = self.0.iter().find(|arg| !allowed.contains(&&*arg.name)) else { return Ok(()) };
        let name = if arg.name == KEY { KEY.to_owned() } else { format!("`{}`", arg.name) };
        Err(arg.error(format!("{name} is not allowed on {on}")))
    }

    pub fn get(&self, name: &str) -> Option<&Arg> {
        self.0.iter().find(|arg| arg.name == name)
    }

    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub fn value(&self, name: &str) -> Option<TokenStream> {
        self.get(name).map(|arg| arg.value.clone())
    }
}

impl Arg {
    /// Creates an error with the span of the argument.
    pub fn error(&self, message: impl Display) -> Error {
        Error::new(self.span, message)
    }
}

impl Parse for Arg {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let (span, mut number, mut value) = (input.span(), 0, TokenStream::new());
        if input.peek(LitInt) || input.peek(Token![-]) {
            return Ok(Self { name: KEY.to_owned(), span, number: number_of(input)?, value });
        }
        if let Ok(text) = input.parse::<LitStr>() {
            return Err(Error::new(span, format!("a key is a number: write `{}` without quotes", text.value())));
        }
        let name = Ident::parse_any(input).map_err(|_| unknown(span, ""))?.to_string();
        match name.as_str() {
            "pvar" | "rest" | "skip" | "other" => {}
            "default" if !input.peek(Token![=]) => {}
            "default" | "skip_if" => value = after_equals::<Expr>(input)?,
            "with" => value = after_equals::<ExprPath>(input)?,
            "crate" => value = after_equals::<Path>(input)?,
            "duplicates" => {
                value = after_equals::<Ident>(input)?;
                if !["error", "first", "last"].contains(&&*value.to_string()) {
                    return Err(Error::new_spanned(value, "expected `error`, `first` or `last`"));
                }
            }
            "root" => {
                input.parse::<Token![=]>()?;
                number = number_of(input)?;
            }
            _ => return Err(unknown(span, &name)),
        }
        Ok(Self { name, span, number, value })
    }
}

/// Creates an error for an unknown argument. If a known argument is spelt similarly, the message suggests it.
fn unknown(span: Span, word: &str) -> Error {
    let near = NAMES.iter().map(|name| (distance(word, name), name)).min();
    let near = near.filter(|(distance, name)| *distance <= 2.min(name.len() / 2));
    let meant = near.map_or(String::new(), |(_, name)| format!("; did you mean `{name}`?"));
    Error::new(span, format!("expected a key such as 0x11, or one of: {}{meant}", NAMES.join(", ")))
}

/// The edit distance: the number of letters to insert, remove or replace.
fn distance(word: &str, name: &str) -> usize {
    let mut row: Vec<usize> = (0..=name.len()).collect();
    for (line, letter) in word.bytes().enumerate() {
        let (mut above, mut left) = (line, line + 1);
        for (wanted, cell) in name.bytes().zip(row.iter_mut().skip(1)) {
            let here = (above + usize::from(letter != wanted)).min(left + 1).min(*cell + 1);
            (above, left, *cell) = (*cell, here, here);
        }
    }
    row.last().copied().unwrap_or_default()
}

fn after_equals<T: Parse + ToTokens>(input: ParseStream<'_>) -> Result<TokenStream> {
    input.parse::<Token![=]>()?;
    input.parse::<T>().map(ToTokens::into_token_stream)
}

fn number_of(input: ParseStream<'_>) -> Result<u32> {
    let (minus, literal) = (input.parse::<Option<Token![-]>>()?, input.parse::<LitInt>()?);
    literal.base10_parse().ok().filter(|_| minus.is_none() && literal.suffix().is_empty()).ok_or_else(|| {
        let message = "keys are 0x00 to 0x3f; the number of a variant without content is 0 to 4294967295";
        Error::new_spanned(quote::quote!(#minus #literal), message)
    })
}
