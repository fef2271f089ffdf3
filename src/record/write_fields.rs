//! Write fields: writes values into an open node or slice, and records between packets written by hand.
//!
//! In: an open node, a slice or an encoder, and a value. Out: the packet of the value at the end of the output.

use super::place::{Node, Slice};
use super::run::write_record;
use super::to_packet::{ToField, ToPacket};
use crate::error::{Error, ErrorKind};
use crate::wire::key::Key;
use crate::write::encoder::Encoder;
use crate::write::sink::Sink;

impl<S: Sink, const PVAR: bool> Node<'_, S, PVAR> {
    /// Writes a field as the next packet, or nothing for `None`.
    ///
    /// # Errors
    /// [`InvalidKey`](ErrorKind::InvalidKey) for a key above 63, and the errors of the field.
    #[inline(always)]
    pub fn field<T: ToField + ?Sized>(&mut self, key: u8, value: &T) -> Result<(), Error> {
        let key = self.key(key)?;
        let end = value.write_field(self.place::<PVAR>(key))?;
        self.writer.go_on_at(end.position());
        Ok(())
    }

    /// Writes a field with integers as `PVarInt`; see [`field`](Self::field).
    ///
    /// # Errors
    /// As [`field`](Self::field).
    #[inline(always)]
    pub fn pvar_field<T: ToField + ?Sized>(&mut self, key: u8, value: &T) -> Result<(), Error> {
        let key = self.key(key)?;
        let end = value.write_field(self.place::<true>(key))?;
        self.writer.go_on_at(end.position());
        Ok(())
    }

    /// Writes an entry of a map.
    #[cfg(feature = "alloc")]
    #[inline]
    pub(super) fn entry<T: ToPacket + ?Sized>(&mut self, key: Key, value: &T) -> Result<(), Error> {
        let end = value.write(self.place::<PVAR>(key))?;
        self.writer.go_on_at(end.position());
        Ok(())
    }
}

impl<S: Sink, const PVAR: bool> Slice<'_, S, PVAR> {
    /// Writes the next item.
    ///
    /// # Errors
    /// The errors of the item.
    #[inline(always)]
    pub fn item<T: ToPacket + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let end = value.write(self.0.place::<PVAR>(Key::ITEM))?;
        self.0.writer.go_on_at(end.position());
        Ok(())
    }
}

impl<S: Sink, const NESTED: bool> Encoder<'_, S, NESTED> {
    /// Writes a value of a type that derives [`ToPacket`] as one packet, between packets written by hand.
    ///
    /// # Errors
    /// The errors of the value, and as [`put`](Encoder::put).
    ///
    /// # Examples
    /// ```
    /// use y3::{Encoder, SliceSink, ToPacket};
    ///
    /// #[derive(ToPacket)]
    /// struct Point(#[y3(0x01)] i32, #[y3(0x02)] i32);
    ///
    /// let mut buffer = [0; 16];
    /// let mut sink = SliceSink::new(&mut buffer);
    /// Encoder::new(&mut sink).node(0x01, |root| root.put_record(0x10, &Point(1, 2)))?;
    /// assert_eq!(sink.written(), [0x81, 0x08, 0x90, 0x06, 0x01, 0x01, 0x01, 0x02, 0x01, 0x02]);
    /// # Ok::<(), y3::Error>(())
    /// ```
    /// Source: [SPEC §6](crate::spec#6-nodes-slices-duplicate-keys-order), [SPEC §7](crate::spec#7-canonical-form)
    #[inline]
    pub fn put_record<T: ToPacket + ?Sized>(&mut self, key: u8, value: &T) -> Result<(), Error> {
        let mut packet = self.unfinished();
        let writer = packet.writer();
        let key = Key::new(key).ok_or(Error::new(ErrorKind::InvalidKey, writer.position() as u64))?;
        let end = write_record(value, writer, key)?;
        packet.end(end);
        Ok(())
    }
}
