//! Servers that send garbage, nothing, too much or half of it. A peer ends with a reason or goes on; it takes no memory for
//! what is only declared, and no time for what never comes.

use std::time::{Duration, Instant};

use y3_yomo::{Error, Event, Message, Options, Source, StreamFunction};

use crate::fake::{ACK, Fake, quick, saying};
use crate::kit::{LONG, SECOND, TAG, messages, numbers, observed, options, run, soon};
use crate::message::message;

/// A data frame of a message, as a server writes it.
fn frame(tag: u32, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let written = y3::Encoder::new(&mut out).node(0x3f, |fields| {
        fields.put(0x01, tag)?;
        fields.put(0x03, &[][..] as &[u8])?;
        fields.put(0x02, payload)
    });
    written.unwrap();
    out
}

async fn ends(fake: &Fake) -> Error {
    let mut function = StreamFunction::new(quick(fake), [TAG]).connect(|_: Message| async {}).await.unwrap();
    soon(function.ended()).await.unwrap_err()
}

#[test]
fn garbage_in_the_place_of_an_acknowledgement_is_named() {
    run(async {
        for garbage in [
            &b"HTTP/1.1 400 Bad Request\r\n\r\n"[..],
            &[0; 64],
            &[0xff; 64],
            b"\xa9\x7f",
            &[0x29, 0x00],
            &frame(TAG, &vec![b'x'; 1 << 16]),
        ] {
            let fake = saying(&[garbage]);
            let error = Source::connect(quick(&fake)).await.unwrap_err();
            assert!(matches!(&error, Error::Protocol(cause) if cause.len() < 100), "{garbage:02x?}: {error:?}");
        }
    });
}

#[test]
fn random_bytes_never_hang_or_kill_a_peer() {
    run(async {
        let mut random = 7u64;
        for turn in 0..64 {
            let garbage: Vec<u8> = (0..=turn * 5 % 200)
                .map(|_| {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (random >> 56) as u8
                })
                .collect();
            let fake = saying(&[&garbage]);
            let options = Options { timeout: SECOND / 4, ..quick(&fake) };
            let error = soon(Source::connect(options)).await.unwrap_err();
            assert!(matches!(error, Error::Protocol(_) | Error::Unreachable { .. } | Error::Lost(_)), "{error:?}");
        }
    });
}

#[test]
fn garbage_after_the_acknowledgement_ends_a_function_and_a_source_with_its_offset() {
    run(async {
        let fake = saying(&[ACK, &frame(TAG, b"fine"), b"garbage"]);
        let error = ends(&fake).await;
        let start = ACK.len() + frame(TAG, b"fine").len();
        // `g` is a tag, and `a` a negative length.
        assert_eq!(
            error.to_string(),
            format!("the server does not speak YoMo's protocol: negative length at byte {}", start + 1)
        );

        let fake = saying(&[ACK, b"garbage"]);
        let source = Source::connect(quick(&fake)).await.unwrap();
        let error = soon(async {
            loop {
                if let Err(error) = source.send((TAG, message(0))).await {
                    return error;
                }
                tokio::time::sleep(SECOND / 100).await;
            }
        })
        .await;
        assert!(matches!(error, Error::Protocol(_)), "{error:?}");
    });
}

#[test]
fn a_server_that_says_nothing_is_waited_for_no_longer_than_told() {
    run(async {
        let fake = saying(&[]);
        let started = Instant::now();
        let error = Source::connect(quick(&fake)).await.unwrap_err();
        assert!(matches!(error, Error::Unreachable { .. } | Error::Lost(_)), "{error:?}");
        assert!(started.elapsed() >= SECOND / 2 && started.elapsed() < LONG / 2);
    });
}

#[test]
fn nobody_at_the_port_and_another_protocol_at_the_port_are_told_apart() {
    run(async {
        let free = std::net::UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        let nobody = Options { timeout: SECOND, ..options(&free, "peer") };
        let error = Source::connect(nobody).await.unwrap_err();
        assert!(matches!(&error, Error::Unreachable { server, .. } if *server == free), "{error:?}");

        let other = Fake::speaking(b"h3", |_, _, _| async {});
        let error = Source::connect(quick(&other)).await.unwrap_err();
        assert!(matches!(&error, Error::Protocol(cause) if cause.contains("speaks QUIC, but not YoMo")), "{error:?}");

        for (address, cause) in [("127.0.0.1", "has no port"), ("no.such.host.invalid:9000", "no.such.host.invalid")] {
            let error = Source::connect(options(address, "peer")).await.unwrap_err();
            assert!(error.to_string().contains(cause), "{error}");
        }
    });
}

#[test]
fn half_a_frame_and_then_silence_loses_the_connection_and_the_next_one_works() {
    run(async {
        let whole = frame(TAG, &message(3));
        let cut = whole.len() / 2;
        let fake = Fake::start(move |number, mut send, receive| {
            let whole = whole.clone();
            async move {
                let _ = send.write_all(ACK).await;
                // The connection stays alive: quinn answers when it is asked for a sign of life.
                let _ = send.write_all(if number == 0 { &whole[..cut] } else { &whole }).await;
                send.stopped().await.ok();
                drop(receive);
            }
        });
        let (options, mut events) = observed(quick(&fake));
        let (function, mut seen) = numbers(options, &[TAG]).await;
        let cause =
            events.wait(|event| if let Event::Lost { cause, .. } = event { Some(cause.clone()) } else { None }).await;
        assert!(cause.contains("silent for 500ms inside a frame"), "{cause}");
        assert_eq!(soon(seen.recv()).await, Some(Some(3)));
        assert_eq!(fake.connections(), 2);
        function.close().await.unwrap();
    });
}

#[test]
fn messages_that_come_before_the_acknowledgement_are_handled_first() {
    run(async {
        // As a server of YoMo may do it: it routes to a function before it says that it has accepted it.
        let fake = saying(&[&frame(TAG, &message(1)), &frame(TAG, &message(2)), ACK, &frame(TAG, &message(3))]);
        let (function, mut seen) = numbers(quick(&fake), &[TAG]).await;
        for number in 1..=3 {
            assert_eq!(soon(seen.recv()).await, Some(Some(number)));
        }
        function.close().await.unwrap();
    });
}

#[test]
fn a_server_that_takes_no_more_answers_loses_the_connection_and_the_next_one_works() {
    run(async {
        let fake = Fake::start(|number, mut send, mut receive| async move {
            let _ = send.write_all(&[ACK, &frame(TAG, b"x")].concat()).await;
            if number == 0 {
                receive.stop(7u32.into()).unwrap();
                let _ = send.stopped().await;
            } else {
                let _ = receive.read_to_end(1 << 20).await;
            }
        });
        let (options, mut events) = observed(quick(&fake));
        let answer = |message: Message| async move { Some((TAG + 1, message.payload)) };
        let function = StreamFunction::new(options, [TAG]).connect(answer).await.unwrap();
        events.wait(|event| matches!(event, Event::Lost { .. }).then_some(())).await;
        events.connected().await;
        soon(async {
            while function.counters().written < 2 {
                tokio::time::sleep(SECOND / 100).await;
            }
        })
        .await;
        assert_eq!(fake.connections(), 2);
    });
}

#[test]
fn a_server_that_sends_messages_and_no_acknowledgement_is_left() {
    run(async {
        let fake = Fake::start(|_, mut send, receive| async move {
            while send.write_all(&frame(TAG, &[0; 1 << 12])).await.is_ok() {}
            drop(receive);
        });
        let options = Options { read_ahead: 1 << 20, timeout: LONG, ..quick(&fake) };
        let error = soon(StreamFunction::new(options, [TAG]).connect(|_| async {})).await;
        assert!(
            matches!(&error, Err(Error::Protocol(cause)) if cause == "a handshake was answered by DataFrame"),
            "{error:?}"
        );
    });
}

#[test]
fn silence_between_frames_is_no_fault() {
    run(async {
        let fake = Fake::start(|_, mut send, receive| async move {
            let _ = send.write_all(ACK).await;
            tokio::time::sleep(SECOND * 3).await;
            let _ = send.write_all(&frame(TAG, &message(4))).await;
            send.stopped().await.ok();
            drop(receive);
        });
        let (function, mut seen) = numbers(quick(&fake), &[TAG]).await;
        assert_eq!(soon(seen.recv()).await, Some(Some(4)));
        assert_eq!(fake.connections(), 1);
        function.close().await.unwrap();
    });
}

#[test]
fn a_frame_above_the_limit_is_skipped_and_one_at_the_limit_is_not() {
    run(async {
        let [small, at, above] = [10, 1000, 1001].map(|len| frame(TAG, &vec![7; len]));
        let fake = saying(&[ACK, &at, &above, &small]);
        let (options, mut events) = observed(Options { max_frame: at.len(), ..quick(&fake) });
        let (function, mut seen) = messages(options, &[TAG]).await;
        for len in [1000, 10] {
            assert_eq!(soon(seen.recv()).await.unwrap().payload.len(), len);
        }
        let skipped = |event: &Event| if let Event::Skipped { len } = event { Some(*len) } else { None };
        assert_eq!(events.wait(skipped).await, above.len() as u64);
        function.close().await.unwrap();
    });
}

#[test]
fn a_source_sends_a_frame_at_its_limit_and_none_above() {
    run(async {
        let limit = frame(TAG, &[7; 1000]).len();
        let fake = saying(&[ACK]);
        let source = Source::connect(Options { max_frame: limit, ..quick(&fake) }).await.unwrap();
        let error = source.send((TAG, vec![0; 1001])).await.unwrap_err();
        assert!(matches!(error, Error::TooLong { len, limit: most } if len == limit + 1 && most == limit), "{error:?}");
        assert_eq!(source.send((TAG, vec![0; 1000])).await.unwrap(), 0);
    });
}

#[test]
fn a_server_that_ends_every_connection_is_not_asked_without_a_pause() {
    run(async {
        let fake = Fake::start(|_, mut send, receive| async move {
            let _ = send.write_all(ACK).await;
            let _ = send.finish();
            let _ = send.stopped().await;
            drop(receive);
        });
        let (function, _seen) = numbers(quick(&fake), &[TAG]).await;
        tokio::time::sleep(SECOND * 3).await;
        // The pauses are 20 ms, then twice that, up to 200 ms, each shortened by up to a half.
        assert!((4..=35).contains(&fake.connections()), "{} connections in 3 seconds", fake.connections());
        function.close().await.unwrap();
    });
}

#[test]
fn servers_that_send_a_peer_in_circles_are_left() {
    run(async {
        let fake = Fake::start(|number, mut send, receive| async move {
            let mut answer = Vec::new();
            let to = format!("127.0.0.1:{}", PORT.load(std::sync::atomic::Ordering::Relaxed));
            assert!(number < 100);
            y3::Encoder::new(&mut answer).node(0x3e, |fields| fields.put(0x01, &*to)).unwrap();
            let _ = send.write_all(&answer).await;
            send.stopped().await.ok();
            drop(receive);
        });
        PORT.store(fake.address.rsplit_once(':').unwrap().1.parse().unwrap(), std::sync::atomic::Ordering::Relaxed);
        let error = soon(Source::connect(quick(&fake))).await.unwrap_err();
        assert!(matches!(error, Error::MovedTooOften(8, _)), "{error:?}");
        assert_eq!(fake.connections(), 8);
    });
}

static PORT: std::sync::atomic::AtomicU16 = std::sync::atomic::AtomicU16::new(0);

fn panics() {
    panic!("no idea");
}

#[test]
fn a_handler_that_panics_ends_its_function_with_that() {
    run(async {
        let fake = saying(&[ACK, &frame(TAG, b"x")]);
        let handler = |_: Message| async { panics() };
        let mut function = StreamFunction::new(quick(&fake), [TAG]).connect(handler).await.unwrap();
        let error = soon(function.ended()).await.unwrap_err();
        assert!(matches!(&error, Error::Handler(cause) if cause.contains("no idea")), "{error:?}");
    });
}

#[test]
fn a_dropped_function_is_gone() {
    run(async {
        let fake = Fake::start(|_, mut send, receive| async move {
            let _ = send.write_all(ACK).await;
            while send.write_all(&frame(TAG, b"x")).await.is_ok() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            drop(receive);
        });
        let (sender, mut seen) = tokio::sync::mpsc::unbounded_channel();
        let handler = move |_: Message| {
            let _ = sender.send(());
            async {}
        };
        let function = StreamFunction::new(quick(&fake), [TAG]).connect(handler).await.unwrap();
        assert!(soon(seen.recv()).await.is_some());
        drop(function);
        // The handler, and with it the sender, is dropped.
        soon(async { while seen.recv().await.is_some() {} }).await;
    });
}
