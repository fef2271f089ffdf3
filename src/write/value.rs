//! Value: encodes typed values.
//!
//! In: a number, a bool, text or bytes. Out: its shortest encoding, in a register if it fits.

use crate::wire::integer::{PVarInt, encode_nvar32, encode_nvar64, encode_pvar, signed32, signed64};
use crate::wire::word::Word;
use crate::wire::{bool, float};

/// A type that [`Encoder::put`](crate::Encoder::put) can write as a primitive's value, always in its canonical form.
///
/// `Option` does not implement it: a slice cannot leave out an item without shifting the others. For absent values use
/// [`Encoder::put_opt`](crate::Encoder::put_opt).
///
/// Implement it for your own types by means of the types below; to read them too, see [`Decode`](crate::Decode).
///
/// # Examples
/// ```
/// # #[cfg(feature = "alloc")] {
/// struct Celsius(f32);
///
/// impl y3::Encode for Celsius {
///     fn encode(&self) -> y3::Encoded<'_> {
///         self.0.encode()
///     }
/// }
///
/// let mut out = Vec::new();
/// y3::Encoder::new(&mut out).put(0x11, Celsius(23.0))?;
/// assert_eq!(out, [0x11, 0x02, 0x41, 0xb8]);
/// # }
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: [SPEC §7](crate::spec#7-canonical-form)
pub trait Encode {
    /// The encoded value.
    fn encode(&self) -> Encoded<'_>;
}

/// A primitive's encoded value: a few bytes stored inside, or borrowed ones.
///
/// # Examples
/// ```
/// use y3::Encode;
///
/// assert_eq!(0.25f32.encode().len(), 2);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Encoded<'a>(pub(super) Form<'a>);

#[derive(Clone, Copy, Debug)]
pub(super) enum Form<'a> {
    /// A small number. A form of its own has code of its own, in which all lengths are constants.
    Byte(u8),
    /// At most eight bytes.
    Word(Word),
    /// More, or perhaps more.
    Long(Word),
    Bytes(&'a [u8]),
}

impl<'a> Form<'a> {
    /// Copies up to eight bytes into a register: cheaper than a copy of variable length.
    #[inline(always)]
    pub(super) fn in_word(self) -> Form<'a> {
        match self {
            Form::Bytes(bytes) => Word::of_bytes(bytes).map_or(self, Form::Word),
            _ => self,
        }
    }

    /// Most numbers are small, and the numbers of one field are mostly of one size, so this branch is predicted well.
    #[inline(always)]
    fn of_number<T: Copy + TryInto<i8>>(number: T, encode: fn(T) -> Word) -> Self {
        match number.try_into() {
            Ok(small) => {
                let [byte] = small.to_le_bytes();
                Form::Byte(byte)
            }
            Err(_) => Form::Word(encode(number)),
        }
    }

    /// The value, unless it is borrowed.
    pub(super) fn word(self) -> Option<Word> {
        match self {
            Form::Byte(byte) => Some(Word::of_byte(byte)),
            Form::Word(word) | Form::Long(word) => Some(word),
            Form::Bytes(_) => None,
        }
    }
}

impl Encoded<'_> {
    /// The length of the value in bytes, without tag and length field.
    #[must_use]
    pub const fn len(&self) -> usize {
        match self.0 {
            Form::Byte(_) => 1,
            Form::Word(word) | Form::Long(word) => word.len(),
            Form::Bytes(bytes) => bytes.len(),
        }
    }

    /// Copies the bytes to a slice of the same length.
    pub(crate) fn copy_to(&self, target: &mut [u8]) {
        let word;
        let bytes = match (self.0, self.0.word()) {
            (Form::Bytes(bytes), _) => bytes,
            (_, value) => {
                word = value.map(Word::to_bytes).unwrap_or_default();
                &word
            }
        };
        for (to, from) in target.iter_mut().zip(bytes) {
            *to = *from;
        }
    }

    /// Whether the value has no bytes.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

macro_rules! encode {
    ($($(#[$doc:meta])* $type:ty: $encode:expr;)*) => {$(
        $(#[$doc])*
        impl Encode for $type {
            #[inline]
            fn encode(&self) -> Encoded<'_> {
                let encode: fn($type) -> Form<'static> = $encode;
                Encoded(encode(*self))
            }
        }
    )*};
}

encode! {
    /// Like [`i32`]. Source: [SPEC §4.1](crate::spec#41-nvarint)
    i8: |number| Form::of_number(i32::from(number), encode_nvar32);
    /// Like [`i32`]. Source: [SPEC §4.1](crate::spec#41-nvarint)
    i16: |number| Form::of_number(i32::from(number), encode_nvar32);
    /// Like [`u32`]. Source: [SPEC §4.1](crate::spec#41-nvarint)
    u8: |number| Form::of_number(i32::from(number), encode_nvar32);
    /// Like [`u32`]. Source: [SPEC §4.1](crate::spec#41-nvarint)
    u16: |number| Form::of_number(i32::from(number), encode_nvar32);
    /// Like [`u64`] on every machine. Source: [SPEC §4.1](crate::spec#41-nvarint)
    usize: |number| Form::of_number(signed64(number as u64), encode_nvar64);
    /// NVarInt of 1..=4 bytes. Source: [SPEC §4.1](crate::spec#41-nvarint)
    i32: |number| Form::of_number(number, encode_nvar32);
    /// NVarInt of 1..=8 bytes. Source: [SPEC §4.1](crate::spec#41-nvarint)
    i64: |number| Form::of_number(number, encode_nvar64);
    /// NVarInt of 1..=4 bytes: the signed number with the same bits. Source: [SPEC §4.1](crate::spec#41-nvarint)
    u32: |number| Form::of_number(signed32(number), encode_nvar32);
    /// NVarInt of 1..=8 bytes: the signed number with the same bits. Source: [SPEC §4.1](crate::spec#41-nvarint)
    u64: |number| Form::of_number(signed64(number), encode_nvar64);
    /// PVarInt of 1..=5 bytes. Source: [SPEC §4.2](crate::spec#42-pvarint)
    PVarInt<i32>: |number| Form::Long(encode_pvar(i64::from(number.0)));
    /// PVarInt of 1..=10 bytes. Source: [SPEC §4.2](crate::spec#42-pvarint)
    PVarInt<i64>: |number| Form::Long(encode_pvar(number.0));
    /// PVarInt of 1..=5 bytes: the signed number with the same bits. Source: [SPEC §4.2](crate::spec#42-pvarint)
    PVarInt<u32>: |number| Form::Long(encode_pvar(i64::from(signed32(number.0))));
    /// PVarInt of 1..=10 bytes: the signed number with the same bits. Source: [SPEC §4.2](crate::spec#42-pvarint)
    PVarInt<u64>: |number| Form::Long(encode_pvar(signed64(number.0)));
    /// IEEE 754 without trailing zero bytes, 1..=4 bytes. Source: [SPEC §5](crate::spec#5-floats-bool-text-bytes)
    f32: |number| Form::Word(float::encode_f32(number));
    /// IEEE 754 without trailing zero bytes, 1..=8 bytes. Source: [SPEC §5](crate::spec#5-floats-bool-text-bytes)
    f64: |number| Form::Word(float::encode_f64(number));
    /// One byte, 0 or 1. Source: [SPEC §5](crate::spec#5-floats-bool-text-bytes)
    bool: |value| Form::Byte(bool::encode(value));
}

/// The bytes unchanged.
impl Encode for [u8] {
    #[inline]
    fn encode(&self) -> Encoded<'_> {
        Encoded(Form::Bytes(self))
    }
}

/// The bytes unchanged.
impl<const N: usize> Encode for [u8; N] {
    #[inline]
    fn encode(&self) -> Encoded<'_> {
        Encoded(Form::Bytes(self))
    }
}

/// UTF-8. Source: [SPEC §5](crate::spec#5-floats-bool-text-bytes)
impl Encode for str {
    #[inline]
    fn encode(&self) -> Encoded<'_> {
        Encoded(Form::Bytes(self.as_bytes()))
    }
}

impl<T: Encode + ?Sized> Encode for &T {
    #[inline]
    fn encode(&self) -> Encoded<'_> {
        (**self).encode()
    }
}

#[cfg(feature = "alloc")]
macro_rules! encode_as {
    ($($(#[$doc:meta])* $type:ty: $borrowed:ty;)*) => {$(
        $(#[$doc])*
        impl Encode for $type {
            #[inline]
            fn encode(&self) -> Encoded<'_> {
                <$borrowed>::encode(self)
            }
        }
    )*};
}

#[cfg(feature = "alloc")]
encode_as! {
    /// UTF-8. Source: [SPEC §5](crate::spec#5-floats-bool-text-bytes)
    alloc::string::String: str;
    /// UTF-8. Source: [SPEC §5](crate::spec#5-floats-bool-text-bytes)
    alloc::borrow::Cow<'_, str>: str;
    /// The bytes unchanged.
    alloc::vec::Vec<u8>: [u8];
    /// The bytes unchanged.
    alloc::borrow::Cow<'_, [u8]>: [u8];
    /// The bytes unchanged.
    #[cfg(feature = "bytes")]
    ::bytes::Bytes: [u8];
}
