//! The types that values can be read as, by the names of the command line.
//!
//! In: a packet and a type. Out: text for people, or JSON.

use std::fmt::{Display, LowerExp, Write as _};
use std::str::FromStr;

use y3::show::{escape, escape_json};
use y3::{Decode, Error, PVarInt, Packet};

use crate::encoding::push_hex;

/// What a value is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Bytes,
    Text,
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    PVarI32,
    PVarI64,
    PVarU32,
    PVarU64,
    F32,
    F64,
}

const NAMES: [(&str, Type); 17] = [
    ("bytes", Type::Bytes),
    ("str", Type::Text),
    ("bool", Type::Bool),
    ("i8", Type::I8),
    ("i16", Type::I16),
    ("i32", Type::I32),
    ("i64", Type::I64),
    ("u8", Type::U8),
    ("u16", Type::U16),
    ("u32", Type::U32),
    ("u64", Type::U64),
    ("pi32", Type::PVarI32),
    ("pi64", Type::PVarI64),
    ("pu32", Type::PVarU32),
    ("pu64", Type::PVarU64),
    ("f32", Type::F32),
    ("f64", Type::F64),
];

impl FromStr for Type {
    type Err = String;

    fn from_str(text: &str) -> Result<Type, String> {
        let found = NAMES.iter().find(|(name, _)| *name == text);
        found.map(|(_, kind)| *kind).ok_or_else(|| {
            let names: Vec<_> = NAMES.iter().map(|(name, _)| *name).collect();
            format!("'{}' is not a type: use one of {}", escape(text), names.join(" "))
        })
    }
}

impl Type {
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    /// Adds the value of a packet to a line for people.
    ///
    /// # Errors
    /// That of [`Packet::decode`] if the value is not of this type.
    pub fn show(self, packet: Packet<'_>, line: &mut String) -> Result<(), Error> {
        match self {
            Type::Bytes => {
                push_hex(packet.value(), line);
                Ok(())
            }
            Type::Text => {
                let _ = write!(line, "\"{}\"", escape(packet.decode()?));
                Ok(())
            }
            Type::Bool => push::<bool>(packet, line),
            Type::I8 => push::<i8>(packet, line),
            Type::I16 => push::<i16>(packet, line),
            Type::I32 => push::<i32>(packet, line),
            Type::I64 => push::<i64>(packet, line),
            Type::U8 => push::<u8>(packet, line),
            Type::U16 => push::<u16>(packet, line),
            Type::U32 => push::<u32>(packet, line),
            Type::U64 => push::<u64>(packet, line),
            Type::PVarI32 => push_pvar::<i32>(packet, line),
            Type::PVarI64 => push_pvar::<i64>(packet, line),
            Type::PVarU32 => push_pvar::<u32>(packet, line),
            Type::PVarU64 => push_pvar::<u64>(packet, line),
            Type::F32 => {
                push_float(packet.decode::<f32>()?, line);
                Ok(())
            }
            Type::F64 => {
                push_float(packet.decode::<f64>()?, line);
                Ok(())
            }
        }
    }

    /// Adds the value of a packet to a line of JSON. What JSON has no number for is text.
    ///
    /// # Errors
    /// That of [`Packet::decode`] if the value is not of this type.
    pub fn show_json(self, packet: Packet<'_>, line: &mut String) -> Result<(), Error> {
        let start = line.len();
        match self {
            Type::Text => {
                let _ = write!(line, "\"{}\"", escape_json(packet.decode()?));
            }
            Type::Bytes => {
                line.push('"');
                push_hex(packet.value(), line);
                line.push('"');
            }
            _ => {
                self.show(packet, line)?;
                // inf and NaN
                if line.get(start..).is_some_and(|number| number.ends_with(['f', 'N'])) {
                    line.insert(start, '"');
                    line.push('"');
                }
            }
        }
        Ok(())
    }
}

fn push<'a, T: Decode<'a> + Display>(packet: Packet<'a>, line: &mut String) -> Result<(), Error> {
    let _ = write!(line, "{}", packet.decode::<T>()?);
    Ok(())
}

/// Adds a number with an exponent where it would have dozens of zeros: its digits are the fewest that read back.
fn push_float<T: Into<f64> + Copy + Display + LowerExp>(number: T, line: &mut String) {
    let size = number.into().abs();
    let is_written_out = size == 0.0 || !size.is_finite() || (1e-5..1e16).contains(&size);
    let _ = if is_written_out { write!(line, "{number}") } else { write!(line, "{number:e}") };
}

fn push_pvar<'a, T: Display>(packet: Packet<'a>, line: &mut String) -> Result<(), Error>
where
    PVarInt<T>: Decode<'a>,
{
    let _ = write!(line, "{}", packet.decode::<PVarInt<T>>()?.0);
    Ok(())
}
