//! The content of a data frame, with metadata.

use bytes::Bytes;
use rmp::decode::{read_map_len, read_str_len};
use rmp::encode::{write_map_len, write_str_len};
use y3::{Decode, Encode, Hit, PathSet};

use crate::error::Error;

/// The root key of a payload.
const ROOT: u8 = 0x01;

/// The key of the target in the metadata.
const TARGET: &[u8] = b"yomo-target";

/// A message that was received or can be sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// The tag by which the server routes the message.
    pub tag: u32,
    /// The value. The payload of a received message shares memory with the read buffer.
    pub payload: Bytes,
    /// A `MessagePack` map of texts, or empty. If an answer has no metadata, it gets the metadata of the original
    /// message, as in Go. The metadata contains the trace and the target.
    pub metadata: Bytes,
}

impl Message {
    /// Creates a message with these bytes as the payload.
    pub fn new(tag: u32, payload: impl Into<Bytes>) -> Message {
        Message { tag, payload: payload.into(), metadata: Bytes::new() }
    }

    /// Creates a message with this value as the payload. The payload is one packet with the root key, as in YoMo's own programs.
    ///
    /// # Errors
    /// Returns [`Error::Value`] if the value cannot be encoded as a packet.
    ///
    /// # Examples
    /// ```
    /// use y3_yomo::Message;
    ///
    /// let message = Message::encode(0x33, &["a", "b"])?;
    /// assert_eq!(message.payload[0], 0xc1);
    /// assert_eq!(message.decode::<Vec<&str>>()?, ["a", "b"]);
    /// # Ok::<(), y3_yomo::Error>(())
    /// ```
    pub fn encode<T: Encode + ?Sized>(tag: u32, value: &T) -> Result<Message, Error> {
        Ok(Message::new(tag, y3::to_vec(ROOT, value)?))
    }

    /// Decodes the payload, which must be one packet. Its key can be any key. Texts and bytes may be borrowed from the
    /// message.
    ///
    /// # Errors
    /// Returns [`Error::Value`] if the payload is not exactly one packet, or if the packet is not a value of this type.
    pub fn decode<'a, T: Decode<'a>>(&'a self) -> Result<T, Error> {
        Ok(y3::decode(&self.payload)?)
    }

    /// Iterates over the packets at these paths in the payload.
    ///
    /// # Examples
    /// ```
    /// use y3::{PathSet, path};
    /// use y3_yomo::Message;
    ///
    /// const NOISE: PathSet<1> = PathSet::new([path!(0x01, 0x11)]);
    ///
    /// let message = Message::new(0x33, &[0x81, 0x06, 0x11, 0x04, 0x42, 0x2a, 0x28, 0xf6][..]);
    /// let noise: f32 = message.watch(&NOISE).next().unwrap()?.decode()?;
    /// assert_eq!(noise, 42.54);
    /// # Ok::<(), y3::Error>(())
    /// ```
    pub fn watch<const N: usize>(&self, paths: &PathSet<N>) -> impl Iterator<Item = Result<Hit<'_>, y3::Error>> {
        paths.watch(&self.payload)
    }

    /// Creates an answer to this message, with the metadata of this message.
    #[must_use]
    pub fn answer(&self, tag: u32, payload: impl Into<Bytes>) -> Message {
        Message { metadata: self.metadata.clone(), ..Message::new(tag, payload) }
    }

    /// Restricts the message to functions with this target, like `WriteWithTarget` in Go.
    ///
    /// # Examples
    /// ```
    /// use y3_yomo::Message;
    ///
    /// let message = Message::new(0x33, "payload").to("sensor-7");
    /// assert_eq!(message.metadata, &b"\x81\xabyomo-target\xa8sensor-7"[..]);
    /// ```
    #[must_use]
    pub fn to(self, target: &str) -> Message {
        let mut entries = entries(&self.metadata).unwrap_or_default();
        entries.retain(|(key, _)| *key != TARGET);
        entries.push((TARGET, target.as_bytes()));
        let mut metadata = Vec::new();
        // Writing to a vector never fails.
        let _ = write_map_len(&mut metadata, u32::try_from(entries.len()).unwrap_or(u32::MAX));
        for text in entries.into_iter().flat_map(|(key, value)| [key, value]) {
            let _ = write_str_len(&mut metadata, u32::try_from(text.len()).unwrap_or(u32::MAX));
            metadata.extend_from_slice(text);
        }
        Message { metadata: metadata.into(), ..self }
    }

    /// The size of the message in bytes of memory. Counts the struct, so an empty message has a size too.
    pub(crate) fn memory(&self) -> usize {
        size_of::<Message>() + self.payload.len() + self.metadata.len()
    }
}

impl<B: Into<Bytes>> From<(u32, B)> for Message {
    fn from((tag, payload): (u32, B)) -> Message {
        Message::new(tag, payload)
    }
}

/// The answers of a handler. `()` and `None` mean no answer, a [`Message`] or `Some((tag, bytes))` is one answer, and a
/// list contains several answers.
pub trait Answers {
    /// The messages to write, in order.
    fn messages(self) -> Vec<Message>;
}

impl Answers for () {
    fn messages(self) -> Vec<Message> {
        Vec::new()
    }
}

impl Answers for Message {
    fn messages(self) -> Vec<Message> {
        vec![self]
    }
}

impl<M: Into<Message>> Answers for Option<M> {
    fn messages(self) -> Vec<Message> {
        self.into_iter().map(Into::into).collect()
    }
}

impl<M: Into<Message>> Answers for Vec<M> {
    fn messages(self) -> Vec<Message> {
        self.into_iter().map(Into::into).collect()
    }
}

/// Returns the keys and values of a map. Returns `None` if the bytes are not a map of texts.
fn entries(mut map: &[u8]) -> Option<Vec<(&[u8], &[u8])>> {
    let count = read_map_len(&mut map).ok()?;
    (0..count).map(|_| Some((text(&mut map)?, text(&mut map)?))).collect()
}

fn text<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let len = read_str_len(bytes).ok()?;
    let (text, rest) = bytes.split_at_checked(usize::try_from(len).ok()?)?;
    *bytes = rest;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_added_to_the_metadata_of_go_and_replaces_another() {
        let of_go = &b"\x82\xaeyomo-source-id\xa3abc\xa8yomo-tid\xd9\x01x"[..];
        let sent = Message { metadata: of_go.into(), ..Message::new(1, "x") };
        let to = &b"\x83\xaeyomo-source-id\xa3abc\xa8yomo-tid\xa1x\xabyomo-target\xa1a"[..];
        let first = sent.clone().to("a");
        assert_eq!(first.metadata, to);
        assert_eq!(sent.to("b").to("a"), first);
    }

    #[test]
    fn targets_of_all_lengths_are_read_again_from_a_map_of_16_entries() {
        let metadata = [&b"\x8f"[..], &b"\xa1k\xa1v".repeat(15)].concat().into();
        let mut sent = Message { metadata, ..Message::default() };
        for target in [0, 1, 31, 32, 255, 256, 65_535, 65_536, 70_000].map(|len| "x".repeat(len)) {
            sent = sent.to(&target);
            assert_eq!(entries(&sent.metadata).unwrap()[15..], [(TARGET, target.as_bytes())]);
        }
    }

    #[test]
    fn broken_metadata_is_replaced() {
        for map in [&b"\x81\xa1a"[..], b"\xdf\xff\xff\xff\xff", b"\xc0", b"\x81\xa1a\xdb\xff\xff\xff\xffx", b"\x81\x01"]
        {
            let message = Message { metadata: map.to_vec().into(), ..Message::new(1, "x") };
            assert_eq!(message.to("a").metadata, &b"\x81\xabyomo-target\xa1a"[..]);
        }
    }
}
