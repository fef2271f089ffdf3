//! Stream functions: peers that receive messages with certain tags and answer them.

use std::collections::VecDeque;
use std::future::{Future, pending, poll_fn};
use std::pin::Pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};
use tracing::Instrument;
use y3::Encode;

use crate::error::Error;
use crate::event::{Counters, Event};
use crate::frame::{self, Frame, Kind};
use crate::link::{self, Link, Peer};
use crate::message::{Answers, Message};
use crate::options::Options;

/// The time between two checks for answers that are confirmed or have waited too long.
const LOOK: Duration = Duration::from_millis(250);

/// A waiting function reads this many bytes of messages at a time to receive a mark. A connection buffers fewer bytes.
const STEP: usize = 2 << 20;

/// Messages of [`Sender`]s are accepted while fewer bytes than this wait to be written.
const WAITING: usize = 1 << 20;

/// A stream function that is not connected yet.
///
/// The handler gets messages in the order in which the server routed them, so messages of one source stay in order. The answers
/// of the handler are written back in the same order, with the metadata of the original message: see [`Answers`]. While the
/// handler works, the function reads nothing, so the server waits. While an answer waits to be written, the function reads
/// messages ahead, up to [`Options::read_ahead`] bytes. For this reason, a function may observe the tag of its own answers.
///
/// A payload shares the memory of the read buffer (64 KiB) or of its frame, and keeps this memory allocated. Copy data
/// that you store for a long time. After a lost connection, the function connects again, but it does not get the
/// messages that the server routed in the meantime.
///
/// [An example](crate#a-stream-function)
#[derive(Debug)]
pub struct StreamFunction {
    options: Options,
    tags: Vec<u32>,
    concurrency: usize,
    is_ordered: bool,
    sender: Sender,
    queue: mpsc::Receiver<Outgoing>,
}

impl StreamFunction {
    /// Creates a stream function that will observe these tags.
    pub fn new(options: Options, tags: impl Into<Vec<u32>>) -> StreamFunction {
        let (queue, receiver) = mpsc::channel(64);
        let sender = Sender { queue, max_frame: options.max_frame };
        StreamFunction { options, tags: tags.into(), concurrency: 1, is_ordered: true, sender, queue: receiver }
    }

    /// Sets the number of messages that are handled concurrently, each in its own task. Answers are written in the order of the
    /// messages. The default is 1.
    #[must_use]
    pub fn concurrency(self, handlers: usize) -> StreamFunction {
        StreamFunction { concurrency: handlers.max(1), ..self }
    }

    /// Writes each answer as soon as it is ready, regardless of the order of the messages.
    #[must_use]
    pub fn unordered(self) -> StreamFunction {
        StreamFunction { is_ordered: false, ..self }
    }

    /// Returns a sender that other tasks can use, such as tasks that the handler starts.
    #[must_use]
    pub fn sender(&self) -> Sender {
        self.sender.clone()
    }

    /// Connects to a server. When the call returns, the server already routes messages to the function. The function runs until
    /// it is closed or dropped, or until the server ends it.
    ///
    /// # Errors
    /// Returns [`Error::Unreachable`], [`Error::Refused`], [`Error::Protocol`] or [`Error::Here`]. The first connection is
    /// retried only if [`Options::retry_first`] is set.
    pub async fn connect<H, F, R>(self, mut handler: H) -> Result<Running, Error>
    where
        H: FnMut(Message) -> F + Send + 'static,
        F: Future<Output = R> + Send + 'static,
        R: Answers,
    {
        let StreamFunction { options, mut tags, concurrency, is_ordered, sender, queue } = self;
        let mark = link::private_tag();
        tags.push(mark);
        let span = tracing::info_span!("stream_function", name = options.name, server = options.server);
        let peer = Peer::new(options, Kind::StreamFunction, &tags);
        let link = peer.connect().instrument(span.clone()).await?;
        let handler = move |message: Message| -> Handling {
            let metadata = message.metadata.clone();
            let span = tracing::debug_span!("message", tag = message.tag, bytes = message.payload.len());
            let work = handler(message).instrument(span);
            let answers = async move {
                let mut answers = work.await.messages();
                for answer in answers.iter_mut().filter(|answer| answer.metadata.is_empty()) {
                    answer.metadata = metadata.clone();
                }
                Ok(answers)
            };
            if concurrency == 1 {
                return Box::pin(answers);
            }
            // This task ends with the function.
            let mut task = JoinSet::new();
            task.spawn(answers);
            Box::pin(async move { joined(&mut task).await })
        };
        let (stop, stopped) = oneshot::channel();
        let work = Work {
            peer: peer.clone(),
            mark,
            concurrency,
            is_ordered,
            handler,
            queue,
            link: Some(Box::new(link)),
            inbox: VecDeque::new(),
            inbox_bytes: 0,
            running: VecDeque::new(),
            outbox: VecDeque::new(),
            outbox_bytes: 0,
            rest: Bytes::new(),
            marked: 0,
            stuck: None,
            limit: 0,
            next: LOOK,
            observes_its_answers: false,
        };
        let mut task = JoinSet::new();
        task.spawn(work.run(stopped).instrument(span));
        Ok(Running { task, stop: Some(stop), peer, sender })
    }
}

/// A stream function that is connected.
#[derive(Debug)]
pub struct Running {
    /// A set with one task. Dropping the set aborts the task.
    task: JoinSet<Result<(), Error>>,
    /// The function stops when this is dropped.
    stop: Option<oneshot::Sender<()>>,
    peer: Peer,
    sender: Sender,
}

impl Running {
    /// Waits until the function ends with an error. Cancel safe.
    ///
    /// # Errors
    /// - [`Error::GoAway`], [`Error::Closed`] or [`Error::Refused`] if the server ended the function.
    /// - [`Error::Unreachable`] if the server did not come back within [`Retry::give_up`](crate::Retry::give_up).
    /// - [`Error::ReservedTag`] or [`Error::TooLong`] for an answer that cannot be sent.
    /// - [`Error::Cycle`] if the function is in a deadlock with itself.
    /// - [`Error::Handler`] if the handler panicked.
    pub async fn ended(&mut self) -> Result<Counters, Error> {
        joined(&mut self.task).await?;
        Ok(self.counters())
    }

    /// Waits for running handlers, writes their answers, waits until the server has routed the answers, and closes the
    /// connection. Returns the counters. The call does not wait for a silent server.
    ///
    /// # Errors
    /// Returns the errors of [`ended`](Self::ended). Returns [`Error::Here`] if the handler does not finish within
    /// twice [`Options::timeout`].
    pub async fn close(mut self) -> Result<Counters, Error> {
        self.stop = None;
        let within = self.peer.options.timeout * 2;
        let late = |_| Err(Error::Here(format!("the stream function did not end within {within:?}")));
        timeout(within, self.ended()).await.unwrap_or_else(late)
    }

    /// Returns the current counters.
    #[must_use]
    pub fn counters(&self) -> Counters {
        *self.peer.counts.now()
    }

    /// Returns a sender that other tasks can use.
    #[must_use]
    pub fn sender(&self) -> Sender {
        self.sender.clone()
    }
}

/// Writes messages over the connection of a stream function. Any task can use it.
#[derive(Clone, Debug)]
pub struct Sender {
    queue: mpsc::Sender<Outgoing>,
    max_frame: usize,
}

impl Sender {
    /// Writes a value as a message. See [`Message::encode`].
    ///
    /// # Errors
    /// Returns the errors of [`send`](Self::send), or [`Error::Value`] if the value cannot be encoded as a packet.
    pub async fn write<T: Encode + ?Sized>(&self, tag: u32, value: &T) -> Result<(), Error> {
        self.send(Message::encode(tag, value)?).await
    }

    /// Writes a message, and returns when the connection has accepted the whole message. The call waits while the
    /// server does not read, and while the function reconnects. If the call is cancelled, the message is written either
    /// completely or not at all.
    ///
    /// # Errors
    /// Returns [`Error::ReservedTag`] or [`Error::TooLong`] for a message that cannot be sent, and [`Error::Here`] if the
    /// function has ended.
    pub async fn send(&self, message: impl Into<Message>) -> Result<(), Error> {
        let message = message.into();
        let (written, done) = oneshot::channel();
        let outgoing = Outgoing::new(&message, self.max_frame, Some(written))?;
        self.queue.send(outgoing).await.map_err(|_| over())?;
        done.await.map_err(|_| over())
    }
}

type Handling = Pin<Box<dyn Future<Output = Result<Vec<Message>, Error>> + Send>>;

type Opening = Pin<Box<dyn Future<Output = Result<Link, Error>> + Send>>;

/// A frame to write.
#[derive(Debug)]
struct Outgoing {
    frame: Bytes,
    /// The size of the payload.
    bytes: usize,
    tag: u32,
    /// Notified when the whole frame is written.
    written: Option<oneshot::Sender<()>>,
}

impl Outgoing {
    fn new(message: &Message, limit: usize, written: Option<oneshot::Sender<()>>) -> Result<Outgoing, Error> {
        let frame = frame::data(message, limit)?;
        Ok(Outgoing { frame, bytes: message.payload.len(), tag: message.tag, written })
    }
}

struct Work<H> {
    peer: Peer,
    /// The tag of marks. A mark is a message from the function to itself. When it comes back, the server has routed all earlier
    /// answers.
    mark: u32,
    concurrency: usize,
    is_ordered: bool,
    handler: H,
    queue: mpsc::Receiver<Outgoing>,
    link: Option<Box<Link>>,
    inbox: VecDeque<Message>,
    inbox_bytes: usize,
    running: VecDeque<Handling>,
    outbox: VecDeque<Outgoing>,
    outbox_bytes: usize,
    /// The bytes of the first frame in the outbox that are not written yet.
    rest: Bytes,
    /// The number of the first answer that was written after the last mark.
    marked: u64,
    /// Set if an answer waits to be written and the inbox is full.
    stuck: Option<Stuck>,
    /// While the function is stuck, it reads if the inbox has fewer bytes than this. A write does not lower the limit.
    limit: usize,
    /// The length of the wait at which the limit rises again.
    next: Duration,
    observes_its_answers: bool,
}

struct Stuck {
    since: Instant,
    is_told: bool,
}

impl<H: FnMut(Message) -> Handling + Send> Work<H> {
    async fn run(mut self, mut stop: oneshot::Receiver<()>) -> Result<(), Error> {
        let mut looks = interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut opening: Opening = Box::pin(pending());
        let mut is_stopping = false;
        loop {
            let is_written = || self.outbox.is_empty() && self.peer.counts.open().is_empty();
            if is_stopping && self.running.is_empty() && (self.link.is_none() || is_written()) {
                break;
            }
            while !is_stopping && self.running.len() < self.concurrency && self.outbox.len() < self.concurrency {
                let Some(message) = self.inbox.pop_front() else { break };
                self.inbox_bytes -= message.memory();
                self.peer.counts.received(message.payload.len());
                self.running.push_back((self.handler)(message));
            }
            if self.rest.is_empty() {
                self.rest = self.outbox.front().map(|first| first.frame.clone()).unwrap_or_default();
            }
            let has_room = self.inbox.is_empty() && self.running.len() < self.concurrency && self.outbox.is_empty();
            let is_ahead = !self.outbox.is_empty() && self.inbox_bytes < self.peer.options.read_ahead;
            let may_read = is_stopping || has_room || is_ahead;
            let waits = self.inbox.len() + self.running.len() + self.outbox.len();
            self.peer.counts.now().queued = waits as u64;
            if may_read || self.link.is_none() {
                (self.stuck, self.limit, self.next) = (None, 0, LOOK);
            } else if !self.outbox.is_empty() {
                self.stuck.get_or_insert(Stuck { since: Instant::now(), is_told: false });
            }
            let is_reading = may_read || self.stuck.is_some() && self.inbox_bytes < self.limit;
            let is_handling = !self.running.is_empty();
            tokio::select! {
                _ = &mut stop, if !is_stopping => is_stopping = true,
                Some(turned) = turn(&mut self.link, &mut self.rest, is_reading) => match turned {
                    Ok(Some(Frame::Data(message))) => self.take(message),
                    Ok(Some(other)) => tracing::warn!("a stream function does not expect a {}", other.name()),
                    Ok(None) => self.wrote(),
                    Err(error) => {
                        self.lose(&error).await;
                        if !error.is_passing() {
                            return Err(error);
                        }
                        let peer = self.peer.clone();
                        opening = Box::pin(async move { peer.reopen().await });
                    }
                },
                opened = &mut opening, if self.link.is_none() => self.link = Some(Box::new(opened?)),
                (number, answers) = first(&mut self.running, self.is_ordered), if is_handling => {
                    drop(self.running.remove(number));
                    for answer in answers? {
                        self.push(Outgoing::new(&answer, self.peer.options.max_frame, None)?);
                    }
                }
                Some(outgoing) = self.queue.recv(), if self.outbox_bytes < WAITING && !is_stopping => self.push(outgoing),
                _ = looks.tick() => self.look()?,
                () = self.peer.counts.hopeless(), if is_stopping && !is_handling => break,
            }
            if is_stopping {
                self.inbox.clear();
                self.inbox_bytes = 0;
                if self.running.is_empty() && self.outbox.is_empty() {
                    self.put_mark();
                }
            }
        }
        if !self.peer.counts.open().is_empty() {
            self.peer.lost("closed while the server did not answer".into());
        }
        if let Some(link) = self.link.take() {
            link.end("stream function closed").await;
        }
        self.peer.counts.now().is_connected = false;
        Ok(())
    }

    /// Keeps a message for the handler. A mark confirms answers.
    fn take(&mut self, message: Message) {
        if message.tag != self.mark {
            self.inbox_bytes += message.memory();
            self.inbox.push_back(message);
        } else if let Ok(number) = message.payload.as_ref().try_into() {
            self.peer.confirmed(u64::from_be_bytes(number));
        }
    }

    fn push(&mut self, outgoing: Outgoing) {
        self.observes_its_answers |= outgoing.tag != self.mark && self.peer.tags.contains(&outgoing.tag);
        self.outbox_bytes += outgoing.frame.len();
        self.outbox.push_back(outgoing);
    }

    /// Records that some bytes of the first frame were written.
    fn wrote(&mut self) {
        self.stuck = None;
        if !self.rest.is_empty() {
            return;
        }
        if let Some(outgoing) = self.outbox.pop_front() {
            self.outbox_bytes -= outgoing.frame.len();
            if outgoing.tag != self.mark {
                self.peer.counts.wrote(outgoing.bytes);
            }
            if let Some(written) = outgoing.written {
                let _ = written.send(());
            }
        }
    }

    /// Sends a mark after the current answers, unless an earlier mark has not come back yet.
    fn put_mark(&mut self) {
        let (open, waiting) = (self.peer.counts.open(), self.outbox.iter());
        let number = open.end + waiting.filter(|outgoing| outgoing.tag != self.mark).count() as u64;
        if number == self.marked || open.start < self.marked || self.link.is_none() {
            return;
        }
        let mark = Message::new(self.mark, number.to_be_bytes().to_vec());
        if let Ok(outgoing) = Outgoing::new(&mark, self.peer.options.max_frame, None) {
            self.marked = number;
            self.push(outgoing);
        }
    }

    /// Handles a lost connection. Messages that have already arrived are still handled. An answer that was only partly
    /// written is written again.
    async fn lose(&mut self, error: &Error) {
        if let Some(mut link) = self.link.take() {
            link.close("lost");
            while let Ok(frame) = link.next().await {
                if let Frame::Data(message) = frame {
                    self.take(message);
                }
            }
        }
        self.marked = self.peer.lost(error.to_string()).end;
        self.outbox.retain(|outgoing| outgoing.tag != self.mark);
        self.outbox_bytes = self.outbox.iter().map(|outgoing| outgoing.frame.len()).sum();
        self.rest.clear();
    }

    fn look(&mut self) -> Result<(), Error> {
        self.put_mark();
        let Options { silence, read_ahead, .. } = *self.peer.options;
        let Some(stuck) = &mut self.stuck else { return Ok(()) };
        let (since, bytes) = (stuck.since.elapsed(), self.inbox_bytes);
        // The server may be waiting to send a mark back, and until then it reads no answers. The function can only find
        // out by reading. Because the time between two steps doubles, the function reads little even if the receiver of
        // the answers does not read for long.
        if since >= self.next && self.peer.counts.open().start < self.marked && !self.observes_its_answers {
            (self.limit, self.next) = (self.limit.max(read_ahead).saturating_add(STEP), since * 2);
        }
        if since < silence {
            return Ok(());
        }
        if self.observes_its_answers {
            return Err(Error::Cycle { messages: self.inbox.len(), bytes });
        }
        if !std::mem::replace(&mut stuck.is_told, true) {
            self.peer.tell(&Event::Waiting { since, bytes });
        }
        Ok(())
    }
}

fn over() -> Error {
    Error::Here("the stream function has ended".into())
}

/// Returns the result of the only task in a set.
async fn joined<T: 'static>(task: &mut JoinSet<Result<T, Error>>) -> Result<T, Error> {
    match task.join_next().await {
        Some(Ok(ended)) => ended,
        Some(Err(error)) => Err(Error::Handler(error.to_string())),
        None => Err(over()),
    }
}

async fn turn(link: &mut Option<Box<Link>>, rest: &mut Bytes, reads: bool) -> Option<Result<Option<Frame>, Error>> {
    Some(link.as_mut()?.turn(rest, reads).await)
}

/// Waits for a handler to finish. If `is_ordered` is set, waits for the oldest handler, which keeps the answers in order.
async fn first(running: &mut VecDeque<Handling>, is_ordered: bool) -> (usize, Result<Vec<Message>, Error>) {
    poll_fn(|cx| {
        let looked_at = if is_ordered { 1 } else { running.len() };
        for (number, handling) in running.iter_mut().enumerate().take(looked_at) {
            if let Poll::Ready(answers) = handling.as_mut().poll(cx) {
                return Poll::Ready((number, answers));
            }
        }
        Poll::Pending
    })
    .await
}
