//! What the tests share: a gateway in a thread of its own, a backend that keeps what it sees, and callers.

use std::io::Write as _;
use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use futures_util::StreamExt;
use gateway::file::PolicyFile;
use gateway::hub::Limits;
use gateway::message::{BODY, ID, REQUEST, put_reply_front, put_request, replies, requests};
use gateway::serve::serve;
use tempfile::TempPath;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::sleep;
use tokio_util::codec::FramedRead;
use y3::{Encoder, PacketCodec};

use crate::log::Log;

/// The program, killed when it is dropped.
pub fn gateway(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gateway"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    command
}

/// A file that is removed when this is dropped.
pub fn file(text: &str) -> TempPath {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file.into_temp_path()
}

/// Everything to one backend, without the token.
pub fn policy(backend: SocketAddr) -> String {
    format!("default = 'a'\n[backends]\na = '{backend}'\n[[rule]]\nremove = ['01/13/02']\n")
}

pub fn limits() -> Limits {
    Limits { timeout: Duration::from_millis(400), ..Limits::default() }
}

/// A proxy, its policy file and its log.
pub struct Proxy {
    pub address: SocketAddr,
    page: SocketAddr,
    pub policy: TempPath,
    pub log: Log,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<u64>>,
}

impl Proxy {
    /// A proxy with [`policy`], and its backend.
    pub async fn to_one(limits: Limits) -> (Backend, Proxy) {
        let backend = Backend::start().await;
        let proxy = Proxy::start_with(&policy(backend.address), limits);
        (backend, proxy)
    }

    pub fn start(policy: &str) -> Proxy {
        Proxy::start_with(policy, Limits::default())
    }

    pub fn start_with(policy: &str, limits: Limits) -> Proxy {
        let path = file(policy);
        let (ready, told) = std::sync::mpsc::channel();
        let (stop, stopped) = oneshot::channel::<()>();
        let file = path.to_path_buf();
        let thread = thread::spawn(move || {
            let (log, _guard) = Log::start();
            let policy = PolicyFile::open(file).unwrap();
            let serving = async {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                let page = TcpListener::bind("127.0.0.1:0").await.unwrap();
                ready.send((listener.local_addr().unwrap(), page.local_addr().unwrap(), log)).unwrap();
                serve(listener, policy, limits, Some(page), async { drop(stopped.await) }).await.unwrap();
            };
            let event_loop = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            allocation_counter::measure(|| event_loop.block_on(serving)).count_total
        });
        let (address, page, log) = told.recv().unwrap();
        Proxy { address, page, policy: path, log, stop: Some(stop), thread: Some(thread) }
    }

    pub async fn connect(&self) -> TcpStream {
        Caller::to(self.address).await.stream
    }

    pub async fn caller(&self) -> Caller {
        Caller::to(self.address).await
    }

    /// Callers with bodies of this length make so many calls each, at the same time.
    pub async fn calls(&self, callers: usize, len: usize, times: usize) {
        let mut tasks = JoinSet::new();
        for body in bodies(callers, len) {
            let mut caller = self.caller().await;
            tasks.spawn(async move {
                for _ in 0..times {
                    assert_eq!(caller.call(&body).await.unwrap(), body);
                }
            });
        }
        tasks.join_all().await;
    }

    /// Replaces the policy file.
    pub fn set(&self, policy: &str) {
        let new = self.policy.with_extension("new");
        std::fs::write(&new, policy).unwrap();
        std::fs::rename(new, &self.policy).unwrap();
    }

    /// The metrics.
    pub async fn text(&self) -> String {
        let mut stream = TcpStream::connect(self.page).await.unwrap();
        stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").await.unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        text
    }

    /// Ends it, and returns how often its thread has allocated.
    pub fn stop(mut self) -> u64 {
        self.stop.take();
        self.thread.take().unwrap().join().unwrap()
    }
}

/// What a backend has seen.
#[derive(Clone, Default)]
pub struct Seen {
    pub bytes: Vec<u8>,
    pub requests: u64,
    pub connections: u64,
}

/// How a backend behaves.
#[derive(Default)]
pub struct Shared {
    seen: Mutex<Seen>,
    /// It reads on and replies nothing.
    pub mute: AtomicBool,
    /// It does not read.
    pub stuck: AtomicBool,
    /// The next replies come so late.
    pub delay: Mutex<Duration>,
}

/// An echo that keeps all it reads.
pub struct Backend {
    pub address: SocketAddr,
    pub is: Arc<Shared>,
    task: JoinHandle<()>,
}

impl Backend {
    pub async fn start() -> Backend {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, is) = (listener.local_addr().unwrap(), Arc::<Shared>::default());
        Backend { address, task: tokio::spawn(listen(listener, Arc::clone(&is))), is }
    }

    pub fn seen(&self) -> Seen {
        self.is.seen.lock().unwrap().clone()
    }

    pub fn delay_once(&self, delay: Duration) {
        *self.is.delay.lock().unwrap() = delay;
    }

    pub async fn kill(&mut self) {
        self.task.abort();
        let _ = (&mut self.task).await;
    }

    pub async fn restart(&mut self) {
        self.is.mute.store(false, SeqCst);
        let listener = TcpListener::bind(self.address).await.unwrap();
        self.task = tokio::spawn(listen(listener, Arc::clone(&self.is)));
    }
}

impl Drop for Backend {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn listen(listener: TcpListener, is: Arc<Shared>) {
    let mut tasks = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        is.seen.lock().unwrap().connections += 1;
        tasks.spawn(echo(stream, Arc::clone(&is)));
    }
}

async fn echo(mut stream: TcpStream, is: Arc<Shared>) {
    stream.set_nodelay(true).unwrap();
    let (from, mut to) = stream.split();
    let (mut packets, mut out) = (FramedRead::new(from, PacketCodec::new(y3::Limits::DEFAULT)), Vec::new());
    loop {
        while is.stuck.load(SeqCst) {
            sleep(Duration::from_millis(5)).await;
        }
        let Some(Ok(packet)) = packets.next().await else { return };
        let request = requests(&packet, 0, usize::MAX).next_message().unwrap().unwrap();
        let body = request.body.unwrap();
        put_reply_front(&mut out, &request.id, &body);
        out.extend_from_slice(body.as_bytes());
        {
            let mut seen = is.seen.lock().unwrap();
            seen.requests += 1;
            seen.bytes.extend_from_slice(&packet);
        }
        let delay = std::mem::take(&mut *is.delay.lock().unwrap());
        sleep(delay).await;
        if !is.mute.load(SeqCst) && to.write_all(&out).await.is_err() {
            return;
        }
        out.clear();
    }
}

/// What a policy of the tests removes.
pub const TOKEN: &[u8] = b"secret-3f9d5a7e41c8";

/// Appends a request with a region to route by, and a user with a secret: `node 01 { id 10, region 12, user 13 { name 01, token 02 },
/// body 11 }`. Ids with an even number are of Europe.
pub fn put_tagged(out: &mut Vec<u8>, id: u64, body: &[u8]) {
    let put = Encoder::new(out).node(REQUEST, |node| {
        node.put(ID, id)?;
        node.put(0x12, if id.is_multiple_of(2) { "us" } else { "eu" })?;
        node.node(0x13, |user| {
            user.put(0x01, "ann")?;
            user.put(0x02, TOKEN)
        })?;
        node.put(BODY, body)
    });
    put.unwrap();
}

/// Requests with bodies of one length.
pub fn flood(requests: u64, len: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    (0..requests).for_each(|id| put_request(&mut bytes, id, &vec![7; len]));
    bytes
}

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallError {
    Refused(String),
    Closed,
}

/// A connection with one request on its way.
pub struct Caller {
    stream: TcpStream,
    id: u64,
}

impl Caller {
    pub async fn to(address: SocketAddr) -> Caller {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Caller { stream, id: 0 }
    }

    /// Sends a request with a token, and waits for its reply.
    pub async fn call(&mut self, body: &[u8]) -> Result<Vec<u8>, CallError> {
        self.id += 1;
        let mut bytes = Vec::new();
        put_tagged(&mut bytes, self.id, body);
        if self.stream.write_all(&bytes).await.is_err() {
            return Err(CallError::Closed);
        }
        let (id, reply) = next_reply(&mut replies_of(&mut self.stream)).await.ok_or(CallError::Closed)?;
        assert_eq!(id, self.id, "another call's reply");
        reply.map_err(CallError::Refused)
    }
}

/// Waits until it is true, for at most ten seconds.
pub async fn until(mut is: impl AsyncFnMut() -> bool) {
    let wait = async {
        while !is().await {
            sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), wait).await.expect("it comes true");
}

/// Bodies of letters, another one for each caller.
pub fn bodies(callers: usize, len: usize) -> impl Iterator<Item = Vec<u8>> {
    (0..callers).map(move |caller| (0..len).map(|at| b'a' + ((at * 7 + at / 26 + caller) % 26) as u8).collect())
}

pub fn contains(all: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(all, part).is_some()
}

/// An id, and the body or the reason why there is none.
pub type Reply = (u64, Result<Vec<u8>, String>);

/// The next reply of a connection.
pub async fn reply(stream: &mut TcpStream) -> Reply {
    tokio::time::timeout(Duration::from_secs(10), next_reply(&mut replies_of(stream))).await.unwrap().expect("closed")
}

pub type Replies<R> = FramedRead<R, PacketCodec>;

pub fn replies_of<R: AsyncRead>(stream: R) -> Replies<R> {
    FramedRead::new(stream, PacketCodec::new(y3::Limits::DEFAULT))
}

/// `None` if the connection is over.
pub async fn next_reply(packets: &mut Replies<impl AsyncRead + Unpin>) -> Option<Reply> {
    let packet = packets.next().await?.ok()?;
    let message = replies(&packet, 0, usize::MAX).next_message().unwrap().unwrap();
    let reply = match message.body {
        Some(body) => Ok(body.value().to_vec()),
        None => Err(message.why.unwrap().decode::<&str>().unwrap().to_owned()),
    };
    Some((message.id.decode().unwrap(), reply))
}
