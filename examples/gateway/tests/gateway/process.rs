//! The program and its policy file: a policy that changes while requests come; what the program and its log say; a process that is killed
//! (SIGKILL) while requests are on their way, and connections whose other end is gone without a word.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use gateway::hub::Limits;
use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::TcpSocket;
use tokio::process::Child;
use tokio::task::JoinSet;

use crate::kit::{self, Backend, CLOSED, Caller, Proxy, TOKEN, bodies, contains, gateway, until};

/// Under load the policy changes between two backends, and to files with faults. Every request gets its reply, and each was
/// seen by one backend, with what that policy sets.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_packet_meets_one_policy_and_none_is_lost_when_it_changes() {
    let backends = [Backend::start().await, Backend::start().await];
    let policy = |of: usize| {
        format!(
            "default = 'only'\n[backends]\nonly = '{}'\n[[rule]]\nremove = ['01/13/02']\nset = {{ '01/14' = '{}' }}\n",
            backends[of].address,
            ["first policy", "other policy"][of]
        )
    };
    let proxy = Proxy::start(&policy(0), Limits::default());
    let changes = async {
        for change in 1..9 {
            tokio::time::sleep(Duration::from_millis(200)).await;
            // Files with faults stand between the good ones.
            proxy.set(&if change % 3 == 0 {
                "default = 'nobody'\n[backends]\n".to_owned()
            } else {
                policy(change % 2)
            });
        }
    };
    tokio::join!(proxy.calls(20, 1024, 1000), changes);
    let seen = [backends[0].seen(), backends[1].seen()];
    assert_eq!(seen[0].requests + seen[1].requests, 20_000);
    assert!(seen[0].requests > 0 && seen[1].requests > 0);
    for (of, seen) in seen.iter().enumerate() {
        let (own, other) = [(&b"first policy"[..], &b"other policy"[..]), (b"other policy", b"first policy")][of];
        assert!(contains(&seen.bytes, own) && !contains(&seen.bytes, other));
        assert!(!contains(&seen.bytes, TOKEN));
    }
    assert!(proxy.text().await.contains("y3_proxy_policies_refused_total 2"), "{}", proxy.text().await);
}

#[tokio::test]
async fn no_address_is_taken_before_the_policy_is_read() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let refused = async |policy: &str| {
        let output = gateway(&["--addr", &address, "--policy", policy]).output().await.unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let text = refused("/nowhere/policy.toml").await;
    assert!(text.contains("cannot read /nowhere/policy.toml"), "{text}");
    let text = refused(&kit::file(&kit::policy(([127, 0, 0, 1], 1).into())).to_string_lossy()).await;
    assert!(text.contains(&format!("cannot listen on {address}")), "{text}");
}

/// Each is put in the place of the policy: texts with a fault, a pipe that nobody writes to, a file without an end, and others.
#[tokio::test]
async fn a_bad_policy_or_what_is_no_short_regular_file_keeps_the_old_one_and_says_why() {
    let (backend, proxy) = Proxy::to_one(Limits::default()).await;
    let (mut caller, path) = (proxy.caller().await, &*proxy.policy);
    let write = |text: &str| std::fs::write(path, text).unwrap();
    let makes: [(&dyn Fn(), &str); 7] = [
        (&|| write("default ="), "TOML parse error"),
        (&|| write("default = 'x'\n[backends]\na = '127.0.0.1:1'\n"), "default: no backend"),
        (&|| pipe(path), "not a regular file"),
        (&|| write(""), "missing field `backends`"),
        (&|| std::os::unix::fs::symlink("/dev/zero", path).unwrap(), "not a regular file"),
        (&|| write(&"#".repeat((1 << 20) + 1)), "longer than 1048576 bytes"),
        (&|| std::fs::create_dir(path).unwrap(), "not a regular file"),
    ];
    for (number, (make, says)) in makes.into_iter().enumerate() {
        std::fs::remove_file(path).unwrap();
        make();
        proxy.asked.notify_one();
        until(async || proxy.log.text().matches("the old policy stays").count() > number).await;
        let log = proxy.log.text();
        assert!(log.split("the old policy stays").last().unwrap().contains(says), "{says}: {log}");
        assert_eq!(caller.call(b"x").await.unwrap(), b"x");
    }
    std::fs::remove_dir(path).unwrap();
    assert!(!contains(&backend.seen().bytes, TOKEN));
}

fn pipe(path: &std::path::Path) {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
}

#[tokio::test]
async fn a_log_that_is_no_terminal_has_no_colours_and_sigterm_ends_the_program_whatever_its_policy_has_become() {
    let policy = kit::file(&kit::policy(([127, 0, 0, 1], 1).into()));
    let child = gateway(&["--addr", "127.0.0.1:0", "--policy", &policy.to_string_lossy()]).spawn().unwrap();
    let process = Pid::from_raw(child.id().unwrap().try_into().unwrap()).unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    std::fs::remove_file(&policy).unwrap();
    pipe(&policy);
    for signal in [Signal::HUP, Signal::TERM] {
        kill_process(process, signal).unwrap();
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    let output = tokio::time::timeout(Duration::from_secs(10), child.wait_with_output()).await.unwrap().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && text.contains("stopped"), "{text}");
    assert!(text.contains("not reachable") && text.contains("not a regular file"), "{text}");
    assert!(!text.contains('\x1b'), "{text:?}");
}

#[tokio::test]
async fn a_flood_of_connections_above_the_limit_is_one_line_a_second() {
    let (_backend, proxy) = Proxy::to_one(Limits { connections: 1, ..Limits::default() }).await;
    let mut caller = proxy.caller().await;
    caller.call(b"x").await.unwrap();
    let begin = Instant::now();
    for _ in 0..300 {
        drop(proxy.connect().await);
    }
    proxy.log.says("too many connections").await;
    caller.call(b"x").await.unwrap();
    let lines = proxy.log.text().matches("too many connections").count() as u64;
    assert!(lines <= 1 + begin.elapsed().as_secs(), "{lines} lines in {:?}", begin.elapsed());
}

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
            assert_eq!(error, CLOSED);
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
    assert_eq!(caller.call(b"y").await, Err(CLOSED.to_owned()));
    assert!(begin.elapsed() < SOON);
    let mut caller = proxy.caller().await;
    until(async || caller.call(b"z").await.is_ok()).await;
}
