//! Servers that send garbage, nothing, too much, or half of a frame. The peer ends with a reason or continues. It
//! reserves no memory for a declared length, and does not wait for bytes that never come.

use y3_yomo::{Error, Event, Message, Options, Source, StreamFunction};

use crate::fake::Step::{Finish, Pause, Read, Repeat, Say, SendBack, Stop};
use crate::fake::{ACK, Fake, quick, saying};
use crate::kit::{LONG, SECOND, TAG, come, handing_on, numbers, observed, options, soon};
use crate::message::{bytes, message};

/// Encodes a data frame as a server does.
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

#[tokio::test(flavor = "multi_thread")]
async fn garbage_in_the_place_of_an_acknowledgement_is_named() {
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
}

#[tokio::test(flavor = "multi_thread")]
async fn random_bytes_never_hang_or_kill_a_peer() {
    for turn in 0..64 {
        let fake = saying(&[&bytes(turn, 1 + turn * 5 % 200)]);
        let options = Options { timeout: SECOND / 4, ..quick(&fake) };
        let error = soon(Source::connect(options)).await.unwrap_err();
        assert!(matches!(error, Error::Protocol(_) | Error::Unreachable { .. } | Error::Lost(_)), "{error:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_goaway_and_garbage_end_a_function_with_the_reason() {
    let fine = frame(TAG, b"fine");
    // `g` is a tag, and `a` a negative length.
    let at = ACK.len() + fine.len() + 1;
    let garbage = format!("the server does not speak YoMo's protocol: negative length at byte {at}");
    for (last, error) in
        [(&b"garbage"[..], &*garbage), (b"\xae\x06\x01\x04gone", "the server sent a goaway frame: gone")]
    {
        let fake = saying(&[ACK, &fine, last]);
        let (mut function, _seen) = numbers(quick(&fake), &[TAG]).await;
        assert_eq!(soon(function.ended()).await.unwrap_err().to_string(), error);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reason_why_there_is_no_connection_is_named() {
    let free = std::net::UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let (other, silent) = (Fake::start(b"h3", vec![vec![]]), saying(&[]));
    let second = |address: &str| Options { timeout: SECOND, ..options(address, "peer") };
    for (options, cause) in [
        (second(&free), &*format!("no YoMo server at {free}: ")),
        (second(&silent.address), "no answer within 1s"),
        (quick(&other), "speaks QUIC, but not YoMo"),
        (second("127.0.0.1"), "has no port"),
        (second("no.such.host.invalid:9000"), "no.such.host.invalid"),
    ] {
        let error = soon(Source::connect(options)).await.unwrap_err().to_string();
        assert!(error.contains(cause), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn silence_between_frames_is_no_fault_and_silence_inside_one_loses_the_connection() {
    let [first, second] = [4, 3].map(|number| frame(TAG, &message(number)));
    let half = second[..second.len() / 2].to_vec();
    // The connection stays open, because quinn answers keep-alive packets.
    let one = vec![Say(ACK.to_vec()), Pause(SECOND * 3), Say(first), Say(half)];
    let fake = Fake::start(b"yomo", vec![one, vec![Say(ACK.to_vec()), Say(second)]]);
    let (options, mut events) = observed(quick(&fake));
    let (_function, mut seen) = numbers(options, &[TAG]).await;
    come(&mut seen, 4..5).await;
    assert_eq!(fake.connections(), 1);
    let (cause, _) = events.lost().await;
    assert!(cause.contains("silent for 500ms inside a frame"), "{cause}");
    come(&mut seen, 3..4).await;
    assert_eq!(fake.connections(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_that_come_before_the_acknowledgement_are_handled_first() {
    // A YoMo server may route messages to a function before it sends the acknowledgement.
    let fake = saying(&[&frame(TAG, &message(1)), &frame(TAG, &message(2)), ACK, &frame(TAG, &message(3))]);
    let (_function, mut seen) = numbers(quick(&fake), &[TAG]).await;
    come(&mut seen, 1..4).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_takes_no_more_answers_loses_the_connection_and_the_next_one_works() {
    let words = || Say([ACK, &frame(TAG, b"x")].concat());
    let fake = Fake::start(b"yomo", vec![vec![Stop, words()], vec![words(), Read]]);
    let (options, mut events) = observed(quick(&fake));
    let answer = |message: Message| async move { Some((TAG + 1, message.payload)) };
    let function = StreamFunction::new(options, [TAG]).connect(answer).await.unwrap();
    events.lost().await;
    events.connected().await;
    let written = async {
        while function.counters().written < 2 {
            tokio::time::sleep(SECOND / 100).await;
        }
    };
    soon(written).await;
    assert_eq!(fake.connections(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_sends_messages_and_no_acknowledgement_is_left() {
    let fake = Fake::start(b"yomo", vec![vec![Repeat(frame(TAG, &[0; 1 << 12]), usize::MAX)]]);
    let options = Options { read_ahead: 1 << 20, timeout: LONG, ..quick(&fake) };
    let error = soon(StreamFunction::new(options, [TAG]).connect(|_| async {})).await.unwrap_err();
    let cause = "a handshake was answered by DataFrame";
    assert!(matches!(&error, Error::Protocol(said) if said == cause), "{error:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_function_whose_answers_are_not_read_reads_on_for_a_mark_that_may_be_on_its_way() {
    // The server ends its stream after more bytes than `read_ahead` and the buffers of the connection.
    let script = vec![Say(ACK.to_vec()), Repeat(frame(TAG, &[0; 1 << 16]), 80), Finish, Pause(LONG)];
    let fake = Fake::start(b"yomo", vec![script]);
    let (options, mut events) = observed(Options { read_ahead: 1 << 20, ..quick(&fake) });
    let answer = |message: Message| async move { Some((TAG + 1, message.payload)) };
    let _function = StreamFunction::new(options, [TAG]).connect(answer).await.unwrap();
    let (cause, _) = events.lost().await;
    assert!(cause.contains("the server ended the stream"), "{cause}");
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_without_payloads_fill_the_memory_for_reading_ahead() {
    let fake = Fake::start(b"yomo", vec![vec![Say(ACK.to_vec()), Repeat(frame(TAG, b""), usize::MAX)]]);
    let (options, mut events) = observed(Options { read_ahead: 1 << 20, ..quick(&fake) });
    let answer = |_| async { Some((TAG + 1, vec![0; 4 << 20])) };
    let _function = StreamFunction::new(options, [TAG]).connect(answer).await.unwrap();
    events.wait(|event| matches!(event, Event::Waiting { .. }).then_some(())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_above_the_limit_is_skipped_and_one_at_the_limit_is_not() {
    let [small, at, above] = [10, 1000, 1001].map(|len| frame(TAG, &vec![7; len]));
    let fake = saying(&[ACK, &at, &above, &small]);
    let (options, mut events) = observed(Options { max_frame: at.len(), ..quick(&fake) });
    let (_function, mut seen) = handing_on(options, &[TAG], |message| message).await;
    for len in [1000, 10] {
        assert_eq!(soon(seen.recv()).await.unwrap().payload.len(), len);
    }
    assert_eq!(events.skipped().await, above.len() as u64);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_sends_a_frame_at_its_limit_and_none_above_and_none_with_a_reserved_tag() {
    let limit = frame(0x1_0000, &[7; 1000]).len();
    let fake = saying(&[ACK]);
    let source = Source::connect(Options { max_frame: limit, ..quick(&fake) }).await.unwrap();
    let error = source.send((0x1_0000, vec![0; 1001])).await.unwrap_err();
    assert!(matches!(error, Error::TooLong { len, limit: most } if len == limit + 1 && most == limit), "{error:?}");
    for tag in [0xf000, 0xffff] {
        let error = source.send((tag, "x")).await.unwrap_err();
        assert!(matches!(error, Error::ReservedTag(reserved) if reserved == tag), "{error:?}");
    }
    assert_eq!(source.send((0x1_0000, vec![0; 1000])).await.unwrap(), 0);
    assert_eq!(source.send((0xefff, "x")).await.unwrap(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_ends_every_connection_is_not_asked_without_a_pause() {
    let fake = Fake::start(b"yomo", vec![vec![Say(ACK.to_vec()), Finish]]);
    let _function = numbers(quick(&fake), &[TAG]).await;
    tokio::time::sleep(SECOND * 3).await;
    // The pause doubles from 20 ms to 200 ms, and is shortened by up to a half.
    assert!((4..=35).contains(&fake.connections()), "{} connections in 3 seconds", fake.connections());
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_that_send_a_peer_in_circles_are_left() {
    let fake = Fake::start(b"yomo", vec![vec![SendBack]]);
    let error = soon(Source::connect(quick(&fake))).await.unwrap_err();
    assert!(matches!(error, Error::MovedTooOften(8, _)), "{error:?}");
    assert_eq!(fake.connections(), 8);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handler_that_panics_ends_its_function_with_that() {
    let fake = saying(&[ACK, &frame(TAG, b"x")]);
    let (mut function, _seen) = handing_on(quick(&fake), &[TAG], |_| panic!("no idea")).await;
    let error = soon(function.ended()).await.unwrap_err();
    assert!(matches!(&error, Error::Handler(cause) if cause.contains("no idea")), "{error:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_function_is_gone() {
    let fake = Fake::start(b"yomo", vec![vec![Say(ACK.to_vec()), Repeat(frame(TAG, b"x"), usize::MAX)]]);
    let (function, mut seen) = handing_on(quick(&fake), &[TAG], |_| ()).await;
    assert!(soon(seen.recv()).await.is_some());
    drop(function);
    // The handler is dropped, and the sender with it.
    soon(async { while seen.recv().await.is_some() {} }).await;
}
