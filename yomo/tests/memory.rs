//! Memory of a peer whose server is hostile. The tests have their own program and run one after the other, because they
//! measure the memory of the process.

#![allow(dead_code, reason = "a program uses a part of its modules")]

#[path = "yomo/fake.rs"]
mod fake;
#[path = "yomo/kit.rs"]
mod kit;
#[path = "yomo/message.rs"]
mod message;

use std::slice::from_ref;

use tokio::sync::Mutex;
use y3_yomo::{Options, Source};

use fake::{ACK, Fake, Step, quick, saying};
use kit::{SECOND, TAG, numbers, observed, options, soon};

static ALONE: Mutex<()> = Mutex::const_new(());

fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() << 10
}

const SENT: usize = 128 << 20;

#[tokio::test(flavor = "multi_thread")]
async fn a_declared_2_gib_frame_takes_no_memory() {
    let _alone = ALONE.lock().await;
    // The maximum length: 2^31-1.
    let header = vec![0xbf, 0x87, 0xff, 0xff, 0xff, 0x7f];
    let body = Step::Repeat(vec![0xaa; 1 << 16], SENT >> 16);
    let fake = Fake::start(b"yomo", vec![vec![Step::Say(ACK.to_vec()), Step::Say(header), body, Step::Finish]]);
    let (options, mut events) = observed(quick(&fake));
    let before = resident();
    let _function = numbers(options, &[TAG]).await;
    assert_eq!(events.skipped().await, (1 << 31) + 5);
    let (cause, _) = events.lost().await;
    assert!(cause.contains("the server ended the stream inside a frame"), "{cause}");
    let grown = resident().saturating_sub(before);
    assert!(grown < SENT / 4, "{} MiB for {} MiB that were sent", grown >> 20, SENT >> 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_never_reads_makes_a_source_wait_in_flat_memory() {
    let _alone = ALONE.lock().await;
    let fake = saying(&[ACK]);
    let before = resident();
    let source = Source::connect(Options { timeout: SECOND, ..options(&fake.address, "source") }).await.unwrap();
    let piece = bytes::Bytes::from(vec![0; 1 << 20]);
    let mut written = 0;
    while tokio::time::timeout(SECOND, source.send((TAG, piece.clone()))).await.is_ok() {
        written += 1;
        assert!(written < 100, "100 MiB, and nobody has read a byte");
    }
    let grown = resident().saturating_sub(before);
    assert!(grown < 64 << 20, "{} MiB", grown >> 20);
    let sent = soon(source.close()).await.unwrap();
    assert_eq!((sent.messages, &*sent.unconfirmed), (written, from_ref(&(0..written))));
}
