//! Numbers: reading bytes as every type and writing numbers as every type agree with 128-bit arithmetic.
//!
//! The bytes are a value to read and numbers to write. The input is accepted if the value is an integer.

use arbitrary::{Result, Unstructured};
use y3::{Decode, Encode, Encoder, PVarInt, Packet};

use crate::oracle;
use crate::oracle::same::same_typed;
use crate::oracle::trees::Value;

pub fn property(bytes: &[u8]) -> bool {
    let input = oracle::packed(0x01, bytes);
    let packet = Packet::from_slice(&input).unwrap();
    same_typed(&packet, &oracle::one(&input).unwrap());

    write(&mut Unstructured::new(bytes)).unwrap();
    // A number is written in its shortest form, whatever form was read.
    let (nvar, pvar) = (packet.decode::<i64>(), packet.decode::<PVarInt<i64>>());
    if let Ok(number) = nvar {
        same(number, &Value::I64(number));
    }
    if let Ok(number) = pvar {
        same(number, &Value::PVarI64(number.0));
    }
    nvar.is_ok()
}

fn write(u: &mut Unstructured<'_>) -> Result<()> {
    let number: i64 = u.arbitrary()?;
    let shift = u.int_in_range(0..=63)?;
    for signed in [number, number >> shift, number << shift] {
        let wide = u64::from_be_bytes(signed.to_be_bytes());
        same(signed, &Value::I64(signed));
        same(wide, &Value::U64(wide));
        same(PVarInt(signed), &Value::PVarI64(signed));
        same(PVarInt(wide), &Value::PVarU64(wide));
        // The high half, so that the choice of size shifts it too.
        let narrow = u32::try_from(wide >> 32).unwrap();
        let signed = i32::from_be_bytes(narrow.to_be_bytes());
        same(signed, &Value::I32(signed));
        same(narrow, &Value::U32(narrow));
        same(PVarInt(signed), &Value::PVarI32(signed));
        same(PVarInt(narrow), &Value::PVarU32(narrow));
        // A NaN is not equal to itself.
        same_by(f32::from_bits(narrow), &Value::F32(narrow), |read| read.to_bits() == narrow);
        same_by(f64::from_bits(wide), &Value::F64(wide), |read| read.to_bits() == wide);
        same(signed & 1 != 0, &Value::Bool(signed & 1 != 0));
    }
    Ok(())
}

/// Asserts that the value is written as the naive writer writes it, and is read back.
fn same<T: Copy + PartialEq + Encode + for<'a> Decode<'a>>(value: T, naive: &Value) {
    same_by(value, naive, |read| read == value);
}

fn same_by<T: Encode + for<'a> Decode<'a>>(value: T, naive: &Value, is_same: impl Fn(T) -> bool) {
    let expected = naive.encode();
    let len = y3::encoded_len(|encoder| encoder.put(0x11, &value));
    assert_eq!(len, Ok(2 + expected.len()), "{naive:?}");
    let mut out = Vec::new();
    Encoder::new(&mut out).put(0x11, value).unwrap();
    assert_eq!(out[2..], expected, "{naive:?}");
    let packet = Packet::from_slice(&out).unwrap();
    assert!(packet.decode::<T>().is_ok_and(is_same), "{naive:?} is read as something else");
}
