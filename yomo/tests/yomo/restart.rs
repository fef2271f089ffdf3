//! A server that is killed and started again.

use std::slice::from_ref;
use std::time::Duration;

use y3_yomo::{Error, Event, Options, Retry, Source};

use crate::go::Go;
use crate::kit::{LONG, SECOND, TAG, go, numbers, observed, options, run, server, soon};
use crate::message::message;

fn lost(event: &Event) -> Option<std::ops::Range<u64>> {
    if let Event::Lost { unconfirmed, .. } = event { Some(unconfirmed.clone()) } else { None }
}

#[test]
fn peers_connect_again_after_the_server_was_killed_and_say_what_may_be_lost() {
    run(async {
        let Some((server, address)) = server(&[]).await else { return };
        let (function_options, mut function_events) = observed(options(&address, "function"));
        let (source_options, mut source_events) = observed(options(&address, "source"));
        let (function, mut seen) = numbers(function_options, &[TAG]).await;
        let source = Source::connect(source_options).await.unwrap();
        for number in 0..500 {
            source.send((TAG, message(number))).await.unwrap();
        }
        source.confirm(LONG).await.unwrap();
        for number in 0..500 {
            assert_eq!(soon(seen.recv()).await, Some(Some(number)));
        }

        server.kill().await;
        // No answer tells the source that nobody reads these.
        for number in 500..510 {
            assert_eq!(source.send((TAG, message(number))).await.unwrap(), u64::from(number));
        }
        assert!(function_events.wait(lost).await.is_empty());
        let retry = |event: &Event| matches!(event, Event::Retry { .. }).then_some(());
        function_events.wait(retry).await;
        function_events.wait(retry).await;

        let mut again = Go::start(go().unwrap(), &["server", "--addr", &address]).unwrap();
        again.expect("listening", LONG).await.unwrap();
        function_events.connected().await;
        for number in 510..1000 {
            assert_eq!(source.send((TAG, message(number))).await.unwrap(), u64::from(number));
        }
        assert_eq!(source_events.wait(lost).await, 500..510);
        source_events.connected().await;
        let sent = source.close().await.unwrap();
        assert_eq!((sent.messages, &*sent.unconfirmed), (1000, from_ref(&(500..510))));
        // What is missing is what was said to be, and nothing else.
        for number in 510..1000 {
            assert_eq!(soon(seen.recv()).await, Some(Some(number)));
        }
        assert_eq!(function.close().await.unwrap().received, 990);
    });
}

#[test]
fn what_is_missing_after_a_kill_under_load_was_said_and_nothing_is_doubled_changed_or_out_of_order() {
    run(async {
        let Some((server, address)) = server(&[]).await else { return };
        let (mut server, mut _again) = (Some(server), None);
        let (function, mut seen) = numbers(options(&address, "function"), &[TAG]).await;
        // Slower than the function to notice, so that the function is back before the source.
        let (options, mut events) = observed(Options { silence: 6 * SECOND, ..options(&address, "source") });
        let source = Source::connect(options).await.unwrap();
        events.connected().await;
        let (mut written, mut after) = (0, 0);
        while after < 300 {
            assert_eq!(source.send((TAG, message(written))).await.unwrap(), u64::from(written));
            written += 1;
            assert!(written < 100_000, "the source never connects again");
            if written <= 1000 && written % 100 == 0 {
                source.confirm(LONG).await.unwrap();
            }
            if written == 1050
                && let Some(server) = server.take()
            {
                server.kill().await;
                let mut again = Go::start(go().unwrap(), &["server", "--addr", &address]).unwrap();
                again.expect("listening", LONG).await.unwrap();
                _again = Some(again);
            }
            after += u32::from(after > 0 || events.has_connected());
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let sent = source.close().await.unwrap();
        let mut got = Vec::new();
        while got.last() != Some(&(written - 1)) {
            got.push(soon(seen.recv()).await.unwrap().expect("unchanged"));
        }
        assert!(got.is_sorted_by(|one, next| one < next));
        let is_said = |number: u32| sent.unconfirmed.iter().any(|range| range.contains(&u64::from(number)));
        let missing: Vec<_> = (0..written).filter(|number| got.binary_search(number).is_err()).collect();
        assert!(!missing.is_empty() && missing.iter().all(|&number| is_said(number)), "{missing:?}, {sent:?}");
        assert!(!is_said(999) && !is_said(written - 299));
        function.close().await.unwrap();
    });
}

#[test]
fn peers_connect_again_after_the_server_was_ended_in_good_order() {
    run(async {
        let Some((server, address)) = server(&[]).await else { return };
        let (options, mut events) = observed(options(&address, "function"));
        let (function, _seen) = numbers(options, &[TAG]).await;
        events.connected().await;
        server.end(LONG).await.unwrap();
        events.wait(lost).await;
        let mut again = Go::start(go().unwrap(), &["server", "--addr", &address]).unwrap();
        again.expect("listening", LONG).await.unwrap();
        events.connected().await;
        function.close().await.unwrap();
    });
}

#[test]
fn a_source_gives_up_in_time_and_its_message_is_not_among_those_written() {
    run(async {
        let Some((server, address)) = server(&[]).await else { return };
        let retry = Retry { give_up: SECOND, ..options("", "").retry };
        let (options, mut events) = observed(Options { retry, timeout: SECOND, ..options(&address, "source") });
        let source = Source::connect(options).await.unwrap();
        source.send((TAG, message(0))).await.unwrap();
        source.confirm(LONG).await.unwrap();
        server.kill().await;
        // The first calls are taken by a connection that is not known to be dead.
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
        assert_eq!(events.wait(lost).await, 1..written);
        assert_eq!(
            (source.sent().await.messages, &*source.sent().await.unconfirmed),
            (written, from_ref(&(1..written)))
        );
    });
}

#[test]
fn a_write_that_is_not_waited_for_makes_no_half_frame() {
    run(async {
        let Some((_server, address)) = server(&[]).await else { return };
        let (function, mut seen) = numbers(options(&address, "function"), &[TAG]).await;
        let source = Source::connect(options(&address, "source")).await.unwrap();
        let big = vec![0; 8 << 20];
        let cut = tokio::time::timeout(Duration::ZERO, source.send((0x40, big)));
        assert!(cut.await.is_err(), "8 MiB are not written at once");
        source.send((TAG, message(9))).await.unwrap();
        assert_eq!(soon(seen.recv()).await, Some(Some(9)));
        assert_eq!(source.close().await.unwrap().messages, 1);
        function.close().await.unwrap();
    });
}
