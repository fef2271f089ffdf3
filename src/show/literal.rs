//! Literal: reads a typed literal of the text form.

use core::str::FromStr;

use crate::error::ErrorKind;
use crate::value::Encode;
use crate::value::pad::padded;
use crate::wire::integer::PVarInt;
use crate::wire::word::Word;

/// Returns the encoded value of a literal, in the shortest form or in the requested width.
pub(super) fn literal(name: &str, text: &str, width: Option<usize>) -> Result<Word, ErrorKind> {
    let text = text.trim_matches([' ', '\t']);
    match name {
        "i32" => typed::<i32>(parsed(text)?, width),
        "u32" => typed::<u32>(parsed(text)?, width),
        "i64" => typed::<i64>(parsed(text)?, width),
        "u64" => typed::<u64>(parsed(text)?, width),
        "pi32" => typed(PVarInt(parsed::<i32>(text)?), width),
        "pu32" => typed(PVarInt(parsed::<u32>(text)?), width),
        "pi64" => typed(PVarInt(parsed::<i64>(text)?), width),
        "pu64" => typed(PVarInt(parsed::<u64>(text)?), width),
        "f32" => typed(finite(parsed::<f32>(text)?, f32::is_infinite, text)?, width),
        "f64" => typed(finite(parsed::<f64>(text)?, f64::is_infinite, text)?, width),
        "bool" => typed::<bool>(parsed(text)?, width),
        _ => Err(ErrorKind::UnknownType),
    }
}

fn parsed<T: FromStr>(text: &str) -> Result<T, ErrorKind> {
    text.parse().map_err(|_| ErrorKind::InvalidLiteral)
}

/// Rejects a number in digits that is outside the range of its type. Rust parses a number outside the range as
/// infinity.
fn finite<T: Copy>(number: T, is_infinite: fn(T) -> bool, text: &str) -> Result<T, ErrorKind> {
    if is_infinite(number) && text.bytes().any(|byte| byte.is_ascii_digit()) {
        return Err(ErrorKind::InvalidLiteral);
    }
    Ok(number)
}

fn typed<T: Encode>(value: T, width: Option<usize>) -> Result<Word, ErrorKind> {
    padded(&value, width).ok_or(ErrorKind::InvalidWidth)
}
