//! `y3 dump`, `y3 check` and `y3 stat`: what they show.

use crate::process::{command, finish, y3};
use crate::{FAULTY, NOISE, RECORDING};

const README: &str = include_str!("../../../README.md");

#[test]
fn dump_shows_a_faulty_packet_as_far_as_it_goes() {
    let run = y3(&["dump"], b"84 07 01 01 05 83 04 02 01 ff 02\n");
    assert_eq!(run.code, 3);
    assert_eq!(run.text(), format!("{}\n", y3::dump(&FAULTY)));
    assert!(run.errors.ends_with("in 0x04, packet 0x03 at byte 5 declares 4 bytes, 2 are there\n"), "{}", run.errors);
    assert!(README.contains(run.text()), "the README shows something else than\n{}", run.text());
}

#[test]
fn dump_passes_its_flags_on() {
    let expected = y3::dump(RECORDING).open(&["3f/02".parse().unwrap()]).short().max_lines(9).to_string();
    let run = y3(&["dump", "--open", "3f/02", "--short", "--max-lines", "9", NOISE], b"");
    assert_eq!((run.code, run.text()), (0, &*format!("{expected}\n")));
    let expected = y3::dump(RECORDING).open_all().max_value(2).to_string();
    assert!(y3(&["dump", "--open-all", "--max-value", "2", NOISE], b"").text() == format!("{expected}\n"));
}

/// A path that crosses a payload opens it, and `*` is any key.
#[test]
fn dump_opens_the_payloads_that_a_path_leads_through() {
    let opened = |path: &str| y3(&["dump", "--open", path, "--max-lines", "60", NOISE], b"").bytes;
    assert_ne!(opened("3f/02"), opened("3f/03"));
    assert_eq!(opened("3f/02:01/10"), opened("3f/02"));
    assert_eq!(opened("*/02:*"), opened("*/02"));
    // The path of a payload's packet, without the carrier, opens nothing.
    assert_eq!(opened("01/10"), opened("3f/03/01"));
}

#[test]
fn colours_are_for_terminals_and_no_color_wins() {
    let coloured = |variables: &[&str]| {
        let mut command = command(&["dump"]);
        for variable in variables {
            command.env(variable, "1");
        }
        finish(command, &FAULTY).text().contains('\u{1b}')
    };
    assert!(!coloured(&[]));
    assert!(coloured(&["CLICOLOR_FORCE"]));
    assert!(!coloured(&["NO_COLOR"]));
    assert!(!coloured(&["NO_COLOR", "CLICOLOR_FORCE"]));
}

#[test]
fn check_counts_packets_and_says_nothing_if_asked() {
    let run = y3(&["check", NOISE], b"");
    assert_eq!((run.code, run.text()), (0, "2003 packets, 96331 bytes, no fault\n"));
    let run = y3(&["check", "--quiet", NOISE], b"");
    assert_eq!((run.code, run.text(), run.errors.as_str()), (0, "", ""));
    assert_eq!(y3(&["check"], b"").code, 0);
}

#[test]
fn check_finds_what_is_not_canonical_if_asked() {
    let padded = [0x01, 0x00, 0x81, 0x04, 0x02, 0x80, 0x01, 0x05];
    assert_eq!(y3(&["check"], &padded).code, 0);
    let run = y3(&["check", "--canonical"], &padded);
    assert_eq!(run.code, 3);
    assert!(run.errors.contains("at byte 5"), "{}", run.errors);
    assert_eq!(y3(&["check", "--canonical", NOISE], b"").code, 0);
}

#[test]
fn stat_has_a_line_for_each_path() {
    let run = y3(&["stat", NOISE, "--open", "3f/02"], b"");
    let rows: Vec<Vec<&str>> = run.lines().iter().map(|line| line.split_whitespace().collect()).collect();
    let row = |path: &str| {
        rows.iter().find(|row| row.first() == Some(&path)).unwrap_or_else(|| panic!("no {path}"))[1..].to_vec()
    };
    assert_eq!(run.lines()[0], "96331 bytes, 2003 outermost packets, at most 2 nodes around a packet");
    assert_eq!(row("3f"), ["2000", "92241", "33", "57", "node"]);
    assert_eq!(row("3f/02:01/10/11"), ["2000", "7881", "2", "4", "primitive"]);
    assert_eq!(row("29"), ["1", "0", "0", "0", "node"]);
    // Without the flag a payload is bytes [NODE-5].
    let closed = y3(&["stat", NOISE], b"");
    assert!(!closed.text().contains(':') && closed.text().contains("3f/02"));
    let all = y3(&["stat", NOISE, "--open-all"], b"");
    assert!(run.lines()[3..].iter().all(|line| all.lines().contains(line)));
    assert_eq!(y3(&["stat", NOISE, "--open", "3f/02:01/10"], b"").bytes, run.bytes);
    assert!(y3(&["stat", NOISE, "--open", "*/02"], b"").text().contains("3f/02:01/10/11"));
}

/// A sender that makes up paths fills no memory.
#[test]
fn the_table_of_stat_is_bounded() {
    let mut bytes = Vec::new();
    for path in 0..64_u32 * 64 * 4 {
        let [a, b, c] = [path % 64, path / 64 % 64, path / 4096].map(|key| u8::try_from(key).unwrap());
        bytes.extend([0x80 | a, 0x04, 0x80 | b, 0x02, c, 0x00]);
    }
    let run = y3(&["stat"], &bytes);
    assert_eq!(run.code, 0);
    let lines = run.lines();
    assert_eq!(lines.len(), 3 + 10_000 + 1);
    let count: u64 =
        lines[3..].iter().map(|line| line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()).sum();
    assert_eq!(count, 3 * 64 * 64 * 4);
    assert!(lines[lines.len() - 1].starts_with("others"));
}

#[test]
fn stat_shows_what_was_before_a_fault() {
    let run = y3(&["stat"], &[&[0x01, 0x01, 0x07][..], &FAULTY].concat());
    assert_eq!(run.code, 3);
    assert_eq!(run.lines().len(), 4);
}
