//! What the tests of the proxy share: a proxy in a thread of its own, and a backend that keeps what it sees.
#![allow(dead_code)]

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use network::echo::direct::Direct;
use network::echo::event_loop;
use network::echo::message::{put_reply_front, replies, requests};
use network::echo::protocol::Protocol;
use network::proxy::hub::Limits;
use network::proxy::serve::serve;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::kit::Log;

/// Everything to one backend, without the token.
pub const POLICY: &str = "default = 'a'\n[backends]\na = 'ADDRESS'\n[[rule]]\nremove = ['01/13/02']\n";

pub fn limits() -> Limits {
    Limits { timeout: Duration::from_millis(400), ..Limits::default() }
}

/// A proxy, its policy file and its log.
pub struct Proxy {
    pub address: SocketAddr,
    page: SocketAddr,
    policy: PathBuf,
    log: Log,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Proxy {
    pub fn start(policy: &str) -> Proxy {
        Proxy::start_with(policy, Limits::default())
    }

    pub fn start_with(policy: &str, limits: Limits) -> Proxy {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = format!("proxy-test-{}-{}.toml", std::process::id(), NUMBER.fetch_add(1, SeqCst));
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, policy).unwrap();
        let (ready, told) = std::sync::mpsc::channel();
        let (stop, stopped) = oneshot::channel::<()>();
        let file = path.clone();
        let thread = thread::spawn(move || {
            let (log, _guard) = Log::start();
            event_loop().unwrap().block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                let page = TcpListener::bind("127.0.0.1:0").await.unwrap();
                ready.send((listener.local_addr().unwrap(), page.local_addr().unwrap(), log)).unwrap();
                serve(listener, file, limits, Some(page), false, async { drop(stopped.await) }).await.unwrap();
            });
        });
        let (address, page, log) = told.recv().unwrap();
        Proxy { address, page, policy: path, log, stop: Some(stop), thread: Some(thread) }
    }

    pub async fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        stream
    }

    pub async fn direct<P: Protocol>(&self) -> Direct<P, TcpStream> {
        Direct::new(self.connect().await, Duration::from_secs(5))
    }

    /// Replaces the policy file.
    pub fn set(&self, policy: &str) {
        let new = self.policy.with_extension("new");
        std::fs::write(&new, policy).unwrap();
        std::fs::rename(new, &self.policy).unwrap();
    }

    pub fn log(&self) -> String {
        self.log.text()
    }

    pub async fn says(&self, what: &str) {
        self.log.says(what).await;
    }

    /// The metrics.
    pub async fn text(&self) -> String {
        let mut stream = TcpStream::connect(self.page).await.unwrap();
        stream.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").await.unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        text
    }

    pub fn stop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.stop.take();
        let _ = std::fs::remove_file(&self.policy);
    }
}

/// What a backend has seen.
#[derive(Clone, Default)]
pub struct Seen {
    pub bytes: Vec<u8>,
    pub requests: u64,
    pub connections: u64,
}

#[derive(Default)]
struct Shared {
    seen: Mutex<Seen>,
    mute: AtomicBool,
    stuck: AtomicBool,
    delay: Mutex<Option<Duration>>,
}

/// An echo that keeps all it reads.
pub struct Backend {
    pub address: SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

impl Backend {
    pub async fn start() -> Backend {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::<Shared>::default();
        let task = tokio::spawn(listen(listener, Arc::clone(&shared)));
        Backend { address, shared, task }
    }

    pub fn seen(&self) -> Seen {
        self.shared.seen.lock().unwrap().clone()
    }

    /// Reads on and replies nothing.
    pub fn mute(&self) {
        self.shared.mute.store(true, SeqCst);
    }

    pub fn speak(&self) {
        self.shared.mute.store(false, SeqCst);
    }

    pub fn stop_reading(&self) {
        self.shared.stuck.store(true, SeqCst);
    }

    pub fn read_again(&self) {
        self.shared.stuck.store(false, SeqCst);
    }

    /// The next replies come so late.
    pub fn delay_once(&self, delay: Duration) {
        *self.shared.delay.lock().unwrap() = Some(delay);
    }

    pub async fn kill(&mut self) {
        self.task.abort();
        let _ = (&mut self.task).await;
    }

    pub async fn restart(&mut self) {
        self.speak();
        let listener = TcpListener::bind(self.address).await.unwrap();
        self.task = tokio::spawn(listen(listener, Arc::clone(&self.shared)));
    }
}

impl Drop for Backend {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn listen(listener: TcpListener, shared: Arc<Shared>) {
    let mut tasks = tokio::task::JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        shared.seen.lock().unwrap().connections += 1;
        tasks.spawn(echo(stream, Arc::clone(&shared)));
    }
}

async fn echo(mut stream: TcpStream, shared: Arc<Shared>) {
    let (mut buffer, mut out) = (Vec::new(), Vec::new());
    loop {
        while shared.stuck.load(SeqCst) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        if !matches!(stream.read_buf(&mut buffer).await, Ok(1..)) {
            return;
        }
        let mut messages = requests(&buffer, 0, 1 << 24);
        let mut count = 0;
        while let Some(message) = messages.next_message().unwrap() {
            count += 1;
            let body = message.body.unwrap();
            put_reply_front(&mut out, &message.id, &body);
            out.extend_from_slice(body.as_bytes());
        }
        let used = messages.used();
        {
            let mut seen = shared.seen.lock().unwrap();
            seen.requests += count;
            seen.bytes.extend_from_slice(&buffer[..used]);
        }
        buffer.drain(..used);
        let delay = if count > 0 { shared.delay.lock().unwrap().take() } else { None };
        if let Some(delay) = delay {
            tokio::time::sleep(delay).await;
        }
        if !shared.mute.load(SeqCst) && stream.write_all(&out).await.is_err() {
            return;
        }
        out.clear();
    }
}

/// The next reply of a connection.
pub async fn reply(stream: &mut TcpStream) -> (u64, Result<Vec<u8>, String>) {
    let mut buffer = Vec::new();
    loop {
        let read = tokio::time::timeout(Duration::from_secs(10), stream.read_buf(&mut buffer)).await.unwrap();
        assert!(read.unwrap() > 0, "closed");
        let mut messages = replies(&buffer, 0, 1 << 24);
        if let Some(message) = messages.next_message().unwrap() {
            let id = message.id.decode().unwrap();
            return (
                id,
                match (message.body, message.why) {
                    (Some(body), _) => Ok(body.value().to_vec()),
                    (None, why) => Err(why.unwrap().decode::<&str>().unwrap().to_owned()),
                },
            );
        }
    }
}
