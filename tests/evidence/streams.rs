//! Streams that the published Go implementation misreports. `streams.json` records what Go did. The crate must report
//! the right hits for every case, at the chunk size of the case and at every other size. Each kind of input that Go
//! gets wrong has its own test.

use serde::Deserialize;
use y3::{ErrorKind, Limits};

use testkit::chunks;
use testkit::hex::{hex, unhex};
use testkit::oracle;

#[derive(Clone, Deserialize)]
struct Subscribe {
    note: String,
    key: u8,
    chunk: usize,
    hex: String,
    got: Vec<String>,
    hang: bool,
}

#[derive(Deserialize)]
struct Packet {
    tag: u8,
    val: String,
}

#[derive(Deserialize)]
struct Streamed {
    note: String,
    chunk: usize,
    hex: String,
    packet: Packet,
    val_is_right: bool,
}

#[derive(Deserialize)]
struct End {
    text: String,
}

#[derive(Deserialize)]
struct ReadPacket {
    note: String,
    chunk: usize,
    hex: String,
    packets: Vec<String>,
    end: End,
}

#[derive(Deserialize)]
struct Streams {
    read_packet: Vec<ReadPacket>,
    stream_read_packet: Vec<Streamed>,
    subscribe: Vec<Subscribe>,
}

fn streams() -> Streams {
    serde_json::from_str(include_str!("../vectors/streams.json")).unwrap()
}

/// The hits and the error of the crate at this chunk size (0: in one chunk). All sizes and readers must agree.
fn ours(input: &[u8], path: &[u8], chunk: usize) -> (Vec<String>, Option<oracle::Fault>) {
    let set = chunks::set(&[path.to_vec()]);
    let read = chunks::watched(input, &set, Limits::DEFAULT, &[if chunk == 0 { input.len() } else { chunk }]);
    for size in [1, 2, 3, 7, 100, input.len().max(1)] {
        chunks::same(input, &set, &[size]);
        assert_eq!(chunks::watched(input, &set, Limits::DEFAULT, &[size]), read);
    }
    let expected = chunks::expected(input, &[path.to_vec()], Limits::DEFAULT);
    assert_eq!(read, expected);
    (read.0.iter().map(|(_, _, bytes)| hex(bytes)).collect(), read.1.map(oracle::fault))
}

/// The cases with this note, each with the result of the crate.
fn subscribed(note: &str) -> Vec<(Subscribe, Vec<String>, Option<oracle::Fault>)> {
    let cases: Vec<_> = streams().subscribe.into_iter().filter(|case| case.note == note).collect();
    assert!(!cases.is_empty(), "no case {note}");
    let with_ours = |case: Subscribe| {
        let (hits, fault) = ours(&unhex(&case.hex), &[0x01, case.key], case.chunk);
        (case, hits, fault)
    };
    cases.into_iter().map(with_ours).collect()
}

/// Go mistakes a value or length byte for the watched key. It stops at the first packet, at the end of a root, or at a
/// long value; it searches nodes, hangs, and skips packets before a root. The crate reads all of these as ordinary
/// packets.
#[test]
fn streams_that_go_misreports_give_what_they_hold() {
    let long = format!("208040{}", "78".repeat(64));
    for (note, hits) in [
        ("the key's byte occurs in an earlier value", &["2004796f6d6f"][..]),
        ("the key's byte occurs with flag bits in an earlier value", &["2004796f6d6f"]),
        ("the key's byte occurs as an earlier length", &["0504796f6d6f"]),
        ("only the first of two in one root", &["200101", "200102"]),
        ("empty value, then another root", &["2000", "2004796f6d6f"]),
        ("64-byte value, then another root", &[&long, "2004796f6d6f"]),
        ("inside a node", &[]),
        ("empty root", &[]),
        ("garbage before the root", &[]),
        ("garbage with a 0x01 before the root", &["2004796f6d6f"]),
    ] {
        for (case, ours, fault) in subscribed(note) {
            assert_eq!((ours, fault), (hits.iter().map(ToString::to_string).collect(), None), "{note}");
            assert!(case.got != hits || case.hang, "Go was right about {note}");
        }
    }
}

#[test]
fn finds_values_of_63_to_8192_bytes() {
    let mut wrong = 0;
    for (case, hits, fault) in subscribed("value length at a boundary") {
        let [hit] = &hits[..] else { panic!("one hit, not {hits:?}") };
        assert!(case.hex.ends_with(hit.as_str()) && hit.len() > 2 * 63 && fault.is_none());
        wrong += usize::from(case.got != hits);
    }
    // Lengths whose second byte is below 64: 64 to 127, and longer ones of the same kind.
    assert_eq!(wrong, 6);
}

#[test]
fn a_cut_stream_is_an_error_and_no_hang() {
    for (case, hits, fault) in subscribed("cut") {
        assert!(case.hang && hits.is_empty());
        assert_eq!(fault, Some((ErrorKind::UnexpectedEnd, 0)));
    }
}

#[test]
fn every_other_subscription_agrees_with_go() {
    for note in ["found", "found behind another", "two roots", "nothing there", "a node", "a slice"]
        .into_iter()
        .chain(["empty value", "root 0x80 rather than 0x81", "empty root, then a root", "root of 200 bytes"])
    {
        for (case, hits, fault) in subscribed(note) {
            assert_eq!((hits, fault, case.hang), (case.got, None, false), "{note}");
        }
    }
}

#[test]
fn a_chunked_read_does_not_run_into_the_next_packet() {
    let mut wrong = 0;
    for case in streams().stream_read_packet {
        let (hits, fault) = ours(&unhex(&case.hex), &[0x01], case.chunk);
        let Some(hit) = hits.first() else {
            assert!(fault.is_some() && !case.val_is_right, "{}", case.note);
            continue;
        };
        let (header, value) = hit.split_at(hit.len() - y3::Packet::from_slice(&unhex(hit)).unwrap().value().len() * 2);
        assert_eq!(unhex(header)[0], case.packet.tag);
        assert_eq!(value == case.packet.val, case.val_is_right, "{}", case.note);
        assert!(fault.is_none());
        wrong += usize::from(!case.val_is_right);
    }
    assert_eq!(wrong, 6, "the cases where Go reads on");
}

#[test]
fn packets_read_whole_are_those_that_are_there() {
    for case in streams().read_packet {
        let input = unhex(&case.hex);
        let (expected, error) = match y3::packets(&input).try_fold(Vec::new(), |mut packets, packet| {
            packets.push(hex(packet.map_err(|error| (packets.clone(), error))?.as_bytes()));
            Ok(packets)
        }) {
            Ok(packets) => (packets, None),
            Err((packets, error)) => (packets, Some(error)),
        };
        // Go wraps lengths, and reports the end inside a packet as a normal end.
        if !["length in three bytes", "2^32+1"].contains(&case.note.as_str()) {
            assert_eq!(expected, case.packets, "{}", case.note);
        }
        assert!(!case.end.text.is_empty());
        let sizes = [if case.chunk == 0 { input.len() } else { case.chunk }];
        let (packets, end) = chunks::watched(&input, &chunks::set(&[vec![oracle::ANY]]), Limits::DEFAULT, &sizes);
        assert_eq!((packets.iter().map(|row| hex(&row.2)).collect(), end), (expected, error), "{}", case.note);
    }
}
