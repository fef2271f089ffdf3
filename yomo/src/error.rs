//! The error of all calls. It shows whether the peer or the server is at fault.

use std::ops::Range;
use std::time::Duration;

/// The reason why a call of a source or a stream function failed.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The server refused the peer, for example because the credential or the protocol version is wrong.
    #[error("the server refused: {0}")]
    Refused(String),
    /// The server told the peer not to connect again.
    #[error("the server sent a goaway frame: {0}")]
    GoAway(String),
    /// The server closed the connection and gave a reason. The peer does not connect again.
    #[error("the server closed the connection: {0}")]
    Closed(String),
    /// No server answered.
    #[error("no YoMo server at {server}: {cause}")]
    Unreachable {
        /// The address of the server.
        server: String,
        /// The error of the last attempt.
        cause: String,
    },
    /// The connection broke, or the server ended the stream or became silent. The peer connects again after this error.
    #[error("the connection to the server broke: {0}")]
    Lost(String),
    /// The server uses another protocol, or sent a frame that only peers send.
    #[error("the server does not speak YoMo's protocol: {0}")]
    Protocol(String),
    /// The servers redirected the peer more often than allowed.
    #[error("redirected {0} times, the last time to {1}")]
    MovedTooOften(usize, String),
    /// YoMo reserves this tag. The reserved tags are 0xf000 to 0xffff.
    #[error("the tag {0:#06x} is reserved: YoMo keeps 0xf000 to 0xffff for itself")]
    ReservedTag(u32),
    /// The message is longer than [`Options::max_frame`](crate::Options::max_frame) allows.
    #[error("a frame of {len} bytes is longer than the limit of {limit}")]
    TooLong {
        /// The length of the frame.
        len: usize,
        /// The maximum length.
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
    /// A stream function that observes its own answers is in a deadlock: the server reads no answers until the function reads,
    /// and the function has already read ahead as much as [`Options::read_ahead`](crate::Options::read_ahead) allows.
    #[error(
        "the function waits for itself: it observes its own answers, and {messages} messages of {bytes} bytes are read ahead"
    )]
    Cycle {
        /// The number of messages read ahead.
        messages: usize,
        /// The size of these messages in bytes of memory.
        bytes: usize,
    },
    /// A value cannot be encoded as a packet, or a payload is not a packet of the requested type.
    #[error("cannot encode or decode the value: {0}")]
    Value(#[from] y3::Error),
    /// The handler of a stream function panicked.
    #[error("the handler failed: {0}")]
    Handler(String),
    /// A fault of this peer, such as an unreadable certificate or an address without a port.
    #[error("{0}")]
    Here(String),
}

impl Error {
    /// True if the peer should connect again after this error.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(self, Error::Unreachable { .. } | Error::Lost(_))
    }
}
