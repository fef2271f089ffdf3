//! Functions that observe their own answers, and answers that nobody reads: each deadlock is reported.

use bytes::Bytes;
use tokio::sync::mpsc::{UnboundedReceiver, channel, unbounded_channel};
use y3_yomo::{Error, Event, Message, Options, Running, Source, StreamFunction};

use crate::kit::{LONG, SECOND, TAG, options, server, soon, source};

const ANSWER: u32 = TAG + 1;

/// Runs a function that answers each message with this many bytes and observes its answers. Returns the tags of the
/// messages that it gets.
async fn cycle(options: Options, bytes: usize) -> (Running, UnboundedReceiver<u32>) {
    let (sender, seen) = unbounded_channel();
    let answer = Bytes::from(vec![7; bytes]);
    let handler = move |message: Message| {
        let _ = sender.send(message.tag);
        let answer = (message.tag == TAG).then(|| (ANSWER, answer.clone()));
        async { answer }
    };
    (StreamFunction::new(options, [TAG, ANSWER]).connect(handler).await.unwrap(), seen)
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_go_through_a_function_that_observes_its_answers_and_has_room_for_them() {
    for (messages, bytes, answer) in [(8000, 16 << 10, 16 << 10), (100, 10, 1_000_000)] {
        let Some((_server, address)) = server(&[]).await else { return };
        let room = Options { read_ahead: 128 << 20, ..options(&address, "cycle") };
        let (function, mut seen) = cycle(room, answer).await;
        let source = source(&address).await;
        let writes = tokio::spawn(async move {
            let payload = Bytes::from(vec![1; bytes]);
            for _ in 0..messages {
                source.send((TAG, payload.clone())).await.unwrap();
            }
            source.confirm(LONG).await.unwrap();
        });
        let mut counts = [0; 2];
        while counts != [messages; 2] {
            let tag = soon(seen.recv()).await.expect("the function lives");
            counts[usize::from(tag == ANSWER)] += 1;
        }
        soon(writes).await.unwrap();
        let counters = function.close().await.unwrap();
        assert_eq!([counters.received, counters.written, counters.confirmed], [2 * messages, messages, messages]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn three_hundred_short_messages_with_answers_of_1_mb_end_a_function_without_room_for_them_with_an_error() {
    let Some((_server, address)) = server(&[]).await else { return };
    let (mut function, _seen) = cycle(options(&address, "cycle"), 1_000_000).await;
    let source = source(&address).await;
    for _ in 0..300 {
        source.write(TAG, "short").await.unwrap();
    }
    let error = soon(function.ended()).await.unwrap_err();
    assert!(matches!(error, Error::Cycle { bytes, .. } if bytes >= 64 << 20), "{error}");
    assert!(error.to_string().starts_with("the function waits for itself: it observes its own answers"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_function_after_this_one_that_does_not_read_is_said_to_be_waited_for_and_nothing_is_lost() {
    // A machine that stops for seconds loses connections and messages. In this case, the test tries again.
    for _ in 0..3 {
        let Some((_server, address)) = server(&[]).await else { return };
        let ((waits, waiting), (loses, mut lost)) = (unbounded_channel(), unbounded_channel());
        let options = |name: &str| {
            let (waits, loses) = (waits.clone(), loses.clone());
            let observer = move |event: &Event| match event {
                Event::Waiting { bytes, .. } => drop(waits.send(*bytes)),
                Event::Lost { cause, .. } => drop(loses.send(cause.clone())),
                _ => {}
            };
            Options { silence: 5 * SECOND, ..options(&address, name) }.on_event(observer)
        };
        tokio::select! {
            () = waited_for(options, waiting) => return,
            Some(cause) = lost.recv() => eprintln!("lost: {cause}"),
        }
    }
    panic!("connections are lost again and again");
}

async fn waited_for(options: impl Fn(&str) -> Options, mut waiting: UnboundedReceiver<usize>) {
    const MANY: usize = 240;
    let (sender, mut seen) = channel(1);
    let slow = move |message: Message| {
        let sender = sender.clone();
        async move { sender.send(message.payload.len()).await.unwrap_or_default() }
    };
    let last = StreamFunction::new(options("slow"), [ANSWER]).connect(slow).await.unwrap();
    let pass = |message: Message| async move { Some((ANSWER, message.payload)) };
    let between = Options { read_ahead: 4 << 20, ..options("between") };
    let between = StreamFunction::new(between, [TAG]).connect(pass).await.unwrap();
    let source = Source::connect(options("source")).await.unwrap();
    let writes = tokio::spawn(async move {
        for _ in 0..MANY {
            source.send((TAG, vec![0; 256 << 10])).await.unwrap();
        }
        source.close().await.unwrap()
    });
    let bytes = soon(waiting.recv()).await.unwrap();
    assert!((4 << 20..20 << 20).contains(&bytes), "{bytes}");
    tokio::time::sleep(SECOND).await;
    assert!(!writes.is_finished(), "60 MiB do not fit into the buffers");
    for _ in 0..MANY {
        assert_eq!(soon(seen.recv()).await, Some(256 << 10));
    }
    assert_eq!(soon(writes).await.unwrap().unconfirmed, []);
    assert_eq!(between.close().await.unwrap().written, MANY as u64);
    assert_eq!(last.close().await.unwrap().received, MANY as u64);
}
