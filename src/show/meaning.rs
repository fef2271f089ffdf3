//! Meaning: lists the possible meanings of a value of unknown type.

use core::fmt;

use super::escape::escape;
use crate::read::walk::walk;
use crate::wire::{bool, float, integer};

/// Lists the plausible meanings of a value: text, a bool, an NVarInt, a PVarInt, a float, or packets. The list can be
/// empty.
pub(super) struct Meaning<'a>(pub(super) &'a [u8]);

/// The maximum number of characters that are shown of a text.
const TEXT: usize = 64;

/// Returns the value as text if it is UTF-8 without control characters other than line ends and tabs.
pub(super) fn text_of(value: &[u8]) -> Option<&str> {
    let text = core::str::from_utf8(value).ok()?;
    let is_odd = |character: char| character.is_control() && !matches!(character, '\n' | '\r' | '\t');
    (!text.is_empty() && !text.chars().any(is_odd)).then_some(text)
}

/// True if the bytes are packets without a fault and at least one packet is not empty. Numbers often contain zeros, and
/// `00 00` is an empty packet.
pub(super) fn are_packets(value: &[u8]) -> bool {
    let mut has_value = false;
    walk(value).all(|packet| packet.map(|packet| has_value |= !packet.value().is_empty()).is_ok()) && has_value
}

impl fmt::Display for Meaning<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.0;
        let mut list = List { f, separator: " = " };
        if let Some(text) = text_of(value) {
            match text.char_indices().nth(TEXT).and_then(|(end, _)| text.get(..end)) {
                None => list.add(format_args!("\"{}\"", escape(text)))?,
                Some(start) => list.add(format_args!("\"{}\"..", escape(start)))?,
            }
        }
        let (nvar, pvar) = (integer::decode_nvar64(value), integer::decode_pvar64(value));
        match (nvar, pvar) {
            (Some(nvar), Some(pvar)) if nvar == pvar => list.add(format_args!("{nvar}"))?,
            _ => {
                nvar.map_or(Ok(()), |number| list.add(format_args!("nvar {number}")))?;
                pvar.map_or(Ok(()), |number| list.add(format_args!("pvar {number}")))?;
            }
        }
        if let Some(truth) = bool::decode(value).filter(|_| value.len() == 1) {
            list.add(format_args!("{truth}"))?;
        }
        if let Some(number) = float::decode_f32(value).filter(|number| is_usual(f64::from(*number))) {
            list.add(format_args!("f32 {number}"))?;
        }
        if let Some(number) = float::decode_f64(value).filter(|number| is_usual(*number)) {
            list.add(format_args!("f64 {number}"))?;
        }
        if are_packets(value) {
            list.add(format_args!("packets"))?;
        }
        Ok(())
    }
}

/// True if a float has a usual magnitude. Any eight bytes are a float, but most of these floats are extremely large or
/// small.
fn is_usual(number: f64) -> bool {
    (1e-6..1e9).contains(&number.abs())
}

struct List<'a, 'b> {
    f: &'a mut fmt::Formatter<'b>,
    separator: &'static str,
}

impl List<'_, '_> {
    fn add(&mut self, item: fmt::Arguments<'_>) -> fmt::Result {
        self.f.write_str(core::mem::replace(&mut self.separator, ", "))?;
        self.f.write_fmt(item)
    }
}
