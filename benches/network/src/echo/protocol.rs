//! How a client writes requests and finds replies. This file contains Y3, for the echo and for a proxy.

use std::ops::Range;
use std::sync::Arc;

use gateway::message::{AROUND_A_BODY, BODY, ID, Message, REQUEST, put_request, replies};

/// The maximum length of a body that clients accept.
const LONGEST: usize = 64 << 20;

/// The reason why a call failed. Unless it is `Closed`, the connection can still be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    #[error("no reply in time")]
    TimedOut,
    #[error("the server refuses the request: {0}")]
    Refused(String),
    #[error("the reply differs from the request")]
    Different,
    #[error("the connection is closed: {0}")]
    Closed(Arc<str>),
}

impl From<std::io::Error> for CallError {
    fn from(error: std::io::Error) -> Self {
        CallError::Closed(error.to_string().into())
    }
}

/// The error for a connection that the server has ended.
pub fn ended() -> CallError {
    CallError::Closed("the server closed the connection".into())
}

/// The id of a reply, and the range of its body in the buffer, or the reason for a refusal.
pub type Reply = (u64, Result<Range<usize>, String>);

/// Encodes requests and parses replies.
pub trait Protocol: Send + Sync + 'static {
    /// Appends a request.
    fn request(out: &mut Vec<u8>, id: u64, body: &[u8]);

    /// Passes on the complete replies at the front of `buffer`, and returns their total length. `base` is the offset of
    /// the buffer in the connection.
    ///
    /// # Errors
    /// Returns the reason if the bytes are not replies.
    fn replies(buffer: &[u8], base: u64, each: impl FnMut(Reply)) -> Result<usize, String>;
}

/// Replies as packets. The client watches the id.
#[derive(Debug)]
pub struct Y3;

impl Protocol for Y3 {
    #[inline]
    fn request(out: &mut Vec<u8>, id: u64, body: &[u8]) {
        put_request(out, id, body);
    }

    #[inline]
    fn replies(buffer: &[u8], base: u64, mut each: impl FnMut(Reply)) -> Result<usize, String> {
        let mut messages = replies(buffer, base, LONGEST + AROUND_A_BODY);
        while let Some(message) = messages.next_message().map_err(|fault| fault.to_string())? {
            each(reply(&message).map_err(|error| error.to_string())?);
        }
        Ok(messages.used())
    }
}

#[inline]
fn reply(message: &Message<'_>) -> Result<Reply, y3::Error> {
    let id = message.id.decode()?;
    Ok(match (&message.body, &message.why) {
        // Offsets of packets are relative to the buffer.
        (Some(body), _) => (id, Ok(body.value_range())),
        (None, Some(why)) => (id, Err(why.decode::<&str>()?.to_owned())),
        (None, None) => (id, Err("no reason".to_owned())),
    })
}

/// Requests for a proxy. The proxy routes by the region, and its policy removes the user's token.
///
/// ```text
/// request  node 01 { id 10, region 12, user 13 { name 01, token 02 }, body 11 }
/// ```
#[derive(Debug)]
pub struct Tagged;

impl Protocol for Tagged {
    #[inline]
    fn request(out: &mut Vec<u8>, id: u64, body: &[u8]) {
        let put = y3::Encoder::new(out).node(REQUEST, |node| {
            node.put(ID, id)?;
            node.put(0x12, if id.is_multiple_of(2) { "eu" } else { "us" })?;
            node.node(0x13, |user| {
                user.put(0x01, "ann")?;
                user.put(0x02, "secret-3f9d5a7e41c8")
            })?;
            node.put(BODY, body)
        });
        debug_assert!(put.is_ok(), "{put:?}");
    }

    #[inline]
    fn replies(buffer: &[u8], base: u64, each: impl FnMut(Reply)) -> Result<usize, String> {
        Y3::replies(buffer, base, each)
    }
}
