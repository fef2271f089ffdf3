//! A real process of the proxy, killed (SIGKILL) while requests are on their way, and connections whose other end is gone
//! without a word.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::TcpSocket;
use tokio::process::Child;
use tokio::task::JoinSet;

use gateway::hub::Limits;

use crate::kit::{self, Backend, CallError, Caller, Proxy, bodies, until};

/// How soon a caller has to learn that its connection is over.
const SOON: Duration = Duration::from_secs(5);

/// A gateway that listens at the address, and where that is.
async fn program(policy: &str, address: &str) -> (Child, SocketAddr) {
    let mut child = kit::gateway(&["--log", "error", "--addr", address, "--policy", policy]).spawn().unwrap();
    let mut line = String::new();
    let output = child.stdout.take().unwrap();
    tokio::time::timeout(10 * SOON, BufReader::new(output).read_line(&mut line)).await.unwrap().unwrap();
    (child, line.trim().strip_prefix("listening ").expect(&line).parse().unwrap())
}

/// A socket that keeps an address while its program is down: it does not listen, so that the program may.
fn kept() -> TcpSocket {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_reuseaddr(true).unwrap();
    socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
    socket
}

#[tokio::test]
async fn a_killed_proxy_ends_its_clients_calls_at_once_and_the_next_one_serves_them() {
    let backend = Backend::start().await;
    let policy = kit::file(&kit::policy(backend.address));
    let kept = kept();
    let at = kept.local_addr().unwrap().to_string();
    for _ in 0..4 {
        let (mut proxy, address) = program(&policy.to_string_lossy(), &at).await;
        let mut callers = JoinSet::new();
        for body in bodies(20, 1024) {
            let mut caller = Caller::to(address).await;
            assert_eq!(caller.call(&body).await.unwrap(), body);
            callers.spawn(async move {
                loop {
                    match caller.call(&body).await {
                        Ok(reply) => assert_eq!(reply, body, "another caller's reply"),
                        Err(error) => return error,
                    }
                }
            });
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
        proxy.kill().await.unwrap();
        // Nobody is refused: what was on its way ends with its connection.
        for error in tokio::time::timeout(SOON, callers.join_all()).await.unwrap() {
            assert_eq!(error, CallError::Closed);
        }
    }
    // The backend has seen four proxies end, and serves on.
    let mut caller = Caller::to(backend.address).await;
    assert_eq!(caller.call(b"x").await.unwrap(), b"x");
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
    let second = Duration::from_secs(1);
    let limits = Limits { alive: (second, second), ..Limits::default() };
    let (_backend, proxy) = Proxy::to_one(limits).await;
    let mut caller = proxy.caller().await;
    assert_eq!(caller.call(b"x").await.unwrap(), b"x");
    loopback("down");
    // Both connections of the proxy are idle; the system asks their other ends, and nobody answers.
    proxy.log.says("refused").await;
    proxy.log.says("backend lost").await;
    loopback("up");
    // The client's end still stands. It learns of the end with its next call.
    let begin = Instant::now();
    assert!(matches!(caller.call(b"y").await, Err(CallError::Closed)));
    assert!(begin.elapsed() < SOON);
    let mut caller = proxy.caller().await;
    until(async || caller.call(b"z").await.is_ok()).await;
}
