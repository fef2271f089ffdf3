//! One connection to a server, from the first packet to the last frame.

use std::collections::VecDeque;
use std::fmt::Display;
use std::net::SocketAddr;
use std::ops::Range;
use std::pin::pin;
use std::slice::from_mut;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use quinn::crypto::rustls::QuicClientConfig;
use quinn::{Connection, ConnectionError, Endpoint, SendStream, VarInt, WriteError};
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use crate::error::Error;
use crate::event::{Counts, Event};
use crate::frame::{self, Frame, Kind};
use crate::frames::Frames;
use crate::knock::{any, knock, random};
use crate::options::Options;

/// The error code with which YoMo's peers close a connection.
const CLOSED: VarInt = VarInt::from_u32(0x13);

/// The maximum number of redirections until a server accepts the peer.
const MOVES: usize = 8;

/// TLS's alert `no_application_protocol` as a QUIC error code.
const NO_SUCH_PROTOCOL: u64 = 0x178;

/// The number of unanswered keep-alive packets after which a connection counts as lost.
const SIGNS: u32 = 12;

/// The number of checks of the connection per keep-alive packet.
const LOOKS: u32 = 2;

/// How long a closing peer waits until the server receives the close.
const FAREWELL: Duration = Duration::from_millis(300);

/// A connection that a server has accepted.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) connection: Connection,
    send: SendStream,
    frames: Frames,
    peer: Peer,
    /// The endpoint of the socket. The socket closes when its last endpoint handle is dropped.
    endpoint: Endpoint,
}

/// What a peer needs to connect: its options, role, tags and counters, and the pauses before it connects again.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    pub(crate) options: Arc<Options>,
    pub(crate) kind: Kind,
    pub(crate) tags: Arc<[u32]>,
    pub(crate) counts: Arc<Counts>,
    pace: Arc<Mutex<Pace>>,
}

impl Peer {
    pub(crate) fn new(options: Options, kind: Kind, tags: &[u32]) -> Peer {
        Peer { options: options.into(), kind, tags: tags.into(), counts: Arc::default(), pace: Arc::default() }
    }

    fn pace(&self) -> MutexGuard<'_, Pace> {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn tell(&self, event: &Event) {
        self.counts.count(event);
        self.options.tell(event);
    }

    /// Records that the server has routed all messages with a lower number.
    pub(crate) fn confirmed(&self, number: u64) {
        let open = self.counts.open();
        if (open.start + 1..=open.end).contains(&number) {
            self.tell(&Event::Confirmed { messages: open.start..number });
        }
    }

    /// Reports a lost connection with the messages that may be lost, and returns their numbers.
    pub(crate) fn lost(&self, cause: String) -> Range<u64> {
        let unconfirmed = self.counts.open();
        self.tell(&Event::Lost { cause, unconfirmed: unconfirmed.clone() });
        unconfirmed
    }

    /// Connects for the first time.
    pub(crate) async fn connect(&self) -> Result<Link, Error> {
        self.options.credential()?;
        if self.options.retry_first { self.reopen().await } else { self.open().await }
    }

    /// Connects and performs the handshake. Follows redirections.
    pub(crate) async fn open(&self) -> Result<Link, Error> {
        let mut server = self.options.server.clone();
        for _ in 0..MOVES {
            // The handshake has its own task, which continues even if the caller stops waiting. A YoMo server exits if
            // a peer connects and leaves without opening a stream.
            let asked = tokio::spawn(ask(self.clone(), server.clone()));
            let within = self.options.timeout;
            let answer = timeout(within, asked).await;
            let answer = answer.map_err(|_| unreachable(&server, format_args!("no answer within {within:?}")))?;
            let (link, to) = answer.map_err(|error| Error::Here(error.to_string()))??;
            let Some(to) = to else {
                self.counts.silent.store(0, Relaxed);
                self.pace().opened = Some(Instant::now());
                self.tell(&Event::Connected { server });
                tokio::spawn(watch(link.connection.clone(), self.clone()));
                return Ok(link);
            };
            link.close(&format!("connect to {to}"));
            self.tell(&Event::Moved { to: to.clone() });
            server = to;
        }
        Err(Error::MovedTooOften(MOVES, server))
    }

    /// Tries to connect again until the server accepts or refuses the peer, or until the time in
    /// [`Retry::give_up`](crate::Retry::give_up) is over.
    pub(crate) async fn reopen(&self) -> Result<Link, Error> {
        let (options, started) = (&self.options, Instant::now());
        self.pace().lost(options);
        let often = || options.retry.pause(started.elapsed());
        loop {
            let pause = self.pace().pause();
            sleep(pause).await;
            let mut there = pin!(async {
                loop {
                    match addresses(&options.server).await {
                        Ok(found) => return knock(&found, often()).await,
                        Err(_) => sleep(often()).await,
                    }
                }
            });
            let left = options.retry.give_up.saturating_sub(started.elapsed());
            let is_there = timeout(options.timeout.min(left), &mut there).await.is_ok();
            let opened = if is_there {
                self.open().await
            } else {
                // Some servers do not answer probes.
                tokio::select! {
                    opened = self.open() => opened,
                    _ = &mut there => self.open().await,
                }
            };
            let error = match opened {
                Err(error) if error.is_passing() => error,
                ended => return ended,
            };
            // The pause protects a server that answers probes but fails in the handshake.
            let next = self.pace().next(options, is_there);
            if started.elapsed() + next > options.retry.give_up {
                return Err(error);
            }
            self.tell(&Event::Retry { cause: error.to_string(), away: started.elapsed() });
        }
    }
}

/// Closes a connection if the server does not react to keep-alive packets. Missed checks do not count, because this
/// process may have been busy or stopped. A function gives up one check earlier than a source, so functions usually
/// reconnect before sources.
async fn watch(connection: Connection, peer: Peer) {
    let most = SIGNS * LOOKS - u32::from(peer.kind == Kind::StreamFunction);
    let mut looks = interval(peer.options.silence / (SIGNS * LOOKS));
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut seen, mut quiet) = (0, 0);
    let number = peer.counts.now().connections;
    loop {
        tokio::select! {
            _ = connection.closed() => {
                // Only if no newer connection has replaced this one.
                let mut now = peer.counts.now();
                now.is_connected &= now.connections != number;
                return;
            }
            _ = looks.tick() => {}
        }
        let received = connection.stats().udp_rx.datagrams;
        quiet = if received == seen { quiet + 1 } else { 0 };
        seen = received;
        let silent = looks.period() * quiet;
        peer.counts.silent.store(u64::try_from(silent.as_millis()).unwrap_or(u64::MAX), Relaxed);
        if quiet >= most {
            connection.close(CLOSED, b"silent");
        }
    }
}

async fn addresses(server: &str) -> Result<Vec<SocketAddr>, Error> {
    let found = tokio::net::lookup_host(server).await.map_err(|error| unreachable(server, error))?;
    Ok(found.collect())
}

/// Connects to a server and performs the handshake. If the server redirects the peer, the second result is the new address.
async fn ask(peer: Peer, server: String) -> Result<(Link, Option<String>), Error> {
    let options = &peer.options;
    let host = server.rsplit_once(':').map(|(host, _)| host.trim_matches(['[', ']']));
    let Some(host) = host else { return Err(Error::Here(format!("the address {server} has no port"))) };
    let mut found = addresses(&server).await?;
    // A name may have an IPv4 and an IPv6 address, and the server may listen at only one of them.
    if found.len() > 1 {
        let there = timeout(options.timeout / 4, knock(&found, options.retry.first)).await;
        found = there.map_or(found, |there| vec![there]);
    }
    let mut connected = Err(unreachable(&server, "the name has no address"));
    for address in found {
        connected = dial(options, &server, host, address).await;
        if !matches!(&connected, Err(error) if error.is_passing()) {
            break;
        }
    }
    let (endpoint, connection) = connected?;
    let (mut send, receive) = connection.open_bi().await.map_err(|error| ended(&error))?;
    let id = format!("{}-{:016x}", options.name, random());
    let hello = frame::handshake(options, peer.kind, &id, &peer.tags)?;
    send.write_chunk(hello).await.map_err(|error| not_written(&connection, &error))?;
    let frames = Frames::new(receive, options.max_frame, options.silence);
    let mut link = Link { connection, send, frames, peer: peer.clone(), endpoint };
    // The server may route messages to a function before it sends the acknowledgement.
    let mut early = VecDeque::new();
    let shaken = async {
        let mut waiting = 0;
        loop {
            return match link.next().await? {
                Frame::Ack => Ok(None),
                Frame::ConnectTo(to) => Ok(Some(to)),
                Frame::Data(message) if peer.kind == Kind::StreamFunction && waiting < options.read_ahead => {
                    waiting += message.memory();
                    early.push_back(message);
                    continue;
                }
                other => {
                    link.close("handshake failed: unexpected frame");
                    Err(Error::Protocol(format!("a handshake was answered by {}", other.name())))
                }
            };
        }
    };
    let to = timeout(options.timeout, shaken).await.map_err(|_| unreachable(&server, "no answer"))??;
    link.frames.early = early;
    Ok((link, to))
}

impl Link {
    /// Reads the next frame. A frame that ends the connection is an error. Cancel safe.
    pub(crate) async fn next(&mut self) -> Result<Frame, Error> {
        loop {
            let next = self.frames.next().await;
            if let Some(frame) = self.frame(next)? {
                return Ok(frame);
            }
        }
    }

    /// Returns the frame, or `None` for a skipped frame. If the connection has ended, the error is the reason.
    fn frame(&self, next: Result<Frame, Error>) -> Result<Option<Frame>, Error> {
        let error = match next {
            Ok(Frame::Rejected(message)) => Error::Refused(self.peer.options.redacted(message)),
            Ok(Frame::GoAway(message)) => Error::GoAway(message),
            Ok(Frame::TooLong(len)) => {
                self.peer.tell(&Event::Skipped { len });
                return Ok(None);
            }
            Ok(frame) => return Ok(Some(frame)),
            Err(error) => self.connection.close_reason().map_or(error, |reason| ended(&reason)),
        };
        self.close(&error.to_string());
        Err(error)
    }

    /// Reads a frame or writes from `rest`. Returns the next frame, or `None` after a skipped frame or a write. Removes
    /// the written bytes from `rest`. Cancel safe.
    pub(crate) async fn turn(&mut self, rest: &mut Bytes, is_reading: bool) -> Result<Option<Frame>, Error> {
        let Link { send, frames, connection, .. } = self;
        let next = tokio::select! {
            next = frames.next(), if is_reading => next,
            written = send.write_chunks(from_mut(rest)), if !rest.is_empty() => {
                return written.map(|_| None).map_err(|error| not_written(connection, &error));
            }
            reason = connection.closed(), if !is_reading => return Err(ended(&reason)),
        };
        self.frame(next)
    }

    /// Writes a frame. Returns early with an error if the server ends the connection.
    pub(crate) async fn write_and_listen(&mut self, mut rest: Bytes) -> Result<(), Error> {
        while !rest.is_empty() {
            if let Some(frame) = self.turn(&mut rest, true).await? {
                tracing::warn!("a source does not expect a {}", frame.name());
            }
        }
        Ok(())
    }

    /// Closes the connection. Bytes that the server has not acknowledged are lost.
    pub(crate) fn close(&self, why: &str) {
        self.connection.close(CLOSED, why.as_bytes());
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.connection.close_reason().is_some()
    }

    /// Closes the connection, and waits briefly until the server receives the close.
    pub(crate) async fn end(self, why: &str) {
        self.close(why);
        let _ = timeout(FAREWELL, self.endpoint.wait_idle()).await;
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.close("");
    }
}

/// The pauses before the next connection. After a connection that lasted at least [`Options::silence`], there is no
/// pause. After each shorter connection, the pause doubles.
#[derive(Debug, Default)]
struct Pace {
    next: Duration,
    opened: Option<Instant>,
}

impl Pace {
    /// Records that the connection, if any, is lost.
    fn lost(&mut self, options: &Options) {
        if let Some(opened) = self.opened.take() {
            self.next(options, opened.elapsed() < options.silence);
        }
    }

    /// Sets and returns the next pause: twice as long as the last one, or none.
    fn next(&mut self, options: &Options, is_longer: bool) -> Duration {
        let longer = (self.next * 2).clamp(options.retry.first.min(options.retry.most), options.retry.most);
        self.next = if is_longer { longer } else { Duration::ZERO };
        self.next
    }

    /// Returns the next pause, shortened at random by up to a half.
    fn pause(&self) -> Duration {
        let [byte, ..] = random().to_le_bytes();
        self.next.mul_f64(1.0 - f64::from(byte) / 512.0)
    }
}

/// Returns a random tag for messages from a peer to itself. The tag is one of two thousand million, which are all much
/// higher than the tags that people choose.
pub(crate) fn private_tag() -> u32 {
    let [a, b, c, d, ..] = random().to_le_bytes();
    u32::from_le_bytes([a, b, c, d]) | 0x8000_0000
}

fn unreachable(server: &str, cause: impl Display) -> Error {
    Error::Unreachable { server: server.into(), cause: format!("{cause}") }
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

/// True if a QUIC error code is a TLS alert.
fn is_alert(code: u64) -> bool {
    (0x100..0x200).contains(&code)
}

/// Converts the reason why a connection has ended to an error.
fn ended(reason: &ConnectionError) -> Error {
    match reason {
        ConnectionError::ApplicationClosed(close) if close.error_code == CLOSED => {
            Error::Closed(String::from_utf8_lossy(&close.reason).into_owned())
        }
        // A server that requires a certificate reports this only after the client's handshake.
        ConnectionError::ConnectionClosed(close) if is_alert(close.error_code.into()) => {
            let [alert, ..] = u64::from(close.error_code).to_le_bytes();
            Error::Refused(format!("TLS alert {:?}", rustls::AlertDescription::from(alert)))
        }
        // The connection was closed by `watch`.
        ConnectionError::TimedOut | ConnectionError::LocallyClosed => Error::Lost("the server is silent".into()),
        reason => Error::Lost(reason.to_string()),
    }
}

fn not_written(connection: &Connection, error: &WriteError) -> Error {
    match connection.close_reason() {
        Some(reason) => ended(&reason),
        None => Error::Lost(error.to_string()),
    }
}

/// Opens a socket and connects.
async fn dial(options: &Options, server: &str, host: &str, to: SocketAddr) -> Result<(Endpoint, Connection), Error> {
    let here = |error: &dyn Display| Error::Here(error.to_string());
    let mut transport = quinn::TransportConfig::default();
    // `watch` reacts earlier than this limit.
    let idle = options.silence.saturating_mul(2);
    let idle = idle.try_into().map_err(|_| here(&"the silence is too long for QUIC"))?;
    transport.max_idle_timeout(Some(idle));
    transport.keep_alive_interval(Some(options.silence / SIGNS));
    transport.max_concurrent_bidi_streams(VarInt::from_u32(0));
    transport.max_concurrent_uni_streams(VarInt::from_u32(0));
    transport.datagram_receive_buffer_size(None);
    let tls = QuicClientConfig::try_from(options.tls.config().map_err(Error::Here)?).map_err(|error| here(&error))?;
    let mut config = quinn::ClientConfig::new(Arc::new(tls));
    config.transport_config(Arc::new(transport));
    let endpoint =
        Endpoint::client(any(to)).map_err(|error| unreachable(server, format_args!("no socket for {to}: {error}")))?;
    let connecting = endpoint.connect_with(config, to, host).map_err(|error| here(&error))?;
    let connection = connecting.await.map_err(|error| not_connected(options, server, &error))?;
    Ok((endpoint, connection))
}
