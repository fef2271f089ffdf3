//! Stream function: gets the messages of some tags and answers them.
//!
//! In: tags and a handler. Out: the handler's answers, written back; and what may be lost.

use std::collections::VecDeque;
use std::future::Future;
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::error::Error;
use crate::frame::{Frame, Kind, Message};
use crate::link::{self, Link, Pace};
use crate::options::{Event, Options};

/// A stream function that runs until it is closed or dropped, or until the server ends it.
///
/// The handler gets one message at a time, in the order in which the server routed them: those of one source are in the order
/// in which it wrote them. While it works nothing is read, so that the server waits. What it returns is written back, in
/// order, with the metadata of its message: `None`, `Some((tag, bytes))`, or a list of them. A payload is a part of the
/// memory that it was read into, 64 KiB or its frame, which is kept while the payload is: copy what you keep for long.
///
/// After the connection is lost the function connects again. Messages that the server routes in between are not for it.
///
/// # Examples
/// ```no_run
/// # async fn run() -> Result<(), y3_yomo::Error> {
/// use y3_yomo::{Message, Options, StreamFunction};
/// use y3::{PathSet, path};
///
/// const NOISE: PathSet<1> = PathSet::new([path!(0x01, 0x10, 0x11)]);
///
/// let options = Options::new("127.0.0.1:9000", "loud");
/// let mut function = StreamFunction::connect(options, [0x33], |message: Message| async move {
///     let hit = NOISE.watch(&message.payload).next()?.ok()?;
///     let is_loud = hit.decode::<f32>().ok()? > 80.0;
///     is_loud.then(|| (0x34, message.payload.clone()))
/// }).await?;
/// function.ended().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct StreamFunction {
    task: JoinHandle<Result<Handled, Error>>,
    stop: Option<oneshot::Sender<()>>,
    options: Arc<Options>,
}

/// What a stream function has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Handled {
    /// Messages that the handler has got.
    pub messages: u64,
    /// Bytes of their payloads.
    pub bytes: u64,
    /// Answers that were written.
    pub answers: u64,
}

impl StreamFunction {
    /// Connects to a server as a stream function that observes these tags. When it returns, the server routes to it.
    ///
    /// # Errors
    /// [`Error::Unreachable`], [`Error::Refused`], [`Error::Protocol`] and [`Error::Here`]. It does not try twice.
    pub async fn connect<H, F, R>(
        options: Options,
        tags: impl Into<Vec<u32>>,
        handler: H,
    ) -> Result<StreamFunction, Error>
    where
        H: FnMut(Message) -> F + Send + 'static,
        F: Future<Output = R> + Send + 'static,
        R: IntoIterator<Item = (u32, Bytes), IntoIter: Send> + Send + 'static,
    {
        let (options, tags) = (Arc::new(options), tags.into());
        let link = Link::open(&options, Kind::StreamFunction, &tags).await?;
        let (stop, stopped) = oneshot::channel();
        let work = Work {
            options: options.clone(),
            tags,
            link,
            pace: Pace::new(),
            answers: VecDeque::new(),
            handled: Handled::default(),
            answers_before: 0,
        };
        let task = tokio::spawn(work.run(handler, stopped));
        Ok(StreamFunction { task, stop: Some(stop), options })
    }

    /// Waits until the server ends the function, or does not come back. Cancel safe.
    ///
    /// # Errors
    /// [`Error::GoAway`], [`Error::Closed`], [`Error::Refused`] and [`Error::Unreachable`], whatever ended it;
    /// [`Error::ReservedTag`] and [`Error::TooLong`] for an answer that cannot be sent; [`Error::Handler`] if the handler
    /// panicked.
    pub async fn ended(&mut self) -> Result<Handled, Error> {
        (&mut self.task).await.unwrap_or_else(|error| Err(Error::Handler(error.to_string())))
    }

    /// Lets the handler finish with its message, writes its answers, closes the connection, and returns what was done.
    ///
    /// # Errors
    /// Those of [`ended`](Self::ended); [`Error::Here`] if the handler does not finish within the time for connecting.
    pub async fn close(mut self) -> Result<Handled, Error> {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        let within = self.options.timeout * 2;
        match timeout(within, self.ended()).await {
            Ok(ended) => ended,
            Err(_) => Err(Error::Here(format!("the stream function did not come to an end within {within:?}"))),
        }
    }
}

impl Drop for StreamFunction {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct Work {
    options: Arc<Options>,
    tags: Vec<u32>,
    link: Link,
    pace: Pace,
    /// Frames to write.
    answers: VecDeque<Bytes>,
    handled: Handled,
    /// The answers written when the link was opened.
    answers_before: u64,
}

impl Work {
    async fn run<H, F, R>(mut self, mut handler: H, mut stop: oneshot::Receiver<()>) -> Result<Handled, Error>
    where
        H: FnMut(Message) -> F + Send,
        F: Future<Output = R> + Send + 'static,
        R: IntoIterator<Item = (u32, Bytes), IntoIter: Send> + Send + 'static,
    {
        loop {
            // A frame that is begun is written to its end, so that `stop` cannot cut it.
            let next = match self.write().await {
                Ok(()) => tokio::select! {
                    biased;
                    _ = &mut stop => break,
                    next = self.link.next() => next,
                },
                Err(error) => Err(error),
            };
            match next {
                Ok(Frame::Data(message)) => {
                    self.handled.messages += 1;
                    self.handled.bytes += message.payload.len() as u64;
                    let metadata = message.metadata.clone();
                    for (tag, payload) in handler(message).await {
                        let answer = Message { tag, payload, metadata: metadata.clone() };
                        self.answers.push_back(link::data(&self.options, &answer)?);
                    }
                }
                Ok(other) => tracing::warn!("a stream function does not expect a {}", other.name()),
                Err(error) => {
                    let unconfirmed = self.answers_before..self.handled.answers;
                    self.options.tell(&Event::Lost { cause: error.to_string(), unconfirmed });
                    if !error.is_passing() {
                        return Err(error);
                    }
                    self.pace.lost(&self.options);
                    let reopened = Link::reopen(&self.options, Kind::StreamFunction, &self.tags, &mut self.pace);
                    self.link = tokio::select! {
                        biased;
                        _ = &mut stop => return Ok(self.handled),
                        link = reopened => link?,
                    };
                    self.answers_before = self.handled.answers;
                }
            }
        }
        if timeout(self.options.timeout, self.link.flush()).await.is_err() {
            let unconfirmed = self.answers_before..self.handled.answers;
            self.options.tell(&Event::Lost { cause: "closed while the server does not read".into(), unconfirmed });
        }
        self.link.close("stream function closed");
        let _ = timeout(self.options.timeout, self.link.told()).await;
        Ok(self.handled)
    }

    /// Writes all answers. One that fails stays, for the next connection.
    async fn write(&mut self) -> Result<(), Error> {
        while let Some(answer) = self.answers.front() {
            self.link.write(answer.clone()).await?;
            self.answers.pop_front();
            self.handled.answers += 1;
        }
        Ok(())
    }
}
