//! Events of a peer's connection, and counters.

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A change of a peer's connection.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// The server has accepted the peer.
    Connected {
        /// The address of the server.
        server: String,
    },
    /// The server redirected the peer to another server.
    Moved {
        /// The address of the other server.
        to: String,
    },
    /// The connection is lost.
    Lost {
        /// The reason for the loss.
        cause: String,
        /// The numbers of the messages that may be lost. For a source, these are the messages that it wrote and the
        /// server did not confirm. For a stream function, these are the unconfirmed answers.
        unconfirmed: Range<u64>,
    },
    /// The server does not answer. The peer keeps trying.
    Retry {
        /// The error of the last attempt.
        cause: String,
        /// The time since the connection was lost.
        away: Duration,
    },
    /// The server has routed these messages or answers.
    Confirmed {
        /// The numbers of the messages.
        messages: Range<u64>,
    },
    /// An answer of a stream function has waited for some time, and the function has read ahead as much as
    /// [`Options::read_ahead`](crate::Options::read_ahead) allows. Possible causes: the receiver of the answers does
    /// not read, or other functions send the answers back to this function.
    Waiting {
        /// How long the answer has waited.
        since: Duration,
        /// The size of the messages that were read ahead, in bytes of memory.
        bytes: usize,
    },
    /// A frame was longer than [`Options::max_frame`](crate::Options::max_frame) and was skipped.
    Skipped {
        /// The length of the frame in bytes.
        len: u64,
    },
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Connected { server } => write!(f, "connected to {server}"),
            Event::Moved { to } => write!(f, "the server redirects to {to}"),
            Event::Lost { cause, unconfirmed } if unconfirmed.is_empty() => {
                write!(f, "connection lost, nothing unconfirmed: {cause}")
            }
            Event::Lost { cause, unconfirmed: Range { start, end } } => {
                write!(f, "connection lost, messages {start} to {} not confirmed: {cause}", end - 1)
            }
            Event::Retry { cause, away } => write!(f, "not connected for {away:.1?}: {cause}"),
            Event::Confirmed { messages: Range { start, end } } => {
                write!(f, "{} messages confirmed, {start} to {}", end - start, end.saturating_sub(1))
            }
            Event::Waiting { since, bytes } => {
                write!(f, "an answer has waited for {since:.1?} while messages of {bytes} bytes wait to be handled")
            }
            Event::Skipped { len } => write!(f, "skipped a frame of {len} bytes, which is longer than the limit"),
        }
    }
}

/// The counters of a peer since its creation. A service can export them as metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// True if the peer is connected.
    pub is_connected: bool,
    /// How often a server has accepted the peer.
    pub connections: u64,
    /// The number of messages received.
    pub received: u64,
    /// The size of the received payloads in bytes.
    pub received_bytes: u64,
    /// The number of messages or answers written.
    pub written: u64,
    /// The size of the written payloads in bytes.
    pub written_bytes: u64,
    /// The number of written messages or answers that the server has routed.
    pub confirmed: u64,
    /// The number of written messages or answers that may be lost, because they were not confirmed when the connection
    /// was lost.
    pub lost: u64,
    /// The number of messages and answers that wait to be handled or written.
    pub queued: u64,
    /// The number of frames that were skipped because they were longer than the limit.
    pub skipped: u64,
}

/// The counters of a peer that is running.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    counters: Mutex<Counters>,
    /// How long the server has not reacted to keep-alive packets, in milliseconds.
    pub(crate) silent: AtomicU64,
}

impl Counts {
    pub(crate) fn now(&self) -> MutexGuard<'_, Counters> {
        self.counters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn count(&self, event: &Event) {
        let mut now = self.now();
        match event {
            Event::Connected { .. } => (now.is_connected, now.connections) = (true, now.connections + 1),
            Event::Lost { unconfirmed, .. } => {
                now.is_connected = false;
                now.lost += unconfirmed.end - unconfirmed.start;
            }
            Event::Confirmed { messages } => now.confirmed += messages.end - messages.start,
            Event::Skipped { .. } => now.skipped += 1,
            Event::Moved { .. } | Event::Retry { .. } | Event::Waiting { .. } => {}
        }
    }

    pub(crate) fn received(&self, bytes: usize) {
        let mut now = self.now();
        now.received += 1;
        now.received_bytes += bytes as u64;
    }

    /// Counts a written message and returns its number.
    pub(crate) fn wrote(&self, bytes: usize) -> u64 {
        let mut now = self.now();
        now.written += 1;
        now.written_bytes += bytes as u64;
        now.written - 1
    }

    /// The numbers of the messages that were written, but neither confirmed nor reported as possibly lost.
    pub(crate) fn open(&self) -> Range<u64> {
        let now = self.now();
        now.confirmed + now.lost..now.written
    }

    /// Waits until the server is silent or the connection is lost. After that, no answer can be expected soon.
    pub(crate) async fn hopeless(&self) {
        const SILENT: u64 = 700;
        while self.now().is_connected && self.silent.load(Relaxed) < SILENT {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}
