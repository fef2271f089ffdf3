//! Sources: peers that send messages to a server.

use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{Mutex, watch};
use tokio::time::{Sleep, sleep, timeout};
use tracing::{Instrument, Span};
use y3::Encode;

use crate::error::Error;
use crate::event::{Counters, Counts};
use crate::frame::{self, Frame, Kind};
use crate::link::{self, Link, Peer};
use crate::message::Message;
use crate::options::Options;

/// A source of messages. It can be cloned and shared between tasks.
///
/// Messages are numbered from 0 in the order in which they are written. YoMo does not acknowledge messages. Instead,
/// [`confirm`](Self::confirm) waits until the server has routed all messages so far. If a connection is lost,
/// [`Event::Lost`](crate::Event::Lost) contains the numbers of the unconfirmed messages that were written on this connection.
/// These messages may have arrived or may be lost.
///
/// [An example](crate#a-source)
#[derive(Clone, Debug)]
pub struct Source(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    peer: Peer,
    writing: Mutex<Writing>,
    echo: Mutex<Echo>,
    is_closed: watch::Sender<bool>,
    span: Span,
}

#[derive(Debug)]
struct Writing {
    /// The connection, or `None` if it was lost or a write was cancelled.
    link: Option<Link>,
    /// The reason why `link` is `None`.
    cause: Option<String>,
    /// A timer that ends the wait after the source has connected again.
    hold: Option<Pin<Box<Sleep>>>,
    unconfirmed: Vec<Range<u64>>,
}

/// The number of messages sent, and the messages that may be lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// The number of messages written, which is also the number of the next message.
    pub messages: u64,
    /// The size of the payloads in bytes.
    pub bytes: u64,
    /// The numbers of the messages that may be lost: they were written, but their connection was lost before they were
    /// confirmed.
    pub unconfirmed: Vec<Range<u64>>,
}

impl Source {
    /// Connects to a server as a source.
    ///
    /// # Errors
    /// Returns [`Error::Unreachable`], [`Error::Refused`], [`Error::Protocol`] or [`Error::Here`]. The first connection is
    /// retried only if [`Options::retry_first`] is set.
    pub async fn connect(options: Options) -> Result<Source, Error> {
        let span = tracing::info_span!("source", name = options.name, server = options.server);
        let peer = Peer::new(options, Kind::Source, &[]);
        let link = Some(peer.connect().instrument(span.clone()).await?);
        let writing = Writing { link, cause: None, hold: None, unconfirmed: Vec::new() };
        let (writing, echo) = (Mutex::new(writing), Mutex::new(Echo::new(&peer)));
        let is_closed = watch::Sender::new(false);
        Ok(Source(Arc::new(Shared { peer, writing, echo, is_closed, span })))
    }

    /// Writes a value as a message, such as a number, a text, or a struct that derives `y3::Encode`. See [`Message::encode`].
    ///
    /// # Errors
    /// Returns the errors of [`send`](Self::send), or [`Error::Value`] if the value cannot be encoded as a packet.
    pub async fn write<T: Encode + ?Sized>(&self, tag: u32, value: &T) -> Result<u64, Error> {
        self.send(Message::encode(tag, value)?).await
    }

    /// Writes a message, and returns its number when the connection has accepted the whole message. The call waits
    /// while the server does not read, and while the source reconnects.
    ///
    /// If the call fails, the server does not get the message. If the call is cancelled, only a part of the message may
    /// be written. The next call then opens a new connection.
    ///
    /// # Errors
    /// - [`Error::ReservedTag`] or [`Error::TooLong`] for a message that cannot be sent. The connection stays open.
    /// - [`Error::Refused`], [`Error::GoAway`] or [`Error::Closed`] if the server ended the source. The next call tries to
    ///   connect again.
    /// - [`Error::Unreachable`] if the server did not come back within [`Retry::give_up`](crate::Retry::give_up). The next call
    ///   tries to connect again.
    /// - [`Error::Here`] if the source was closed.
    pub async fn send(&self, message: impl Into<Message>) -> Result<u64, Error> {
        let shared = &*self.0;
        let message = message.into();
        let frame = frame::data(&message, shared.peer.options.max_frame)?;
        let mut closed = shared.is_closed.subscribe();
        let write = async {
            let mut writing = shared.writing.lock().await;
            loop {
                writing.connect(&shared.peer).await?;
                match writing.transmit(frame.clone()).await {
                    Ok(()) => return Ok(shared.peer.counts.wrote(message.payload.len())),
                    Err(error) => writing.failed(error, &shared.peer)?,
                }
            }
        };
        let counts = &shared.peer.counts;
        counts.now().queued += 1;
        let _leaves = Leaves(counts);
        tokio::select! {
            biased;
            _ = closed.wait_for(|is_closed| *is_closed) => Err(Error::Here("the source was closed".into())),
            written = write.instrument(shared.span.clone()) => written,
        }
    }

    /// Waits until the server has routed all messages written on this connection. The server has then passed them to the
    /// connections of the functions that observe their tags. This does not mean that the functions have handled the messages.
    ///
    /// For the confirmation, the source sends a message with a private tag and receives it on a second connection. A server
    /// routes the messages of a connection in order, so this message comes back after all earlier messages were routed.
    ///
    /// # Errors
    /// Returns [`Error::Unconfirmed`] if the message does not come back in time, or if the connection is lost or closed. If
    /// the second connection fails, returns the errors of [`connect`](Self::connect).
    pub async fn confirm(&self, within: Duration) -> Result<(), Error> {
        let mut closed = self.0.is_closed.subscribe();
        let confirmed = tokio::select! {
            biased;
            confirmed = timeout(within, self.turn()).instrument(self.0.span.clone()) => confirmed,
            // `close` in another task waits for the second connection.
            _ = closed.wait_for(|is_closed| *is_closed) => Ok(Err(not_connected())),
        };
        match confirmed {
            Ok(Err(error)) if !error.is_passing() => Err(error),
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(Error::Unconfirmed { messages: self.0.peer.counts.open(), within }),
        }
    }

    /// Sends the private message and waits for it. If the second connection is lost, tries once more.
    async fn turn(&self) -> Result<(), Error> {
        let Shared { peer, writing, echo, .. } = &*self.0;
        let mut echo = echo.lock().await;
        let tag = echo.peer.tags[0];
        loop {
            if peer.counts.open().is_empty() {
                return Ok(());
            }
            let connection = match &writing.lock().await.link {
                Some(link) if !link.is_closed() => link.connection.clone(),
                _ => return Err(not_connected()),
            };
            let link = echo.link().await?;
            let mut writing = writing.lock().await;
            let number = peer.counts.open().end;
            let mark = Message::new(tag, number.to_be_bytes().to_vec());
            writing.transmit(frame::data(&mark, peer.options.max_frame)?).await?;
            drop(writing);
            let back = async {
                while !matches!(link.next().await?, Frame::Data(message) if message.payload == mark.payload) {}
                Ok(())
            };
            let back = tokio::select! {
                back = back => back,
                _ = connection.closed() => Err(Error::Lost("the connection of the source has ended".into())),
            };
            match back {
                Err(error) if error.is_passing() && connection.close_reason().is_none() => {}
                back => return back.inspect(|()| peer.confirmed(number)),
            }
        }
    }

    /// Returns the number of messages written so far, and the numbers of those that may be lost.
    pub async fn sent(&self) -> Sent {
        let writing = self.0.writing.lock().await;
        let Counters { written, written_bytes, .. } = self.counters();
        Sent { messages: written, bytes: written_bytes, unconfirmed: writing.unconfirmed.clone() }
    }

    /// Returns the current counters.
    #[must_use]
    pub fn counters(&self) -> Counters {
        *self.0.peer.counts.now()
    }

    /// Waits up to [`Options::timeout`] for the confirmation of all messages, then closes the connection for all clones and
    /// returns the result. The call does not wait for a silent server.
    ///
    /// # Errors
    /// Returns the errors that end a source. Unconfirmed messages are not an error, and the result contains their numbers.
    pub async fn close(self) -> Result<Sent, Error> {
        let Shared { peer, writing, echo, is_closed, .. } = &*self.0;
        let confirmed = tokio::select! {
            confirmed = self.confirm(peer.options.timeout) => confirmed,
            () = peer.counts.hopeless() => Err(Error::Lost("closed while the server did not answer".into())),
        };
        is_closed.send_replace(true);
        let mut writing = writing.lock().await;
        if let Err(error) = &confirmed {
            writing.cause.get_or_insert_with(|| error.to_string());
            writing.report(peer);
        }
        if let Some(link) = writing.link.take() {
            link.end("source closed").await;
        }
        // Another clone that confirms takes these locks in the other order.
        drop(writing);
        if let Some(link) = echo.lock().await.link.take() {
            link.end("source closed").await;
        }
        peer.counts.now().is_connected = false;
        match confirmed {
            Err(error) if !error.is_passing() && !matches!(error, Error::Unconfirmed { .. }) => Err(error),
            _ => Ok(self.sent().await),
        }
    }
}

/// Decreases the number of waiting calls when it is dropped.
struct Leaves<'a>(&'a Counts);

impl Drop for Leaves<'_> {
    fn drop(&mut self) {
        self.0.now().queued -= 1;
    }
}

impl Writing {
    /// If the connection is lost, connects again. Then waits, so that functions can connect before messages are sent.
    async fn connect(&mut self, peer: &Peer) -> Result<(), Error> {
        if let Some(mut link) = self.link.take_if(|link| link.is_closed()) {
            // The last frame that arrived may contain the reason.
            let error = loop {
                if let Err(error) = link.next().await {
                    break error;
                }
            };
            self.cause = Some(error.to_string());
            self.failed(error, peer)?;
        }
        if self.link.is_none() {
            self.report(peer);
            self.link = Some(peer.reopen().await?);
            let Options { hold, retry, .. } = &*peer.options;
            self.hold = Some(Box::pin(sleep(retry.most.saturating_add(*hold))));
        }
        if let Some(hold) = &mut self.hold {
            hold.await;
            self.hold = None;
        }
        Ok(())
    }

    /// Returns the error if it means that the source must not reconnect.
    fn failed(&mut self, error: Error, peer: &Peer) -> Result<(), Error> {
        if error.is_passing() {
            return Ok(());
        }
        self.report(peer);
        Err(error)
    }

    /// Sends one frame on the current link. If the frame was not sent completely, the link is dropped.
    async fn transmit(&mut self, frame: Bytes) -> Result<(), Error> {
        let mut link = self.link.take().ok_or_else(not_connected)?;
        link.write_and_listen(frame).await.inspect_err(|error| self.cause = Some(error.to_string()))?;
        self.link = Some(link);
        Ok(())
    }

    /// Reports which messages may be lost with a connection. Reports each loss once.
    fn report(&mut self, peer: &Peer) {
        let cause = self.cause.take();
        if cause.is_none() && peer.counts.open().is_empty() {
            return;
        }
        let unconfirmed = peer.lost(cause.unwrap_or_else(|| "a write was not waited for".into()));
        if !unconfirmed.is_empty() {
            self.unconfirmed.push(unconfirmed);
        }
    }
}

/// The source's own stream function. It observes a tag that no other peer uses.
#[derive(Debug)]
struct Echo {
    peer: Peer,
    link: Option<Link>,
}

impl Echo {
    fn new(source: &Peer) -> Echo {
        let name = format!("{}-echo", source.options.name);
        let options = Options { name, on_event: None, target: None, ..Options::clone(&source.options) };
        Echo { peer: Peer::new(options, Kind::StreamFunction, &[link::private_tag()]), link: None }
    }

    /// Returns the connection. Opens it if there is none.
    async fn link(&mut self) -> Result<&mut Link, Error> {
        if self.link.as_ref().is_none_or(Link::is_closed) {
            self.link = Some(self.peer.open().await?);
        }
        self.link.as_mut().ok_or_else(not_connected)
    }
}

fn not_connected() -> Error {
    Error::Lost("not connected".into())
}
