//! Real processes of the proxy, killed (SIGKILL) while requests are on their way, and connections whose other end is gone
//! without a word.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::task::JoinSet;

use crate::kit::{Backend, CallError, Caller, POLICY, Proxy, bodies};

const LIMIT: Duration = Duration::from_secs(60);
/// How soon a caller has to learn that its connection is over.
const SOON: Duration = Duration::from_secs(5);

/// A program that says where it listens; killed when dropped.
struct Program {
    address: SocketAddr,
    child: Child,
}

impl Program {
    async fn start(arguments: &[&str]) -> Program {
        let mut child = Command::new(env!("CARGO_BIN_EXE_gateway"))
            .args(["--log", "error"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut line = String::new();
        let output = child.stdout.take().unwrap();
        tokio::time::timeout(LIMIT, BufReader::new(output).read_line(&mut line)).await.unwrap().unwrap();
        let address = line.trim().strip_prefix("listening ").expect(&line).parse().unwrap();
        Program { address, child }
    }

    /// SIGKILL, and the wait for its end.
    async fn kill(&mut self) {
        self.child.kill().await.unwrap();
    }
}

/// An address that neither a listener on any port nor a client gets while its program is down: Linux takes those from 32768.
async fn kept() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    for _ in 0..1000 {
        let port = 12_000 + (u64::from(std::process::id()) * 37 + NEXT.fetch_add(1, SeqCst)) % 20_000;
        let address = format!("127.0.0.1:{port}");
        if tokio::net::TcpListener::bind(&address).await.is_ok() {
            return address;
        }
    }
    panic!("no port is free");
}

/// A policy file; removed when dropped.
struct Policy(PathBuf);

impl Policy {
    fn to(backend: SocketAddr) -> Policy {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("kills-{}-{}.toml", std::process::id(), NEXT.fetch_add(1, SeqCst));
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, POLICY.replace("ADDRESS", &backend.to_string())).unwrap();
        Policy(path)
    }

    async fn proxy(&self, at: &str, more: &[&str]) -> Program {
        let policy = self.0.to_string_lossy();
        Program::start(&[&["--addr", at, "--policy", &policy], more].concat()).await
    }
}

impl Drop for Policy {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Callers that compare each reply, and connect again when they learn that their connection is over.
struct Callers {
    stop: Arc<AtomicBool>,
    good: Arc<AtomicU64>,
    refused: Arc<AtomicU64>,
    closed: Arc<AtomicU64>,
    tasks: JoinSet<()>,
}

impl Callers {
    fn start(count: usize, address: SocketAddr) -> Callers {
        let mut callers = Callers {
            stop: Arc::default(),
            good: Arc::default(),
            refused: Arc::default(),
            closed: Arc::default(),
            tasks: JoinSet::new(),
        };
        for body in bodies(count, 1024) {
            let (stop, good) = (Arc::clone(&callers.stop), Arc::clone(&callers.good));
            let (refused, closed) = (Arc::clone(&callers.refused), Arc::clone(&callers.closed));
            callers.tasks.spawn(async move {
                while !stop.load(SeqCst) {
                    let Ok(stream) = TcpStream::connect(address).await else {
                        tokio::time::sleep(Duration::from_millis(10)).await;
                        continue;
                    };
                    stream.set_nodelay(true).unwrap();
                    let mut caller = Caller::new(stream);
                    while !stop.load(SeqCst) {
                        let begin = Instant::now();
                        match caller.call(&body).await {
                            Ok(reply) => {
                                assert_eq!(reply, body, "another caller's reply");
                                good.fetch_add(1, SeqCst);
                            }
                            Err(CallError::Refused(_)) => {
                                refused.fetch_add(1, SeqCst);
                                tokio::time::sleep(Duration::from_millis(5)).await;
                            }
                            Err(CallError::Closed) => {
                                assert!(begin.elapsed() < SOON, "{:?} until the end was seen", begin.elapsed());
                                closed.fetch_add(1, SeqCst);
                                break;
                            }
                        }
                    }
                }
            });
        }
        callers
    }

    /// Waits until so many more calls got their reply.
    async fn more(&self, calls: u64) {
        let (until, begin) = (self.good.load(SeqCst) + calls, Instant::now());
        while self.good.load(SeqCst) < until {
            assert!(begin.elapsed() < LIMIT, "no replies any more");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    async fn stop(mut self) {
        self.stop.store(true, SeqCst);
        while let Some(done) = self.tasks.join_next().await {
            done.unwrap();
        }
    }
}

#[tokio::test]
async fn a_killed_proxy_ends_its_clients_calls_at_once_and_the_next_one_serves_them() {
    let backend = Backend::start().await;
    let (policy, at) = (Policy::to(backend.address), kept().await);
    let mut proxy = policy.proxy(&at, &[]).await;
    let callers = Callers::start(20, proxy.address);
    for moment in [300, 311, 323, 337] {
        callers.more(moment).await;
        let before = callers.closed.load(SeqCst);
        proxy.kill().await;
        proxy = policy.proxy(&at, &[]).await;
        callers.more(100).await;
        // Not all of them: some may just be connecting, and others learn it after the hundred calls.
        assert!(callers.closed.load(SeqCst) > before, "callers lost their connections");
    }
    // Nobody was refused: what was on its way ended with its connection.
    assert_eq!(callers.refused.load(SeqCst), 0);
    callers.stop().await;
    // The backend has seen four proxies end, and serves on.
    let mut caller = Caller::new(TcpStream::connect(backend.address).await.unwrap());
    assert_eq!(caller.call(b"x").await.unwrap(), b"x");
}

#[tokio::test]
async fn a_killed_backend_costs_refusals_and_no_connection_and_is_found_again() {
    // A gateway can be the backend of another.
    let (echo, at) = (Backend::start().await, kept().await);
    let policy = Policy::to(echo.address);
    let mut backend = policy.proxy(&at, &[]).await;
    let front = Policy::to(backend.address);
    let proxy = front.proxy("127.0.0.1:0", &[]).await;
    let callers = Callers::start(20, proxy.address);
    for moment in [300, 311, 323] {
        callers.more(moment).await;
        let before = callers.refused.load(SeqCst);
        backend.kill().await;
        while callers.refused.load(SeqCst) < before + 20 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        backend = policy.proxy(&at, &[]).await;
        callers.more(100).await;
    }
    assert_eq!(callers.closed.load(SeqCst), 0);
    callers.stop().await;
}

#[tokio::test]
async fn a_killed_client_leaves_nothing_behind() {
    // This program, started again, is the client that is killed.
    const CLIENT_OF: &str = "Y3_GATEWAY_CLIENT_OF";
    if let Ok(address) = std::env::var(CLIENT_OF) {
        let _callers = Callers::start(50, address.parse().unwrap());
        return tokio::time::sleep(10 * LIMIT).await;
    }
    let backend = Backend::start().await;
    let policy = Policy::to(backend.address);
    let page = kept().await;
    let proxy = policy.proxy("127.0.0.1:0", &["--metrics", &page]).await;
    let callers = Callers::start(2, proxy.address);
    let open = async || -> u64 {
        let mut stream = TcpStream::connect(&page).await.unwrap();
        stream.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").await.unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("y3_proxy_connections_open "));
        line.expect(&text).parse().unwrap()
    };
    let until = async |wanted: fn(u64) -> bool| {
        let begin = Instant::now();
        while !wanted(open().await) {
            assert!(begin.elapsed() < LIMIT, "{} connections are open", open().await);
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    for _ in 0..3 {
        let mut client = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", std::thread::current().name().unwrap()])
            .env(CLIENT_OF, proxy.address.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        until(|open| open == 52).await;
        callers.more(50).await;
        client.kill().await.unwrap();
        until(|open| open == 2).await;
        callers.more(50).await;
    }
    assert_eq!((callers.refused.load(SeqCst), callers.closed.load(SeqCst)), (0, 0));
    callers.stop().await;
}

/// A network of its own with loopback switched off drops every packet without a word, so both ends keep a connection that the
/// other one cannot reach.
#[test]
fn a_connection_whose_other_end_is_gone_without_a_word_is_closed_and_the_backend_is_found_again() {
    const INSIDE: &str = "Y3_NETWORK_OF_ITS_OWN";
    // Two questions without an answer are enough here.
    const SET: &str = "echo 2 > /proc/sys/net/ipv4/tcp_keepalive_probes && ip link set lo up";
    if std::env::var_os(INSIDE).is_some() {
        return tokio::runtime::Runtime::new().unwrap().block_on(half_open());
    }
    let unshare = |command: &str| {
        let mut unshare = std::process::Command::new("unshare");
        unshare.args(["-Urn", "sh", "-c", command]).env(INSIDE, "1");
        unshare
    };
    let can = unshare(&format!("{SET} && ip link set lo down")).output();
    if !can.as_ref().is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no network of its own: {can:?}");
        return;
    }
    let name = std::thread::current().name().unwrap().to_owned();
    let own = std::env::current_exe().unwrap();
    let output = unshare(&format!("{SET} && exec '{}' --exact {name}", own.display())).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}{}", String::from_utf8_lossy(&output.stderr));
}

async fn half_open() {
    let loopback = |state: &str| {
        assert!(std::process::Command::new("ip").args(["link", "set", "lo", state]).status().unwrap().success());
    };
    let backend = Backend::start().await;
    let limits = gateway::hub::Limits {
        alive: (Duration::from_secs(1), Duration::from_secs(1)),
        ..gateway::hub::Limits::default()
    };
    let policy = POLICY.replace("ADDRESS", &backend.address.to_string());
    let proxy = Proxy::start_with(&policy, limits);
    let mut caller = proxy.caller().await;
    assert_eq!(caller.call(b"x").await.unwrap(), b"x");
    loopback("down");
    // Both connections of the proxy are idle; the system asks their other ends, and nobody answers.
    proxy.says("refused").await;
    proxy.says("backend lost").await;
    loopback("up");
    // The client's end still stands. It learns of the end with its next call.
    let begin = Instant::now();
    assert!(matches!(caller.call(b"y").await, Err(CallError::Closed)));
    assert!(begin.elapsed() < SOON);
    let mut caller = proxy.caller().await;
    while caller.call(b"z").await.is_err() {
        assert!(begin.elapsed() < 2 * SOON);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
