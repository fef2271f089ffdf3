//! Source: writes messages to a server.
//!
//! In: tags and payloads. Out: data frames in the order of the calls, each on one connection; and what may be lost.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::timeout;

use crate::error::Error;
use crate::frame::{Frame, Kind, Message};
use crate::link::{self, Link, Pace};
use crate::options::{Event, Options};

/// A source of messages.
///
/// Messages are numbered from 0 in the order of [`write`](Self::write). YoMo acknowledges none of them. What is known of a
/// message comes from [`confirm`](Self::confirm), and from [`Event::Lost`], which has the numbers of those that were
/// written to a connection and not confirmed before it was lost: those may have arrived or not.
///
/// # Examples
/// ```no_run
/// # async fn run() -> Result<(), y3_yomo::Error> {
/// use y3_yomo::{Options, Source};
///
/// let mut source = Source::connect(Options::new("127.0.0.1:9000", "noise")).await?;
/// let mut payload = Vec::new();
/// y3::Encoder::new(&mut payload).node(0x01, |root| root.put(0x11, 45.12f32)).unwrap();
/// source.write(0x33, payload).await?;
/// let sent = source.close().await?;
/// assert_eq!((sent.messages, sent.unconfirmed.len()), (1, 0));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Source {
    options: Arc<Options>,
    /// `None` if it is lost, or if a write to it was not waited for.
    link: Option<Link>,
    /// Why there is no link.
    cause: Option<Error>,
    pace: Pace,
    echo: Echo,
    sent: Sent,
    /// The first message that is neither confirmed nor reported as perhaps lost.
    open: u64,
}

/// What became of a source's messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// How many were written; the next one has this number.
    pub messages: u64,
    /// Bytes of their payloads.
    pub bytes: u64,
    /// The numbers of those that may be lost: written and not confirmed when their connection was lost.
    pub unconfirmed: Vec<Range<u64>>,
}

impl Source {
    /// Connects to a server as a source.
    ///
    /// # Errors
    /// [`Error::Unreachable`], [`Error::Refused`], [`Error::Protocol`] and [`Error::Here`]. It does not try twice.
    pub async fn connect(options: Options) -> Result<Source, Error> {
        let options = Arc::new(options);
        let link = Some(Link::open(&options, Kind::Source, &[]).await?);
        let echo = Echo { tag: echo_tag(), link: None };
        Ok(Source { options, link, cause: None, pace: Pace::new(), echo, sent: Sent::default(), open: 0 })
    }

    /// Writes a message and returns its number, once the connection has taken all of it. Waits while the server does not
    /// read, and while a lost connection is made again.
    ///
    /// A message whose write failed has not been delivered. If a call is not waited for, its message may be half written: the
    /// next call uses a new connection.
    ///
    /// # Errors
    /// [`Error::ReservedTag`] and [`Error::TooLong`], after which the source goes on. [`Error::Refused`], [`Error::GoAway`]
    /// and [`Error::Closed`] if the server ended it; [`Error::Unreachable`] if it did not come back in time. The next call
    /// tries to connect again.
    pub async fn write(&mut self, tag: u32, payload: impl Into<Bytes>) -> Result<u64, Error> {
        let message = Message { tag, payload: payload.into(), metadata: Bytes::new() };
        let frame = link::data(&self.options, &message)?;
        loop {
            if self.link.is_none() {
                self.report();
                self.pace.lost(&self.options);
                // Of the server that is gone, though that may not be known yet.
                self.echo.link = None;
                self.link = Some(Link::reopen(&self.options, Kind::Source, &[], &mut self.pace).await?);
            }
            match self.transmit(frame.clone()).await {
                Ok(()) => break,
                Err(error) if error.is_passing() => {}
                Err(error) => {
                    self.report();
                    return Err(error);
                }
            }
        }
        let number = self.sent.messages;
        self.sent.messages += 1;
        self.sent.bytes += message.payload.len() as u64;
        Ok(number)
    }

    /// Waits until the server has routed all messages that were written on this connection: it has handed them to the
    /// connections of the functions that observe their tags. Whether a function has handled them only the function can tell.
    ///
    /// A message to a tag of this source's own goes through the server and comes back on a second connection, behind all
    /// others, since a server routes the messages of a connection in their order.
    ///
    /// # Errors
    /// [`Error::Unconfirmed`] if it did not come back in time, or the connection is lost. Those of [`connect`](Self::connect)
    /// for the second connection.
    pub async fn confirm(&mut self, within: Duration) -> Result<(), Error> {
        if self.open == self.sent.messages {
            return Ok(());
        }
        let confirmed = timeout(within, self.turn()).await;
        let messages = self.open..self.sent.messages;
        match confirmed {
            Ok(Ok(())) => self.open = self.sent.messages,
            Ok(Err(error)) if !error.is_passing() => return Err(error),
            Ok(Err(_)) | Err(_) => return Err(Error::Unconfirmed { messages, within }),
        }
        Ok(())
    }

    /// The echo there and back; once more if it was lost on the second connection.
    async fn turn(&mut self) -> Result<(), Error> {
        let mark = Bytes::copy_from_slice(&self.sent.messages.to_be_bytes());
        loop {
            self.echo.open(&self.options).await?;
            let message = Message { tag: self.echo.tag, payload: mark.clone(), metadata: Bytes::new() };
            self.transmit(link::data(&self.options, &message)?).await?;
            match self.echo.wait(&mark).await {
                Err(error) if error.is_passing() => self.echo.link = None,
                ended => return ended,
            }
        }
    }

    /// How many messages were written and what may be lost of them, so far.
    #[must_use]
    pub fn sent(&self) -> &Sent {
        &self.sent
    }

    /// Confirms all messages, at most as long as connecting may take, closes the connection, and returns what was sent.
    ///
    /// # Errors
    /// None for messages that are not confirmed: they are in the result. Those that end a source.
    pub async fn close(mut self) -> Result<Sent, Error> {
        let confirmed = self.confirm(self.options.timeout).await;
        if let Err(error) = &confirmed {
            self.cause.get_or_insert_with(|| error.clone());
            self.report();
        }
        for link in [self.link, self.echo.link].into_iter().flatten() {
            link.close("source closed");
            let _ = timeout(self.options.timeout, link.told()).await;
        }
        match confirmed {
            Ok(()) | Err(Error::Unconfirmed { .. }) => Ok(self.sent),
            Err(error) => Err(error),
        }
    }

    /// One frame over the link that there is. The link stays only if all of the frame went out.
    async fn transmit(&mut self, frame: Bytes) -> Result<(), Error> {
        let Some(mut link) = self.link.take() else { return Err(Error::Lost("not connected".into())) };
        match link.write_and_listen(frame).await {
            Ok(()) => self.link = Some(link),
            Err(error) => {
                self.cause = Some(error.clone());
                return Err(error);
            }
        }
        Ok(())
    }

    /// Says once what a lost connection may have lost.
    fn report(&mut self) {
        let unconfirmed = self.open..self.sent.messages;
        let cause = self.cause.take();
        if cause.is_none() && unconfirmed.is_empty() {
            return;
        }
        let cause = cause.map_or_else(|| "a write was not waited for".into(), |cause| cause.to_string());
        if !unconfirmed.is_empty() {
            self.sent.unconfirmed.push(unconfirmed.clone());
        }
        self.open = self.sent.messages;
        self.options.tell(&Event::Lost { cause, unconfirmed });
    }
}

/// A stream function of the source's own, for one tag that nobody else uses.
#[derive(Debug)]
struct Echo {
    tag: u32,
    link: Option<Link>,
}

/// One of two thousand million tags, far from those that people number by hand.
fn echo_tag() -> u32 {
    let [a, b, c, d, ..] = link::random().to_le_bytes();
    u32::from_le_bytes([a, b, c, d]) | 0x8000_0000
}

impl Echo {
    async fn open(&mut self, options: &Arc<Options>) -> Result<(), Error> {
        if self.link.as_ref().is_none_or(Link::is_closed) {
            let name = format!("{}-echo", options.name);
            let options = Arc::new(Options { name, on_event: None, ..Options::clone(options) });
            self.link = Some(Link::open(&options, Kind::StreamFunction, &[self.tag]).await?);
        }
        Ok(())
    }

    async fn wait(&mut self, mark: &[u8]) -> Result<(), Error> {
        let Some(link) = &mut self.link else { return Err(Error::Lost("not connected".into())) };
        loop {
            if let Frame::Data(message) = link.next().await?
                && message.payload == mark
            {
                return Ok(());
            }
        }
    }
}
