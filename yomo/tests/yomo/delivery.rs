//! No message is lost or changed, and messages of one source reach a function in order.
//!
//! The server reads the messages of a connection in order, and writes each to the function's stream before it reads the
//! next. Go's functions see this order only in a pipe handler.

use y3_yomo::{Message, StreamFunction};

use crate::kit::{TAG, count, go, options, server, soon, source};
use crate::message::{bytes, message};

/// Sends messages from a source to a function, whose answers go to another function.
async fn through(count: u32, message: fn(u32) -> Vec<u8>) {
    let Some((_server, address)) = server(&[]).await else { return };
    let (sender, mut seen) = tokio::sync::mpsc::channel(4);
    let last = move |message: Message| {
        let sender = sender.clone();
        async move { drop(sender.send(message).await) }
    };
    let last = StreamFunction::new(options(&address, "last"), [0x35, 0x36]).connect(last).await.unwrap();
    let between = |message: Message| async move {
        let tag = 0x35 + u32::from(message.payload.len() % 2 == 0);
        assert_eq!(message.tag, TAG);
        Some((tag, message.payload))
    };
    let between = StreamFunction::new(options(&address, "between"), [TAG]).connect(between).await.unwrap();
    let source = source(&address).await;
    let writes = tokio::spawn(async move {
        for number in 0..count {
            assert_eq!(source.send((TAG, message(number))).await.unwrap(), u64::from(number));
        }
        source.close().await.unwrap()
    });
    for number in 0..count {
        let (seen, sent) = (soon(seen.recv()).await.unwrap(), message(number));
        assert!(seen.payload == sent && seen.tag == 0x35 + u32::from(sent.len() % 2 == 0), "{number}");
    }
    assert_eq!(soon(writes).await.unwrap().unconfirmed, []);
    let handled = between.close().await.unwrap();
    assert_eq!([handled.received, handled.written, handled.confirmed], [u64::from(count); 3]);
    assert_eq!(last.close().await.unwrap().received, u64::from(count));
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_and_answers_go_through_a_server_of_go() {
    through(count(), message).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_of_1_mib_of_any_bytes_come_through() {
    // The long test has 500 of them.
    through((count() / 200).max(10), |number| bytes(number, 1 << 20)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_of_go_go_through_a_function_here_back_to_go() {
    let Some((_server, address)) = server(&[]).await else { return };
    let number = count().to_string();
    let arguments = ["function", "--addr", &address, "--tags", "0x35", "--count", &number];
    let mut last = go(&arguments, &[]).await.unwrap();
    last.expect("ready").await;
    let pass = |message: Message| async move { Some((0x35, message.payload)) };
    let between = StreamFunction::new(options(&address, "between"), [TAG]).concurrency(4);
    let between = between.connect(pass).await.unwrap();
    let _source = go(&["source", "--addr", &address, "--count", &number], &[]).await;
    assert_eq!(last.expect("seen").await, format!("{number} wrong 0 unordered 0"));
    let counters = between.close().await.unwrap();
    assert_eq!([counters.received, counters.written, counters.confirmed], [u64::from(count()); 3]);
}
