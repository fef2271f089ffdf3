//! Link: one connection to a server, from the first packet to the last frame.
//!
//! In: options, what the peer is, the tags it observes. Out: a stream of frames in both directions, or why there is none.

use std::collections::hash_map::RandomState;
use std::future::Future;
use std::hash::{BuildHasher, Hasher};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use quinn::crypto::rustls::QuicClientConfig;
use quinn::{ConnectionError, Endpoint, RecvStream, SendStream, VarInt, WriteError};
use tokio::time::{sleep, timeout};

use crate::error::Error;
use crate::frame::{self, Frame, Kind, Message};
use crate::frames::{Frames, Next};
use crate::options::{Event, Options};
use crate::tls;

/// The error code with which YoMo's peers close a connection.
const CLOSED: VarInt = VarInt::from_u32(0x13);

/// How often a server may send a peer on to another one before it is accepted.
const MOVES: usize = 8;

/// The alert `no_application_protocol` of TLS as an error code of QUIC.
const NO_SUCH_PROTOCOL: u64 = 0x178;

/// A connection that a server has accepted.
#[derive(Debug)]
pub(crate) struct Link {
    connection: quinn::Connection,
    send: SendStream,
    frames: Frames<RecvStream>,
    options: Arc<Options>,
    /// Where frames go through; the last user of it closes the socket.
    _endpoint: Endpoint,
}

impl Link {
    /// Connects and shakes hands; follows servers that send the peer on.
    pub(crate) async fn open(options: &Arc<Options>, kind: Kind, tags: &[u32]) -> Result<Link, Error> {
        let mut server = options.server.clone();
        for _ in 0..MOVES {
            let opened = timeout(options.timeout, Self::ask(options, &server, kind, tags)).await;
            let no_answer = || Err(unreachable(&server, format_args!("no answer within {:?}", options.timeout)));
            match opened.unwrap_or_else(|_| no_answer())? {
                Answer::Accepted(link) => {
                    options.tell(&Event::Connected { server });
                    return Ok(*link);
                }
                Answer::Moved(to) => {
                    options.tell(&Event::Moved { to: to.clone() });
                    server = to;
                }
            }
        }
        Err(Error::MovedTooOften(MOVES, server))
    }

    /// Connects again until it succeeds, the server refuses, or the time for it is over.
    pub(crate) async fn reopen(
        options: &Arc<Options>,
        kind: Kind,
        tags: &[u32],
        pace: &mut Pace,
    ) -> Result<Link, Error> {
        let started = Instant::now();
        loop {
            sleep(pace.pause()).await;
            let error = match Self::open(options, kind, tags).await {
                Err(error) if error.is_passing() => error,
                Ok(link) => {
                    pace.opened = Some(Instant::now());
                    return Ok(link);
                }
                Err(error) => return Err(error),
            };
            pace.slower(options);
            if started.elapsed() + pace.next > options.retry.give_up {
                return Err(error);
            }
            options.tell(&Event::Retry { cause: error.to_string(), after: pace.next });
        }
    }

    async fn ask(options: &Arc<Options>, server: &str, kind: Kind, tags: &[u32]) -> Result<Answer, Error> {
        let host = server.rsplit_once(':').map(|(host, _)| host.trim_matches(['[', ']']));
        let Some(host) = host else { return Err(Error::Here(format!("the address {server} has no port"))) };
        let found = tokio::net::lookup_host(server).await.map_err(|error| unreachable(server, error))?;
        let found: Vec<_> = found.collect();
        let mut connected = Err(unreachable(server, "the name has no address"));
        // A name may have an address of each version, and the server listens at one of them.
        for address in &found {
            let within = options.timeout / u32::try_from(found.len()).unwrap_or(u32::MAX);
            connected = match timeout(within, dial(options, server, host, *address)).await {
                Ok(Ok(connected)) => Ok(connected),
                Ok(Err(error)) if error.is_passing() => Err(error),
                Ok(Err(error)) => return Err(error),
                Err(_) => Err(unreachable(server, format_args!("no answer within {within:?}"))),
            };
            if connected.is_ok() {
                break;
            }
        }
        let (endpoint, connection) = connected?;
        let (mut send, receive) = connection.open_bi().await.map_err(|error| ended(&error))?;
        let id = format!("{}-{:016x}", options.name, random());
        let hello = frame::handshake(options, kind, &id, tags).map_err(|error| Error::Here(error.to_string()))?;
        send.write_chunk(hello).await.map_err(|error| not_written(&error, &connection))?;
        let frames = Frames::new(receive, options.max_frame, options.silence);
        let mut link = Link { connection, send, frames, options: options.clone(), _endpoint: endpoint };
        match link.next().await? {
            Frame::Ack => Ok(Answer::Accepted(Box::new(link))),
            Frame::ConnectTo(to) => {
                link.close(&format!("connect to {to}"));
                Ok(Answer::Moved(to))
            }
            other => {
                link.close("handshake failed: unexpected frame");
                Err(Error::Protocol(format!("a handshake was answered by {}", other.name())))
            }
        }
    }

    /// The next frame that does not end the connection. Cancel safe.
    pub(crate) async fn next(&mut self) -> Result<Frame, Error> {
        loop {
            let next = self.frames.next().await.map_err(|error| self.why(error))?;
            let error = match next {
                Next::Frame(Frame::Rejected(message)) => Error::Refused(message),
                Next::Frame(Frame::GoAway(message)) => Error::GoAway(message),
                Next::Frame(frame) => return Ok(frame),
                Next::TooLong(len) => {
                    self.options.tell(&Event::Skipped { len });
                    continue;
                }
                Next::End => Error::Lost("the server ended the stream".into()),
            };
            self.close(&error.to_string());
            return Err(error);
        }
    }

    /// The error of the connection where that is the cause of the error of a stream.
    fn why(&self, error: Error) -> Error {
        match self.connection.close_reason() {
            Some(reason) => ended(&reason),
            None => {
                self.close(&error.to_string());
                error
            }
        }
    }

    /// Writes a frame. If it fails, or is not waited for, the connection is of no use any more.
    pub(crate) async fn write(&mut self, frame: Bytes) -> Result<(), Error> {
        self.send.write_chunk(frame).await.map_err(|error| not_written(&error, &self.connection))
    }

    /// Writes a frame, and ends early if the server says that the connection ends.
    pub(crate) async fn write_and_listen(&mut self, frame: Bytes) -> Result<(), Error> {
        let Link { send, frames, connection, options, .. } = self;
        let mut written = pin!(send.write_chunk(frame));
        loop {
            let next = tokio::select! {
                biased;
                next = frames.next() => next,
                written = &mut written => return written.map_err(|error| not_written(&error, connection)),
            };
            match next {
                Ok(Next::Frame(Frame::Rejected(message))) => return Err(Error::Refused(message)),
                Ok(Next::Frame(Frame::GoAway(message))) => return Err(Error::GoAway(message)),
                Ok(Next::Frame(frame)) => tracing::warn!("a source does not expect a {}", frame.name()),
                Ok(Next::TooLong(len)) => options.tell(&Event::Skipped { len }),
                Ok(Next::End) => return Err(Error::Lost("the server ended the stream".into())),
                Err(error) => return Err(connection.close_reason().map_or(error, |reason| ended(&reason))),
            }
        }
    }

    /// Waits until the server's host has all that was written.
    pub(crate) async fn flush(&mut self) {
        let _ = self.send.finish();
        let _ = self.send.stopped().await;
    }

    /// Closes the connection; what is not acknowledged yet is lost.
    pub(crate) fn close(&self, why: &str) {
        self.connection.close(CLOSED, why.as_bytes());
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.connection.close_reason().is_some()
    }

    /// Waits until the server was told that the connection is closed.
    pub(crate) fn told(&self) -> impl Future<Output = ()> + 'static {
        let endpoint = self._endpoint.clone();
        async move { endpoint.wait_idle().await }
    }
}

/// How soon to connect again: at once after a connection that has lasted, else after longer and longer pauses.
#[derive(Debug)]
pub(crate) struct Pace {
    next: Duration,
    opened: Option<Instant>,
}

impl Pace {
    /// For a connection that is open now.
    pub(crate) fn new() -> Self {
        Self { next: Duration::ZERO, opened: Some(Instant::now()) }
    }

    /// The connection is lost.
    pub(crate) fn lost(&mut self, options: &Options) {
        match self.opened.take() {
            Some(opened) if opened.elapsed() < options.silence => self.slower(options),
            Some(_) => self.next = Duration::ZERO,
            None => {}
        }
    }

    fn slower(&mut self, options: &Options) {
        self.next = (self.next * 2).clamp(options.retry.first.min(options.retry.most), options.retry.most);
    }

    /// The next pause, shortened by up to a half at random.
    fn pause(&self) -> Duration {
        let [byte, ..] = random().to_le_bytes();
        self.next.mul_f64(1.0 - f64::from(byte) / 512.0)
    }
}

enum Answer {
    Accepted(Box<Link>),
    Moved(String),
}

/// A random number, good enough to tell peers apart.
pub(crate) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// A message's frame.
pub(crate) fn data(options: &Options, message: &Message) -> Result<Bytes, Error> {
    frame::data(message, options.max_frame)
}

fn unreachable(server: &str, cause: impl ToString) -> Error {
    Error::Unreachable { server: server.into(), cause: cause.to_string() }
}

fn not_connected(options: &Options, server: &str, error: &ConnectionError) -> Error {
    match error {
        ConnectionError::ConnectionClosed(close) if u64::from(close.error_code) == NO_SUCH_PROTOCOL => {
            Error::Protocol(format!("{server} speaks QUIC, but not YoMo"))
        }
        ConnectionError::TransportError(error) if is_alert(error.code.into()) => {
            Error::Protocol(format!("TLS with {server} failed: {error}"))
        }
        ConnectionError::ConnectionClosed(close) if is_alert(close.error_code.into()) => ended(error),
        ConnectionError::TimedOut => unreachable(server, format_args!("no answer within {:?}", options.silence)),
        error => unreachable(server, error),
    }
}

/// Whether an error of QUIC is an alert of TLS.
fn is_alert(code: u64) -> bool {
    (0x100..0x200).contains(&code)
}

/// Why a connection is no more.
fn ended(reason: &ConnectionError) -> Error {
    match reason {
        ConnectionError::ApplicationClosed(close) if close.error_code == CLOSED => {
            Error::Closed(String::from_utf8_lossy(&close.reason).into_owned())
        }
        // A server that wants a certificate says so when the client is done with the handshake.
        ConnectionError::ConnectionClosed(close) if is_alert(close.error_code.into()) => {
            let [alert, ..] = u64::from(close.error_code).to_le_bytes();
            Error::Refused(format!("TLS alert {:?}", rustls::AlertDescription::from(alert)))
        }
        ConnectionError::TimedOut => Error::Lost("the server is silent".into()),
        reason => Error::Lost(reason.to_string()),
    }
}

fn not_written(error: &WriteError, connection: &quinn::Connection) -> Error {
    match connection.close_reason() {
        Some(reason) => ended(&reason),
        None => Error::Lost(error.to_string()),
    }
}

async fn dial(
    options: &Options,
    server: &str,
    host: &str,
    address: SocketAddr,
) -> Result<(Endpoint, quinn::Connection), Error> {
    let endpoint = endpoint(options, address)?;
    let connecting = endpoint.connect(address, host).map_err(|error| Error::Here(error.to_string()))?;
    let connection = connecting.await.map_err(|error| not_connected(options, server, &error))?;
    Ok((endpoint, connection))
}

/// A socket, and how connections through it behave.
fn endpoint(options: &Options, server: SocketAddr) -> Result<Endpoint, Error> {
    let any = if server.is_ipv4() { IpAddr::V4(Ipv4Addr::UNSPECIFIED) } else { IpAddr::V6(Ipv6Addr::UNSPECIFIED) };
    let mut endpoint = Endpoint::client(SocketAddr::new(any, 0))
        .map_err(|error| unreachable(&server.to_string(), format_args!("no socket for it: {error}")))?;
    let mut transport = quinn::TransportConfig::default();
    let silence = options.silence.try_into().map_err(|_| Error::Here("the silence is too long for QUIC".into()))?;
    transport.max_idle_timeout(Some(silence));
    transport.keep_alive_interval(Some((options.silence / 3).min(Duration::from_secs(2))));
    transport.max_concurrent_bidi_streams(VarInt::from_u32(0));
    transport.max_concurrent_uni_streams(VarInt::from_u32(0));
    transport.datagram_receive_buffer_size(None);
    let tls = tls::config(&options.tls).map_err(Error::Here)?;
    let tls = QuicClientConfig::try_from(tls).map_err(|error| Error::Here(error.to_string()))?;
    let mut config = quinn::ClientConfig::new(Arc::new(tls));
    config.transport_config(Arc::new(transport));
    endpoint.set_default_client_config(config);
    Ok(endpoint)
}
