//! Tests of sweeps and of the page: a second sweep over the same CSV, and figures that agree with the rows.

use std::path::Path;
use std::process::Command;

use network::measure::hosts::Between;
use network::measure::kept;
use network::measure::row::Row;
use network::page::figures::{Figures, TEXT};
use report::fill::{Page, filled};
use tempfile::TempDir;

/// Runs `network echo sweep` over two kinds with a small load, and returns its output.
fn echo_sweep(csv: &Path, more: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_network"))
        .args(["echo", "sweep", "--kind", "y3-mux", "--kind", "json-pooled", "--callers", "2,5", "--body", "100"])
        .args(["--seconds", "0.1", "--csv"])
        .arg(csv)
        .args(more)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn an_echo_sweep_keeps_rows_and_measures_those_that_are_missing() {
    let folder = TempDir::with_prefix("network-sweep").unwrap();
    let first = folder.path().join("first.csv");
    echo_sweep(&first, &["--turns", "2"]);
    let before = std::fs::read_to_string(&first).unwrap();
    let rows: Vec<Row> = kept::read(&first).unwrap();
    let names: Vec<_> = rows.iter().map(|row| (row.name.as_str(), row.body, row.callers)).collect();
    let expected = [("y3-mux", 100, 2), ("y3-mux", 100, 5), ("json-pooled", 100, 2), ("json-pooled", 100, 5)];
    assert_eq!(names, expected, "in the order of the set-ups, one of each");
    for row in &rows {
        assert!(row.requests > 0 && row.errors == 0 && row.tps > 0.0 && row.p99_us <= row.p999_us, "{row:?}");
        assert!(row.turns == 2 && row.spread.is_some() && row.proxy_cpu.is_none(), "{row:?}");
        assert!(row.server_kib.is_some() && row.server_cpu.is_some() && row.client_kib > 0, "{row:?}");
        assert_eq!(row.commit, kept::commit());
    }

    let text = echo_sweep(&first, &["--missing"]);
    assert!(text.contains("4 rows in"), "{text}");
    assert_eq!(std::fs::read_to_string(&first).unwrap(), before, "nothing was missing, so nothing was measured");
    echo_sweep(&first, &["--turns", "1"]);
    let again: Vec<Row> = kept::read(&first).unwrap();
    assert!(again.len() == 4 && again.iter().all(|row| row.turns == 1), "new rows replace older ones");
}

/// The folder of the committed rows.
fn report() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/report")
}

#[test]
fn the_committed_page_and_its_charts_are_what_the_committed_rows_say() {
    let page = std::fs::read_to_string(report().join("NETWORK.md")).unwrap();
    let machine = page.lines().nth(4).unwrap().trim_end_matches('.').to_owned();
    let Page { text, charts, .. } = Figures::read(&report(), machine).unwrap().filled(TEXT);
    assert!(page == text, "it is not: network report --page");
    assert_eq!(charts.len(), 2);
    for (name, svg) in charts {
        assert!(std::fs::read_to_string(report().join(&name)).unwrap() == svg, "{name}");
    }
}

#[test]
fn all_figures_of_the_page_have_names_and_values() {
    let figures = Figures::read(&report(), "a machine".to_owned()).unwrap();
    // Rows across hosts are missing if the system does not allow namespaces.
    let is_measured = figures.figure("across y3-mux json-mux 1024 1000").is_some();
    let is_allowed = |name: &String| name.starts_with("across ") && !is_measured;
    let missing: Vec<String> = figures.filled(TEXT).missing.into_iter().filter(|name| !is_allowed(name)).collect();
    assert_eq!(missing, Vec::<String>::new());
    let around = filled(TEXT, &|_| Some(String::new()), &|_, _| Some(String::new())).text;
    // Numbers in the template describe how something is measured. They are not results.
    let settings = "1,024 bytes|5,120 bytes|1,000 callers|1 KiB|TP999|HTTP/1.1|\
                    less than 5% behind|core 0|core 1|waits 5 ms|×2 means half|100 connections|500 connections|Y3|y3";
    for line in around.lines() {
        // Ignores code and the targets of links.
        let line: String = line.split('`').step_by(2).collect();
        let line = line.split_once("](").map_or(&*line, |(title, _)| title);
        let rest = settings.split('|').fold(line.to_owned(), |line, setting| line.replace(setting, ""));
        assert!(!rest.contains(|c: char| c.is_ascii_digit()), "a number that is typed: {line}");
    }
}

#[test]
fn what_was_not_measured_is_a_dash_and_its_chart_is_left_out() {
    let folder = TempDir::with_prefix("network-page").unwrap();
    // A quick run on a machine without nginx.
    let row = |name: &str, tps| Row { name: name.to_owned(), body: 1024, callers: 1000, tps, ..Row::default() };
    let across = |name, tps| Row { between: Between::Namespaces, ..row(name, tps) };
    let rows = [row("y3-mux", 3e6), row("json-mux", 1e6), across("y3-mux", 1e6), across("json-mux", 2e6)];
    kept::write(&folder.path().join("network.csv"), rows).unwrap();
    let figures = Figures::read(folder.path(), String::new()).unwrap();
    assert_eq!(figures.figure("across y3-mux json-mux 1024 1000").unwrap(), "×0.50");
    assert_eq!(figures.figure("across y3-mux tonic 1024 1000"), None);
    let Page { text, charts, .. } = figures.filled(
        "{{times y3-mux json-mux 1024 1000}} of {{times y3-mux nginx 1024 1000}}\n![a](network-tps-1024.svg)\n",
    );
    assert_eq!((text.as_str(), charts.len()), ("×3.00 of –\n", 0));
    assert_eq!(figures.figure("commits").unwrap(), "commit unknown");
    assert!(figures.figure("behind").unwrap().starts_with("None"));
    // With a third and a half of the requests, y3 is behind, and the table shows by how much.
    let other = |row: Row, callers, commit: &str| Row { callers, commit: commit.to_owned(), ..row };
    let more = [
        row("y3-mux", 1e6),
        row("tonic", 3e6),
        other(row("y3-mux", 1e6), 500, "a1"),
        other(row("tonic", 2e6), 500, "a1"),
    ];
    for (rows, expected, commits) in [
        (&more[..2], "1 of 1, ×3.00, 1,000 callers, 1,024 B", "commit unknown"),
        (&more[..3], "1 of 1, ×3.00, 1,000 callers, 1,024 B", "commit a1, unknown"),
        (&more[1..], "1 of 1, ×2.00, 500 callers, 1,024 B", "commit a1, unknown"),
        (&more[..], "2 of 2, ×2.00 to ×3.00, 1,000 callers, 1,024 B", "commit a1, unknown"),
    ] {
        kept::write(&folder.path().join("network.csv"), rows).unwrap();
        let figures = Figures::read(folder.path(), String::new()).unwrap();
        let behind = figures.figure("behind").unwrap();
        let cells: Vec<&str> = behind.lines().last().unwrap().split('|').map(str::trim).collect();
        assert_eq!(cells[1..7].join(", "), format!("y3-mux, tonic, requests a second, {expected}"));
        assert_eq!(figures.figure("commits").unwrap(), commits);
    }
}
