//! Options: how a peer connects, how long it waits, what it accepts, and whom it tells.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How a source or a stream function connects.
///
/// # Examples
/// ```
/// use y3_yomo::Options;
///
/// let options = Options { credential: Some("token:secret".into()), ..Options::new("127.0.0.1:9000", "noise") };
/// assert_eq!(options.name, "noise");
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// The server: host or address, and port.
    pub server: String,
    /// The name that the server logs.
    pub name: String,
    /// `token:SECRET`, as in Go's `WithCredential`.
    pub credential: Option<String>,
    /// Of a stream function: gets, of the messages that were sent to a target, only those that were sent to this one.
    pub target: Option<String>,
    /// Whom to trust, and who this peer is.
    pub tls: Tls,
    /// How long connecting takes at most, the answer of the server included: 5 seconds.
    pub timeout: Duration,
    /// After this silence a connection is lost, and one is that stays silent for as long inside a frame: 5 seconds, as the
    /// server's. The peer asks for a sign of life several times in between.
    pub silence: Duration,
    /// When to connect again.
    pub retry: Retry,
    /// The longest frame that is sent or accepted: 64 MiB. A longer one that arrives is skipped, without buffering it.
    pub max_frame: usize,
    /// Told of what happens to the connection, beside the log.
    pub on_event: Option<Observer>,
}

/// A function that is told of [`Event`]s.
#[derive(Clone)]
pub struct Observer(Arc<dyn Fn(&Event) + Send + Sync>);

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}

/// TLS. As with Go's peers, the default trusts any server: YoMo's servers make their own certificates unless they get one.
#[derive(Clone, Debug, Default)]
pub struct Tls {
    /// A PEM file with the certificates to trust, checked against the name in [`Options::server`]. `None` trusts any server.
    pub authority: Option<PathBuf>,
    /// PEM files with this peer's certificates and their key, for servers that ask for them.
    pub identity: Option<(PathBuf, PathBuf)>,
}

/// When to connect again: at once, then after pauses that double from `first` to `most`, each shortened by up to a half at
/// random, so that many peers do not come back at the same time. A connection that did not last as long as
/// [`Options::silence`] counts as one that failed.
#[derive(Clone, Copy, Debug)]
pub struct Retry {
    /// The first pause: 100 ms.
    pub first: Duration,
    /// The longest pause: 5 seconds.
    pub most: Duration,
    /// After this time without a connection the peer gives up: 10 minutes.
    pub give_up: Duration,
}

impl Options {
    /// Options with the defaults that each field tells.
    #[must_use]
    pub fn new(server: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            server: server.into(),
            name: name.into(),
            credential: None,
            target: None,
            tls: Tls::default(),
            timeout: Duration::from_secs(5),
            silence: Duration::from_secs(5),
            retry: Retry {
                first: Duration::from_millis(100),
                most: Duration::from_secs(5),
                give_up: Duration::from_secs(600),
            },
            max_frame: 64 << 20,
            on_event: None,
        }
    }

    /// Has a function told of events. It is called between two frames, so it must not block.
    #[must_use]
    pub fn on_event(self, observer: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        Self { on_event: Some(Observer(Arc::new(observer))), ..self }
    }

    /// The two parts of the credential; `none` without one, as in Go.
    pub(crate) fn credential(&self) -> (&str, &str) {
        self.credential.as_deref().and_then(|credential| credential.split_once(':')).unwrap_or(("none", ""))
    }

    pub(crate) fn tell(&self, event: &Event) {
        match event {
            Event::Connected { .. } | Event::Moved { .. } => tracing::info!(peer = %self.name, "{event}"),
            _ => tracing::warn!(peer = %self.name, "{event}"),
        }
        if let Some(Observer(observer)) = &self.on_event {
            observer(event);
        }
    }
}

/// What happens to a peer's connection.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// The server has accepted the peer.
    Connected {
        /// Where it is.
        server: String,
    },
    /// The server sent the peer on to another one.
    Moved {
        /// Where that is.
        to: String,
    },
    /// The connection is lost.
    Lost {
        /// Why.
        cause: String,
        /// The messages that may be lost with it: a source's that were written and not confirmed, by their numbers; a stream
        /// function's answers on this connection, likewise.
        unconfirmed: Range<u64>,
    },
    /// Connecting failed; the peer tries again after a pause.
    Retry {
        /// Why it failed.
        cause: String,
        /// The pause.
        after: Duration,
    },
    /// A frame was longer than [`Options::max_frame`] and was skipped.
    Skipped {
        /// Its length in bytes.
        len: u64,
    },
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Connected { server } => write!(f, "connected to {server}"),
            Event::Moved { to } => write!(f, "the server sends us on to {to}"),
            Event::Lost { cause, unconfirmed } if unconfirmed.is_empty() => {
                write!(f, "connection lost, nothing unconfirmed: {cause}")
            }
            Event::Lost { cause, unconfirmed: Range { start, end } } => {
                write!(f, "connection lost, {} unconfirmed messages, {start} to {}: {cause}", end - start, end - 1)
            }
            Event::Retry { cause, after } => write!(f, "not connected, again in {after:.1?}: {cause}"),
            Event::Skipped { len } => write!(f, "skipped a frame of {len} bytes, which is longer than the limit"),
        }
    }
}
