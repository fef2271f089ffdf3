//! From packet: decodes a value from one packet.
//!
//! In: a packet and the type to read. Out: a value of that type, borrowed where possible. Packets that are not fields of the
//! type are jumped over.

use super::error::{Cause, Error};
use super::source::Source;
use crate::read::keys::KeySet;
use crate::read::packet::Packet;
use crate::read::packets::single_error;

/// A type whose values are read from one packet.
///
/// `#[derive(y3::FromPacket)]` implements it for structs and enums. The [module](crate::record) lists the types that implement
/// it and their packets. To write them, see [`ToPacket`](crate::ToPacket).
///
/// # Examples
/// ```
/// use y3::FromPacket;
///
/// #[derive(Debug, PartialEq, FromPacket)]
/// struct Reading<'a> {
///     #[y3(0x11)]
///     noise: f32,
///     #[y3(0x12)]
///     at: Option<i64>,
///     #[y3(0x13)]
///     from: &'a str,
/// }
///
/// let packet = [0x81, 0x09, 0x11, 0x02, 0x41, 0xb8, 0x13, 0x03, 0x6c, 0x61, 0x62];
/// assert_eq!(Reading::from_slice(&packet)?, Reading { noise: 23.0, at: None, from: "lab" });
///
/// let error = Reading::from_slice(&[0x81, 0x02, 0x13, 0x00]).unwrap_err();
/// assert_eq!(error.to_string(), "field `noise` is missing in 0x01 at byte 0");
/// # Ok::<(), y3::record::Error>(())
/// ```
/// By hand, for a type that is a number on the wire:
/// ```
/// use y3::FromPacket;
/// use y3::record::{Cause, Source};
///
/// #[derive(Debug, PartialEq)]
/// struct Millis(u64);
///
/// impl<'a> FromPacket<'a> for Millis {
///     fn read<const PVAR: bool>(source: Source<'a, PVAR>) -> Result<Self, Cause> {
///         source.number().map(Millis)
///     }
/// }
///
/// assert_eq!(Millis::from_slice(&[0x01, 0x02, 0x00, 0x80])?, Millis(128));
/// # Ok::<(), y3::record::Error>(())
/// ```
/// Source: [SPEC §6](crate::spec#6-nodes-slices-duplicate-keys-order)
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a packet that can be read",
    label = "cannot be read from a packet",
    note = "`#[derive(y3::FromPacket)]` makes a struct or an enum a packet; `#[y3(with = module)]` converts a field",
    note = "an `Option` can only be a field of its own, as it is absent when it is `None`"
)]
pub trait FromPacket<'a>: Sized {
    /// The keys of a struct's fields, or of an enum's variants with content; empty for other types.
    ///
    /// ```
    /// use y3::FromPacket;
    ///
    /// #[derive(FromPacket)]
    /// struct Point(#[y3(0x01)] i32, #[y3(0x02)] i32);
    ///
    /// const KEYS: y3::KeySet = Point::KEYS;
    /// assert_eq!(KEYS, y3::keys![0x01, 0x02]);
    /// ```
    const KEYS: KeySet = KeySet::EMPTY;

    /// Reads the value from a packet.
    ///
    /// # Errors
    /// A [`Cause`]: what is wrong, and at which byte.
    fn read<const PVAR: bool>(source: Source<'a, PVAR>) -> Result<Self, Cause>;

    /// Reads the value from a packet whose fields have the order of the type. On `None` call [`read`](Self::read).
    // Nearly all packets are written in that order, and reading them then needs no table of fields and no state for errors
    // (measured: two thirds of the time). `read` never calls this method, so no byte is read more than twice.
    #[doc(hidden)]
    #[must_use]
    #[inline(always)]
    fn read_in_order<const PVAR: bool>(source: Source<'a, PVAR>) -> Option<Self> {
        Self::read(source).ok()
    }

    /// Reads an array of values of this type: a slice, or for bytes a byte string of that length.
    #[doc(hidden)]
    #[inline]
    fn read_array<const N: usize, const PVAR: bool>(source: Source<'a, PVAR>) -> Result<[Self; N], Cause>
    where
        Self: Default,
    {
        source.array()
    }

    /// Reads a sequence of values of this type: a slice, or for bytes a byte string.
    #[cfg(feature = "alloc")]
    #[doc(hidden)]
    #[inline]
    fn read_vec<const PVAR: bool>(source: Source<'a, PVAR>) -> Result<alloc::vec::Vec<Self>, Cause> {
        source.vec()
    }

    /// As [`read_vec`](Self::read_vec), in order.
    #[cfg(feature = "alloc")]
    #[doc(hidden)]
    #[must_use]
    #[inline]
    fn read_vec_in_order<const PVAR: bool>(source: Source<'a, PVAR>) -> Option<alloc::vec::Vec<Self>> {
        source.vec_in_order()
    }

    /// Reads the value from a slice that holds exactly one packet. The key of that packet is ignored.
    ///
    /// Cost: one decode per field, one jump per other packet; allocates what the type owns.
    ///
    /// # Errors
    /// An [`Error`] with the byte offset and the keys of the packets that lead to it.
    ///
    /// # Examples
    /// ```
    /// use y3::FromPacket;
    ///
    /// assert_eq!(<&str>::from_slice(&[0x01, 0x02, 0x59, 0x33])?, "Y3");
    /// # Ok::<(), y3::record::Error>(())
    /// ```
    /// Source: [SPEC §6](crate::spec#6-nodes-slices-duplicate-keys-order), [SPEC §8](crate::spec#8-decoder-duties-and-limits)
    #[inline]
    fn from_slice(bytes: &'a [u8]) -> Result<Self, Error> {
        match Packet::single(bytes) {
            Some(packet) => Self::from_packet(packet),
            None => Err(Error::outside(single_error(bytes).into())),
        }
    }

    /// Reads the value from a packet. The key of the packet is ignored.
    ///
    /// # Errors
    /// As [`from_slice`](Self::from_slice).
    ///
    /// # Examples
    /// ```
    /// use y3::FromPacket;
    ///
    /// let node = y3::Packet::from_slice(&[0x81, 0x03, 0x10, 0x01, 0x07]).unwrap();
    /// assert_eq!(u8::from_packet(node.find(0x10).unwrap().unwrap())?, 7);
    /// # Ok::<(), y3::record::Error>(())
    /// ```
    /// Source: [SPEC §6](crate::spec#6-nodes-slices-duplicate-keys-order), [SPEC §8](crate::spec#8-decoder-duties-and-limits)
    #[inline]
    fn from_packet(packet: Packet<'a>) -> Result<Self, Error> {
        match Self::read_in_order(Source::<'_, false>::outermost(packet)) {
            Some(value) => Ok(value),
            None => read_again(packet.as_bytes(), packet.offset()),
        }
    }
}

/// Reads the packet with its fields in any order, and returns the value or the error. The packet is parsed again, so that the
/// first attempt need not keep it.
#[cold]
fn read_again<'a, T: FromPacket<'a>>(bytes: &'a [u8], offset: u64) -> Result<T, Error> {
    let Some(packet) = Packet::single(bytes) else { return Err(Error::outside(single_error(bytes).into())) };
    let packet = packet.at(offset);
    T::read(Source::<'_, false>::outermost(packet)).map_err(|cause| Error::inside(packet, cause))
}

/// A type of a struct's field that can be read: a [`FromPacket`], or an `Option` of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a packet that can be read",
    label = "cannot be read from a packet",
    note = "`#[derive(y3::FromPacket)]` makes a struct or an enum a packet; `#[y3(with = module)]` converts a field"
)]
pub trait FromField<'a>: Sized {
    /// Reads the field's packet.
    ///
    /// # Errors
    /// As [`FromPacket::read`].
    fn read_field<const PVAR: bool>(source: Source<'a, PVAR>) -> Result<Self, Cause>;

    /// As [`FromPacket::read_in_order`].
    #[doc(hidden)]
    #[must_use]
    fn read_field_in_order<const PVAR: bool>(source: Source<'a, PVAR>) -> Option<Self>;

    /// The value of an absent field, or `None` if the field must not be absent.
    #[must_use]
    fn absent() -> Option<Self>;
}

impl<'a, T: FromPacket<'a>> FromField<'a> for T {
    #[inline(always)]
    fn read_field<const PVAR: bool>(source: Source<'a, PVAR>) -> Result<Self, Cause> {
        T::read(source)
    }

    #[inline(always)]
    fn read_field_in_order<const PVAR: bool>(source: Source<'a, PVAR>) -> Option<Self> {
        T::read_in_order(source)
    }

    #[inline(always)]
    fn absent() -> Option<Self> {
        None
    }
}

impl<'a, T: FromPacket<'a>> FromField<'a> for Option<T> {
    #[inline(always)]
    fn read_field<const PVAR: bool>(source: Source<'a, PVAR>) -> Result<Self, Cause> {
        T::read(source.content()?).map(Some)
    }

    #[inline(always)]
    fn read_field_in_order<const PVAR: bool>(source: Source<'a, PVAR>) -> Option<Self> {
        T::read_in_order(source.content().ok()?).map(Some)
    }

    #[inline(always)]
    fn absent() -> Option<Self> {
        Some(None)
    }
}
