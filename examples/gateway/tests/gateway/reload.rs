//! A policy that changes while requests come; what the program and its log say.

use std::time::{Duration, Instant};

use crate::kit::{self, Backend, Proxy, TOKEN, bodies, contains, gateway};
use gateway::hub::Limits;

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
    let proxy = Proxy::start(&policy(0));
    let mut tasks = tokio::task::JoinSet::new();
    let end = Instant::now() + Duration::from_secs(10);
    for body in bodies(20, 1024) {
        let mut caller = proxy.caller().await;
        tasks.spawn(async move {
            let mut calls = 0;
            while Instant::now() < end {
                assert_eq!(caller.call(&body).await.unwrap(), body);
                calls += 1;
            }
            calls
        });
    }
    for change in 1..9 {
        tokio::time::sleep(Duration::from_millis(1150)).await;
        // Files with faults stand between the good ones.
        proxy.set(&if change % 3 == 0 { "default = 'nobody'\n[backends]\n".to_owned() } else { policy(change % 2) });
    }
    let calls = tasks.join_all().await.into_iter().sum();
    let seen = [backends[0].seen(), backends[1].seen()];
    assert_eq!(seen[0].requests + seen[1].requests, calls);
    assert!(seen[0].requests > 0 && seen[1].requests > 0);
    for (of, seen) in seen.iter().enumerate() {
        let (own, other) = [(&b"first policy"[..], &b"other policy"[..]), (b"other policy", b"first policy")][of];
        assert!(contains(&seen.bytes, own) && !contains(&seen.bytes, other));
        assert!(!contains(&seen.bytes, TOKEN));
    }
    assert!(proxy.text().await.contains("y3_proxy_policies_refused_total 2"), "{}", proxy.text().await);
}

#[tokio::test]
async fn paths_that_a_new_policy_keeps_again_are_named() {
    let (backend, proxy) = Proxy::to_one(Limits::default()).await;
    let mut caller = proxy.caller().await;
    caller.call(b"x").await.unwrap();
    assert!(!contains(&backend.seen().bytes, TOKEN));
    proxy.set(&format!("default = 'a'\n[backends]\na = '{}'\n", backend.address));
    proxy.log.says("no longer removed paths=\"01/13/02\"").await;
    caller.call(b"x").await.unwrap();
    assert!(contains(&backend.seen().bytes, TOKEN));
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

type Make<'a> = Box<dyn Fn() + 'a>;

/// Each is put in the place of the policy: texts with a fault, a pipe that nobody writes to, a file without an end, and others.
#[tokio::test]
async fn a_bad_policy_or_what_is_no_short_regular_file_keeps_the_old_one_and_says_why() {
    let (backend, proxy) = Proxy::to_one(Limits::default()).await;
    let mut caller = proxy.caller().await;
    let new = &proxy.policy.with_extension("new");
    let text = |text: &'static str| Box::new(move || std::fs::write(new, text).unwrap()) as Make<'_>;
    let long: &str = "#".repeat((1 << 20) + 1).leak();
    let makes: [(Make<'_>, &str); 7] = [
        (text("default ="), "TOML parse error"),
        (text("default = 'x'\n[backends]\na = '127.0.0.1:1'\n"), "default: no backend"),
        (Box::new(|| pipe(new)), "not a regular file"),
        (text(""), "missing field `backends`"),
        (Box::new(|| std::os::unix::fs::symlink("/dev/zero", new).unwrap()), "not a regular file"),
        (text(long), "longer than 1048576 bytes"),
        (Box::new(|| std::fs::create_dir(new).unwrap()), "not a regular file"),
    ];
    for (number, (make, says)) in makes.into_iter().enumerate() {
        make();
        let _ = std::fs::remove_file(&proxy.policy);
        std::fs::rename(new, &proxy.policy).unwrap();
        let begin = Instant::now();
        while proxy.log.text().matches("the old policy stays").count() <= number {
            assert_eq!(caller.call(b"x").await.unwrap(), b"x");
            assert!(begin.elapsed() < Duration::from_secs(10), "{number}: {}", proxy.log.text());
        }
        assert!(
            proxy.log.text().split("the old policy stays").last().unwrap().contains(says),
            "{number}: {}",
            proxy.log.text()
        );
    }
    std::fs::remove_dir(&proxy.policy).unwrap();
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
    tokio::time::sleep(Duration::from_millis(500)).await;
    std::fs::remove_file(&policy).unwrap();
    pipe(&policy);
    tokio::time::sleep(Duration::from_millis(1500)).await;
    let process = rustix::process::Pid::from_raw(child.id().unwrap().try_into().unwrap()).unwrap();
    rustix::process::kill_process(process, rustix::process::Signal::TERM).unwrap();
    let output = tokio::time::timeout(Duration::from_secs(10), child.wait_with_output()).await.unwrap().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && text.contains("stopped"), "{text}");
    assert!(text.contains("not reachable") && !text.contains('\x1b'), "{text:?}");
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
