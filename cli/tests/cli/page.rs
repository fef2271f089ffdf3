//! Each command line in docs/COMMAND.md prints the output below it.
#![cfg(unix)]

use std::process::Command;

use crate::RECORDING;
use crate::process::folder;

const PAGE: &str = include_str!("../../../docs/COMMAND.md");

/// True if tshark is installed. With `Y3_TSHARK=required`, a missing tshark fails the test.
fn has_tshark() -> bool {
    let runs = Command::new("tshark").arg("--version").output().is_ok_and(|output| output.status.success());
    assert!(runs || !std::env::var("Y3_TSHARK").is_ok_and(|value| value == "required"), "no tshark");
    runs
}

#[test]
fn each_line_of_the_page_prints_what_it_shows() {
    let folder = folder();
    for (name, bytes) in [
        ("session.y3", RECORDING),
        ("noise.y3n", include_bytes!("../../../names/tests/noise.y3n")),
        ("capture.pcapng", include_bytes!("../capture.pcapng")),
    ] {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let y3 = std::path::Path::new(env!("CARGO_BIN_EXE_y3")).parent().unwrap();
    let path = format!("{}:{}", y3.display(), std::env::var("PATH").unwrap());
    let mut lines = 0;
    for block in PAGE.split("```console\n").skip(1) {
        for task in block.split("```").next().unwrap().split("$ ").skip(1) {
            let (line, shown) = task.split_once('\n').unwrap();
            if line.starts_with("tshark") && !has_tshark() {
                println!("skipped: no tshark");
                continue;
            }
            let mut shell = Command::new("sh");
            // tshark must ignore the user's preferences and plugins, and its warning about the user is dropped.
            shell.args(["-c", &line.replace(" | ", " 2> errors | ")]).env("WIRESHARK_CONFIG_DIR", folder.path());
            let output = shell.current_dir(folder.path()).env("PATH", &path).output().unwrap();
            let printed = [output.stdout, output.stderr].concat();
            assert_eq!(String::from_utf8(printed).unwrap(), shown, "{line}");
            lines += 1;
        }
    }
    assert!(lines >= 10 && PAGE.matches("\n## ").count() == 10, "{lines}");
}
