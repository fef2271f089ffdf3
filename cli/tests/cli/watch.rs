//! The output of `y3 watch`, and its exit codes, which are those of grep.

use serde_json::Value;

use crate::process::{File, y3};
use crate::{NOISE, RECORDING};

#[test]
fn hits_of_several_paths_come_in_the_order_of_the_wire_each_as_its_type() {
    let run = y3(
        &["watch", "3f/01=u32", "0x3f/0x1=pvar u32", "3f/02:01/10/13=text", "31/02", "3f/02:01/10/11=u32", NOISE],
        b"",
    );
    let lines = run.lines();
    assert_eq!((run.code, lines.len()), (0, 4 * 2000 + 1));
    assert_eq!(
        lines[..7],
        [
            "      27  31/02  5f",
            "      68  3f/01=u32  51",
            "      68  0x3f/0x1=pvar u32  51",
            "      99  3f/02:01/10/11=u32  1110735585",
            "     113  3f/02:01/10/13=text  \"10.0.3.113\"",
            "     127  3f/01=u32  51",
            "     127  0x3f/0x1=pvar u32  51",
        ]
    );
}

#[test]
fn wildcards_match_any_key() {
    let run = y3(&["watch", "*/01", "-c", NOISE], b"");
    assert_eq!((run.code, run.lines()), (0, vec!["    2002  */01"]));
    // If several paths match a packet, only the first one gets the hit.
    let run = y3(&["watch", "*/01", "3f/01", "-c", NOISE], b"");
    assert_eq!(run.lines(), ["    2002  */01", "       0  3f/01"]);
    let run = y3(&["watch", "3f/01", "*/01", "3f/01=u32", "-c", NOISE], b"");
    assert_eq!(run.lines(), ["    2000  3f/01", "       2  */01", "    2000  3f/01=u32"]);
}

#[test]
fn a_value_of_another_type_is_an_error_in_its_line_and_watching_goes_on() {
    let run = y3(&["watch", "01=i32"], &[0x01, 0x00, 0x01, 0x01, 0x07]);
    assert_eq!(
        (run.code, run.text()),
        (0, "       0  01=i32  (expected i32 (1 to 4 bytes), found 0 bytes at byte 0)\n       2  01=i32  7\n")
    );
    let run = y3(&["watch", "01=i32", "--json"], &[0x01, 0x00]);
    let line: Value = serde_json::from_str(run.text()).unwrap();
    assert_eq!((&line["value"], &line["hex"]), (&Value::Null, &"0100".into()));
    assert!(line["error"].as_str().unwrap().contains("at byte 0"));
}

/// The count is on standard error, for each input. With `--strict`, the exit code is 3.
#[test]
fn values_that_do_not_fit_their_types_are_counted() {
    let bytes = [0x01, 0x00, 0x01, 0x01, 0x07, 0x01, 0x00];
    for (arguments, lines) in [(&["01=i32"][..], 3), (&["01=i32", "--json"], 3), (&["01=i32", "--count"], 1)] {
        let run = y3(&[&["watch"][..], arguments].concat(), &bytes);
        let said = "y3: standard input: 2 values do not match their types\n";
        assert_eq!((run.code, run.lines().len(), &*run.errors), (0, lines, said));
        let strict = y3(&[&["watch", "--strict"][..], arguments].concat(), &bytes);
        assert_eq!((strict.code, strict.bytes, &*strict.errors), (3, run.bytes, said));
    }
    assert_eq!(y3(&["watch", "01=i32", "--strict"], &bytes[2..5]).code, 0);
}

/// `**` finds the same packets as the library.
#[test]
fn any_number_of_keys_is_found_at_any_depth() {
    let bytes = [0x81, 0x08, 0x11, 0x01, 0x07, 0x82, 0x03, 0x11, 0x01, 0x08, 0x11, 0x01, 0x09];
    let run = y3(&["watch", "**/11=u32"], &bytes);
    let lines = ["       2  **/11=u32  7", "       7  **/11=u32  8", "      10  **/11=u32  9"];
    assert_eq!((run.code, run.lines()), (0, lines.to_vec()), "{}", run.errors);
    let run = y3(&["watch", "01/**/11", "01/02", "**/11=i32", "-c"], &bytes);
    assert_eq!(run.lines(), ["       2  01/**/11", "       1  01/02", "       1  **/11=i32"]);
    let run = y3(&["watch", "**/01", "-c", NOISE], b"");
    let found = y3::Patterns(["**/01".parse().unwrap()]).watch(RECORDING).count();
    assert_eq!(run.lines(), [format!("{found:>8}  **/01")]);
}

/// Each line contains the packet, which `encode` can read.
#[test]
fn lines_of_json_are_written_back_as_the_recording() {
    let run = y3(&["watch", "31", "29", "3f", "2e=text", "--json", NOISE], b"");
    assert_eq!(run.lines().len(), 2003);
    for line in run.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        assert!(line["offset"].is_u64() && line["path"].is_string() && line["type"].is_string());
    }
    let back = y3(&["encode"], &run.bytes);
    assert!(back.code == 0 && back.bytes == RECORDING, "{}", back.errors);
}

#[test]
fn text_from_packets_cannot_reach_the_terminal_or_break_json() {
    let text = "\u{1b}[31m\"\\\n\r\u{202e}\u{9b}\0end";
    let packet = [&[0x01, u8::try_from(text.len()).unwrap()], text.as_bytes()].concat();
    for arguments in [&["watch", "01=text"][..], &["watch", "01=text", "--json"], &["dump"], &["dump", "--text"]] {
        let run = y3(arguments, &packet);
        // The only escape sequences are colours, and only with --color.
        let colored = y3(&[arguments, &["--color", "always"]].concat(), &packet);
        let styles = ["0m", "35m", "36m", "32m"].map(|style| format!("\u{1b}[{style}"));
        let plain = styles.iter().fold(colored.text().to_owned(), |text, style| text.replace(style, ""));
        assert_eq!((run.code, &*plain), (0, run.text()));
        let is_hidden = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!run.text().contains(is_hidden), "{arguments:?}: {:?}", run.text());
        assert!(run.lines().iter().filter(|line| line.contains("end")).count() <= 1);
    }
    let run = y3(&["watch", "01=text", "--json"], &packet);
    assert_eq!(serde_json::from_str::<Value>(run.text()).unwrap()["value"], text);
}

#[test]
fn hits_before_a_fault_are_printed_and_the_code_is_3() {
    let bytes = [0x01, 0x01, 0x07, 0x82, 0x02, 0x01, 0x05, 0x01, 0x01, 0x08];
    let run = y3(&["watch", "01=i32", "02/01"], &bytes);
    assert_eq!((run.code, run.text()), (3, "       0  01=i32  7\n"));
    assert_eq!(
        run.errors,
        "y3: standard input: packet reaches past the end of its node at byte 5: in 0x02, packet 0x01 at byte 5 declares 5 bytes but has 0\n"
    );
    let run = y3(&["watch", "01=i32", "02/01", "--resume"], &bytes);
    assert_eq!((run.code, run.lines().len()), (3, 2));
    // After a fault in embedded packets, watching continues after the primitive.
    let run = y3(&["watch", "01=i32", "03:01"], &[0x03, 0x02, 0x01, 0x05, 0x01, 0x01, 0x08]);
    assert_eq!((run.code, run.text()), (3, "       4  01=i32  8\n"));
    // The packet is incomplete.
    let run = y3(&["watch", "01"], &[0x01, 0x02, 0x07]);
    assert_eq!((run.code, run.bytes.len()), (3, 0));
}

#[test]
fn nothing_found_is_1() {
    assert_eq!(y3(&["watch", "07", NOISE], b"").code, 1);
    assert_eq!(y3(&["watch", "07"], b"").code, 1);
    assert_eq!(y3(&["dump"], b"").code, 1);
    assert_eq!(y3(&["stat"], b"").code, 1);
    assert_eq!(y3(&["encode"], b" \n").code, 1);
}

/// Unwatched parts of a file are not read. Reading this huge sparse file as a whole would take too long.
#[test]
#[cfg(unix)]
fn a_file_is_not_read_where_nothing_is_watched() {
    let file = File::new("sparse", &[]);
    let open = std::fs::OpenOptions::new().write(true).open(&file.0).unwrap();
    // Eight packets of 2^31-1 bytes, then a watched packet.
    let mut at = 0;
    for _ in 0..8 {
        std::os::unix::fs::FileExt::write_all_at(&open, &[0x02, 0x87, 0xff, 0xff, 0xff, 0x7f], at).unwrap();
        at += 6 + 0x7fff_ffff;
    }
    std::os::unix::fs::FileExt::write_all_at(&open, &[0x01, 0x01, 0x07], at).unwrap();
    let run = y3(&["watch", "01=i32", file.name()], b"");
    assert_eq!((run.code, run.text()), (0, &*format!("{at:>8}  01=i32  7\n")));
    // The command detects a packet that reaches past the end of the file.
    open.set_len(at - 1).unwrap();
    assert_eq!(y3(&["watch", "01=i32", file.name()], b"").code, 3);
}

/// After the last required packet, the rest of the top-level packet is not checked.
#[test]
fn only_the_first_packet_at_each_path_is_printed_if_asked() {
    // 01{02=5,03=6,02=7, a packet too long for the node}, 01{03=8}
    let bytes = [0x81, 0x0b, 2, 1, 5, 3, 1, 6, 2, 1, 7, 4, 9, 0x81, 3, 3, 1, 8];
    let run = y3(&["watch", "1/2=i32", "1/3=i32", "--first-only"], &bytes);
    let lines = ["       2  1/2=i32  5", "       5  1/3=i32  6", "      15  1/3=i32  8"];
    assert_eq!((run.code, run.lines()), (0, lines.to_vec()), "{}", run.errors);
    let run = y3(&["watch", "1/2=i32", "1/3=i32"], &bytes);
    assert_eq!((run.code, run.lines().len()), (3, 3));
    // All packets up to the required one are checked.
    assert_eq!(y3(&["watch", "1/2", "1/5", "--first-only"], &bytes).code, 3);
    let run = y3(&["watch", "3f/01", "--first-only", "--count", NOISE], b"");
    assert_eq!((run.code, run.lines()), (0, vec!["    2000  3f/01"]));
}
