//! Message: the packets of requests and replies, their limits and their faults.
//!
//! In: the bytes of one read. Out: requests or replies one by one, and where the last packet is cut.
//!
//! ```text
//! request  node 01 { id 10, body 11 }
//! reply    node 02 { id 10, body 11 }    or    node 02 { id 10, why 12 }
//! ```

use y3::edit::Edit;
use y3::parser::{Parser, header};
use y3::{Encoder, ErrorKind, Header, Packet, SliceSink, Tag, keys};

/// The bit of a tag that marks a node.
pub const NODE: u8 = 0x80;
pub const REQUEST: u8 = 0x01;
pub const REPLY: u8 = 0x02;
pub const ID: u8 = 0x10;
pub const BODY: u8 = 0x11;
const WHY: u8 = 0x12;

/// Tags, lengths and the id around a body take at most these bytes.
pub const AROUND_A_BODY: usize = 32;

/// The reason why a peer's bytes are refused. Offsets count from the first byte of the connection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Bytes that are not a packet.
    #[error("not a packet: {0}")]
    Packet(y3::Error),
    /// A packet of another kind, or another protocol.
    #[error("not a message of this protocol: tag 0x{tag:02x} at byte {offset}")]
    Other { tag: u8, offset: u64 },
    /// A declared length above the limit.
    #[error("a packet of {len} bytes, above the limit of {limit}, at byte {offset}")]
    TooLong { len: usize, limit: usize, offset: u64 },
    #[error("a packet without id at byte {offset}")]
    NoId { offset: u64 },
}

/// An id as a packet.
#[derive(Clone, Copy, Debug)]
pub struct Id {
    bytes: [u8; 10],
    len: u8,
}

impl Id {
    /// The id of a message, if it is a primitive of at most eight bytes.
    pub fn of(packet: &Packet<'_>) -> Option<Id> {
        let value = packet.value();
        let len = u8::try_from(value.len()).ok().filter(|len| (1..=8).contains(len) && !packet.is_node())?;
        let mut bytes = [0; 10];
        bytes[..2].copy_from_slice(&[ID, len]);
        bytes[2..2 + value.len()].copy_from_slice(value);
        Some(Id { bytes, len: len + 2 })
    }

    /// A number as an id.
    pub fn new(number: u64) -> Id {
        let mut bytes = [0; 10];
        let mut sink = SliceSink::new(&mut bytes);
        // A number and its header take at most ten bytes.
        let put = Encoder::new(&mut sink).put(ID, number);
        debug_assert!(put.is_ok(), "{put:?}");
        let len = sink.written().len() as u8;
        Id { bytes, len }
    }

    /// The packet.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

/// A request or a reply: both have an id and content after it.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    pub packet: Packet<'a>,
    pub id: Packet<'a>,
    pub body: Option<Packet<'a>>,
    pub why: Option<Packet<'a>>,
}

/// The messages at the front of a buffer.
///
/// Cost: a jump for each packet and for each of its children; bodies are not read.
#[derive(Debug)]
pub struct Messages<'a> {
    packets: y3::iter::Packets<'a>,
    tag: u8,
    limit: usize,
    base: u64,
}

/// Requests in a buffer whose first byte is byte `base` of the connection; `limit` bounds a packet's length.
pub fn requests(buffer: &[u8], base: u64, limit: usize) -> Messages<'_> {
    Messages { packets: y3::packets(buffer), tag: NODE | REQUEST, limit, base }
}

/// Replies in a buffer; arguments as in [`requests`].
pub fn replies(buffer: &[u8], base: u64, limit: usize) -> Messages<'_> {
    Messages { packets: y3::packets(buffer), tag: NODE | REPLY, limit, base }
}

impl<'a> Messages<'a> {
    /// The number of bytes in whole messages so far; the packet that the buffer cuts begins there.
    pub fn used(&self) -> usize {
        usize::try_from(self.packets.offset()).unwrap_or(usize::MAX)
    }

    fn fault(&self, error: y3::Error) -> Fault {
        Fault::Packet(y3::Error::new(error.kind(), self.base + error.offset()))
    }

    /// The next whole message.
    ///
    /// # Errors
    /// Bytes that do not begin a message, and a declared length above the limit: a reader must not wait for more of them.
    #[inline]
    pub fn next_message(&mut self) -> Result<Option<Message<'a>>, Fault> {
        let before = self.packets.clone();
        match self.packets.next() {
            None => Ok(None),
            Some(Ok(packet)) => self.message(&packet).map(Some),
            Some(Err(error)) => {
                // The tag tells more than the length after it.
                self.packets = before;
                self.cut()?;
                if error.kind() == ErrorKind::UnexpectedEnd { Ok(None) } else { Err(self.fault(error)) }
            }
        }
    }

    #[inline]
    fn message(&self, packet: &Packet<'a>) -> Result<Message<'a>, Fault> {
        let offset = self.base + packet.offset();
        self.check(packet.tag().get(), packet.as_bytes().len(), offset)?;
        let (mut id, mut body, mut why) = (None, None, None);
        for child in packet.children().watch(keys![ID, BODY, WHY]) {
            let child = child.map_err(|error| self.fault(error))?;
            match child.key().get() {
                ID => id = Some(child),
                BODY => body = Some(child),
                _ => why = Some(child),
            }
        }
        let id = id.ok_or(Fault::NoId { offset })?;
        Ok(Message { packet: *packet, id, body, why })
    }

    /// Checks the tag and the declared length of a packet that is cut, before more of it is read.
    #[cold]
    fn cut(&self) -> Result<(), Fault> {
        let rest = self.packets.remainder();
        let Some(&tag) = rest.first() else { return Ok(()) };
        let len = header::<ErrorKind>().parse(rest).map_or(0, |(_, header)| header.packet_len());
        self.check(tag, len, self.base + self.packets.offset())
    }

    #[inline]
    fn check(&self, tag: u8, len: usize, offset: u64) -> Result<(), Fault> {
        match self.limit {
            _ if tag != self.tag => Err(Fault::Other { tag, offset }),
            limit if len > limit => Err(Fault::TooLong { len, limit, offset }),
            _ => Ok(()),
        }
    }
}

/// Appends a request.
///
/// The encoder would shift the body of a node. The lengths are known here, so a body is copied once.
///
/// # Panics
/// A body of 2 GiB or more.
pub fn put_request(out: &mut Vec<u8>, id: u64, body: &[u8]) {
    let id = Id::new(id);
    let id = id.as_bytes();
    put_header(out, NODE | REQUEST, id.len() + header_of(BODY, body.len()).packet_len());
    out.extend_from_slice(id);
    put_header(out, BODY, body.len());
    out.extend_from_slice(body);
}

/// Appends the part of a reply before the body's packet, which is borrowed from the request.
#[inline]
pub fn put_reply_front(out: &mut Vec<u8>, id: &Packet<'_>, body: &Packet<'_>) {
    put_header(out, NODE | REPLY, id.as_bytes().len() + body.as_bytes().len());
    out.extend_from_slice(id.as_bytes());
}

/// Appends a message with this id, then the content of another message without the packets that the edit removes, then `set`.
///
/// Cost: two jumps for each packet of the levels that the edit's paths lead through, and one copy.
///
/// # Errors
/// The errors of the edit. Nothing is appended then.
pub fn put_edited(
    out: &mut Vec<u8>,
    key: u8,
    id: &Id,
    content: &[u8],
    edit: &Edit<'_>,
    set: &[u8],
) -> Result<(), y3::Error> {
    let (start, len) = (out.len(), edit.output_len(content)?);
    put_header(out, NODE | key, id.as_bytes().len() + len + set.len());
    out.extend_from_slice(id.as_bytes());
    edit.apply(content, out).inspect_err(|_| out.truncate(start))?;
    out.extend_from_slice(set);
    Ok(())
}

/// Appends a reply with the reason why it has no body.
pub fn put_refusal(out: &mut Vec<u8>, id: &Packet<'_>, why: &str) {
    let put = Encoder::new(out).node(REPLY, |node| {
        node.put(ID, id.value())?;
        node.put(WHY, why)
    });
    debug_assert!(put.is_ok(), "{put:?}");
}

/// A header for bytes in memory. Their length is below a limit that is far below the maximum, 2^31-1.
fn header_of(tag: u8, len: usize) -> Header {
    Header::new(Tag::from(tag), len).expect("a packet of less than 2 GiB")
}

/// Appends a header for a value of `len` bytes, below the same limit as in `header_of`.
#[inline]
pub fn put_header(out: &mut Vec<u8>, tag: u8, len: usize) {
    out.extend_from_slice(header_of(tag, len).encode(&mut [0; Header::MAX_SIZE]));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_what_the_encoder_writes() {
        for len in [0, 1, 0x30, 0x3f, 0x40, 0x1ff0, 0x1fff, 0x2000, 0x2001, 0xf_ffff, 0x10_0000] {
            for id in [0, 127, 128, u64::MAX >> 1] {
                let body = vec![7; len];
                let (mut ours, mut theirs) = (Vec::new(), Vec::new());
                put_request(&mut ours, id, &body);
                Encoder::new(&mut theirs)
                    .node(REQUEST, |node| {
                        node.put(ID, id)?;
                        node.put(BODY, &body[..])
                    })
                    .unwrap();
                assert!(ours == theirs, "{len} bytes, id {id}");
            }
        }
    }

    #[test]
    fn a_packet_as_long_as_the_limit_is_read_and_a_longer_one_refused() {
        let mut whole = Vec::new();
        put_request(&mut whole, 1, &[0; 100]);
        assert!(requests(&whole, 0, whole.len()).next_message().unwrap().is_some());
        assert!(matches!(requests(&whole, 0, whole.len() - 1).next_message(), Err(Fault::TooLong { .. })));
    }
}
