//! The examples, as a user runs them and ends them.

use std::process::Stdio;
use std::time::Instant;

use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStderr, ChildStdout, Command};

use crate::kit::{SECOND, run, server, soon};

/// An example that is running.
struct Running {
    child: Child,
    printed: Lines<BufReader<ChildStdout>>,
    events: Lines<BufReader<ChildStderr>>,
}

/// Builds the examples once.
async fn build() -> std::path::PathBuf {
    static BUILT: tokio::sync::OnceCell<()> = tokio::sync::OnceCell::const_new();
    BUILT
        .get_or_init(|| async {
            let mut cargo = Command::new(env!("CARGO"));
            cargo.args(["build", "--locked", "--package", "y3-yomo", "--examples"]);
            if !cfg!(debug_assertions) {
                cargo.arg("--release");
            }
            // What Cargo tells this test of its package would make it compile dependencies again that look at it.
            for (name, _) in std::env::vars() {
                if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
                    cargo.env_remove(name);
                }
            }
            assert!(cargo.stdin(Stdio::null()).status().await.unwrap().success());
        })
        .await;
    let program = std::env::current_exe().unwrap();
    program.ancestors().nth(2).unwrap().join("examples")
}

impl Running {
    async fn start(name: &str, arguments: &[&str]) -> Running {
        let mut command = Command::new(build().await.join(name));
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let printed = BufReader::new(child.stdout.take().unwrap()).lines();
        let events = BufReader::new(child.stderr.take().unwrap()).lines();
        Running { child, printed, events }
    }

    async fn line(&mut self) -> String {
        soon(self.printed.next_line()).await.unwrap().expect("it prints a line")
    }

    async fn connected(&mut self) {
        let line = soon(self.events.next_line()).await.unwrap().expect("it says an event");
        assert!(line.starts_with("connected to "), "{line}");
    }

    /// Asks it to end, and returns its last line and how long that took.
    async fn end(mut self, name: &str) -> (String, std::time::Duration) {
        let started = Instant::now();
        signal(name, self.child.id().unwrap()).await;
        let mut last = String::new();
        while let Some(line) = soon(self.printed.next_line()).await.unwrap() {
            last = line;
        }
        assert!(soon(self.child.wait()).await.unwrap().success());
        (last, started.elapsed())
    }
}

async fn signal(name: &str, id: u32) {
    assert!(Command::new("kill").args([name, &id.to_string()]).status().await.unwrap().success());
}

#[test]
fn a_function_prints_what_a_source_writes_and_both_end_on_ctrl_c_and_sigterm() {
    run(async {
        let Some((_server, address)) = server(&[]).await else { return };
        for name in ["-INT", "-TERM"] {
            let mut function = Running::start("function", &[&address]).await;
            function.connected().await;
            let mut source = Running::start("source", &[&address]).await;
            source.connected().await;
            for noise in ["45.12", "42.54", "61.50", "38.00"] {
                assert_eq!(function.line().await, format!("{noise} dB from 10.0.3.113"));
            }
            let (sent, took) = source.end(name).await;
            assert!(sent.starts_with("Sent { messages: ") && sent.ends_with("unconfirmed: [] }"), "{sent}");
            assert!(took < 2 * SECOND, "{took:?}");
            let (received, took) = function.end(name).await;
            let words: Vec<_> = received.split([' ', ',']).collect();
            assert!(words[0] == "received:" && words[4] == words[7] && words[4] != "0", "{received}");
            assert!(took < 2 * SECOND, "{took:?}");
        }
    });
}

#[test]
fn ctrl_c_and_sigterm_are_quick_while_the_server_is_stopped_or_gone() {
    run(async {
        let Some((server, address)) = server(&[]).await else { return };
        let mut pairs = Vec::new();
        for _ in 0..4 {
            let mut function = Running::start("function", &[&address]).await;
            let mut source = Running::start("source", &[&address]).await;
            function.connected().await;
            source.connected().await;
            function.line().await;
            pairs.push((function, source));
        }
        signal("-STOP", server.id()).await;
        // At once, when the peers have not noticed; and when they have.
        for (name, pause) in [("-INT", 0), ("-TERM", 4)] {
            tokio::time::sleep(SECOND * pause).await;
            let (function, source) = pairs.pop().unwrap();
            for (ended, took) in [source.end(name).await, function.end(name).await] {
                println!("{name} with the server stopped for {pause} s: {took:?}, {ended}");
                assert!(took < SECOND * 3 / 2, "{took:?}");
            }
        }
        server.kill().await;
        for name in ["-INT", "-TERM"] {
            let (function, source) = pairs.pop().unwrap();
            for (ended, took) in [source.end(name).await, function.end(name).await] {
                println!("{name} with the server gone: {took:?}, {ended}");
                assert!(took < SECOND * 3 / 2, "{took:?}");
            }
        }
        // And before there was a connection.
        let waiting = Running::start("source", &[&address]).await;
        tokio::time::sleep(SECOND).await;
        let (_, took) = waiting.end("-INT").await;
        assert!(took < SECOND, "{took:?}");
    });
}
