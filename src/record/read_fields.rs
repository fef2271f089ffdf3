//! Read fields: reads the fields of a struct and the items of a sequence.
//!
//! In: a source, or the packets of a struct's fields. Out: values of the types of the fields and items, or an error.

use super::error::{Cause, ErrorKind};
use super::from_packet::{FromField, FromPacket};
use super::source::{Fields, Source};
use crate::error::ErrorKind as WireKind;

impl<'a, const PVAR: bool> Source<'a, PVAR> {
    /// Reads a field or an item.
    ///
    /// # Errors
    /// The errors of the type.
    #[inline(always)]
    pub fn value<T: FromField<'a>>(self) -> Result<T, Cause> {
        T::read_field(self)
    }

    /// As [`value`](Self::value), in the order of the type.
    #[doc(hidden)]
    #[must_use]
    #[inline(always)]
    pub fn value_in_order<T: FromField<'a>>(self) -> Option<T> {
        T::read_field_in_order(self)
    }

    /// Reads a value of the type `U` and converts it: `#[y3(with = module)]` calls this with `module::decode`.
    ///
    /// # Errors
    /// The errors of `U`, and that of the conversion: `InvalidValue` at the first byte of the value, others at the packet's tag.
    #[inline]
    pub fn convert<U: FromField<'a>, T>(self, decode: impl FnOnce(U) -> Result<T, WireKind>) -> Result<T, Cause> {
        decode(U::read_field(self)?).map_err(|kind| self.error(ErrorKind::Wire(kind)))
    }

    /// Reads exactly `N` items.
    #[inline]
    pub(super) fn array<T: FromPacket<'a> + Default, const N: usize>(self) -> Result<[T; N], Cause> {
        let mut sources = self.items()?;
        // Without `unsafe` and an allocator, an array can only be filled after it is made of defaults.
        let mut array = core::array::from_fn(|_| T::default());
        for place in &mut array {
            let Some(source) = sources.next_source()? else { return Err(self.error(ErrorKind::MissingItems)) };
            *place = T::read(source)?;
        }
        match sources.next_source()? {
            Some(source) => Err(source.error(ErrorKind::ExtraItems)),
            None => Ok(array),
        }
    }

    /// Reads all items.
    #[cfg(feature = "alloc")]
    pub(super) fn vec<T: FromPacket<'a>>(self) -> Result<alloc::vec::Vec<T>, Cause> {
        let mut sources = self.items()?;
        let mut items = alloc::vec::Vec::with_capacity(sources.count::<T>());
        while let Some(source) = sources.next_source()? {
            items.push(T::read(source)?);
        }
        Ok(items)
    }

    /// As [`vec`](Self::vec), in the order of the type.
    #[cfg(feature = "alloc")]
    pub(super) fn vec_in_order<T: FromPacket<'a>>(self) -> Option<alloc::vec::Vec<T>> {
        let mut sources = self.items().ok()?;
        let mut items = alloc::vec::Vec::with_capacity(sources.count::<T>());
        while !sources.is_done() {
            items.push(T::read_in_order(sources.next_in_order()?)?);
        }
        Some(items)
    }
}

impl<'a, const PVAR: bool> Fields<'a, PVAR> {
    /// The field that was read, or the value of an absent field.
    ///
    /// # Errors
    /// [`MissingField`](ErrorKind::MissingField) if the field must not be absent.
    #[inline(always)]
    pub fn finish<T: FromField<'a>>(&self, field: Option<T>, name: &'static str) -> Result<T, Cause> {
        match field.or_else(T::absent) {
            Some(value) => Ok(value),
            None => Err(self.missing(name)),
        }
    }

    /// The field that [`Source::convert`] read, or the converted value of an absent field.
    ///
    /// # Errors
    /// [`MissingField`](ErrorKind::MissingField) if the field must not be absent, and the error of the conversion.
    #[inline]
    pub fn convert<U: FromField<'a>, T>(
        &self,
        field: Option<T>,
        name: &'static str,
        decode: impl FnOnce(U) -> Result<T, WireKind>,
    ) -> Result<T, Cause> {
        match (field, U::absent()) {
            (Some(value), _) => Ok(value),
            (None, Some(absent)) => decode(absent).map_err(|kind| Cause::of_packet(ErrorKind::Wire(kind), self.offset)),
            (None, None) => Err(self.missing(name)),
        }
    }
}
