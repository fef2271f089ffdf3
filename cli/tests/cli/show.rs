//! The output of `y3 dump`, `y3 check` and `y3 stat`.

use crate::process::{File, Running, command, finish, y3};
use crate::{FAULTY, NOISE, RECORDING};

const GUIDE: &str = include_str!("../../../docs/GUIDE.md");

#[test]
fn dump_shows_a_faulty_packet_as_far_as_it_goes() {
    let run = y3(&["dump"], b"84 07 01 01 05 83 04 02 01 ff 02\n");
    assert_eq!(run.code, 3);
    assert_eq!(run.text(), format!("{}\n", y3::dump(&FAULTY)));
    assert!(
        run.errors.contains("in 0x04, packet 0x03 at byte 5 declares 4 bytes but has 2 (read as hexadecimal; "),
        "{}",
        run.errors
    );
    assert!(GUIDE.contains(run.text()), "the guide shows something else than\n{}", run.text());
}

#[test]
fn dump_passes_its_flags_on() {
    let expected = y3::dump(RECORDING).open(&["3f/02".parse().unwrap()]).short().max_lines(9).to_string();
    let run = y3(&["dump", "--open", "3f/02", "--short", "--max-lines", "9", NOISE], b"");
    assert_eq!((run.code, run.text()), (0, &*format!("{expected}\n")));
    let expected = y3::dump(RECORDING).open_all().max_value(2).to_string();
    assert!(y3(&["dump", "--open-all", "--max-value", "2", NOISE], b"").text() == format!("{expected}\n"));
}

#[test]
fn colours_are_for_terminals_unless_they_are_asked_for() {
    let colored = |arguments: &[&str], variables: &[&str]| {
        let mut command = command(arguments);
        for variable in variables {
            command.env(variable, "1");
        }
        finish(command, &FAULTY).text().contains('\u{1b}')
    };
    for arguments in [&["dump"][..], &["watch", "04/01"], &["stat"]] {
        let with = |color| [arguments, &["--color", color]].concat();
        assert!(!colored(arguments, &[]) && colored(arguments, &["CLICOLOR_FORCE"]));
        assert!(!colored(arguments, &["NO_COLOR"]) && !colored(arguments, &["NO_COLOR", "CLICOLOR_FORCE"]));
        assert!(colored(&with("always"), &["NO_COLOR"]) && !colored(&with("never"), &["CLICOLOR_FORCE"]));
        assert!(!colored(&with("auto"), &[]));
    }
    // Output that y3 can read has no colours.
    assert!(!colored(&["watch", "04", "--json", "--color", "always"], &[]));
    assert!(!colored(&["dump", "--text", "--color", "always"], &[]));
}

#[test]
fn check_counts_packets_and_says_nothing_if_asked() {
    let run = y3(&["check", NOISE], b"");
    assert_eq!((run.code, run.text()), (0, "2003 packets, 96331 bytes, no fault\n"));
    assert_eq!(y3(&["check"], &[0x01, 0x00]).text(), "1 packet, 2 bytes, no fault\n");
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
    let fault = "not canonical at byte 5: length field longer than needed, of packet 0x01/0x02\n";
    assert!(run.errors.ends_with(fault), "{}", run.errors);
    assert_eq!(y3(&["check", "--canonical", NOISE], b"").code, 0);
}

#[test]
fn stat_has_a_line_for_each_path() {
    let run = y3(&["stat", NOISE, "--open", "3f/02"], b"");
    let rows: Vec<Vec<&str>> = run.lines().iter().map(|line| line.split_whitespace().collect()).collect();
    let row = |path: &str| {
        rows.iter().find(|row| row.first() == Some(&path)).unwrap_or_else(|| panic!("no {path}"))[1..].to_vec()
    };
    assert_eq!(run.lines()[0], "96331 bytes, 2003 top-level packets, at most 2 nodes around a packet");
    assert_eq!(row("3f"), ["2000", "92241", "33", "57", "node"]);
    assert_eq!(row("3f/02:01/10/11"), ["2000", "7881", "2", "4", "primitive"]);
    assert_eq!(row("29"), ["1", "0", "0", "0", "node"]);
    // Without --open, embedded packets are bytes [NODE-5].
    let closed = y3(&["stat", NOISE], b"");
    assert!(!closed.text().contains(':') && closed.text().contains("3f/02"));
    let all = y3(&["stat", NOISE, "--open-all"], b"");
    assert!(run.lines()[3..].iter().all(|line| all.lines().contains(line)));
    assert_eq!(y3(&["stat", NOISE, "--open", "3f/02:01/10"], b"").bytes, run.bytes);
    assert!(y3(&["stat", NOISE, "--open", "*/02"], b"").text().contains("3f/02:01/10/11"));
}

/// A sender with many paths cannot fill the memory.
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
    // The table has the row of 01, and the rows of the packets before the fault.
    let rows: Vec<_> = run.lines()[3..].iter().map(|row| row.split_whitespace().next().unwrap()).collect();
    assert_eq!(rows, ["01", "04", "04/01"]);
}

/// Embedded packets are read only with --open. Their faults are reported in the same way by all subcommands.
#[test]
fn a_fault_in_a_value_that_is_opened_is_said_and_is_3() {
    // Two frames whose payload ends inside a packet, then a packet without a fault.
    let bytes = [&[0xbf, 0x04, 0x02, 0x02, 0x01, 0x05][..], &[0xbf, 0x04, 0x02, 0x02, 0x01, 0x05], &[0x01, 0x01, 0x07]]
        .concat();
    let place =
        "input ends inside the packet at byte 4: in 0x3f/0x02, packet 0x01 at byte 4 declares 5 bytes but has 0";
    for subcommand in ["check", "stat", "dump"] {
        assert_eq!(y3(&[subcommand], &bytes).code, 0);
        let run = y3(&[subcommand, "--open", "3f/02"], &bytes);
        assert!(run.code == 3 && run.errors.contains(place), "{subcommand}: {} {}", run.code, run.errors);
    }
    let run = y3(&["dump", "--open", "3f/02", "--text"], &bytes);
    assert!(run.code == 3 && run.errors.contains(place), "{}", run.errors);
    let run = y3(&["watch", "3f/02:01"], &bytes);
    assert!(run.code == 3 && run.errors.contains("in 0x3f/0x02, packet 0x01 at byte 4"), "{}", run.errors);
    // The packets after the fault are counted, and so are the faults.
    let run = y3(&["stat", "--open", "3f/02"], &bytes);
    assert!(
        run.text().contains("\n01 ") && run.errors.contains(": 2 faults, the first: "),
        "{} {}",
        run.text(),
        run.errors
    );
    // A path also opens the primitives that it enters on the way.
    assert_eq!(y3(&["check", "--open", "3f/02:01"], &bytes).code, 3);
    assert_eq!(y3(&["check", "--open", "*/02"], &bytes).code, 3);
    assert_eq!(y3(&["check", "--open", "3f/03", "--open", "02", "--open", "3f/02/01"], &bytes).code, 0);
}

/// The lines limit how much is read, even if the input is endless.
#[test]
fn a_dump_of_few_lines_reads_no_more_than_they_show() {
    let node = [&[0x81, 0x87, 0xff, 0xff, 0xff, 0x7f][..], &[0x02, 0x01, 0x05].repeat(3)].concat();
    for (start, expected) in [
        (
            &[][..],
            "   0  00 00                    0x00: empty\n   2  00 00                    0x00: empty\n   4  .. the rest is not shown\n",
        ),
        (
            &node,
            "   0  81 87 ff ff ff 7f        0x01 node: 2147483647 bytes\n   6  02 01 05                   0x02: 1 byte = 5\n   9  .. the rest is not shown\n",
        ),
        (
            &[0x02, 0x87, 0xff, 0xff, 0xff, 0x7f],
            "   0  02 87 ff ff ff 7f 00 00  0x02: 2147483647 bytes\n   8  00 00 00 00 00 00 00 00\n  16  .. the rest is not shown\n",
        ),
    ] {
        let mut running = Running::start(&["dump", "--max-lines", "2", "--from", "raw"]);
        running.send(start);
        // The command ends although its input continues.
        while running.is_running() && running.try_send(&[0; 1 << 12]) {}
        let (code, lines, errors) = running.end();
        assert_eq!((code, lines.join("\n") + "\n"), (0, expected.to_string()), "{errors:?}");
    }
    // The command knows the length of a file.
    let run = y3(&["dump", "--max-lines", "1", NOISE], b"");
    assert!(run.text().ends_with(" bytes not shown\n") && run.lines().len() == 2, "{}", run.text());
    // A fault in the shown lines is reported. Other faults are not searched for.
    let bytes = [&FAULTY[..], &[0x01]].concat();
    let run = y3(&["dump", "--max-lines", "1"], &bytes);
    assert_eq!((run.code, run.errors.as_str()), (0, ""));
    let run = y3(&["dump", "--max-lines", "3"], &bytes);
    assert!(run.code == 3 && run.errors.contains("in the packet at byte 5"), "{}", run.errors);
}

/// `stat` has its own code to walk packets, so it is compared with `check`.
#[test]
fn stat_finds_the_faults_that_check_finds() {
    // The lengths are padded to two bytes.
    let around = |inside: Vec<u8>, _| {
        let (high, low) = (inside.len() >> 7, inside.len() & 0x7f);
        [&[0x81, 0x80 | u8::try_from(high).unwrap(), u8::try_from(low).unwrap()][..], &inside].concat()
    };
    let nested = |nodes: usize| (0..nodes).fold(vec![0x05, 0x00], around);
    let mut inputs: Vec<_> = [1, 40, 63, 64, 65, 66].map(nested).into();
    let start = &RECORDING[..400];
    inputs.extend((0..400).step_by(11).map(|at| start[..at].to_vec()));
    inputs.extend((0..400).step_by(9).map(|at| [&start[..at], &[0xff], &start[at + 1..]].concat()));
    let mut found = 0;
    for bytes in inputs {
        let file = File::new("hostile", &bytes);
        let (checked, counted) =
            (y3(&["check", "-q", file.name(), "--from", "raw"], b""), y3(&["stat", file.name(), "--from", "raw"], b""));
        assert_eq!(checked.errors, counted.errors);
        found += usize::from(checked.code == 3);
        assert_eq!(counted.code, if bytes.is_empty() { 1 } else { checked.code });
    }
    assert!(found > 40, "{found}");
    assert_eq!(y3(&["stat"], &nested(65)).code, 3);
    assert!(y3(&["stat"], &nested(64)).text().contains("1 top-level packet, at most 64 nodes around a packet"));
}
