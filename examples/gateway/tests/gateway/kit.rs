//! What the tests share: a gateway in a thread of its own, a backend that keeps what it sees, and callers.

use std::io::Write as _;
use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use futures_util::StreamExt;
use gateway::hub::Limits;
use gateway::message::{BODY, ID, REQUEST, put_reply_front, put_request, replies, requests};
use gateway::policy::Policy;
use gateway::serve::serve;
use tempfile::TempPath;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinSet;
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

/// Requests of Europe to one backend, all others to another one.
pub fn regions(eu: &Backend, us: &Backend) -> String {
    format!(
        "default = 'us'\n[backends]\neu = '{}'\nus = '{}'\n[[rule]]\nmatch = '01/12'\nvalue = 'eu'\nroute = 'eu'\n",
        eu.address, us.address
    )
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
    pub asked: Arc<Notify>,
    stop: oneshot::Sender<()>,
    thread: thread::JoinHandle<u64>,
}

impl Proxy {
    /// A proxy with [`policy`], and its backend.
    pub async fn to_one(limits: Limits) -> (Backend, Proxy) {
        let backend = Backend::start().await;
        let proxy = Proxy::start(&policy(backend.address), limits);
        (backend, proxy)
    }

    pub fn start(policy: &str, limits: Limits) -> Proxy {
        let policy = file(policy);
        let (ready, told) = std::sync::mpsc::channel();
        let (stop, stopped) = oneshot::channel::<()>();
        let asked = Arc::<Notify>::default();
        let (path, reload) = (policy.to_path_buf(), Arc::clone(&asked));
        let thread = thread::spawn(move || {
            let (log, _guard) = Log::start();
            let first = Policy::read(&path).unwrap();
            let serving = async {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                let page = TcpListener::bind("127.0.0.1:0").await.unwrap();
                ready.send((listener.local_addr().unwrap(), page.local_addr().unwrap(), log)).unwrap();
                let asked = async move || reload.notified().await;
                serve(listener, (path, first), limits, Some(page), asked, async { drop(stopped.await) }).await;
            };
            let event_loop = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            allocation_counter::measure(|| event_loop.block_on(serving)).count_total
        });
        let (address, page, log) = told.recv().unwrap();
        Proxy { address, page, policy, log, asked, stop, thread }
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

    /// Writes the policy file and has it read.
    pub fn set(&self, policy: &str) {
        std::fs::write(&self.policy, policy).unwrap();
        self.asked.notify_one();
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
    pub fn stop(self) -> u64 {
        drop(self.stop);
        self.thread.join().unwrap()
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
}

/// An echo that keeps all it reads.
pub struct Backend {
    pub address: SocketAddr,
    pub is: Arc<Shared>,
    task: JoinSet<()>,
}

impl Backend {
    pub async fn start() -> Backend {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, is) = (listener.local_addr().unwrap(), Arc::<Shared>::default());
        Backend { address, task: JoinSet::from_iter([listen(listener, Arc::clone(&is))]), is }
    }

    pub fn seen(&self) -> Seen {
        self.is.seen.lock().unwrap().clone()
    }

    pub async fn kill(&mut self) {
        self.task.shutdown().await;
    }

    pub async fn restart(&mut self) {
        self.is.mute.store(false, SeqCst);
        let listener = TcpListener::bind(self.address).await.unwrap();
        self.task.spawn(listen(listener, Arc::clone(&self.is)));
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
    let mut packets = packets_of(from);
    loop {
        let Some(Ok(packet)) = packets.next().await else { return };
        while is.stuck.load(SeqCst) {
            sleep(Duration::from_millis(5)).await;
        }
        let request = requests(&packet, 0, usize::MAX).next_message().unwrap().unwrap();
        let (body, mut out) = (request.body.unwrap(), Vec::new());
        put_reply_front(&mut out, &request.id, &body);
        out.extend_from_slice(body.as_bytes());
        {
            let mut seen = is.seen.lock().unwrap();
            seen.requests += 1;
            seen.bytes.extend_from_slice(&packet);
        }
        if !is.mute.load(SeqCst) && to.write_all(&out).await.is_err() {
            return;
        }
    }
}

/// What a policy of the tests removes.
pub const TOKEN: &[u8] = b"secret-3f9d5a7e41c8";

/// Appends a request with a region to route by, and a user with a secret: `node 01 { id 10, region 12, user 13 { name 01, token 02 },
/// body 11 }`. Ids with an odd number are of Europe.
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

/// The error of a call whose connection is over.
pub const CLOSED: &str = "closed";

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

    /// Sends a request with a token, and waits for its reply. The error is the reason why it is refused, or [`CLOSED`].
    pub async fn call(&mut self, body: &[u8]) -> Result<Vec<u8>, String> {
        self.id += 1;
        let mut bytes = Vec::new();
        put_tagged(&mut bytes, self.id, body);
        self.stream.write_all(&bytes).await.map_err(|_| CLOSED)?;
        let (id, reply) = next_reply(&mut packets_of(&mut self.stream)).await.ok_or(CLOSED)?;
        assert_eq!(id, self.id, "another call's reply");
        reply
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

pub fn packets_of<R: AsyncRead>(stream: R) -> FramedRead<R, PacketCodec> {
    FramedRead::new(stream, PacketCodec::new(y3::Limits::DEFAULT))
}

/// An id, and the body or the reason why there is none.
pub type Reply = (u64, Result<Vec<u8>, String>);

/// The next reply of a connection.
pub async fn reply(stream: &mut TcpStream) -> Reply {
    tokio::time::timeout(Duration::from_secs(10), next_reply(&mut packets_of(stream))).await.unwrap().expect(CLOSED)
}

/// `None` if the connection is over.
pub async fn next_reply(packets: &mut FramedRead<impl AsyncRead + Unpin, PacketCodec>) -> Option<Reply> {
    let packet = packets.next().await?.ok()?;
    let message = replies(&packet, 0, usize::MAX).next_message().unwrap().unwrap();
    let reply = match message.body {
        Some(body) => Ok(body.value().to_vec()),
        None => Err(message.why.unwrap().decode().unwrap()),
    };
    Some((message.id.decode().unwrap(), reply))
}
