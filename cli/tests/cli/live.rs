//! Live pipes, closed pipes, followed files, Ctrl-C, memory.
#![cfg(unix)]

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read, Write};

use crate::process::{File, Running, command};
use crate::{FAULTY, NOISE, RECORDING};

/// Each step sends bytes that complete no line, then bytes that complete a line, and expects the line.
#[test]
fn a_live_pipe_prints_each_line_at_once() {
    let frame = [0xbf, 0x03, 0x01, 0x01, 0x07];
    let object = &b"{\"frame\":{\"tag\":7}}\n"[..];
    let named = |command: &[&'static str]| [command, &["--names", crate::names::NAMES]].concat();
    let (split, hi) = (&[0x82, 0x04, 0x11, 0x02, b'h'], "       7  **/11=text  \"hi\"");
    let unfit = "       2  **/11=text  (expected text: text is not UTF-8 at byte 2)";
    for (arguments, pieces) in [
        (
            vec!["watch", "1/01=i32", "02=text"],
            [
                (&[0x81, 0x03, 0x01][..], &[0x01, 0x07][..], "       2  1/01=i32  7"),
                (b"", b"\x02\x02hi", "       5  02=text  \"hi\""),
            ],
        ),
        (
            vec!["watch", "01=i32"],
            [(b"", b"01 01 07\n0", "       0  01=i32  7"), (b"", b"1 01 08\n", "       3  01=i32  8")],
        ),
        (vec!["watch", "**/11=text"], [(b"", &[0x81, 0x09, 0x11, 0x01, 0xff], unfit), (split, b"i", hi)]),
        (named(&["json", "--from", "raw"]), [(&[], &frame, r#"{"frame":{"tag":7}}"#); 2]),
        (named(&["encode", "--json", "--to", "hex"]), [(b"", object, "bf03010107"); 2]),
    ] {
        let mut running = Running::start(&arguments);
        for (before, bytes, line) in pieces {
            running.send(before);
            assert!(before.is_empty() || running.has_no_line(), "{arguments:?}");
            running.send(bytes);
            assert_eq!(running.line(), line, "{arguments:?}");
        }
        assert_eq!(running.end().0, 0, "{arguments:?}");
    }
}

#[test]
fn a_closed_pipe_ends_the_command_quietly() {
    for arguments in [
        &["watch", "3f/01=u32", NOISE][..],
        &["watch", "3f", "--json", NOISE],
        &["dump", NOISE],
        &["edit", "--keep", "3f", "--to", "hex", NOISE],
        &["dump", "--text", NOISE],
    ] {
        let (running, output) = Running::start_with_output(arguments);
        let mut line = String::new();
        BufReader::with_capacity(64, output).read_line(&mut line).unwrap();
        let (code, _, errors) = running.end();
        assert_eq!((code, errors.len()), (0, 0), "{arguments:?}: {errors:?}");
    }
}

/// The program that reads standard error has ended too.
#[test]
fn a_closed_standard_error_changes_no_exit_code() {
    for (arguments, code) in
        [(&["check"][..], 3), (&["watch", "04/03"], 3), (&["check", "no/such/file"], 2), (&["watch", "x"], 2)]
    {
        let mut child = command(arguments).spawn().unwrap();
        drop(child.stderr.take());
        let mut input = child.stdin.take().unwrap();
        // Standard error is closed before the command reads the fault.
        let _ = input.write_all(&FAULTY);
        drop(input);
        assert_eq!(child.wait().unwrap().code(), Some(code), "{arguments:?}");
    }
}

#[test]
fn a_followed_file_may_grow_be_truncated_and_be_replaced() {
    let file = File::new("followed", &[0x01, 0x01, 0x07, 0x01]);
    let running = Running::start(&["watch", "01=i32", "--follow", file.name()]);
    assert_eq!(running.line(), "       0  01=i32  7");
    let mut open = OpenOptions::new().append(true).open(&file.0).unwrap();
    open.write_all(&[0x01, 0x08]).unwrap();
    assert_eq!(running.line(), "       3  01=i32  8");

    std::fs::write(&file.0, [0x01, 0x01, 0x09]).unwrap();
    assert!(running.error().ends_with("truncated, read again from its start"));
    assert_eq!(running.line(), "       0  01=i32  9");

    let other = File::new("other", &[0x01, 0x01, 0x0a, 0x01, 0x01, 0x0b]);
    std::fs::rename(&other.0, &file.0).unwrap();
    assert!(running.error().ends_with("replaced, read again from its start"));
    assert_eq!(running.line(), "       0  01=i32  10");
    assert_eq!(running.line(), "       3  01=i32  11");

    // For a moment the file does not exist, as during a log rotation.
    std::fs::remove_file(&file.0).unwrap();
    assert!(running.has_no_line());
    std::fs::write(&file.0, [0x01, 0x01, 0x0c]).unwrap();
    assert!(running.error().ends_with("replaced, read again from its start"));
    assert_eq!(running.line(), "       0  01=i32  12");

    running.interrupt();
    assert_eq!(running.error(), "y3: interrupted: 3 bytes read, hits: 6");
    assert_eq!(running.end().0, 130);
}

/// The skipped bytes can still be missing.
#[test]
fn a_followed_file_may_grow_inside_a_packet_that_is_not_watched() {
    let file = File::new("skipped", &[0x01, 0x01, 0x07, 0x02, 0x80, 0xc0, 0x80, 0x00]);
    let running = Running::start(&["watch", "01=i32", "--follow", file.name()]);
    assert_eq!(running.line(), "       0  01=i32  7");
    let mut open = OpenOptions::new().append(true).open(&file.0).unwrap();
    for _ in 0..3 {
        open.write_all(&vec![0xaa; 300_000]).unwrap();
        assert!(running.has_no_line());
    }
    open.write_all(&vec![0xaa; (1 << 20) - 900_000]).unwrap();
    open.write_all(&[0x01, 0x01, 0x08]).unwrap();
    assert_eq!(running.line(), format!("{:>8}  01=i32  8", 8 + (1 << 20)));
    running.interrupt();
    assert_eq!(running.end().0, 130);
}

#[test]
fn ctrl_c_ends_a_command_that_waits_for_input_with_a_summary() {
    let mut running = Running::start(&["watch", "01=i32"]);
    running.send(&[0x01, 0x01, 0x07]);
    assert_eq!(running.line(), "       0  01=i32  7");
    running.interrupt();
    assert_eq!(running.error(), "y3: interrupted: 3 bytes read, hits: 1");
    // The input is still open.
    let (code, lines, errors) = running.end();
    assert_eq!((code, lines.len(), errors.len()), (130, 0, 0));
}

/// The command waits for the first byte to detect the encoding.
#[test]
fn ctrl_c_before_the_first_byte_of_a_silent_connection_prints_the_summary() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("tcp://{}", listener.local_addr().unwrap());
    for (arguments, what) in
        [(&["watch", "01"][..], "hits"), (&["check"], "packets"), (&["stat"], "packets"), (&["json"], "packets")]
    {
        let running = Running::start(&[arguments, &[&address]].concat());
        // The command is connected, so it has started.
        let connection = listener.accept().unwrap();
        running.interrupt();
        assert_eq!(running.error(), format!("y3: interrupted: 0 bytes read, {what}: 0"));
        assert_eq!(running.end().0, 130);
        drop(connection);
    }
}

/// Returns the peak memory use of the process, in KiB.
#[cfg(target_os = "linux")]
fn peak(id: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// `Y3_STREAM_GIB` sets the length of the input in GiB.
#[test]
#[cfg(target_os = "linux")]
fn memory_does_not_grow_with_the_input() {
    let gib: usize = std::env::var("Y3_STREAM_GIB").map_or(0, |text| text.parse().unwrap());
    // An unwatched packet of 1 MiB, a watched packet of 1 MiB, and a small watched packet.
    let large = |key: u8| [&[key, 0x80, 0xc0, 0x80, 0x00][..], &vec![0xaa; 1 << 20]].concat();
    let round = [large(0x02), large(0x01), vec![0x03, 0x01, 0x07]].concat();
    let rounds = if gib == 0 { 30 } else { gib << 9 };
    for arguments in [&["watch", "01", "03=i32", "--count"][..], &["check"], &["stat"], &["edit", "--keep", "03"]] {
        let mut running = Running::start(arguments);
        (0..rounds).for_each(|_| running.send(&round));
        let peak = peak(running.id());
        assert!(peak < 24 << 10, "{arguments:?}: {peak} KiB");
        if arguments[0] == "edit" {
            drop(running);
            continue;
        }
        let (code, lines, errors) = running.end();
        assert_eq!(code, 0, "{errors:?}");
        if arguments[0] == "watch" {
            assert_eq!(lines, [format!("{rounds:>8}  01"), format!("{rounds:>8}  03=i32")]);
        }
    }
}

/// Returns the number of writes of the process.
#[cfg(target_os = "linux")]
fn writes(id: u32) -> u64 {
    let counts = std::fs::read_to_string(format!("/proc/{id}/io")).unwrap();
    counts.lines().find_map(|line| line.strip_prefix("syscw: ")).unwrap().parse().unwrap()
}

/// A separate write for each line, or for each part of a line, would take most of the time.
#[test]
#[cfg(target_os = "linux")]
fn output_is_written_in_large_pieces() {
    let bytes = RECORDING.repeat(10);
    let file = File::new("pieces", &bytes);
    let hex = crate::process::hex(&bytes);
    let text = crate::process::y3(&["dump", "--text", NOISE], b"").text().repeat(10);
    let (in_hex, in_text) = (File::new("pieces-hex", hex.as_bytes()), File::new("pieces-text", text.as_bytes()));
    for arguments in [
        &["dump", file.name()][..],
        &["dump", "--short", "--open-all", file.name()],
        &["dump", "--text", file.name()],
        &["dump", in_hex.name()],
        &["json", file.name()],
        &["watch", "3f/02", "--json", file.name()],
        &["watch", "3f/02:01/10/11=f32", "3f/01=u32", "3f", file.name()],
        &["edit", "--to", "hex", "--keep", "3f", file.name()],
        &["encode", "--to", "hex", in_text.name()],
    ] {
        let (running, mut output) = Running::start_with_output(arguments);
        // The command can write only while the test reads, so it has not ended yet.
        let mut half = vec![0; bytes.len() / 2];
        output.read_exact(&mut half).unwrap();
        let writes = writes(running.id());
        // There are at most two writes for each piece of 64 KiB: up to the last line end, and the rest.
        let most = 2 + 2 * (half.len() as u64).div_ceil(64 << 10).max(bytes.len() as u64 / (64 << 10));
        assert!(writes <= most, "{arguments:?}: {writes} writes for {} bytes", half.len());
        drop(output);
        assert_eq!(running.end().0, 0, "{arguments:?}");
    }
}

/// The JSON of a long value is written in parts.
#[test]
#[cfg(target_os = "linux")]
fn json_of_one_long_value_holds_no_text_of_it() {
    const LEN: usize = 32 << 20;
    // The length field has five bytes.
    let length = [0x80, 0x80 | u8::try_from(LEN >> 21).unwrap(), 0x80, 0x80, 0x00];
    let file = File::new("long", &[&[0x01][..], &length, &vec![0xaa; LEN]].concat());
    let (running, mut output) = Running::start_with_output(&["json", file.name()]);
    let mut text = vec![0; LEN];
    output.read_exact(&mut text).unwrap();
    assert!(text.starts_with(b"{\"0x01\":\"aaaa"));
    let peak = peak(running.id());
    // The limit is the input in a buffer that grows by doubling, and the memory of the program itself.
    assert!(peak < (LEN as u64 >> 9) + (16 << 10), "{peak} KiB");
    let mut rest = Vec::new();
    output.read_to_end(&mut rest).unwrap();
    assert_eq!((text.len() + rest.len(), running.end().0), (2 * LEN + "{\"0x01\":\"\"}\n".len(), 0));
}
