//! Files, standard input and connections; raw bytes, hexadecimal and base64, told by looking or by a flag.

use std::io::Write;
use std::net::TcpListener;
use std::thread;

use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL_NOPAD};

use crate::process::{File, Running, hex, y3};
use crate::{FAULTY, RECORDING};

/// Ways to write the recording.
fn texts() -> Vec<(&'static str, String)> {
    let hex = hex(RECORDING);
    let pairs: Vec<_> = hex.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap()).collect();
    let lines: Vec<_> = pairs.chunks(16).map(|line| line.join(" ")).collect();
    let base64 = BASE64.encode(RECORDING);
    let wrapped: Vec<_> = base64.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).unwrap()).collect();
    vec![
        ("hex", hex.to_uppercase()),
        ("hex", format!("  {}\r\n", lines.join("\r\n"))),
        ("hex", hex),
        ("base64", wrapped.join("\n")),
        ("base64", BASE64_NOPAD.encode(RECORDING)),
        ("base64", BASE64URL_NOPAD.encode(RECORDING)),
        ("base64", base64),
    ]
}

#[test]
fn text_for_bytes_is_told_by_looking_and_by_a_flag() {
    let expected = y3(&["stat", "--from", "raw"], RECORDING);
    assert_eq!(expected.code, 0);
    assert_eq!(y3(&["stat"], RECORDING).bytes, expected.bytes);
    for (encoding, text) in texts() {
        let start = &text[..40];
        let file = File::new("text", text.as_bytes());
        for arguments in [&["stat"][..], &["stat", "--from", encoding], &["stat", "-"]] {
            assert_eq!(y3(arguments, text.as_bytes()).bytes, expected.bytes, "{arguments:?} {start}");
        }
        assert_eq!(y3(&["stat", file.name()], b"").bytes, expected.bytes, "{start}");
    }
}

#[test]
fn packets_that_look_like_text_are_read_by_a_flag() {
    // Key 30, 49 bytes, all of them digits.
    let packet = [&b"01"[..], &[b'7'; 49]].concat();
    assert_eq!(y3(&["check", "--from", "raw"], &packet).code, 0);
    // By looking it is half a byte too many of hexadecimal.
    assert_eq!(y3(&["check"], &packet).code, 3);
}

#[test]
fn wrong_text_is_refused_with_its_place() {
    for (encoding, text, place) in [
        ("hex", "81 03 0g", "'g' at byte 7 is not a hexadecimal digit"),
        ("hex", "81 03 0", "ends at byte 7"),
        ("hex", "0x81", "'x' at byte 1"),
        ("base64", "gQMC\x07", "'\\u{7}' at byte 4"),
        ("base64", "gQMCAQ=B", "'B' at byte 7"),
        ("base64", "gQMCA", "ends at byte 5"),
    ] {
        let run = y3(&["check", "--from", encoding], text.as_bytes());
        assert_eq!((run.code, run.bytes.len()), (3, 0), "{text}");
        assert!(run.errors.starts_with("y3: standard input: ") && run.errors.contains(place), "{}", run.errors);
    }
    assert_eq!(y3(&["check", "--from", "hex"], RECORDING).code, 3);
}

#[test]
fn files_that_cannot_be_read_are_named_and_the_code_is_2() {
    for subcommand in ["check", "dump", "stat", "encode"] {
        let run = y3(&[subcommand, "no/such/file"], b"");
        assert_eq!((run.code, run.bytes.len()), (2, 0), "{subcommand}");
        assert!(run.errors.starts_with("y3: no/such/file: "), "{}", run.errors);
    }
    assert_eq!(y3(&["watch", "01", "no/such/file"], b"").code, 2);
    assert_eq!(y3(&["check", env!("CARGO_MANIFEST_DIR")], b"").code, 2);
    assert_eq!(y3(&["check", "tcp://127.0.0.1:1"], b"").code, 2);
    assert_eq!(y3(&["check", "tcp://nonsense"], b"").code, 2);
}

#[test]
fn a_connection_is_watched_as_its_bytes_arrive() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("tcp://{}", listener.local_addr().unwrap());
    let running = Running::start(&["watch", "01=i32", &address]);
    let (mut connection, _) = listener.accept().unwrap();
    connection.write_all(&[0x01, 0x01, 0x07, 0x01]).unwrap();
    assert_eq!(running.line(), "       0  01=i32  7");
    connection.write_all(&[0x01, 0x08]).unwrap();
    assert_eq!(running.line(), "       3  01=i32  8");
    drop(connection);
    assert_eq!(running.end().0, 0);
}

#[test]
fn a_connection_gives_what_a_file_gives() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("tcp://{}", listener.local_addr().unwrap());
    let sender = thread::spawn(move || listener.accept().unwrap().0.write_all(RECORDING).unwrap());
    let run = y3(&["watch", "3f/01=u32", &address], b"");
    sender.join().unwrap();
    assert_eq!(run.bytes, y3(&["watch", "3f/01=u32"], RECORDING).bytes);
}

#[test]
fn a_fault_is_placed_in_the_whole_input() {
    let bytes = [RECORDING, &FAULTY].concat();
    let at = RECORDING.len();
    let expected = format!(
        "y3: standard input: packet reaches past the end of its node at byte {}: in 0x04, packet 0x03 at byte {} declares 4 bytes, 2 are there\n",
        at + 5,
        at + 5
    );
    for subcommand in ["check", "stat"] {
        let run = y3(&[subcommand], &bytes);
        assert_eq!((run.code, run.errors.as_str()), (3, &*expected));
    }
    // The end of the input cuts the last packet.
    let run = y3(&["check"], &RECORDING[..at - 1]);
    assert_eq!(run.code, 3);
    let last = y3::check(&RECORDING[..at - 1]).unwrap_err().offset();
    assert!(
        run.errors.contains(&format!("at byte {last}: packet 0x2e at byte {last}"))
            || run.errors.contains(&format!("at byte {last}: in 0x2e")),
        "{}",
        run.errors
    );
}
