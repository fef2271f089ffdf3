//! To packet: encodes a value as one packet.
//!
//! In: a value, a key and an encoder. Out: a primitive, a node or a slice.

use super::bound::Bound;
use super::place::{Place, Slice, Written};
use crate::error::Error;
use crate::wire::key::Key;
use crate::write::encoder::Encoder;
use crate::write::sink::{Count, Sink, SliceSink};

/// A type whose values are written as one packet.
///
/// `#[derive(y3::ToPacket)]` implements it for structs and enums. The [module](crate::record) lists the types that implement it
/// and their packets. To read them, see [`FromPacket`](crate::FromPacket).
///
/// # Examples
/// ```
/// use y3::ToPacket;
///
/// #[derive(ToPacket)]
/// struct Reading<'a> {
///     #[y3(0x11)]
///     noise: f32,
///     #[y3(0x13)]
///     from: &'a str,
/// }
///
/// let reading = Reading { noise: 23.0, from: "lab" };
/// let mut buffer = [0; 16];
/// let packet = reading.encode_to_slice(&mut buffer)?;
/// assert_eq!(packet, [0x81, 0x09, 0x11, 0x02, 0x41, 0xb8, 0x13, 0x03, 0x6c, 0x61, 0x62]);
/// # Ok::<(), y3::Error>(())
/// ```
/// By hand, for a type that is a number on the wire:
/// ```
/// use y3::record::{Place, Written};
/// use y3::{Error, Sink, ToPacket};
///
/// struct Millis(u64);
///
/// impl ToPacket for Millis {
///     fn write<S: Sink, const PVAR: bool>(&self, place: Place<'_, S, PVAR>) -> Result<Written, Error> {
///         place.number(self.0)
///     }
/// }
///
/// assert_eq!(Millis(128).encode_to_slice(&mut [0; 8])?, [0x01, 0x02, 0x00, 0x80]);
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: [SPEC §6](crate::spec#6-nodes-slices-duplicate-keys-order), [SPEC §7](crate::spec#7-canonical-form)
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a packet that can be written",
    label = "cannot be written as a packet",
    note = "`#[derive(y3::ToPacket)]` makes a struct or an enum a packet; `#[y3(with = module)]` converts a field",
    note = "an `Option` can only be a field of its own, as it is absent when it is `None`"
)]
pub trait ToPacket {
    /// The key of the outermost packet: that of `#[y3(root = 0x01)]`, or else 0x01.
    const ROOT: Key = Key::ROOT;
    /// The maximum length of the packet, header included, in both dialects.
    const BOUND: Bound = Bound::NONE;
    /// The maximum length of the packet, header included. `None` for types without a bound: texts, byte strings, sequences,
    /// maps, recursive types, and types that hold one of these.
    ///
    /// ```
    /// use y3::ToPacket;
    ///
    /// #[derive(ToPacket)]
    /// struct Point(#[y3(0x01)] i32, #[y3(0x02)] i32);
    ///
    /// let mut buffer = [0; Point::MAX_LEN.unwrap()];
    /// assert_eq!(Point(i32::MIN, i32::MAX).encode_to_slice(&mut buffer)?.len(), 14);
    /// # Ok::<(), y3::Error>(())
    /// ```
    const MAX_LEN: Option<usize> = Self::BOUND.max_len();
    /// The maximum length of an item in its sequence: a packet, or one byte of a byte string.
    #[doc(hidden)]
    const ITEM: Bound = Self::BOUND;
    /// The minimum length of the packet.
    #[doc(hidden)]
    const MIN_LEN: usize = 2;

    /// The bytes of a text or byte string.
    #[doc(hidden)]
    #[inline(always)]
    fn packet_text(&self) -> Option<&[u8]> {
        None
    }

    /// Writes the value as one packet at a place, with its key.
    ///
    /// # Errors
    /// [`DepthLimit`](crate::ErrorKind::DepthLimit) for more than 64 nested nodes, or more than 128 nested options, newtypes and
    /// variants; [`InvalidKey`](crate::ErrorKind::InvalidKey) for a map key that is above 63 or a duplicate; the errors of the
    /// sink.
    fn write<S: Sink, const PVAR: bool>(&self, place: Place<'_, S, PVAR>) -> Result<Written, Error>;

    /// Writes a sequence of values of this type: a slice, or for bytes a byte string.
    #[doc(hidden)]
    #[inline]
    fn write_sequence<S: Sink, const PVAR: bool>(items: &[Self], place: Place<'_, S, PVAR>) -> Result<Written, Error>
    where
        Self: Sized,
    {
        let mut slice = place.slice()?;
        items.iter().try_for_each(|item| slice.item(item))?;
        Slice::close(slice)
    }

    /// The exact length of the packet in bytes. Cost: that of writing it, without the copies.
    ///
    /// # Errors
    /// As [`write`](Self::write) to a sink that has room.
    ///
    /// # Examples
    /// ```
    /// use y3::ToPacket;
    ///
    /// assert_eq!("Y3".encoded_len()?, 4);
    /// # Ok::<(), y3::Error>(())
    /// ```
    fn encoded_len(&self) -> Result<usize, Error> {
        let mut count = Count::default();
        let mut encoder = Encoder::new(&mut count);
        let mut packet = encoder.unfinished();
        self.write(Place::<'_, _, false>::outermost(packet.writer(), Self::ROOT)).map(Written::position)
    }

    /// Writes the value as one packet at the end of a [`Sink`]. On an error the sink is as it was before the call.
    ///
    /// Cost: one walk over the value; deeply nested encoding costs O(depth × bytes). Allocates only what a growing sink needs.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "alloc")] {
    /// use y3::ToPacket;
    ///
    /// let mut out = vec![0xff];
    /// true.encode_to_sink(&mut out)?;
    /// assert_eq!(out, [0xff, 0x01, 0x01, 0x01]);
    /// # }
    /// # Ok::<(), y3::Error>(())
    /// ```
    /// Source: [SPEC §7](crate::spec#7-canonical-form)
    #[inline]
    fn encode_to_sink<S: Sink>(&self, sink: &mut S) -> Result<(), Error> {
        Encoder::new(sink).put_record(Self::ROOT.get(), self)
    }

    /// Writes the value as one packet at the start of a slice, and returns the part that was written. Allocates never.
    ///
    /// # Errors
    /// As [`write`](Self::write); [`BufferTooSmall`](crate::ErrorKind::BufferTooSmall) if the slice is too short.
    ///
    /// # Examples
    /// ```
    /// use y3::ToPacket;
    ///
    /// assert_eq!((-1).encode_to_slice(&mut [0; 8])?, [0x01, 0x01, 0xff]);
    /// # Ok::<(), y3::Error>(())
    /// ```
    /// Source: [SPEC §7](crate::spec#7-canonical-form)
    #[inline]
    fn encode_to_slice<'b>(&self, buffer: &'b mut [u8]) -> Result<&'b mut [u8], Error> {
        let mut sink = SliceSink::new(buffer);
        self.encode_to_sink(&mut sink)?;
        Ok(sink.into_written())
    }

    /// Returns the value as one packet in a new vector. To reuse a vector, see [`encode_to_sink`](Self::encode_to_sink).
    ///
    /// # Errors
    /// As [`write`](Self::write).
    ///
    /// # Examples
    /// ```
    /// use y3::ToPacket;
    ///
    /// let packet = ToPacket::encode_to_vec(&[1, -1])?;
    /// assert_eq!(packet, [0xc1, 0x06, 0x00, 0x01, 0x01, 0x00, 0x01, 0xff]);
    /// # Ok::<(), y3::Error>(())
    /// ```
    /// Source: [SPEC §7](crate::spec#7-canonical-form)
    #[cfg(feature = "alloc")]
    #[inline]
    fn encode_to_vec(&self) -> Result<alloc::vec::Vec<u8>, Error> {
        let mut out = alloc::vec::Vec::new();
        self.encode_to_sink(&mut out)?;
        Ok(out)
    }
}

/// A type of a struct's field that can be written: a [`ToPacket`], or an `Option` of one, which writes no packet for `None`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a packet that can be written",
    label = "cannot be written as a packet",
    note = "`#[derive(y3::ToPacket)]` makes a struct or an enum a packet; `#[y3(with = module)]` converts a field"
)]
pub trait ToField {
    /// The maximum length of the field's packet.
    const BOUND: Bound;
    /// The minimum length of the field's packet, or 0 if there may be none.
    #[doc(hidden)]
    const MIN_LEN: usize = 0;

    /// Writes the packet, or none.
    ///
    /// # Errors
    /// As [`ToPacket::write`].
    fn write_field<S: Sink, const PVAR: bool>(&self, place: Place<'_, S, PVAR>) -> Result<Written, Error>;

    /// The bytes of a text or byte string.
    #[doc(hidden)]
    #[inline(always)]
    fn text_field(&self) -> Option<&[u8]> {
        None
    }
}

impl<T: ToPacket + ?Sized> ToField for T {
    const BOUND: Bound = <T as ToPacket>::BOUND;
    const MIN_LEN: usize = <T as ToPacket>::MIN_LEN;

    #[inline(always)]
    fn text_field(&self) -> Option<&[u8]> {
        self.packet_text()
    }

    #[inline(always)]
    fn write_field<S: Sink, const PVAR: bool>(&self, place: Place<'_, S, PVAR>) -> Result<Written, Error> {
        self.write(place)
    }
}

impl<T: ToPacket> ToField for Option<T> {
    const BOUND: Bound = <T as ToPacket>::BOUND;

    #[inline(always)]
    fn write_field<S: Sink, const PVAR: bool>(&self, place: Place<'_, S, PVAR>) -> Result<Written, Error> {
        match self {
            Some(value) => value.write(place.content()?),
            None => Ok(place.absent()),
        }
    }
}
