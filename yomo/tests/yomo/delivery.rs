//! None lost, none changed, in order.
//!
//! The order that the protocol promises is that of one source to one function: a server routes the messages of a connection
//! in their order, each to the stream of the function before the next. Go's own functions see it only through a pipe handler.

use bytes::Bytes;
use y3_yomo::{Message, Sent, Source, StreamFunction};

use crate::go::Go;
use crate::kit::{LONG, TAG, count, delivered_within, go, numbers, options, run, server, soon};
use crate::message::{message, unchanged};

async fn write_all(source: &Source) {
    for number in 0..count() {
        assert_eq!(source.send((TAG, message(number))).await.unwrap(), u64::from(number));
    }
}

#[test]
fn all_messages_of_a_source_come_to_a_function_of_go() {
    run(async {
        let Some((_server, address)) = server(&[]).await else { return };
        let count = count().to_string();
        let arguments = ["function", "--addr", &address, "--count", &count];
        let mut function = Go::start(go().unwrap(), &arguments).unwrap();
        function.expect("ready", LONG).await.unwrap();

        let source = Source::connect(options(&address, "source")).await.unwrap();
        write_all(&source).await;
        let seen = function.expect("seen", delivered_within()).await.unwrap();
        assert_eq!(seen, format!("{count} wrong 0 unordered 0"));
        let sent = source.close().await.unwrap();
        assert_eq!((sent.messages.to_string(), sent.unconfirmed), (count, vec![]));
    });
}

#[test]
fn all_messages_of_a_source_of_go_come_to_a_function() {
    run(async {
        let Some((_server, address)) = server(&[]).await else { return };
        let (function, mut seen) = numbers(options(&address, "function"), &[TAG]).await;
        let arguments = ["source", "--addr", &address, "--count", &count().to_string()];
        let _source = Go::start(go().unwrap(), &arguments).unwrap();
        for number in 0..count() {
            assert_eq!(soon(seen.recv()).await, Some(Some(number)));
        }
        let handled = function.close().await.unwrap();
        assert_eq!((handled.received, handled.written), (count().into(), 0));
        assert!(seen.recv().await.is_none());
    });
}

#[test]
fn messages_and_answers_go_through_a_server_of_go() {
    run(async {
        let Some((_server, address)) = server(&[]).await else { return };
        let (last, mut seen) = numbers(options(&address, "last"), &[0x35, 0x36]).await;
        let between = |message: Message| async move {
            assert_eq!(message.tag, TAG);
            let is_even = unchanged(&message.payload).unwrap().is_multiple_of(2);
            Some((if is_even { 0x35 } else { 0x36 }, message.payload))
        };
        let between = StreamFunction::new(options(&address, "between"), [TAG]).connect(between).await.unwrap();
        let source = Source::connect(options(&address, "source")).await.unwrap();
        write_all(&source).await;
        for number in 0..count() {
            assert_eq!(soon(seen.recv()).await, Some(Some(number)));
        }
        assert_eq!(source.close().await.unwrap().unconfirmed, []);
        let handled = between.close().await.unwrap();
        assert_eq!((handled.received, handled.written), (count().into(), count().into()));
        assert_eq!(last.close().await.unwrap().received, u64::from(count()));
    });
}

#[test]
fn messages_of_go_go_through_a_function_here_back_to_go() {
    run(async {
        let Some((_server, address)) = server(&[]).await else { return };
        let number = count().to_string();
        let arguments = ["function", "--addr", &address, "--tags", "0x35", "--count", &number];
        let mut last = Go::start(go().unwrap(), &arguments).unwrap();
        last.expect("ready", LONG).await.unwrap();
        let pass = |message: Message| async move { Some((0x35, message.payload)) };
        let between = StreamFunction::new(options(&address, "between"), [TAG]).concurrency(4);
        let between = between.connect(pass).await.unwrap();
        let _source = Go::start(go().unwrap(), &["source", "--addr", &address, "--count", &number]).unwrap();
        let seen = last.expect("seen", delivered_within()).await.unwrap();
        assert_eq!(seen, format!("{number} wrong 0 unordered 0"));
        let counters = between.close().await.unwrap();
        assert_eq!(
            (counters.received, counters.written, counters.confirmed),
            (count().into(), count().into(), count().into())
        );
    });
}

#[test]
fn three_functions_of_one_name_get_each_message_once() {
    run(async {
        let Some((_server, address)) = server(&[]).await else { return };
        let mut functions = Vec::new();
        for _ in 0..3 {
            functions.push(numbers(options(&address, "same"), &[TAG]).await);
        }
        let source = Source::connect(options(&address, "same")).await.unwrap();
        write_all(&source).await;
        for (_, seen) in &mut functions {
            for number in 0..count() {
                assert_eq!(soon(seen.recv()).await, Some(Some(number)));
            }
        }
        assert_eq!(source.close().await.unwrap().unconfirmed, []);
        for (function, mut seen) in functions {
            assert_eq!(function.close().await.unwrap().received, u64::from(count()));
            assert!(seen.recv().await.is_none());
        }
    });
}

#[test]
fn messages_of_1_mib_of_any_bytes_come_through() {
    run(async {
        let Some((_server, address)) = server(&[]).await else { return };
        // 300 of them in the long test.
        let many = (count() / 200).max(10);
        let long = |number: u32| -> Bytes {
            let bytes: Vec<u8> =
                (0..1u32 << 20).map(|at| (at ^ number).wrapping_mul(0x9e37_79b9).to_le_bytes()[3]).collect();
            bytes.into()
        };
        let (sender, mut seen) = tokio::sync::mpsc::channel(4);
        let last = move |message: Message| {
            let sender = sender.clone();
            async move {
                let _ = sender.send(message.payload).await;
            }
        };
        let last = StreamFunction::new(options(&address, "last"), [0x35]).connect(last).await.unwrap();
        let between = |message: Message| async move { Some((0x35, message.payload)) };
        let between = StreamFunction::new(options(&address, "between"), [TAG]).connect(between).await.unwrap();
        let source = Source::connect(options(&address, "source")).await.unwrap();
        let writes = tokio::spawn(async move {
            for number in 0..many {
                source.send((TAG, long(number))).await.unwrap();
            }
            source.close().await.unwrap()
        });
        for number in 0..many {
            assert!(soon(seen.recv()).await.unwrap() == long(number), "number {number} is changed");
        }
        assert_eq!(soon(writes).await.unwrap().unconfirmed, []);
        assert_eq!(between.close().await.unwrap().confirmed, u64::from(many));
        last.close().await.unwrap();
    });
}

#[test]
fn a_source_that_writes_and_closes_at_once_loses_nothing() {
    run(async {
        let Some((_server, address)) = server(&[]).await else { return };
        let (function, mut seen) = numbers(options(&address, "function"), &[TAG]).await;
        for _ in 0..20 {
            let source = Source::connect(options(&address, "source")).await.unwrap();
            for number in 0..50 {
                source.send((TAG, message(number))).await.unwrap();
            }
            let Sent { messages, unconfirmed, .. } = source.close().await.unwrap();
            assert_eq!((messages, unconfirmed), (50, vec![]));
            for number in 0..50 {
                assert_eq!(soon(seen.recv()).await, Some(Some(number)));
            }
        }
        assert_eq!(function.close().await.unwrap().received, 1000);
    });
}

#[test]
fn a_slow_function_makes_the_source_wait_and_loses_nothing() {
    const MANY: u64 = 500;
    run(async {
        let Some((_server, address)) = server(&[]).await else { return };
        let (sender, mut seen) = tokio::sync::mpsc::channel(1);
        let slow = move |message: Message| {
            let sender = sender.clone();
            async move {
                let _ = sender.send(unchanged(&message.payload)).await;
            }
        };
        let function = StreamFunction::new(options(&address, "slow"), [TAG]).connect(slow).await.unwrap();
        let source = Source::connect(options(&address, "source")).await.unwrap();
        let writes = tokio::spawn(async move {
            // 1 is the longest message: 64 KiB. More of them than all buffers on the way hold.
            let longest = Bytes::from(message(1));
            for _ in 0..MANY {
                source.send((TAG, longest.clone())).await.unwrap();
            }
            source
        });
        tokio::time::sleep(crate::kit::SECOND * 3).await;
        assert!(!writes.is_finished(), "31 MiB do not fit into the buffers");
        for _ in 0..MANY {
            assert_eq!(soon(seen.recv()).await, Some(Some(1)));
        }
        assert_eq!(soon(writes).await.unwrap().close().await.unwrap().unconfirmed, []);
        assert_eq!(function.close().await.unwrap().received, MANY);
    });
}

#[test]
fn an_empty_payload_and_the_metadata_of_go_come_through() {
    run(async {
        let Some((_server, address)) = server(&[]).await else { return };
        let (sender, mut seen) = tokio::sync::mpsc::unbounded_channel();
        let handler = move |message: Message| {
            let _ = sender.send(message);
            async {}
        };
        let _function = StreamFunction::new(options(&address, "function"), [TAG]).connect(handler).await.unwrap();
        let source = Source::connect(options(&address, "source")).await.unwrap();
        source.send((TAG, Bytes::new())).await.unwrap();
        let message = soon(seen.recv()).await.unwrap();
        assert_eq!(message, Message { tag: TAG, ..Message::default() });

        let arguments = ["source", "--addr", &address, "--count", "1"];
        let _go = Go::start(go().unwrap(), &arguments).unwrap();
        let message = soon(seen.recv()).await.unwrap();
        assert_eq!(unchanged(&message.payload), Some(0));
        // A map of two texts, one of them the id of the source.
        assert_eq!(message.metadata[0], 0x82);
        assert!(message.metadata.windows(14).any(|window| window == b"yomo-source-id"));
    });
}
