//! Inputs: files, standard input and connections, with raw bytes, hexadecimal or base64. The encoding is detected or
//! given by an option.

use std::io::Write;
use std::net::TcpListener;
use std::thread;

use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL_NOPAD};

use crate::process::{File, Running, command, finish, folder, y3};
use crate::{FAULTY, RECORDING};

#[test]
fn packets_that_look_like_text_are_read_by_a_flag() {
    // A packet with key 0x30 and a value of 49 bytes. All bytes are digits.
    let packet = [&b"01"[..], &[b'7'; 49]].concat();
    assert_eq!(y3(&["check", "--from", "raw"], &packet).code, 0);
    // The detected encoding is hexadecimal, whose last byte is incomplete.
    assert_eq!(y3(&["check"], &packet).code, 3);
}

#[test]
fn wrong_text_is_refused_with_its_place() {
    for (encoding, text, place) in [
        ("hex", "81 03 0g", "'g' at byte 7 is not a hexadecimal digit"),
        ("hex", "81 03 0", "ends at byte 7"),
        ("hex", "0x81x", "'x' at byte 4"),
        ("hex", "81 03 020z", "'z' at byte 9"),
        ("base64", "gQMC\x07", "'\\u{7}' at byte 4"),
        ("base64", "gQMCAQ=B", "'B' at byte 7"),
        ("base64", "gQMCA", "ends at byte 5"),
    ] {
        let run = y3(&["check", "--from", encoding], text.as_bytes());
        assert_eq!((run.code, run.bytes.len()), (3, 0), "{text}");
        assert!(run.errors.starts_with("y3: standard input: ") && run.errors.contains(place), "{}", run.errors);
    }
    assert_eq!(y3(&["check", "--from", "hex"], RECORDING).code, 3);
    // Hits before the fault are printed, even if they arrive in the same piece.
    let run = y3(&["watch", "01=i32", "--from", "hex"], b"01 01 07 01 01 08 zz");
    assert_eq!((run.code, run.lines().len()), (3, 2), "{}", run.errors);
}

#[test]
fn files_that_cannot_be_read_are_named_and_the_code_is_2() {
    for subcommand in ["check", "dump", "stat", "encode"] {
        let run = y3(&[subcommand, "no/such/file"], b"");
        assert_eq!((run.code, run.bytes.len()), (2, 0), "{subcommand}");
        assert!(run.errors.starts_with("y3: no/such/file: "), "{}", run.errors);
    }
    assert_eq!(y3(&["watch", "01", "no/such/file"], b"").code, 2);
    assert_eq!(y3(&["edit", "--keep", "01", env!("CARGO_MANIFEST_DIR")], b"").code, 2);
    assert_eq!(y3(&["check", "tcp://127.0.0.1:1"], b"").code, 2);
    assert_eq!(y3(&["check", "tcp://nonsense"], b"").code, 2);
    let run = y3(&["check", "http://localhost/a.y3"], b"");
    let said = "y3: http://localhost/a.y3: y3 cannot read http addresses, only files, - for standard input, and tcp://HOST:PORT;";
    assert!(run.code == 2 && run.errors.starts_with(said), "{}", run.errors);
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
fn a_fault_is_placed_in_the_whole_input() {
    let bytes = [RECORDING, &FAULTY].concat();
    let at = RECORDING.len();
    let expected = format!(
        "y3: standard input: packet reaches past the end of its node at byte {}: in 0x04, packet 0x03 at byte {} declares 4 bytes but has 2\n",
        at + 5,
        at + 5
    );
    for subcommand in ["check", "stat"] {
        let run = y3(&[subcommand], &bytes);
        assert_eq!((run.code, run.errors.as_str()), (3, &*expected));
    }
    // The input ends inside the last packet.
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

/// Two packets: the node 0x01 with 0x02 = 5, and 0x0d with 16 bytes of text. `pasted` returns them in the notations of
/// tools and languages.
const PACKETS: &[u8] = b"\x81\x03\x02\x01\x05\x0d\x10ab cd ef 0123456";

fn pasted() -> Vec<(&'static str, String)> {
    let join = |each: fn(&u8) -> String, separator: &str| PACKETS.iter().map(each).collect::<Vec<_>>().join(separator);
    let hex = |byte: &u8| format!("{byte:02x}");
    let short = |byte: &u8| format!("{byte:#x}");
    let escaped = |byte: &u8| format!("\\x{byte:02x}");
    // Each line has an offset, a separator, bytes with or without a gap in the middle, and characters.
    let lines = |offset: fn(usize) -> String, group: usize, middle: &str, characters: fn(String) -> String| {
        let line = |(at, line): (usize, &[u8])| {
            let groups: Vec<_> = line.chunks(group).map(|group| group.iter().map(hex).collect::<String>()).collect();
            let (left, right) = groups.split_at(groups.len().min(8));
            let bytes = if right.is_empty() { left.join(" ") } else { left.join(" ") + middle + &right.join(" ") };
            let text =
                line.iter().map(|byte| if byte.is_ascii_graphic() || *byte == b' ' { char::from(*byte) } else { '.' });
            format!("{}{bytes:<50}{}\n", offset(16 * at), characters(text.collect()))
        };
        PACKETS.chunks(16).enumerate().map(line).collect::<String>()
    };
    let table = |at: usize| format!("{at:08x}  ");
    vec![
        ("digits", join(hex, "")),
        ("a blank line first", format!("\n\n  {}\n", join(hex, " "))),
        ("bytes", join(hex, " ")),
        ("0x", join(short, " ")),
        ("one number", format!("0x{}", join(hex, ""))),
        ("commas", join(short, ",")),
        ("colons", join(hex, ":")),
        ("dashes", join(hex, "-").to_uppercase()),
        ("Rust", format!("[{}]", join(short, ", "))),
        ("Rust's {:02x?}", format!("[{}]", join(hex, ", "))),
        ("Rust, in a statement", format!("let packet: [u8; 5] = [\n    {},\n];\n", join(short, ",\n    "))),
        ("Rust, a vector", format!("vec![{}]", join(short, ", "))),
        ("Rust, a slice", format!("&[{}]", join(short, ", "))),
        ("Rust, a byte string", format!("b\"{}\"", join(escaped, ""))),
        ("Go", format!("[]byte{{{}}}", join(short, ", "))),
        ("C", format!("static const unsigned char pkt1[5] = {{\n{}\n}};\n", join(short, ", "))),
        ("Wireshark, an escaped string", format!("\"{}\" \\\n\"\"", join(escaped, ""))),
        ("Wireshark", lines(|at| format!("{at:04x}   "), 1, " ", |text| format!("   {text}"))),
        ("Wireshark, with a gap", lines(|at| format!("{at:04x}  "), 1, "  ", |text| format!("   {text}"))),
        ("xxd", lines(|at| format!("{at:08x}: "), 2, " ", |text| format!("  {text}"))),
        ("xxd -g1", lines(|at| format!("{at:08x}: "), 1, " ", |text| format!("  {text}"))),
        ("xxd, without characters", lines(|at| format!("{at:08x}: "), 2, " ", |_| String::new())),
        ("hexdump -C", lines(table, 1, "  ", |text| format!("  |{text}|")) + &format!("{:08x}\n", PACKETS.len())),
        ("tcpdump -X", lines(|at| format!("0x{at:04x}:  "), 2, " ", |text| format!("  {text}"))),
        (
            "lines cut anywhere",
            join(hex, "").as_bytes().chunks(7).map(|line| String::from_utf8_lossy(line) + "\n").collect(),
        ),
        ("lines of DOS", format!("  {}\r\n", join(hex, " \r\n").to_uppercase())),
        ("base64", BASE64.encode(PACKETS)),
        ("base64 in lines", BASE64.encode(PACKETS).replace('A', "A\n")),
        ("base64 without padding", BASE64_NOPAD.encode(PACKETS)),
        ("base64 of the other alphabet", BASE64URL_NOPAD.encode(PACKETS)),
    ]
}

#[test]
fn text_for_bytes_is_read_as_people_paste_it() {
    let expected = y3(&["dump", "--from", "raw"], PACKETS);
    assert_eq!(expected.code, 0);
    for (what, text) in pasted() {
        let encoding = if what.starts_with("base64") { "base64" } else { "hex" };
        for arguments in [&["dump"][..], &["dump", "--from", encoding]] {
            let run = y3(arguments, text.as_bytes());
            assert_eq!((run.code, run.text()), (0, expected.text()), "{what} {arguments:?}\n{text}\n{}", run.errors);
        }
        let file = File::new("pasted", text.as_bytes());
        assert_eq!(y3(&["dump", file.name()], b"").text(), expected.text(), "{what}");
    }
}

/// The encoding depends only on the text, not on the size or the speed of the pieces.
#[test]
fn what_an_input_is_does_not_depend_on_the_pieces_it_comes_in() {
    let raw = [
        &[0x30, 0x01, 0x05][..],
        b"0\x39 0123456789\n0123456789\n0123456789\n0123456789\n0123456789\n1\x05",
        b"\x31\x02ab",
    ];
    let texts = pasted();
    for bytes in raw.into_iter().chain(texts.iter().map(|(_, text)| text.as_bytes())) {
        let expected = y3(&["dump"], bytes);
        let mut running = Running::start(&["dump"]);
        for byte in bytes {
            running.send(&[*byte]);
            thread::sleep(std::time::Duration::from_millis(2));
        }
        let (code, lines, errors) = running.end();
        assert_eq!(
            (code, lines),
            (expected.code, expected.lines().iter().map(ToString::to_string).collect()),
            "{errors:?}"
        );
    }
}

/// Whitespace is also a packet: key 0x20 with nine spaces as its value.
#[test]
fn blank_input_is_raw() {
    assert_eq!(y3(&["check"], b" \t         ").text(), "1 packet, 11 bytes, no fault\n");
    assert_eq!(y3(&["check", "--from", "hex"], b" \t         ").text(), "0 packets, 0 bytes, no fault\n");
}

/// The help describes which text is rejected. Each row is an example.
#[test]
fn text_is_read_as_the_help_says() {
    const NEARLY: &str = "; the input is nearly hexadecimal";
    for (text, how) in [
        // The text begins with two hexadecimal bytes, and then has a fault.
        ("81030201zz", "'z' at byte 8 is not a hexadecimal digit; the input is nearly hexadecimal"),
        ("8103 02 0l 05", "'l' at byte 9 is not a hexadecimal digit; the input is nearly hexadecimal"),
        ("8103:0201:05", "expected 2 digits before ':' at byte 4, found 4; the input is nearly hexadecimal"),
        ("81 03 packets", "'p' at byte 6 is not a hexadecimal digit; the input is nearly hexadecimal"),
        ("81 03 02 01 5", NEARLY),
        ("2024-11-23 02:00 INFO", "expected 2 digits before '-' at byte 4, found 4"),
        ("01{11=05}", "'=' at byte 5"),
        ("[129 3 2 1 5]", "in the middle of a byte; the input is nearly hexadecimal"),
        ("81.03.02.01.05", "'.' at byte 2 is not a hexadecimal digit; the input is nearly hexadecimal"),
        (
            "\"\\x81\\x03\\x02\\x01A\"",
            "expected \\x and two digits, found 'A' at byte 17; the input is nearly hexadecimal",
        ),
        (
            "0010   81 03 02 01 05",
            "'0010' can be the offset of a line or the first bytes; the input is nearly hexadecimal",
        ),
        ("0x81, 0x03, 0x020, 0x01, 0x05", "in the middle of a byte; the input is nearly hexadecimal"),
        // The text begins with at most one hexadecimal byte.
        ("81 packets", "(read as raw bytes, but the input is text;"),
        ("the 31 packets", "(read as raw bytes, but the input is text;"),
        ("8 1g", "(read as raw bytes, but the input is text;"),
        // The text is also valid base64: it is rejected only after four hexadecimal bytes, and never if it has padding.
        ("8103zzzz", "(read as base64;"),
        ("8103020zzzzz", "(read as base64;"),
        ("81030201zzzz", "'z' at byte 8 is not a hexadecimal digit; the input is nearly hexadecimal"),
        ("81030201zA==", "(read as base64;"),
        ("ABCD//zz", "(read as base64;"),
        ("ABCDzz", "'z' at byte 4"),
        // Hexadecimal.
        ("81030201ffff", "(read as hexadecimal;"),
        ("ABCDff", "(read as hexadecimal;"),
        ("0000  81 03 02 01 05 ff   ..text", "(read as hexadecimal;"),
    ] {
        // Line ends around the text make no difference.
        for text in [text.to_owned(), format!("{text}\n"), format!("\n  {text}\r\n")] {
            let run = y3(&["dump"], text.as_bytes());
            let place = if text.starts_with('\n') { how.split("' at byte").next().unwrap() } else { how };
            assert!(run.code == 3 && run.errors.contains(place), "{text:?}: {how}: {}", run.errors);
        }
    }
    // The lines of the table contradict each other.
    for (text, why) in [
        ("0000  81 03 02\n0010  01 05", "line 2 has offset 10, expected 3"),
        ("00000000: 8103 0201\n*\n00000010: 05", "line 2 does not begin with an offset"),
        ("00000000: 8103\n00000002: 02q1 05", "'02q1' in line 2 is not hexadecimal"),
    ] {
        let run = y3(&["check"], text.as_bytes());
        assert!(run.code == 3 && run.errors.contains(why), "{text}: {}", run.errors);
    }
}

/// Every subcommand that reads packets accepts the output of `y3 dump --text`.
#[test]
fn the_text_form_is_read_by_every_subcommand() {
    let text = y3(&["dump", "--text", "--from", "raw"], RECORDING).bytes;
    for arguments in [
        &["check"][..],
        &["dump", "--max-lines", "9"],
        &["watch", "3f/02:01/10/11=f32"],
        &["edit", "--remove", "3f/02"],
    ] {
        let (raw, read) = (y3(arguments, RECORDING), y3(&[arguments, &["--from", "text"]].concat(), &text));
        assert!((read.code, &read.bytes) == (raw.code, &raw.bytes), "{arguments:?}: {}", read.errors);
    }
    let file = File::new("form", &text);
    let edited = y3(&["edit", "--in-place", "--remove", "3f", "--from", "text", file.name()], b"");
    assert!(edited.code == 2 && std::fs::read(&file.0).unwrap() == text, "{}", edited.errors);
    assert_eq!(y3(&["watch", "3f", "--follow", "--from", "text", file.name()], b"").code, 2);
    assert_eq!(y3(&["check", "--from", "text"], b" # nothing").text(), "0 packets, 0 bytes, no fault\n");
}

#[test]
fn an_error_in_a_text_is_shown_with_its_line_and_column() {
    for arguments in [&["check", "--from", "text"][..], &["stat", "--from", "text"], &["encode"]] {
        let run = y3(arguments, "01{\n  11=\"ä\",\n  12=0x\n}".as_bytes());
        let shown = "\n --> standard input:3:6\n  |\n3 |   12=0x\n  |      ^\n";
        assert!(run.code == 3 && run.errors.ends_with(shown), "{arguments:?}: {}", run.errors);
        // A long line is shortened, and control characters are escaped.
        let run = y3(arguments, format!("01={} \u{1b}[31m\u{202e}\u{9b}\r", "ab".repeat(100_000)).as_bytes());
        assert!(run.code == 3 && run.errors.len() < 1000 && run.errors.contains(":1:200005\n"), "{}", run.errors);
        assert!(!run.errors.contains(|c: char| c.is_control() && c != '\n' || c == '\u{202e}'), "{}", run.errors);
        let run = y3(arguments, b"01=\xff");
        assert_eq!((run.code, &*run.errors), (3, "y3: standard input: not UTF-8 at byte 3\n"));
    }
}

/// As in grep, lines have names, a failed input does not stop the others, and the exit code is that of the worst
/// result.
#[test]
fn several_inputs_and_folders_are_read_one_after_the_other() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::create_dir_all(at("b/c")).unwrap();
    for (name, bytes) in [
        ("a.y3", &[0x01, 0x01, 0x07][..]),
        ("b/1.y3", &[0x01, 0x01, 0x08]),
        ("b/c/d.y3", &[0x02, 0x01, 0x06]),
        ("b/.hidden", &[0x01, 0x05]),
    ] {
        std::fs::write(at(name), bytes).unwrap();
    }
    let run = |arguments: &[&str]| {
        let mut command = command(arguments);
        command.current_dir(folder.path());
        let run = finish(command, &[0x01, 0x01, 0x0a]);
        (run.code, run.text().to_owned(), run.errors)
    };
    let is = |code: i32, text: &str| (code, text.to_owned(), String::new());
    let sound = |name: &str| format!("{name}: 1 packet, 3 bytes, no fault\n");
    let all = sound("a.y3") + &sound("b/1.y3") + &sound("b/c/d.y3") + &sound("-");
    assert_eq!(run(&["check", "a.y3", "b", "-"]), is(0, &all));
    assert_eq!(
        run(&["watch", "01=u32", "a.y3", "b"]),
        is(0, "a.y3:        0  01=u32  7\nb/1.y3:        0  01=u32  8\n")
    );
    assert_eq!(run(&["watch", "01=u32", "b"]), is(0, "b/1.y3:        0  01=u32  8\n"));
    // After --, a name can begin with a digit. A single input has no label.
    assert_eq!(run(&["watch", "01=u32", "02", "--", "b/1.y3"]), is(0, "       0  01=u32  8\n"));
    assert_eq!(
        run(&["watch", "02=u32", "--count", "--", "a.y3", "b/c"]),
        is(0, "a.y3:        0  02=u32\nb/c/d.y3:        1  02=u32\n")
    );
    let lines = run(&["watch", "01=u32", "02=u32", "--json", "b"]).1;
    let objects: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&objects[1]["file"], &objects[1]["value"]), (&"b/c/d.y3".into(), &6.into()));
    assert_eq!(run(&["json", "a.y3", "b/1.y3"]), is(0, "{\"0x01\":\"07\"}\n{\"0x01\":\"08\"}\n"));
    let tree = |name: &str, at: u8, byte: u8| {
        format!("{name}:    0  {at:02x} 01 {byte:02x}                 0x{at:02x}: 1 byte = {byte}\n")
    };
    assert_eq!(run(&["dump", "a.y3", "b"]).1, tree("a.y3", 1, 7) + &tree("b/1.y3", 1, 8) + &tree("b/c/d.y3", 2, 6));
    assert_eq!(run(&["dump", "--text", "a.y3", "b"]), is(0, "01=07\n01=08\n02=06\n"));
    let text = run(&["stat", "a.y3", "b"]).1;
    assert!(text.lines().filter(|line| line.starts_with("b/c/d.y3: ")).count() == 3, "{text}");
    // No input has a hit, one input is faulty, or one input does not exist.
    assert_eq!(run(&["watch", "03", "a.y3", "b"]), is(1, ""));
    let (code, text, errors) = run(&["check", "b/.hidden", "a.y3"]);
    assert_eq!((code, text), (3, sound("a.y3")), "{errors}");
    assert!(errors.starts_with("y3: b/.hidden: input ends inside the packet at byte 0: "), "{errors}");
    let (code, text, errors) = run(&["check", "nowhere", "b/.hidden", "a.y3"]);
    assert!(
        (code, text, errors.lines().count()) == (2, sound("a.y3"), 2) && errors.starts_with("y3: nowhere: "),
        "{errors}"
    );
    for arguments in [
        &["watch", "01", "x", "--", "a.y3"][..],
        &["watch", "01", "-", "--", "a.y3"],
        &["watch", "01", "--follow", "b"],
    ] {
        assert_eq!(run(arguments).0, 2, "{arguments:?}");
    }
}

#[test]
fn a_fault_in_decoded_text_says_how_it_was_read() {
    let how = " (read as hexadecimal; if the input is not hexadecimal, use --from raw or base64)\n";
    for arguments in [&["check"][..], &["stat"], &["dump"], &["watch", "01/02"], &["edit", "--remove", "01/02"]] {
        let run = y3(arguments, b"8103020105ff");
        assert!(run.code == 3 && run.errors.ends_with(how), "{arguments:?} {}", run.errors);
    }
    // Padding alone is not base64, and a sentence is not a packet.
    for input in ["=", "====", "AQ=", "the 31 packets of a session"] {
        let run = y3(&["check"], input.as_bytes());
        assert!(
            run.code == 3 && run.errors.contains("(read as raw bytes, but the input is text; "),
            "{input}: {}",
            run.errors
        );
    }
    for input in ["=", "AQ=", "AQ===", "AQE=="] {
        let run = y3(&["check", "--from", "base64"], input.as_bytes());
        assert!(run.code == 3 && run.errors.contains("wrong padding"), "{input}: {}", run.errors);
    }
    // For bytes that are not text, the message names no encoding.
    assert!(y3(&["check"], &FAULTY).errors.ends_with("declares 4 bytes but has 2\n"));
}

#[test]
#[cfg(unix)]
fn names_are_any_bytes_and_reach_the_terminal_escaped() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let name = |bytes: &[u8]| folder.join(OsStr::from_bytes(bytes));
    let file = File(name(b"\xff\x1b[31m.y3"));
    std::fs::write(&file.0, FAULTY).unwrap();
    for arguments in
        [&["check"][..], &["dump"], &["stat"], &["edit", "--keep", "04/03"], &["encode"], &["watch", "04/03"]]
    {
        let mut command = command(arguments);
        command.arg(&file.0);
        let run = finish(command, b"");
        assert_eq!(run.code, 3, "{arguments:?} {}", run.errors);
        assert!(run.errors.contains("\\xff\\u{1b}[31m.y3: ") && !run.errors.contains('\u{1b}'), "{}", run.errors);
    }
    for arguments in
        [&["check", "a"][..], &["watch", "01"], &["watch"], &["check", "--open"], &["edit", "--set"], &["nothing"]]
    {
        for bad in [&b"\x1b]0;title\x07\xe2\x80\xae"[..], b"\xff"] {
            let mut command = command(arguments);
            command.arg(OsStr::from_bytes(bad)).arg("b");
            let run = finish(command, b"");
            let is_hidden = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
            assert!(run.code == 2 && !run.errors.contains(is_hidden), "{arguments:?} {:?}", run.errors);
        }
    }
}
