//! Options: how a peer connects, its timeouts, its limits, and its observer.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::error::Error;
use crate::event::Event;
use crate::tls::Tls;

/// The options of a source or a stream function.
///
/// # Examples
/// ```
/// use y3_yomo::{Options, Tls};
///
/// let tls = Tls::dangerously_trust_any();
/// let options = Options { credential: Some("token:secret".into()), ..Options::new("127.0.0.1:9000", "noise", tls) };
/// assert!(!format!("{options:?}").contains("secret"));
/// ```
#[derive(Clone)]
pub struct Options {
    /// The server: a host name or address, and a port.
    pub server: String,
    /// The name of the peer in the server's log.
    pub name: String,
    /// The servers to trust, and the certificate of this peer.
    pub tls: Tls,
    /// `token:SECRET`, as in Go's `WithCredential`. A credential without a colon is an error here; Go then sends none.
    pub credential: Option<String>,
    /// For a stream function: its target. It does not get messages sent to other targets.
    pub target: Option<String>,
    /// The maximum time for connecting, including the answer of the server: 5 seconds.
    pub timeout: Duration,
    /// The silence after which a connection counts as lost, also inside a frame: 3 seconds. The peer sends twelve keep-alive packets in
    /// that time, whether it sends messages or not. More than 5 seconds, the server's own limit, has no effect.
    pub silence: Duration,
    /// For a source: how long it holds its messages after it connected again, in addition to [`Retry::most`]: 500 ms. The functions of this
    /// crate probe the server within `most` and connect within the hold. So **a confirmed message is not lost, however long the server was
    /// away**, if they have the same `most`. Go's functions are back up to 5 seconds after a source of this crate.
    pub hold: Duration,
    /// How a peer reconnects after a lost connection.
    pub retry: Retry,
    /// Whether the first connection is retried like a lost one. The default is `false`.
    pub retry_first: bool,
    /// The longest frame that is sent or accepted: 64 MiB. A longer incoming frame is skipped without buffering it.
    pub max_frame: usize,
    /// For a stream function: how many bytes of messages it reads ahead while an answer waits to be written: 64 MiB.
    pub read_ahead: usize,
    /// A function that gets the events of the connection, in addition to the log.
    pub on_event: Option<Observer>,
}

/// A function that gets [`Event`]s.
#[derive(Clone)]
pub struct Observer(Arc<dyn Fn(&Event) + Send + Sync>);

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("server", &self.server)
            .field("name", &self.name)
            .field("tls", &self.tls)
            .field("credential", &self.credential.as_ref().map(|_| "…"))
            .field("target", &self.target)
            .finish_non_exhaustive()
    }
}

/// How a peer reconnects after a lost connection. It probes for the server with one datagram, which costs the server no
/// handshake, and connects when it gets an answer.
///
/// It probes at once, and then again after each interval of [`first`](Self::first). After an absence of 300 × `first` the time
/// between probes is a 300th of the absence, at most `most`. So a peer reconnects soon after its server is back, and many peers do
/// not overload the server then. After a connection that did not last as long as [`Options::silence`] the peer pauses. The pause
/// doubles from `first` to `most`, shortened by up to a half at random. A source that is back waits for the functions, whose probes
/// may be `most` apart: see [`Options::hold`].
#[derive(Clone, Copy, Debug)]
pub struct Retry {
    /// The minimum time between two probes: 100 ms.
    pub first: Duration,
    /// The maximum time between two probes: 1 second.
    pub most: Duration,
    /// The time without a connection after which the peer gives up. The default, [`Duration::MAX`], means never.
    pub give_up: Duration,
}

impl Retry {
    /// The time between two probes after this absence.
    pub(crate) fn pause(&self, away: Duration) -> Duration {
        (away / 300).clamp(self.first.min(self.most), self.most)
    }
}

impl Options {
    /// Makes options with the default that each field documents.
    #[must_use]
    pub fn new(server: impl Into<String>, name: impl Into<String>, tls: Tls) -> Self {
        Self {
            server: server.into(),
            name: name.into(),
            tls,
            credential: None,
            target: None,
            timeout: Duration::from_secs(5),
            silence: Duration::from_secs(3),
            hold: Duration::from_millis(500),
            retry: Retry { first: Duration::from_millis(100), most: Duration::from_secs(1), give_up: Duration::MAX },
            retry_first: false,
            max_frame: 64 << 20,
            read_ahead: 64 << 20,
            on_event: None,
        }
    }

    /// Sets a function to call with each event. It is called between two frames, so it must not block.
    #[must_use]
    pub fn on_event(self, observer: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        Self { on_event: Some(Observer(Arc::new(observer))), ..self }
    }

    /// The two parts of the credential; `none` without one, as in Go.
    pub(crate) fn credential(&self) -> Result<(&str, &str), Error> {
        let Some(credential) = &self.credential else { return Ok(("none", "")) };
        let colon = || Error::Here("the credential has no colon: it is NAME:SECRET, such as token:SECRET".into());
        credential.split_once(':').ok_or_else(colon)
    }

    /// Removes the secret from a server's text: Go's servers repeat a wrong secret.
    pub(crate) fn redacted(&self, text: String) -> String {
        match self.credential() {
            Ok((_, secret)) if !secret.is_empty() => text.replace(secret, "…"),
            _ => text,
        }
    }

    pub(crate) fn tell(&self, event: &Event) {
        match event {
            Event::Confirmed { .. } => tracing::debug!(peer = %self.name, "{event}"),
            Event::Connected { .. } | Event::Moved { .. } => tracing::info!(peer = %self.name, "{event}"),
            _ => tracing::warn!(peer = %self.name, "{event}"),
        }
        if let Some(Observer(observer)) = &self.on_event {
            observer(event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_asks_at_least_once_a_second_however_long_the_server_is_away() {
        let retry = Options::new("", "", Tls::dangerously_trust_any()).retry;
        let pauses =
            [0, 30, 60, 240, 300, 3600 * 24 * 365].map(|away| retry.pause(Duration::from_secs(away)).as_millis());
        assert_eq!(pauses, [100, 100, 200, 800, 1000, 1000]);
    }
}
