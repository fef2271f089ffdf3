//! The six frames of YoMo. Each frame is one Y3 packet; `docs/spec/yomo.md` lists the keys and fields.
//!
//! The values of a parsed frame share the packet's memory.

use bytes::{Bytes, BytesMut};
use y3::bytes::slice_ref;
use y3::{Encoder, Packet, PathSet, path};

use crate::error::Error;
use crate::message::Message;
use crate::options::Options;

const HANDSHAKE: u8 = 0x31;
const ACK: u8 = 0x29;
const REJECTED: u8 = 0x39;
const CONNECT_TO: u8 = 0x3e;
const GOAWAY: u8 = 0x2e;
const DATA: u8 = 0x3f;

/// The protocol version. It must be equal to the server's version.
const VERSION: &str = "2024-01-03";

/// The fields that a peer reads. All other fields are skipped.
const WATCHED: PathSet<6> = PathSet::new([
    path!(DATA, 0x01),
    path!(DATA, 0x02),
    path!(DATA, 0x03),
    path!(REJECTED, 0x01),
    path!(GOAWAY, 0x01),
    path!(CONNECT_TO, 0x01),
]);

/// The maximum length of a text from the server, in bytes. Longer texts are cut before they are logged.
const TEXT: usize = 1024;

/// A frame from a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// The server has accepted the peer.
    Ack,
    /// A message.
    Data(Message),
    /// The server has refused the peer for this reason.
    Rejected(String),
    /// The peer must not connect again, for this reason.
    GoAway(String),
    /// The peer must connect to the server at this address instead.
    ConnectTo(String),
    /// A frame of this many bytes, which is longer than the limit. Its bytes are dropped as they arrive.
    TooLong(u64),
}

impl Frame {
    /// Parses a whole packet as a frame. Returns `None` if the packet is not a frame of a server.
    ///
    /// Reads the headers of all fields, and the values of the watched fields. As in Go, a missing field is empty. If
    /// several fields have the same key, the last one is used.
    ///
    /// # Errors
    /// Returns the errors of `y3` for a packet with broken fields, with the offset in the packet. Returns
    /// `InvalidValue` if the message's tag is not a `u32`.
    pub(crate) fn parse(packet: &Bytes) -> Result<Option<Frame>, y3::Error> {
        let whole = Packet::from_slice(packet)?;
        let (mut message, mut text) = (Message::default(), String::new());
        for hit in WATCHED.watch(packet) {
            let hit = hit?;
            let field = hit.packet();
            // Every field is a primitive. Go ignores a node that has the key of a field.
            if field.is_node() {
                continue;
            }
            let value = || slice_ref(packet, field.value()).unwrap_or_default();
            match hit.path_index() {
                0 => message.tag = hit.decode()?,
                1 => message.payload = value(),
                2 => message.metadata = value(),
                _ => text = String::from_utf8_lossy(field.value().get(..TEXT).unwrap_or(field.value())).into_owned(),
            }
        }
        Ok(match whole.key().get() {
            _ if !whole.is_node() => None,
            ACK => Some(Frame::Ack),
            DATA => Some(Frame::Data(message)),
            REJECTED => Some(Frame::Rejected(text)),
            GOAWAY => Some(Frame::GoAway(text)),
            CONNECT_TO => Some(Frame::ConnectTo(text)),
            _ => None,
        })
    }

    /// The name of this kind of frame.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Frame::Ack => "HandshakeAckFrame",
            Frame::Data(_) => "DataFrame",
            Frame::Rejected(_) => "RejectedFrame",
            Frame::GoAway(_) => "GoawayFrame",
            Frame::ConnectTo(_) => "ConnectToFrame",
            Frame::TooLong(_) => "frame above the limit",
        }
    }
}

/// The role of a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Source = 0x5f,
    StreamFunction = 0x5d,
}

/// Encodes the first frame that a peer sends.
pub(crate) fn handshake(options: &Options, kind: Kind, id: &str, tags: &[u32]) -> Result<Bytes, Error> {
    let mut frame = BytesMut::new();
    // Each tag is written as four little-endian bytes, not as a Y3 integer.
    let tags: Vec<u8> = tags.iter().flat_map(|tag| tag.to_le_bytes()).collect();
    let (auth, secret) = options.credential()?;
    let written = Encoder::new(&mut frame).node(HANDSHAKE, |fields| {
        fields.put(0x01, &*options.name)?;
        fields.put(0x03, id)?;
        fields.put(0x02, &[kind as u8][..])?;
        fields.put(0x06, &*tags)?;
        fields.put(0x04, auth)?;
        fields.put(0x05, secret)?;
        fields.put(0x07, VERSION)?;
        fields.put(0x09, &[][..] as &[u8])?;
        fields.put(0x08, options.target.as_deref().unwrap_or_default())
    });
    written.map_err(|error| Error::Here(format!("the handshake is too long: {error}")))?;
    Ok(frame.freeze())
}

/// Encodes a data frame. The payload is copied into the frame, and later into QUIC packets.
///
/// # Errors
/// Returns [`Error::ReservedTag`] for a reserved tag, and [`Error::TooLong`] if the frame is longer than `limit`.
pub(crate) fn data(message: &Message, limit: usize) -> Result<Bytes, Error> {
    // The maximum size of the headers and the tag in bytes.
    const AROUND: usize = 6 + 7 + 6 + 6;
    let Message { tag, payload, metadata } = message;
    if (0xf000..=0xffff).contains(tag) {
        return Err(Error::ReservedTag(*tag));
    }
    let len = payload.len().saturating_add(metadata.len());
    if len > limit {
        return Err(Error::TooLong { len, limit });
    }
    let mut frame = BytesMut::with_capacity(len.saturating_add(AROUND));
    let written = Encoder::new(&mut frame).node(DATA, |fields| {
        fields.put(0x01, *tag)?;
        fields.put(0x03, &**metadata)?;
        fields.put(0x02, &**payload)
    });
    written.map_err(|_| Error::TooLong { len, limit })?;
    if frame.len() > limit {
        return Err(Error::TooLong { len: frame.len(), limit });
    }
    Ok(frame.freeze())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_of_a_server_is_cut() {
        let mut packet = Vec::new();
        y3::Encoder::new(&mut packet).node(0x39, |fields| fields.put(0x01, &*"x".repeat(1 << 20))).unwrap();
        let frame = Frame::parse(&packet.into()).unwrap();
        assert!(matches!(frame, Some(Frame::Rejected(text)) if text.len() == 1024));
    }

    #[test]
    fn fields_of_a_frame_are_read_in_any_order_and_the_last_of_two_counts() {
        let parse = |bytes: &[u8]| Frame::parse(&bytes.to_vec().into());
        let message =
            |tag, payload: &'static [u8]| Frame::Data(Message { tag, payload: payload.into(), metadata: Bytes::new() });
        let any_order = [0xbf, 0x0a, 0x02, 0x01, 0xaa, 0x03, 0x00, 0x09, 0x00, 0x01, 0x01, 0x33];
        assert_eq!(parse(&any_order).unwrap(), Some(message(0x33, &[0xaa])));
        assert_eq!(parse(&[0xbf, 0x06, 0x02, 0x01, 0xaa, 0x02, 0x01, 0xbb]).unwrap(), Some(message(0, &[0xbb])));
        assert_eq!(parse(&[0xbf, 0x05, 0x82, 0x03, 0x02, 0x01, 0xaa]).unwrap(), Some(message(0, &[])));
        assert_eq!(parse(&[0xbf, 0x00]).unwrap(), Some(message(0, &[])));
        assert_eq!(parse(&[0x3f, 0x00]).unwrap(), None);
        assert_eq!(parse(&[0x85, 0x00]).unwrap(), None);
        // A tag of five bytes is not a `u32`. A field that overruns its frame is not a field.
        assert!(parse(&[0xbf, 0x07, 0x01, 0x05, 0x01, 0x00, 0x00, 0x00, 0x00]).is_err());
        assert!(parse(&[0xbf, 0x03, 0x02, 0x05, 0xaa]).is_err());
    }

    #[test]
    fn messages_of_the_recorded_session_share_its_memory() {
        let recording = Bytes::from_static(include_bytes!("../../tests/data/noise.y3"));
        let whole = recording.as_ptr_range();
        let mut messages = 0;
        for packet in y3::packets(&recording) {
            let packet = slice_ref(&recording, packet.unwrap().as_bytes()).unwrap();
            if let Some(Frame::Data(Message { tag, payload, .. })) = Frame::parse(&packet).unwrap() {
                messages += 1;
                let payload = payload.as_ptr_range();
                assert!(tag != 0 && whole.start <= payload.start && payload.end <= whole.end);
            }
        }
        assert_eq!(messages, 2000);
    }
}
