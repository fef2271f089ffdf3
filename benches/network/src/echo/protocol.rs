//! Protocol: how a client writes requests and finds replies. Y3 here, for the echo and for a proxy before it; newline-JSON beside it
//! over the same transport.
//!
//! In: an id and a body. Out: bytes; and back.

use std::ops::Range;
use std::sync::Arc;

use gateway::message::{AROUND_A_BODY, BODY, ID, Message, REQUEST, put_request, replies};

/// The longest body that clients accept.
const LONGEST: usize = 64 << 20;

/// Why a call failed. The connection goes on unless it is closed.
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

/// The reason when the server ends a connection.
pub fn ended() -> CallError {
    CallError::Closed("the server closed it".into())
}

/// A reply's id, and the place of its body in the buffer or the reason why there is none.
pub type Reply = (u64, Result<Range<usize>, String>);

/// Requests and replies as bytes.
pub trait Protocol: Send + Sync + 'static {
    /// Appends a request.
    fn request(out: &mut Vec<u8>, id: u64, body: &[u8]);

    /// Hands on the whole replies at the front of `buffer`, whose first byte is byte `base` of the connection, and returns how
    /// many bytes they have.
    ///
    /// # Errors
    /// Why the bytes are no replies.
    fn replies(buffer: &[u8], base: u64, each: impl FnMut(Reply)) -> Result<usize, String>;
}

/// Replies are packets, matched by watching the id.
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
        // Offsets of packets count from the front of the buffer.
        (Some(body), _) => (id, Ok(body.value_range())),
        (None, Some(why)) => (id, Err(why.decode::<&str>()?.to_owned())),
        (None, None) => (id, Err("no reason".to_owned())),
    })
}

/// Requests for a proxy: a region to route by, and a user with a token that a policy removes.
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
