//! The server is killed and started again.

use std::slice::from_ref;
use std::time::Duration;

use y3_yomo::{Error, Message, Options, Retry, Source, StreamFunction};

use crate::kit::{
    LONG, SECOND, TAG, come, go, numbers, observed, options, plain, send, server, server_at, soon, source,
};
use crate::message::{message, short};

/// A source writes, and another task confirms four times a second. Meanwhile, the server is killed, and started again
/// after each of these pauses. Returns for each function how many confirmed messages did not arrive.
async fn confirmed_and_lost(source: Options, functions: Vec<Options>, pauses: &[Duration]) -> Option<Vec<usize>> {
    let (mut server, address) = server(&[]).await?;
    let at = |options: Options| Options { server: address.clone(), ..options };
    let between = Duration::from_millis(functions.len() as u64);
    let mut running = Vec::new();
    for options in functions {
        running.push(numbers(at(options), &[TAG]).await);
    }
    let (source, mut events) = observed(at(source));
    let source = Source::connect(source).await.unwrap();
    events.connected().await;
    let (writing, confirming) = (source.clone(), source.clone());
    let (stop, mut stopped) = tokio::sync::oneshot::channel::<()>();
    // All functions together get 2,000 messages a second.
    let writes = tokio::spawn(async move {
        let mut written = 0;
        let mut ticks = tokio::time::interval(between);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        while stopped.try_recv().is_err() {
            ticks.tick().await;
            for _ in 0..2 {
                assert_eq!(writing.send((TAG, short(written))).await.unwrap(), u64::from(written));
                written += 1;
            }
        }
        written
    });
    let confirms = tokio::spawn(async move {
        loop {
            let _ = confirming.confirm(SECOND).await;
            tokio::time::sleep(SECOND / 4).await;
        }
    });
    for pause in pauses {
        tokio::time::sleep(SECOND).await;
        server.kill().await;
        tokio::time::sleep(*pause).await;
        server = server_at(&address).await;
        events.connected().await;
        tokio::time::sleep(SECOND * 2).await;
    }
    stop.send(()).unwrap();
    let written = soon(writes).await.unwrap();
    confirms.abort();
    let sent = source.close().await.unwrap();
    let is_said = |number: u32| sent.unconfirmed.iter().any(|range| range.contains(&u64::from(number)));
    let mut lost = Vec::new();
    for (function, mut seen) in running {
        let mut got = Vec::new();
        while got.last() != Some(&(written - 1)) {
            got.push(soon(seen.recv()).await.unwrap().expect("unchanged"));
        }
        assert!(got.is_sorted_by(|one, next| one < next), "doubled or out of order");
        assert_eq!(function.close().await.unwrap().received, got.len() as u64);
        lost.push((0..written).filter(|number| got.binary_search(number).is_err() && !is_said(*number)).count());
    }
    let said: Vec<_> = sent.unconfirmed.iter().map(|range| range.end - range.start).collect();
    println!("back after {pauses:?}: {written} written, open {said:?}, confirmed and lost by function {lost:?}");
    Some(lost)
}

#[tokio::test(flavor = "multi_thread")]
async fn no_confirmed_message_is_lost_at_four_kills_with_the_defaults() {
    let pauses = [0, 500, 2000, 4000].map(Duration::from_millis);
    let functions = vec![plain("", "function")];
    let Some(lost) = confirmed_and_lost(plain("", "source"), functions, &pauses).await else { return };
    assert_eq!(lost, [0]);
}

/// `Y3_YOMO_AWAY=240` makes the server absent for this many seconds, with the default options. Without it, the
/// functions probe as rarely as after the longest absence, with eight different intervals. The source probes as often
/// as after a short absence, so it is back first, by up to a second.
#[tokio::test(flavor = "multi_thread")]
async fn no_confirmed_message_is_lost_by_eight_functions_however_long_the_server_was_away() {
    let away = std::env::var("Y3_YOMO_AWAY").ok().map(|away| away.parse().expect("Y3_YOMO_AWAY is in seconds"));
    let function = |number: u32| {
        let defaults = plain("", "function");
        let first = if away.is_some() { defaults.retry.first } else { SECOND / 24 * (24 - number) };
        Options { retry: Retry { first, most: SECOND, ..defaults.retry }, ..defaults }
    };
    let mut source = plain("", "source");
    source.retry.most = SECOND;
    let functions = (0..8).map(function).collect();
    let away = Duration::from_secs(away.unwrap_or(6));
    let Some(lost) = confirmed_and_lost(source, functions, &[away]).await else { return };
    assert_eq!(lost, [0; 8]);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_answers_that_are_not_confirmed_are_said_to_be_lost() {
    let Some((server, address)) = server(&[]).await else { return };
    let (options, mut events) = observed(plain(&address, "answers"));
    let answer = |message: Message| async move { Some((TAG + 1, message.payload)) };
    let function = StreamFunction::new(options, [TAG]).connect(answer).await.unwrap();
    let source = Source::connect(plain(&address, "source")).await.unwrap();
    for number in 0..2000 {
        source.send((TAG, message(number % 50))).await.unwrap();
    }
    events.confirmed(2000).await;
    server.kill().await;
    assert_eq!(events.lost().await.1, 2000..2000);
    let counters = function.counters();
    assert_eq!((counters.written, counters.confirmed, counters.lost), (2000, 2000, 0));
    assert!(!counters.is_connected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_gives_up_in_time_and_its_message_is_not_among_those_written() {
    let Some((server, address)) = server(&[]).await else { return };
    let retry = Retry { give_up: SECOND, ..options("", "").retry };
    let (options, mut events) = observed(Options { retry, timeout: SECOND, ..options(&address, "source") });
    let source = Source::connect(options).await.unwrap();
    send(&source, 0..1).await;
    source.confirm(LONG).await.unwrap();
    server.kill().await;
    // The old connection still accepts the first calls, because nobody has noticed its loss.
    let (error, written) = soon(async {
        for written in 1..10_000 {
            if let Err(error) = source.send((TAG, message(0))).await {
                return (error, written);
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the server is gone");
    })
    .await;
    assert!(matches!(error, Error::Unreachable { .. }), "{error}");
    assert_eq!(events.lost().await.1, 1..written);
    assert_eq!((source.sent().await.messages, &*source.sent().await.unconfirmed), (written, from_ref(&(1..written))));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_is_not_waited_for_makes_no_half_frame() {
    let Some((_server, address)) = server(&[]).await else { return };
    let (_function, mut seen) = numbers(options(&address, "function"), &[TAG]).await;
    let source = source(&address).await;
    let big = vec![0; 8 << 20];
    let cut = tokio::time::timeout(Duration::ZERO, source.send((0x40, big)));
    assert!(cut.await.is_err(), "8 MiB are not written at once");
    send(&source, 9..10).await;
    come(&mut seen, 9..10).await;
    assert_eq!(source.close().await.unwrap().messages, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hold_of_five_seconds_waits_for_a_function_of_go_after_a_kill() {
    let Some((server, address)) = server(&[]).await else { return };
    let arguments = ["function", "--addr", &address, "--count", "200"];
    let mut function = go(&arguments, &[]).await.unwrap();
    function.expect("ready").await;
    let (options, mut events) = observed(Options { hold: 5 * SECOND, ..plain(&address, "source") });
    let source = Source::connect(options).await.unwrap();
    send(&source, 0..100).await;
    source.confirm(LONG).await.unwrap();
    server.kill().await;
    let _again = server_at(&address).await;
    // Messages written before the source notices the loss are lost, and reported as possibly lost.
    let dead = source.clone();
    tokio::spawn(async move {
        while dead.send((TAG + 1, "nobody reads it")).await.is_ok() {
            tokio::time::sleep(SECOND / 10).await;
        }
    });
    assert_eq!(events.lost().await.1.start, 100);
    send(&source, 100..200).await;
    assert_eq!(function.expect("seen").await, "200 wrong 0 unordered 0");
    source.close().await.unwrap();
}
