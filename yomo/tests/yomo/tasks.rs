//! Several tasks share a peer: cloned sources, senders, concurrent handlers. Also tests values, targets and counters.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::task::JoinSet;
use tracing::Span;
use y3_yomo::{Error, Event, Message, Options, Source, StreamFunction};

use crate::kit::{
    LONG, SECOND, TAG, come, come_mixed, go, handing_on, numbers, observed, options, send, server, server_at, soon,
    source,
};
use crate::message::{message, unchanged};

#[tokio::test(flavor = "multi_thread")]
async fn a_value_is_written_and_read_again_and_an_empty_payload_is_none() {
    let Some((_server, address)) = server(&[]).await else { return };
    let (_function, mut seen) = handing_on(options(&address, "function"), &[TAG], |message| message).await;
    let source = source(&address).await;
    assert_eq!(source.write(TAG, "loud").await.unwrap(), 0);
    let message = soon(seen.recv()).await.unwrap();
    assert_eq!(message.decode::<&str>().unwrap(), "loud");
    source.send((TAG, "")).await.unwrap();
    let empty = soon(seen.recv()).await.unwrap();
    assert_eq!(empty, Message { tag: TAG, ..Message::default() });
    assert!(matches!(empty.decode::<&str>(), Err(Error::Value(_))));
    assert_eq!(source.counters().written_bytes, message.payload.len() as u64);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_is_shared_by_tasks_and_numbers_all_messages_once() {
    let Some((_server, address)) = server(&[]).await else { return };
    let (function, mut seen) = numbers(options(&address, "function"), &[TAG]).await;
    let (observed, mut events) = observed(options(&address, "source"));
    let source = Source::connect(observed).await.unwrap();
    let mut tasks = JoinSet::new();
    for task in 0..8 {
        let source = source.clone();
        tasks.spawn(async move {
            let mut numbers = Vec::new();
            for number in 0..100 {
                numbers.push(source.send((TAG, message(task * 100 + number))).await.unwrap());
                if number % 30 == 0 {
                    source.confirm(LONG).await.unwrap();
                }
            }
            numbers
        });
    }
    let numbers = soon(tasks.join_all()).await;
    assert!(numbers.iter().all(|numbers| numbers.is_sorted()));
    let given: BTreeSet<u64> = numbers.into_iter().flatten().collect();
    assert_eq!(given, (0..800).collect());
    source.confirm(LONG).await.unwrap();
    let counters = source.counters();
    assert_eq!((counters.written, counters.queued, counters.connections), (800, 0, 1));
    assert_eq!((counters.confirmed, counters.lost, counters.is_connected), (800, 0, true));
    events.confirmed(800).await;
    let other = source.clone();
    assert_eq!(source.close().await.unwrap().unconfirmed, []);
    assert_eq!((other.counters().confirmed, other.counters().is_connected), (800, false));
    let error = other.send((TAG, "late")).await.unwrap_err();
    assert_eq!(error.to_string(), "the source was closed");
    come_mixed(&mut seen, 0..800).await;
    function.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn tasks_that_a_handler_starts_answer_through_a_sender() {
    const MANY: u32 = 200;
    let Some((_server, address)) = server(&[]).await else { return };
    let (last, mut seen) = numbers(options(&address, "last"), &[TAG + 1]).await;
    let function = StreamFunction::new(options(&address, "between"), [TAG]);
    let sender = function.sender();
    let spawning = move |message: Message| {
        let sender = sender.clone();
        tokio::spawn(async move {
            tokio::time::sleep(SECOND / 20).await;
            sender.send(message.answer(TAG + 1, message.payload.clone())).await.unwrap();
        });
        async {}
    };
    let function = function.connect(spawning).await.unwrap();
    let source = source(&address).await;
    send(&source, 0..MANY).await;
    come_mixed(&mut seen, 0..MANY).await;
    let sender = function.sender();
    let error = sender.send((0xf000, "reserved")).await.unwrap_err();
    assert!(matches!(error, Error::ReservedTag(0xf000)), "{error}");
    let counters = function.close().await.unwrap();
    assert_eq!((counters.received, counters.written, counters.confirmed), (200, 200, 200));
    let error = sender.send((TAG + 1, "late")).await.unwrap_err();
    assert_eq!(error.to_string(), "the stream function has ended");
    last.close().await.unwrap();
}

/// Handles this many messages at a time. Each third message takes long. Returns the maximum number of handlers at a
/// time, and the answers.
async fn handled_by(concurrency: usize, is_ordered: bool) -> Option<(usize, Vec<u32>)> {
    const MANY: u32 = 90;
    let (_server, address) = server(&[]).await?;
    let (_last, mut seen) = numbers(options(&address, "last"), &[TAG + 1]).await;
    let [now, most] = [(); 2].map(|()| Arc::new(AtomicUsize::new(0)));
    let counted = most.clone();
    let handler = move |message: Message| {
        let (now, most) = (now.clone(), counted.clone());
        async move {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            let number = unchanged(&message.payload).unwrap();
            tokio::time::sleep(SECOND / if number % 3 == 0 { 20 } else { 500 }).await;
            now.fetch_sub(1, Ordering::SeqCst);
            Some((TAG + 1, message.payload))
        }
    };
    let function = StreamFunction::new(options(&address, "function"), [TAG]).concurrency(concurrency);
    let function = if is_ordered { function } else { function.unordered() };
    let function = function.connect(handler).await.unwrap();
    let source = source(&address).await;
    send(&source, 0..MANY).await;
    let mut answers = Vec::new();
    for _ in 0..MANY {
        answers.push(soon(seen.recv()).await.unwrap().expect("unchanged"));
    }
    assert_eq!(function.close().await.unwrap().written, u64::from(MANY));
    Some((most.load(Ordering::SeqCst), answers))
}

#[tokio::test(flavor = "multi_thread")]
async fn handlers_run_concurrently_up_to_a_bound_and_their_answers_keep_the_order() {
    let Some((most, answers)) = handled_by(4, true).await else { return };
    assert_eq!((most, answers.is_sorted()), (4, true));
    let (most, answers) = handled_by(1, true).await.unwrap();
    assert_eq!((most, answers.is_sorted()), (1, true));
    let (most, mut answers) = handled_by(4, false).await.unwrap();
    assert_eq!((most, answers.is_sorted()), (4, false));
    answers.sort_unstable();
    assert_eq!(answers, (0..90).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_to_a_target_comes_to_the_functions_with_that_target_alone_in_go_and_here() {
    let Some((_server, address)) = server(&[]).await else { return };
    let wanted = |target: &str| Options { target: Some(target.into()), ..options(&address, target) };
    let (_here, mut here) = numbers(wanted("here"), &[TAG]).await;
    let (_there, mut there) = numbers(wanted("there"), &[TAG]).await;
    let (_all, mut all) = numbers(options(&address, "all"), &[TAG]).await;
    let arguments = ["function", "--addr", &address, "--count", "1", "--target", "there"];
    let mut of_go = go(&arguments, &[]).await.unwrap();
    of_go.expect("ready").await;

    let source = source(&address).await;
    source.send(Message::new(TAG, message(0)).to("there")).await.unwrap();
    assert_eq!(soon(there.recv()).await, Some(Some(0)));
    assert_eq!(of_go.expect("seen").await, "1 wrong 0 unordered 0");
    let go_source = ["source", "--addr", &address, "--count", "2", "--target", "here"];
    let _go = go(&go_source, &[]).await;
    assert_eq!((soon(here.recv()).await, soon(here.recv()).await), (Some(Some(0)), Some(Some(1))));
    send(&source, 7..8).await;
    for seen in [&mut here, &mut there, &mut all] {
        come(seen, 7..8).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_takes_the_trace_along_and_may_have_a_target() {
    let Some((_server, address)) = server(&[]).await else { return };
    let target = Options { target: Some("there".into()), ..options(&address, "last") };
    let (_last, mut seen) = handing_on(target, &[TAG + 1], |message| message).await;
    let answer = |message: Message| async move { message.answer(TAG + 1, message.payload.clone()).to("there") };
    let _between = StreamFunction::new(options(&address, "between"), [TAG]).connect(answer).await.unwrap();
    let _go = go(&["source", "--addr", &address, "--count", "1"], &[]).await;
    let message = soon(seen.recv()).await.unwrap();
    for text in [&b"yomo-source-id"[..], b"yomo-tid", b"yomo-target"] {
        assert!(message.metadata.windows(text.len()).any(|window| window == text), "{:?}", message.metadata);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_connection_is_tried_again_when_it_is_asked_for() {
    let Some((server, address)) = server(&[]).await else { return };
    server.kill().await;
    let (patient, mut events) =
        observed(Options { retry_first: true, timeout: SECOND, ..options(&address, "patient") });
    let connecting = tokio::spawn(Source::connect(patient));
    for _ in 0..2 {
        events.wait(|event| matches!(event, Event::Retry { .. }).then_some(())).await;
    }
    let _again = server_at(&address).await;
    let source = soon(connecting).await.unwrap().unwrap();
    events.connected().await;
    source.write(TAG, "there").await.unwrap();
    assert_eq!(source.close().await.unwrap().unconfirmed, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn events_and_handlers_are_in_the_span_of_their_peer() {
    tracing::subscriber::set_global_default(tracing_subscriber::registry()).unwrap();
    let name = || Span::current().metadata().unwrap().name();
    let Some((_server, address)) = server(&[]).await else { return };
    let in_its_span = |span| move |event: &Event| assert_eq!(name(), span, "{event}");
    let function = options(&address, "function").on_event(in_its_span("stream_function"));
    let (sender, mut seen) = tokio::sync::mpsc::unbounded_channel();
    let handler = move |_| {
        let sender = sender.clone();
        async move { sender.send(name()).unwrap_or_default() }
    };
    let _function = StreamFunction::new(function, [TAG]).connect(handler).await.unwrap();
    let source = options(&address, "source").on_event(in_its_span("source"));
    let source = Source::connect(source).await.unwrap();
    send(&source, 0..1).await;
    assert_eq!(soon(seen.recv()).await, Some("message"));
    source.close().await.unwrap();
}
