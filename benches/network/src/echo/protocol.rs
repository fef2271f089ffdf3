//! Protocol: how a client writes requests and finds replies. Y3 here, newline-JSON beside it over the same transport.
//!
//! In: an id and a body. Out: bytes; and back.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use gateway::message::{AROUND_A_BODY, Message, put_request, replies};

/// The longest body that clients accept.
const BODY: usize = 64 << 20;

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallError {
    /// No reply in time; the connection goes on.
    TimedOut,
    /// The server's reason; the connection goes on.
    Refused(String),
    /// The reply is not the request's body.
    Different,
    /// The connection is over.
    Closed(Arc<str>),
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::TimedOut => f.write_str("no reply in time"),
            CallError::Refused(why) => write!(f, "the server refuses the request: {why}"),
            CallError::Different => f.write_str("the reply differs from the request"),
            CallError::Closed(why) => write!(f, "the connection is closed: {why}"),
        }
    }
}

impl std::error::Error for CallError {}

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
        let mut messages = replies(buffer, base, BODY + AROUND_A_BODY);
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
