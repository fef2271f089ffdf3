//! Traits: write a value as one packet, and read a value from one packet.

use super::inside::Exactly;
#[cfg(feature = "alloc")]
use super::inside::within;
use crate::error::Error;
use crate::read::packet::Packet;
use crate::wire::key::Key;
use crate::wire::tag::Tag;
use crate::write::encoder::Encoder;
use crate::write::sink::{SHORT, Sink};

/// A type whose values can be written. Each value becomes one packet.
///
/// `#[derive(y3::Encode)]` implements the trait for structs and enums. The [module](crate::value) lists the other types
/// that implement it. The trait [`Decode`] reads such values.
///
/// # Examples
/// ```
/// use y3::{Encode, Encoder, Error, Key, Sink};
///
/// struct Millis(i64);
///
/// impl Encode for Millis {
///     fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
///         self.0.encode(key, to)
///     }
/// }
///
/// struct Point(i32, i32);
///
/// impl Encode for Point {
///     fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error> {
///         to.node(key.get(), |node| {
///             node.put(0x01, self.0)?;
///             node.put(0x02, self.1)
///         })
///     }
/// }
///
/// # #[cfg(feature = "alloc")] {
/// assert_eq!(y3::to_vec(0x11, &Millis(7))?, [0x11, 0x01, 0x07]);
/// assert_eq!(y3::to_vec(0x11, &Point(7, 8))?, [0x91, 0x06, 0x01, 0x01, 0x07, 0x02, 0x01, 0x08]);
/// # }
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: [SPEC §7](crate::spec#7-canonical-form)
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no packet: it does not implement `y3::Encode`",
    label = "cannot be written as a packet",
    note = "for a struct or an enum, use `#[derive(y3::Encode)]` with the feature `derive`; for a field of another type, use `#[y3(with = module)]`"
)]
pub trait Encode {
    /// True if a value can be absent: the type is an `Option`, or is encoded as an `Option`. Such a type cannot be an
    /// item of a slice.
    #[doc(hidden)]
    const OPTIONAL: Derived<bool> = Derived(false);

    /// The number of bytes to reserve. For a number, this is the size of its longest packet. For texts and sequences,
    /// it is a guess.
    #[doc(hidden)]
    const ROOM: Derived<usize> = Derived(34);

    /// True if [`encode_short`](Self::encode_short) can write values of this type.
    #[doc(hidden)]
    const IS_SHORT: Own<bool> = Own(false);

    /// The shape of the type's packet, for names files and for padding.
    #[doc(hidden)]
    const SHAPE: Shape = Shape::Any;
    #[doc(hidden)]
    const SHAPE_ALL: Own<Shape> = Own(Shape::Slice(|| Self::SHAPE));

    /// Writes the packet of a number into free space, with integers as NVarInt, and returns the length of the packet.
    /// `None` writes nothing.
    // Most fields take this separate path. It cannot fail, so the only other code in the path is one call of a cold
    // function.
    #[doc(hidden)]
    #[inline(always)]
    fn encode_short(&self, key: Key, room: &mut [u8; SHORT], _: Own) -> usize {
        let _ = (key, room);
        0
    }

    /// Writes the value as one packet with this key.
    ///
    /// # Errors
    /// Returns the errors of [`Encoder::put`].
    fn encode<S: Sink>(&self, key: Key, to: &mut Encoder<'_, S>) -> Result<(), Error>;

    /// Writes several values as one packet: bytes as a primitive, and all other values as a slice.
    #[doc(hidden)]
    #[inline]
    fn encode_all<S: Sink>(values: &[Self], key: Key, to: &mut Encoder<'_, S>, _: Own) -> Result<(), Error>
    where
        Self: Sized,
    {
        const { never_absent(Self::OPTIONAL) }
        let mut slice = to.open(Tag::slice(key))?;
        for value in values {
            value.encode(Key::ITEM, &mut slice.encoder)?;
        }
        slice.close()
    }
}

/// A type whose values can be read, each from one packet.
///
/// `#[derive(y3::Decode)]` implements the trait for structs and enums. The [module](crate::value) lists the other types
/// that implement it. The trait [`Encode`] writes such values.
///
/// # Examples
/// ```
/// use y3::{Decode, Error, Packet};
///
/// #[derive(Debug, PartialEq)]
/// struct Millis(i64);
///
/// impl<'a> Decode<'a> for Millis {
///     fn decode(packet: Packet<'a>) -> Result<Self, Error> {
///         packet.decode().map(Millis)
///     }
/// }
///
/// assert_eq!(y3::decode::<Millis>(&[0x11, 0x01, 0x07])?, Millis(7));
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: [SPEC §4](crate::spec#4-integers), [SPEC §5](crate::spec#5-floats-bool-text-bytes)
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from a packet: it does not implement `y3::Decode`",
    label = "cannot be read from a packet",
    note = "for a struct or an enum, use `#[derive(y3::Decode)]` with the feature `derive`; for a field of another type, use `#[y3(with = module)]`"
)]
pub trait Decode<'a>: Sized {
    /// True if the value can be absent, as in [`Encode`].
    #[doc(hidden)]
    const OPTIONAL: Derived<bool> = Derived(false);

    /// True if the type reads only a primitive, and reads it so quickly that reading it twice is cheap.
    #[doc(hidden)]
    const IS_FLAT: Derived<bool> = Derived(false);

    /// Reads the value from a packet.
    ///
    /// # Errors
    /// Returns the errors of [`Packet::decode`].
    fn decode(packet: Packet<'a>) -> Result<Self, Error>;

    /// Returns the value of an absent field, or `None` if the field must not be absent.
    #[doc(hidden)]
    #[must_use]
    #[inline(always)]
    fn absent() -> Own<Option<Self>> {
        Own(None)
    }

    /// Reads a sequence of values of this type. The packet can be any node, not only a slice.
    #[cfg(feature = "alloc")]
    #[doc(hidden)]
    #[inline]
    fn decode_vec(packet: Packet<'a>, _: Own) -> Result<alloc::vec::Vec<Self>, Error> {
        /// The maximum number of bytes to reserve before any item is read. A longer vector grows later, so a small
        /// packet cannot cause a large allocation.
        const MOST: usize = 1 << 20;
        const { never_absent(Self::OPTIONAL) }
        let items = packet.items()?;
        let count = items.clone().take_while(Result::is_ok).count();
        let mut values = alloc::vec::Vec::with_capacity(count.min(MOST / size_of::<Self>().max(1)));
        for item in items {
            values.push(within(item?, Self::decode)?);
        }
        Ok(values)
    }

    /// Reads a sequence of exactly `N` values.
    #[doc(hidden)]
    #[inline]
    fn decode_array<const N: usize>(packet: Packet<'a>, _: Own) -> Result<[Self; N], Error>
    where
        Self: Default,
    {
        const { never_absent(Self::OPTIONAL) }
        let mut values = core::array::from_fn(|_| Self::default());
        let mut items = Exactly::<N>::of(packet)?;
        for value in &mut values {
            *value = items.next(Self::decode)?;
        }
        items.finish(values)
    }
}

/// Writes a value as one packet with this key into a new vector.
///
/// To write the packet into another sink, use [`Encoder::put`].
///
/// # Errors
/// Returns the errors of [`Encoder::put`], and [`AbsentValue`](crate::ErrorKind::AbsentValue) for `None`.
///
/// # Examples
/// ```
/// assert_eq!(y3::to_vec(0x01, "lab")?, [0x01, 0x03, 0x6c, 0x61, 0x62]);
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: [SPEC §7](crate::spec#7-canonical-form)
#[cfg(feature = "alloc")]
#[inline]
pub fn to_vec<T: Encode + ?Sized>(key: u8, value: &T) -> Result<alloc::vec::Vec<u8>, Error> {
    let mut out = alloc::vec::Vec::new();
    Encoder::new(&mut out).put(key, value)?;
    if T::OPTIONAL.0 && out.is_empty() {
        return Err(Error::new(crate::error::ErrorKind::AbsentValue, 0));
    }
    Ok(out)
}

/// Decodes a value from a slice of bytes that is exactly one packet.
///
/// # Errors
/// Returns the errors of [`Packet::from_slice`] and of [`Packet::decode`].
///
/// # Examples
/// ```
/// assert_eq!(y3::decode::<&str>(&[0x01, 0x03, 0x6c, 0x61, 0x62])?, "lab");
/// # Ok::<(), y3::Error>(())
/// ```
/// Source: [SPEC §8](crate::spec#8-decoder-duties-and-limits)
#[inline]
pub fn decode<'a, T: Decode<'a>>(bytes: &'a [u8]) -> Result<T, Error> {
    Packet::from_slice(bytes)?.decode()
}

/// A constant that only this crate can set. Other crates cannot name this type, so they cannot override a trait item
/// that has it.
#[derive(Clone, Copy, Debug)]
pub struct Own<T = ()>(pub(crate) T);

impl<T> Own<T> {
    /// Returns the inner value, for derived code.
    #[inline(always)]
    pub fn get(self) -> T {
        self.0
    }
}

impl Own<bool> {
    pub const fn is(self) -> bool {
        self.0
    }
}

impl<T> Own<Option<T>> {
    #[inline(always)]
    pub(super) fn map<U>(self, wrap: impl FnOnce(T) -> U) -> Own<Option<U>> {
        Own(self.0.map(wrap))
    }
}

/// The type of trait constants that only this crate and derived code should set.
#[derive(Clone, Copy, Debug)]
pub struct Derived<T>(pub T);

/// Rejects a type whose values can be absent. Derived code calls it where a packet is required.
///
/// # Panics
/// Panics if the values of the type can be absent. In a `const`, this panic is a compile-time error.
pub const fn never_absent(is_optional: Derived<bool>) {
    assert!(
        !is_optional.0,
        "an `Option` is not a packet of its own: in its place, use a struct that has the `Option` as a field with a key"
    );
}

/// The shape of a type's packet. Inner types are returned by functions, so a type can contain itself.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// Unknown content. Names files do not mention packets of this shape.
    Any,
    /// A primitive, with the name that names files use for its type. An empty name stands for a
    /// variant without content, whose packet is only the variant's number.
    Value(&'static str),
    /// A slice in which all items have the same type.
    Slice(fn() -> Shape),
    /// A slice with one item for each of these types.
    Tuple(&'static [fn() -> Shape]),
    /// A node with one packet for each entry of a map. All values of the map have this type.
    Map(fn() -> Shape),
    /// The inner shape, with integers as `PVarInt`.
    PVar(fn() -> Shape),
    /// A node with one packet for each field.
    Node(Fields),
    /// An enum.
    OneOf(Fields),
    /// A derived type: its full name with path and parameters, its short name, and its content.
    Named(fn() -> &'static str, &'static str, fn() -> Shape),
}

/// Calls a function for each field. The arguments are the field's key, its name, a bool that is true if the field can
/// be absent, and its type.
pub type Fields = fn(&mut dyn FnMut(u8, &'static str, bool, fn() -> Shape));
