//! Packet: writes a packet that was read.
//!
//! In: a borrowed packet. Out: the same packet at the end of a sink, with the same value bytes.

use crate::error::Error;
use crate::read::packet::Packet;
use crate::write::encoder::Encoder;
use crate::write::sink::Sink;

impl<S: Sink, const NESTED: bool> Encoder<'_, S, NESTED> {
    /// Writes a packet that was read: a minimal header and the same value bytes.
    ///
    /// Bytes: `41 80 01 07` becomes `01 01 07`: the slice bit of a primitive is cleared, the length becomes minimal.
    /// The packets inside a node are copied unchanged and not read. Cost: one copy.
    ///
    /// # Errors
    /// [`BufferTooSmall`](crate::ErrorKind::BufferTooSmall) if the sink has no room. The sink is then as it was before the
    /// call.
    ///
    /// # Examples
    /// ```
    /// let mut buffer = [0; 8];
    /// let mut sink = y3::SliceSink::new(&mut buffer);
    /// let packet = y3::Packet::from_slice(&[0x02, 0x80, 0x01, 0xff])?;
    /// y3::Encoder::new(&mut sink).node(0x01, |node| node.packet(packet))?;
    /// assert_eq!(sink.written(), [0x81, 0x03, 0x02, 0x01, 0xff]);
    /// # Ok::<(), y3::Error>(())
    /// ```
    /// Source: [SPEC §7](crate::spec#7-canonical-form)
    #[inline]
    pub fn packet(&mut self, packet: Packet<'_>) -> Result<(), Error> {
        self.packet_as(packet.key().get(), packet)
    }

    /// Writes a packet that was read with another key; see [`packet`](Self::packet).
    ///
    /// # Errors
    /// As [`packet`](Self::packet); [`InvalidKey`](crate::ErrorKind::InvalidKey) for a key above 63.
    ///
    /// # Examples
    /// ```
    /// let mut buffer = [0; 8];
    /// let mut sink = y3::SliceSink::new(&mut buffer);
    /// y3::Encoder::new(&mut sink).packet_as(0x10, y3::Packet::from_slice(&[0x82, 0x00])?)?;
    /// assert_eq!(sink.written(), [0x90, 0x00]);
    /// # Ok::<(), y3::Error>(())
    /// ```
    /// Source: [SPEC §7](crate::spec#7-canonical-form)
    #[inline]
    pub fn packet_as(&mut self, key: u8, packet: Packet<'_>) -> Result<(), Error> {
        self.put_like(key, packet.tag(), packet.value())
    }
}
