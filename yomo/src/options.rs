//! How a peer connects, its timeouts and limits, and its observer.

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
    /// The address of the server: a host name or IP address, and a port.
    pub server: String,
    /// The name of the peer in the server's log.
    pub name: String,
    /// The servers that the peer trusts, and the certificate of the peer.
    pub tls: Tls,
    /// The credential, such as `token:SECRET`, as in Go's `WithCredential`. A credential without a colon is an error,
    /// although Go ignores it.
    pub credential: Option<String>,
    /// The target of a stream function. The function does not get messages for other targets.
    pub target: Option<String>,
    /// The maximum time for connecting, including the server's answer. The default is 5 seconds.
    pub timeout: Duration,
    /// A connection counts as lost if the server does not answer keep-alive packets for this time, or if a frame stops arriving
    /// for this time. The default is 3 seconds. The peer sends twelve keep-alive packets in this time, even if it sends no
    /// messages. The server closes a connection after 5 seconds of silence, so a higher value has no effect.
    pub silence: Duration,
    /// After a source has connected again, it waits for [`Retry::most`] plus this time before it sends messages. The default is
    /// 500 ms. Functions of this crate probe the server at least once per `most`, and connect within the additional time. So **a
    /// confirmed message is not lost, however long the server was away**, if source and functions have the same `most`. However,
    /// functions in Go may connect up to 5 seconds after a source of this crate.
    pub hold: Duration,
    /// How a peer reconnects after a lost connection.
    pub retry: Retry,
    /// True if the first connection is retried like a lost connection. The default is `false`.
    pub retry_first: bool,
    /// The maximum length of a frame that is sent or accepted. The default is 64 MiB. A longer incoming frame is skipped without
    /// buffering.
    pub max_frame: usize,
    /// The bytes of memory for messages that a stream function reads ahead while an answer waits to be written. The
    /// default is 64 MiB. If the function waits for the confirmation of its answers, it reads another 2 MiB each time
    /// the length of the wait has doubled.
    pub read_ahead: usize,
    /// A function that receives the events of the connection. The events are logged too.
    pub on_event: Option<Observer>,
}

/// A function that receives [`Event`]s.
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

/// How a peer connects again after a lost connection. The peer probes the server with single datagrams, which cost the server no
/// handshake, and connects when the server answers.
///
/// The first probe is sent at once, and further probes at intervals of [`first`](Self::first). If the connection has
/// been lost for longer than 300 × `first`, the interval is a 300th of the time since the loss, up to `most`. So a peer
/// reconnects soon after the server is back, and many peers together do not overload the server.
///
/// If a connection lasted less than [`Options::silence`], the peer pauses before the next connection. The pause doubles
/// from `first` to `most`, and is shortened at random by up to a half. After the new connection, a source waits for the
/// functions before it sends messages: see [`Options::hold`].
#[derive(Clone, Copy, Debug)]
pub struct Retry {
    /// The minimum time between two probes. The default is 100 ms.
    pub first: Duration,
    /// The maximum time between two probes. The default is 1 second.
    pub most: Duration,
    /// The time without a connection after which the peer gives up. The default is [`Duration::MAX`], so the peer never gives up.
    pub give_up: Duration,
}

impl Retry {
    /// The time between two probes when the connection has been lost for `away`.
    pub(crate) fn pause(&self, away: Duration) -> Duration {
        (away / 300).clamp(self.first.min(self.most), self.most)
    }
}

impl Options {
    /// Creates options with the default values that the fields document.
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

    /// Sets a function that is called with each event. The call delays the connection, so the function must not block.
    #[must_use]
    pub fn on_event(self, observer: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        Self { on_event: Some(Observer(Arc::new(observer))), ..self }
    }

    /// The name and the value of the credential. Without a credential, the name is `none` and the value is empty, as in Go.
    pub(crate) fn credential(&self) -> Result<(&str, &str), Error> {
        let Some(credential) = &self.credential else { return Ok(("none", "")) };
        let colon = || Error::Here("the credential has no colon: it is NAME:SECRET, such as token:SECRET".into());
        credential.split_once(':').ok_or_else(colon)
    }

    /// Removes the secret from a text of the server. Go's servers repeat a wrong secret in their answers.
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
