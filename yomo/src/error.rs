//! Error: why a peer could not connect, or why it has ended.
//!
//! In: refusals, broken connections, bytes that are not frames. Out: one type that says whose fault it is.

use std::ops::Range;
use std::time::Duration;

/// Why a source or a stream function could not do what it was asked for.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The server refused the peer: the credential is wrong, or the version of the protocol.
    #[error("the server refused: {0}")]
    Refused(String),
    /// The server sent the peer away for good.
    #[error("the server sent a goaway: {0}")]
    GoAway(String),
    /// The server closed the connection for good and said why.
    #[error("the server closed the connection: {0}")]
    Closed(String),
    /// No server answers.
    #[error("no YoMo server at {server}: {cause}")]
    Unreachable {
        /// The address that was asked.
        server: String,
        /// What went wrong the last time.
        cause: String,
    },
    /// The connection broke, was cut in a frame, or was silent in the middle of one. A peer connects again.
    #[error("the connection to the server broke: {0}")]
    Lost(String),
    /// The server speaks something else, or sent what a server never sends.
    #[error("the server does not speak YoMo's protocol: {0}")]
    Protocol(String),
    /// The servers redirected the peer more often than allowed.
    #[error("sent from server to server {0} times, the last one to {1}")]
    MovedTooOften(usize, String),
    /// YoMo keeps the tags 0xf000 to 0xffff for itself.
    #[error("the tag {0:#06x} is reserved: YoMo keeps 0xf000 to 0xffff for itself")]
    ReservedTag(u32),
    /// The message is longer than [`Options::max_frame`](crate::Options::max_frame) allows.
    #[error("a frame of {len} bytes is longer than the limit of {limit}")]
    TooLong {
        /// The length of the frame.
        len: usize,
        /// The limit.
        limit: usize,
    },
    /// The server did not confirm these messages in time. They may have been delivered or not.
    #[error("the server did not confirm the messages {} to {} within {within:?}", .messages.start, .messages.end.saturating_sub(1))]
    Unconfirmed {
        /// The numbers of the messages.
        messages: Range<u64>,
        /// How long the source waited.
        within: Duration,
    },
    /// A stream function observes the tag of its own answers. Its answers wait until it reads, and it reads no more until they are written:
    /// see [`Options::read_ahead`](crate::Options::read_ahead).
    #[error(
        "the function waits for itself: it observes its own answers, and {messages} messages of {bytes} bytes are read ahead"
    )]
    Cycle {
        /// The messages that were read ahead.
        messages: usize,
        /// The bytes of their payloads.
        bytes: usize,
    },
    /// A value that has no packet, or a payload that is not a packet of the value's type.
    #[error("the payload: {0}")]
    Value(#[from] y3::Error),
    /// The handler of a stream function panicked.
    #[error("the handler failed: {0}")]
    Handler(String),
    /// A fault on this side: an unreadable certificate, an address without a port.
    #[error("{0}")]
    Here(String),
}

impl Error {
    /// Whether connecting again can help.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(self, Error::Unreachable { .. } | Error::Lost(_))
    }
}
