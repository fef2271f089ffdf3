//! The program `network yomo`, as a user runs it.

use std::net::UdpSocket;
use std::process::Stdio;

use network::yomo::{Options, Source};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use crate::kit::{TAG, go, options, run, server, soon};
use crate::message::message;

fn network(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_network"));
    command.arg("yomo").args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env_remove("RUST_BACKTRACE").kill_on_drop(true);
    command
}

/// What it printed and what it complained of, if it ends by itself.
async fn ends(mut command: Command) -> (bool, String, String) {
    let output = soon(command.output()).await.unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

/// A program that is running.
struct Running {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Running {
    fn start(arguments: &[&str]) -> Running {
        let mut child = network(arguments).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Running { child, lines }
    }

    async fn line(&mut self) -> String {
        soon(self.lines.next_line()).await.unwrap().expect("it prints a line")
    }

    /// Waits until it logs something.
    async fn logs(&mut self, what: &str) {
        let log = self.child.stderr.as_mut().unwrap();
        let mut seen = Vec::new();
        while !String::from_utf8_lossy(&seen).contains(what) {
            let byte = soon(log.read_u8()).await.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&seen)));
            seen.push(byte);
        }
    }

    async fn signal(&self, signal: &str) {
        let id = self.child.id().unwrap().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().await.unwrap().success());
    }

    /// Presses Ctrl-C and returns the last words.
    async fn interrupt(mut self) -> String {
        self.signal("-INT").await;
        let mut words = String::new();
        while let Some(line) = soon(self.lines.next_line()).await.unwrap() {
            words += &(line + "\n");
        }
        assert!(soon(self.child.wait()).await.unwrap().success());
        words
    }
}

/// Waits until nobody has the port of a server any more.
async fn is_free(address: &str) {
    soon(async {
        while UdpSocket::bind(address).is_err() {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    })
    .await;
}

#[test]
fn the_demo_prints_the_recorded_readings_and_a_summary() {
    run(async {
        if go().is_none() {
            return;
        }
        let (success, printed, complaints) = ends(network(&["demo", "--count", "3", "--every", "10"])).await;
        assert!(success, "{complaints}");
        let lines: Vec<_> = printed.lines().skip(1).collect();
        let readings = ["45.12 dB from 10.0.3.113", "42.54 dB from 10.0.3.7", "41.89 dB from 10.0.3.196"];
        assert_eq!(lines[..3], readings);
        assert_eq!(lines[3], "written: 3 messages, 88 bytes; confirmed by the server: 3");
        assert_eq!(lines[4..], ["received: 3 messages, 88 bytes"]);
    });
}

#[test]
fn ctrl_c_and_a_kill_end_the_demo_and_its_server() {
    run(async {
        if go().is_none() {
            return;
        }
        for signal in ["-INT", "-TERM", "-KILL"] {
            let mut demo = Running::start(&["demo", "--count", "0", "--every", "10"]);
            let first = demo.line().await;
            let address = first.split_whitespace().find(|word| word.starts_with("127.")).unwrap().to_owned();
            demo.line().await;
            assert!(UdpSocket::bind(&address).is_err());
            if signal == "-INT" {
                let words = demo.interrupt().await;
                assert!(words.contains("written: ") && words.contains("received: "), "{words}");
            } else {
                demo.signal(signal).await;
                soon(demo.child.wait()).await.unwrap();
            }
            is_free(&address).await;
        }
    });
}

#[test]
fn a_taken_port_is_named() {
    run(async {
        if go().is_none() {
            return;
        }
        let taken = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = taken.local_addr().unwrap().to_string();
        let (success, _, complaint) = ends(network(&["demo", "--listen", &address])).await;
        let cause = format!("error: no server at {address}: the port of {address} is taken by another program\n");
        assert!(!success && complaint == cause, "{complaint}");
    });
}

#[test]
fn missing_go_is_named() {
    run(async {
        let mut demo = network(&["demo"]);
        demo.env("PATH", env!("CARGO_TARGET_TMPDIR"));
        let (success, _, complaint) = ends(demo).await;
        assert!(!success && complaint.starts_with("error: Go is missing: there is no program `go`."), "{complaint}");
    });
}

#[test]
fn a_missing_server_and_a_wrong_credential_are_named() {
    run(async {
        let nobody = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        for program in ["source", "function"] {
            let (success, _, complaint) = ends(network(&[program, "--server", &nobody])).await;
            let cause = format!("error: no YoMo server at {nobody}: no answer within 5s\n");
            assert!(!success && complaint == cause, "{complaint}");
        }
        let Some((_server, address)) = server(&["--token", "secret"]).await else { return };
        let arguments = ["function", "--server", &address, "--credential", "token:guess"];
        let (success, _, complaint) = ends(network(&arguments)).await;
        assert!(!success && complaint == "error: the server refused: invalid token: guess\n", "{complaint}");
    });
}

#[test]
fn the_function_prints_what_the_source_writes_and_both_end_with_a_summary() {
    run(async {
        let Some((_server, address)) = server(&[]).await else { return };
        let mut function = Running::start(&["function", "--server", &address, "--tag", "0x33", "--tag", "52"]);
        function.logs("connected to").await;
        let arguments = ["source", "--server", &address, "--count", "2", "--every", "1"];
        let (success, printed, complaints) = ends(network(&arguments)).await;
        assert!(success, "{complaints}");
        assert_eq!(printed, "written: 2 messages, 58 bytes; confirmed by the server: 2\n");
        assert_eq!(function.line().await, "45.12 dB from 10.0.3.113");
        assert_eq!(function.line().await, "42.54 dB from 10.0.3.7");

        let mut other = Source::connect(options(&address, "other")).await.unwrap();
        other.write(TAG + 1, message(0)).await.unwrap();
        assert_eq!(function.line().await, "16 bytes with tag 0x34, no reading");
        let words = function.interrupt().await;
        assert_eq!(words, "received: 3 messages, 74 bytes; 1 of them without a reading\n");

        let mut source = Running::start(&["source", "--server", &address, "--every", "1"]);
        source.logs("connected to").await;
        let words = source.interrupt().await;
        assert!(words.starts_with("written: ") && !words.contains("may be lost"), "{words}");
    });
}

#[test]
fn the_help_of_each_program_names_its_options() {
    run(async {
        for (arguments, options) in [
            (&["--help"][..], &["demo", "source", "function"][..]),
            (&["demo", "--help"], &["--listen", "--count", "--every"]),
            (&["source", "--help"], &["--server", "--credential", "--tag", "--count", "--every"]),
            (&["function", "--help"], &["--server", "--credential", "--authority", "--tag"]),
        ] {
            let (success, printed, _) = ends(network(arguments)).await;
            assert!(success && options.iter().all(|option| printed.contains(option)), "{printed}");
        }
        let (success, _, complaint) = ends(network(&["source", "--tag", "noise"])).await;
        assert!(!success && complaint.contains("a tag is a number"), "{complaint}");
        let (success, _, complaint) = ends(network(&["source", "--every", "0"])).await;
        assert!(!success && complaint.contains("--every has to be at least 1 ms"), "{complaint}");
        assert!(Options::new("a:1", "b").credential.is_none());
    });
}
