//! The conformance kit: the crate and the Python programs in docs and tests answer every row, and no program can stop
//! the runner.
//!
//! Without `python3`, the tests of Python programs are skipped with a message. With `Y3_PYTHON=required`, they fail.

use std::process::{Command, Output};

const Y3: &str = env!("CARGO_BIN_EXE_y3");
const PAGE: &str = include_str!("../../docs/spec/conformance.md");
const FULL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/conformance/full.py");

fn conform(program: &str, arguments: &[&str]) -> (Output, String) {
    let output = Command::new(Y3).args(["conform", "--exec", program]).args(arguments).output().unwrap();
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    (output, text)
}

fn has_python() -> bool {
    let runs = Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    let is_required = std::env::var("Y3_PYTHON").is_ok_and(|value| value == "required");
    assert!(runs || !is_required, "no python3");
    if !runs {
        println!("skipped: no python3");
    }
    runs
}

/// Runs a test with a Python program in a temporary file.
fn with_python(name: &str, program: &str, run: impl FnOnce(&str)) {
    if has_python() {
        let file = std::env::temp_dir().join(format!("y3-conform-{name}-{}.py", std::process::id()));
        std::fs::write(&file, program).unwrap();
        run(&format!("python3 '{}'", file.display()));
        std::fs::remove_file(file).unwrap();
    }
}

#[test]
fn the_crate_is_whole_in_every_profile() {
    let (output, text) = conform(&format!("'{Y3}' conform --serve"), &[]);
    assert_eq!(output.status.code(), Some(0), "{text}");
    let profiles = text.rsplit_once("\n\n").unwrap().1;
    assert_eq!(profiles.lines().filter(|line| line.ends_with("  whole")).count(), profiles.lines().count(), "{text}");
    assert!(profiles.lines().count() >= 7, "{text}");
}

#[test]
fn the_program_of_the_page_is_whole_in_core_and_has_at_most_100_lines() {
    let program = PAGE.split_once("```python\n").unwrap().1.split_once("```").unwrap().0;
    assert!(program.lines().count() <= 100);
    with_python("page", program, |program| {
        let (output, text) = conform(program, &["--profile", "core"]);
        assert_eq!(output.status.code(), Some(0), "{text}");
        // The program skips all other rows. This is a failure only for claimed profiles.
        assert_eq!(conform(program, &[]).0.status.code(), Some(0));
        assert_eq!(conform(program, &["--profile", "numbers"]).0.status.code(), Some(1));
    });
}

#[test]
fn the_python_program_for_all_profiles_is_whole() {
    if has_python() {
        // Random cases of all profiles.
        for (seed, cases) in [("1", "50"), ("2", "200")] {
            let arguments = ["--failed", "--seed", seed, "--cases", cases];
            let (output, text) = conform(&format!("python3 '{FULL}'"), &arguments);
            assert_eq!(output.status.code(), Some(0), "{text}");
            assert!(!text.contains("not claimed"), "{text}");
        }
    }
}

/// A program can look up the printed answers by id, but not the answers to random cases.
#[test]
fn whoever_looks_the_answers_up_fails_every_profile() {
    let program = format!(
        "import json, subprocess, sys\nrows = subprocess.run(['{Y3}', 'conform', '--print'], capture_output=True).stdout.splitlines()\n\
         rows = {{row['id']: row for row in map(json.loads, rows)}}\nfor line in sys.stdin:\n    row = json.loads(line)\n    \
         known = rows.get(row['id'], {{}})\n    given = {{name: known[name] for name in ('result', 'error') if name in known}}\n    \
         if 'piece' in row and 'result' in given:\n        given['result'] = [given['result']]\n    \
         print(json.dumps({{'id': row['id'], **(given or {{'result': ''}})}}), flush=True)\n"
    );
    with_python("looked-up", &program, |program| {
        let (output, text) = conform(program, &[]);
        assert_eq!(output.status.code(), Some(1), "{text}");
        let profiles = text.rsplit_once("\n\n").unwrap().1;
        assert_eq!(profiles.lines().filter(|line| line.ends_with("  not whole")).count(), 8, "{text}");
        // Without random cases, all rows with the input in one buffer pass.
        let (_, text) = conform(program, &["--cases", "0"]);
        assert_eq!(text.lines().filter(|line| line.ends_with("  whole")).count(), 6, "{text}");
    });
}

/// The program reads the whole input at once and ignores the size of the pieces.
#[test]
#[cfg(unix)]
fn a_program_that_ignores_pieces_is_not_whole_in_stream() {
    let program = format!("sed -u 's/\"piece\":[0-9]*/\"piece\":1048576/' | '{Y3}' conform --serve");
    for (profile, code) in [("core", 0), ("watch", 0), ("stream", 1), ("limits", 1)] {
        for cases in ["0", "20"] {
            let (output, text) = conform(&program, &["--profile", profile, "--cases", cases]);
            assert_eq!(output.status.code(), Some(code), "{profile}: {text}");
            assert_eq!(text.contains("expected for the pieces"), code == 1, "{text}");
        }
    }
}

/// A run prints its seed, and the same seed gives the same cases.
#[test]
fn random_cases_are_those_of_the_seed() {
    let program = "while read -r line; do echo \"$line\" >&2; echo '{}'; done";
    let asked = |arguments: &[&str]| {
        let (output, text) = conform(program, &[&["--profile", "watch", "--cases", "10"][..], arguments].concat());
        let asked = String::from_utf8(output.stderr).unwrap();
        let random: Vec<_> = asked.lines().filter(|line| line.contains("\"random/")).map(str::to_owned).collect();
        let seed = text.lines().next().unwrap().strip_prefix("10 random cases of each profile, of --seed ").unwrap();
        (random, seed.to_owned())
    };
    let (random, seed) = asked(&[]);
    assert_eq!(random.len(), 10);
    assert_eq!(asked(&["--seed", &seed]), (random.clone(), seed));
    assert_ne!(asked(&[]).0, random);
}

/// Without Go or the modules, the test is skipped with a message, as in tests/go. With `Y3_GO=required`, it fails.
#[test]
fn the_go_modules_have_their_known_differences_and_no_others() {
    let program = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("y3_go_conform");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/go");
    let built = Command::new("go").args(["build", "-o"]).arg(&program).arg("./conform").current_dir(folder).output();
    if !built.as_ref().is_ok_and(|output| output.status.success()) {
        assert!(!std::env::var("Y3_GO").is_ok_and(|value| value == "required"), "{built:?}");
        return println!("skipped: no go");
    }
    for module in ["y3", "codec"] {
        let program = format!("'{}' {module}", program.display());
        let (output, text) = conform(&program, &["--failed", "--as", module]);
        assert_eq!(output.status.code(), Some(0), "{module}: {text}");
        // The differences exist: without `--as`, the profile fails.
        assert_eq!(conform(&program, &["--profile", "core"]).0.status.code(), Some(1));
    }
}

#[test]
fn a_program_that_ends_hangs_or_says_anything_has_failed_a_row_and_no_more() {
    let program = "import json, sys, time\nfor n, line in enumerate(sys.stdin):\n    row = json.loads(line)\n    \
                   if row['id'] == 'LEN-1/2':\n        sys.exit(3)\n    \
                   if row['id'] == 'LEN-1/3':\n        time.sleep(60)\n    \
                   if row['id'] == 'LEN-1/4':\n        print('hello', flush=True)\n        continue\n    \
                   if row['id'] == 'LEN-1/5':\n        print('{\"id\": 1}', flush=True)\n        continue\n    \
                   print(json.dumps({'id': row['id'], 'result': 0}), flush=True)\n";
    with_python("strange", program, |program| {
        let (output, text) = conform(program, &["--profile", "core", "--timeout", "5"]);
        assert_eq!(output.status.code(), Some(1));
        assert!(text.contains("LEN-1/2 length 3f: the program ended: exit status: 3"), "{text}");
        assert!(text.contains("LEN-3/1 length 40: expected NegativeLength at byte 0, got 0\n"), "{text}");
        // The rows before and after the crash were asked and answered.
        let core = text.lines().last().unwrap();
        assert!(core.starts_with("core             ") && !core.starts_with("core             0 "), "{text}");
    });
}

/// Every program is killed at its time limit, and its output is escaped for the terminal.
#[test]
#[cfg(unix)]
fn no_program_stops_the_runner() {
    for (program, said, most) in [
        // These programs close their output and continue, read but never answer, or do not even read.
        ("exec >&-; sleep 1000", "the program closed its output without an answer", 10),
        ("exec >&-; cat > /dev/null", "the program closed its output without an answer", 10),
        ("cat > /dev/null", "no answer in 1s", 10),
        ("sleep 1000", "no answer in 1s", 10),
        ("trap '' TERM HUP INT; while :; do sleep 1; done", "no answer in 1s", 10),
        // These programs answer with bytes that are not text, never end a line, or write only a part of a line.
        ("while read -r line; do printf '\\377\\033[2J\\n'; done", r"the answer is not UTF-8: \xff\x1b[2J\n", 30),
        ("yes | tr -d '\\n'", "an answer of 1048576 bytes without a line end", 30),
        ("printf '{'; sleep 1000", "no answer in 1s", 10),
        ("/nonexistent/program", "the program ended: exit status: 127", 10),
    ] {
        let begun = std::time::Instant::now();
        let (output, text) = conform(program, &["--profile", "core", "--timeout", "1"]);
        assert_eq!(output.status.code(), Some(1), "{program}: {text}");
        assert!(text.contains(said) && text.len() < 20_000, "{program}: {text}");
        assert!(begun.elapsed().as_secs() < most, "{program}: {:?}", begun.elapsed());
        if said.contains("no answer") {
            let errors = String::from_utf8(output.stderr).unwrap();
            assert!(errors.lines().count() == 3 && errors.contains("; no more questions are asked"), "{errors}");
            assert!(text.contains("not asked: no answer in time 3 times"), "{text}");
        }
    }
    for answer in
        [r#"{"result":"\\u001b]0;x\\u0007\\u202e"}"#, r#"{"error":["\\u001b]0;x\\u202e",0]}"#, r"\033]0;x\342\200\256"]
    {
        let (_, text) = conform(&format!("while read -r line; do printf '{answer}\\n'; done"), &["--profile", "core"]);
        assert!(text.contains("\\u{1b}]0;x") && text.contains("\\u{202e}"), "{text}");
        assert!(!text.contains(|c: char| c != '\n' && c.is_control() || c == '\u{202e}'), "{text}");
    }
}
