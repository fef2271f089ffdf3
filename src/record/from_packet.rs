//! From packet: from a packet to a value.
//!
//! In: a packet and the type that the reader knows it to be. Out: that value, borrowed where it can be; packets that the type
//! does not ask for are jumped over.

use super::error::{Cause, Error};
use super::source::Source;
use crate::read::keys::KeySet;
use crate::read::packet::Packet;
use crate::read::packets::single_error;

/// A type whose value is one packet, for reading.
///
/// `#[derive(y3::FromPacket)]` implements it for structs and enums; the [module](crate::record) lists the types that have it
/// and what they are on the wire. To write them, see [`ToPacket`](crate::ToPacket).
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
/// Source: SPEC §6
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a packet that can be read",
    label = "cannot be read from a packet",
    note = "`#[derive(y3::FromPacket)]` makes a struct or an enum a packet; `#[y3(with = module)]` converts a field",
    note = "an `Option` can only be a field of its own, as it is absent when it is `None`"
)]
pub trait FromPacket<'a>: Sized {
    /// The keys of the fields of a struct, or of the variants of an enum that have content; of other types none.
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

    /// Reads the value from a source, which is a packet.
    ///
    /// # Errors
    /// A [`Cause`]: what is wrong, and at which byte.
    fn read<const PVAR: bool>(source: Source<'a, PVAR>) -> Result<Self, Cause>;

    /// Reads the value from a packet whose fields come in the order of the type, or gives nothing; then [`read`](Self::read) says
    /// what it is. Nearly every packet is written in that order, and then no field has to wait for a table or for an error that
    /// does not come (measured: two thirds of the time). The two never call each other, so that no byte is read more than twice.
    #[doc(hidden)]
    #[must_use]
    #[inline(always)]
    fn read_in_order<const PVAR: bool>(source: Source<'a, PVAR>) -> Option<Self> {
        Self::read(source).ok()
    }

    /// Reads an array of such values: a slice, or for bytes a byte string of that length.
    #[doc(hidden)]
    #[inline]
    fn read_array<const N: usize, const PVAR: bool>(source: Source<'a, PVAR>) -> Result<[Self; N], Cause>
    where
        Self: Default,
    {
        source.array()
    }

    /// Reads a sequence of such values: a slice, or for bytes a byte string.
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

    /// The value that fills a slice as one packet, from its first byte to its last. The outermost key is not looked at.
    ///
    /// Cost: a decode for each field, a jump for each other packet; allocates what the type owns.
    ///
    /// # Errors
    /// An [`Error`] with the keys that lead to the fault and its byte.
    ///
    /// # Examples
    /// ```
    /// use y3::FromPacket;
    ///
    /// assert_eq!(<&str>::from_slice(&[0x01, 0x02, 0x59, 0x33])?, "Y3");
    /// # Ok::<(), y3::record::Error>(())
    /// ```
    /// Source: SPEC §6, §8
    #[inline]
    fn from_slice(bytes: &'a [u8]) -> Result<Self, Error> {
        match Packet::single(bytes) {
            Some(packet) => Self::from_packet(packet),
            None => Err(Error::outside(single_error(bytes).into())),
        }
    }

    /// The value that is a packet. Its key is not looked at.
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
    /// Source: SPEC §6, §8
    #[inline]
    fn from_packet(packet: Packet<'a>) -> Result<Self, Error> {
        match Self::read_in_order(Source::<'_, false>::outermost(packet)) {
            Some(value) => Ok(value),
            None => read_again(packet.as_bytes(), packet.offset()),
        }
    }
}

/// Reads the packet in any order: a value, or what is wrong with it. It is found once more, so that the first way need not keep it.
#[cold]
fn read_again<'a, T: FromPacket<'a>>(bytes: &'a [u8], offset: u64) -> Result<T, Error> {
    let Some(packet) = Packet::single(bytes) else { return Err(Error::outside(single_error(bytes).into())) };
    let packet = packet.at(offset);
    T::read(Source::<'_, false>::outermost(packet)).map_err(|cause| Error::inside(packet, cause))
}

/// A type that a struct's field can have, for reading: a [`FromPacket`], or an `Option` of one.
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

    /// What the field is when its packet is absent, or `None` when it may not be.
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
