//! Runs the examples as a user does, and ends them.

use std::time::{Duration, Instant};

use crate::kit::{Program, SECOND, server};

/// Starts an example, and waits until it is connected.
async fn start(name: &str, address: &str) -> Program {
    let mut example = spawn(name, address);
    example.expect("connected to ").await;
    example
}

/// Starts an example, which Cargo builds with the tests of a package.
fn spawn(name: &str, address: &str) -> Program {
    let program = std::env::current_exe().unwrap();
    Program::start(&program.ancestors().nth(2).unwrap().join("examples").join(name), &[address], &[])
}

/// Tells the example to end. Returns its last line and how long it took to end.
async fn end(example: Program, signal: &str) -> (String, Duration) {
    let started = Instant::now();
    example.signal(signal).await;
    (example.ended().await, started.elapsed())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_function_prints_what_a_source_writes_and_both_end_on_ctrl_c_and_sigterm() {
    let Some((_server, address)) = server(&[]).await else { return };
    for signal in ["-INT", "-TERM"] {
        let mut function = start("function", &address).await;
        let source = start("source", &address).await;
        for noise in ["45.12", "42.54", "61.50", "38.00"] {
            // The output contains events between the readings.
            assert_eq!(function.expect(&format!("{noise} dB")).await, "from 10.0.3.113");
        }
        let (sent, took) = end(source, signal).await;
        assert!(sent.starts_with("Sent { messages: ") && sent.ends_with("unconfirmed: [] }"), "{sent}");
        assert!(took < 2 * SECOND, "{took:?}");
        let (received, took) = end(function, signal).await;
        let words: Vec<_> = received.split([' ', ',']).collect();
        assert!(words[0] == "received:" && words[4] == words[7] && words[4] != "0", "{received}");
        assert!(took < 2 * SECOND, "{took:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_and_sigterm_are_quick_while_the_server_is_stopped_or_gone() {
    let Some((server, address)) = server(&[]).await else { return };
    let mut pairs = Vec::new();
    for _ in 0..4 {
        let mut function = start("function", &address).await;
        let source = start("source", &address).await;
        function.expect("45.12 dB").await;
        pairs.push([source, function]);
    }
    server.signal("-STOP").await;
    let mut server = Some(server);
    // The first examples end before they notice that the server has stopped, the next ones after, and the others when
    // the server is gone.
    for (signal, pause) in [("-INT", 0), ("-TERM", 4), ("-INT", 0), ("-TERM", 0)] {
        tokio::time::sleep(SECOND * pause).await;
        for example in pairs.pop().unwrap() {
            let (last, took) = end(example, signal).await;
            println!("{signal} after {pause} s, the server stopped or gone: {took:?}, {last}");
            assert!(took < SECOND * 3 / 2, "{took:?}");
        }
        if pairs.len() == 2 {
            server.take().unwrap().kill().await;
        }
    }
    // They also end before the first connection.
    let waiting = spawn("source", &address);
    tokio::time::sleep(SECOND).await;
    let (_, took) = end(waiting, "-INT").await;
    assert!(took < SECOND, "{took:?}");
}
