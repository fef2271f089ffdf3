//! Arguments: messages name the wrong argument. Help, completions and manual pages exist.

use crate::NOISE;
use crate::process::y3;

const SUBCOMMANDS: [&str; 10] =
    ["watch", "dump", "check", "stat", "encode", "edit", "json", "names", "completions", "man"];

#[test]
fn wrong_use_blames_the_argument_at_fault_and_is_2() {
    for (arguments, blamed) in [
        (&["watch", "40/1", NOISE][..], "'40/1' is not a path"),
        (&["watch", "3f/", NOISE], "'3f/' is not a path"),
        (&["watch", "nonsense", NOISE], "'nonsense' is not a path"),
        (&["watch", "3f/1", "3f/2=i33", NOISE], "'3f/2=i33': there is no type `i33`; did you mean `i32`?"),
        (&["watch", "3f/1", "some", NOISE], "'some' is not a path"),
        (&["watch", "63", NOISE], "'63' is not a path: 0x63 is above 0x3f, the highest key (paths are hexadecimal)"),
        (&["watch", "01:**", NOISE], "'01:**' is not a path: `:` and `**` cannot be used in the same command"),
        (&["watch", "3f/02:01", "**/11", NOISE], "`:` and `**` cannot be used in the same command"),
        (&["watch", "**/11", "--first-only", NOISE], "--first-only cannot be used"),
        (&["watch", "01/***", NOISE], "'01/***' is not a path: argument is not a key of 0x00 to 0x3f at byte 3"),
        (&["edit", "--set", "**/11=zz", NOISE], "'zz' is not a value"),
        (&["edit", "--set", "**=00", NOISE], "'00' is not a value"),
        (&["watch", "01:", NOISE], "'01:' is not a path: a key must follow each `/` and `:`"),
        (&["watch", "01/0x1g", NOISE], "`0x1g` is not a hexadecimal key"),
        (&["watch", "1/2/3/4/5/6/7/8/9", NOISE], "at most 8 steps"),
        (&["check", "--open", "3f/0x40", NOISE], "0x40 is above 0x3f"),
        (&["edit", "--set", "3f/99=00", NOISE], "0x99 is above 0x3f"),
        (&["watch", NOISE, "01/15"], &format!("paths come first, as in y3 watch 01/15 {NOISE}")),
        (&["watch", "-", "01/15=u32", "3f"], "paths come first, as in y3 watch 01/15=u32 3f -"),
        (&["watch", "tcp://localhost:1", "3f"], "paths come first, as in y3 watch 3f tcp://localhost:1"),
        (&["watch", "3f", "--count", "--json", NOISE], "--count"),
        (&["watch"], "PATH"),
        (&["dump", "--open", "x", NOISE], "--open"),
        (&["dump", "--max-lines", "many", NOISE], "--max-lines"),
        (&["dump", "--nonsense"], "--nonsense"),
        (&["edit", "--keep", "01", NOISE, NOISE], NOISE),
        (&["check", "--from", "octal"], "--from"),
        (&["edit", NOISE], "--keep"),
        (&["encode", "--to", "octal"], "--to"),
        (&["completions", "sql"], "sql"),
        (&["man", "nonsense"], "'nonsense'"),
        (&["nonsense"], "nonsense"),
        (&[], "Usage"),
    ] {
        let run = y3(arguments, b"");
        assert_eq!((run.code, run.bytes.len()), (2, 0), "{arguments:?}: {}", run.errors);
        assert!(run.errors.contains(blamed), "{arguments:?}: {}", run.errors);
    }
    // The name of a file begins with a digit.
    let file = crate::process::File::new("0", b"");
    let mut command = crate::process::command(&["watch", "01", file.0.file_name().unwrap().to_str().unwrap()]);
    command.current_dir(file.0.parent().unwrap());
    let run = crate::process::finish(command, b"");
    assert!(run.code == 2 && run.errors.contains("; to read the file, write ./0"), "{}", run.errors);
    // The message shows the usage of the subcommand.
    assert!(y3(&["watch", "40", NOISE], b"").errors.contains("Usage: y3 watch [OPTIONS] PATH[=TYPE]... [INPUT...]"));
}

#[test]
fn sizes_and_times_have_units() {
    let bytes = [&[0x01, 0x87, 0x68][..], &[0xaa; 1000]].concat();
    for (most, code) in [
        ("1000", 0),
        ("1k", 0),
        ("1KB", 0),
        ("0.999k", 3),
        ("999b", 3),
        ("1KiB", 0),
        ("0.5Ki", 3),
        ("1 MiB", 0),
        ("2g", 0),
    ] {
        let mut running = crate::process::Running::start(&["watch", "01", "--count", "--max-value", most]);
        // The value arrives in several reads.
        running.try_send(&bytes[..500]);
        std::thread::sleep(std::time::Duration::from_millis(50));
        running.try_send(&bytes[500..]);
        assert_eq!(running.end().0, code, "{most}");
    }
    for most in ["k", "10q", "1.0005k", "-1", "1e3", "", "99999999999999999999", "99999999999g", "1kk", "."] {
        let run = y3(&["dump", &format!("--max-value={most}"), NOISE], b"");
        assert!(
            run.code == 2 && run.errors.contains("expected a number of bytes, such as 4096, 10k or 10MiB"),
            "{most}: {}",
            run.errors
        );
    }
    for (time, is_right) in
        [("1", true), ("500ms", true), ("1.5s", true), ("2m", true), ("0", false), ("1h", false), ("s", false)]
    {
        let run = y3(&["conform", "--exec", "exit 3", "--profile", "core", "--cases", "0", "--timeout", time], b"");
        assert_eq!(run.code, if is_right { 1 } else { 2 }, "{time}: {}", run.errors);
    }
}

#[test]
fn each_subcommand_has_help_with_examples_and_a_manual_page() {
    for subcommand in SUBCOMMANDS {
        let run = y3(&[subcommand, "--help"], b"");
        assert_eq!(run.code, 0);
        assert!(run.text().contains(&format!("Usage: y3 {subcommand}")), "{}", run.text());
        assert!(run.text().contains("Example"), "{}", run.text());
        let page = y3(&["man", subcommand], b"");
        assert!(page.code == 0 && page.text().contains(&format!(".TH y3-{subcommand}")), "{}", page.text());
    }
    let run = y3(&["--help"], b"");
    assert!(["Exit codes:", "Examples:", "NO_COLOR"].iter().all(|text| run.text().contains(text)));
    assert!(y3(&["man"], b"").text().contains(".TH y3 1"));
    assert_eq!(y3(&["--version"], b"").text(), concat!("y3 ", env!("CARGO_PKG_VERSION"), "\n"));
}

/// The pages and completions in a package of the command.
#[test]
fn all_pages_and_completions_are_written_to_a_folder() {
    let folder = crate::process::folder();
    let names = |name: &str| {
        let entries = std::fs::read_dir(folder.path().join(name)).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    for (subcommand, name) in [("man", "share/man1"), ("completions", "share/completions")] {
        let to = folder.path().join(name);
        let run = y3(&[subcommand, "--to", to.to_str().unwrap()], b"");
        assert_eq!((run.code, run.bytes.len()), (0, 0), "{}", run.errors);
    }
    let pages = names("share/man1");
    assert!(pages.contains(&"y3.1".into()), "{pages:?}");
    for subcommand in SUBCOMMANDS {
        let file = format!("y3-{subcommand}.1");
        let page = std::fs::read(folder.path().join("share/man1").join(&file)).unwrap();
        assert!(page == y3(&["man", subcommand], b"").bytes && pages.contains(&file));
    }
    assert_eq!(names("share/completions"), ["_y3", "_y3.ps1", "y3.bash", "y3.elv", "y3.fish"]);
    let bash = std::fs::read(folder.path().join("share/completions/y3.bash")).unwrap();
    assert_eq!(bash, y3(&["completions", "bash"], b"").bytes);
    // The folder cannot be created.
    let run = y3(&["man", "--to", &format!("{NOISE}/man1")], b"");
    assert!(run.code == 2 && run.errors.contains("noise.y3/man1: "), "{}", run.errors);
    for arguments in [&["completions"][..], &["completions", "bash", "--to", "x"], &["man", "watch", "--to", "x"]] {
        assert_eq!(y3(arguments, b"").code, 2, "{arguments:?}");
    }
}
