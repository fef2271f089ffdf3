//! The sweeps as commands: rows in a CSV, a second run compared with it, and the page that is made of all rows.

use std::process::Command;

use network::echo::rows::Entry;
use network::kept::csv_file;
use network::report::page;
use workers::process::Folder;

fn folder(name: &str) -> Folder {
    Folder::new(&format!("network-{name}")).unwrap()
}

/// Runs `network echo sweep` over two kinds with a small load, and returns what it printed.
fn echo_sweep(csv: &std::path::Path, more: &[&str]) -> String {
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
fn an_echo_sweep_keeps_rows_and_compares_them_with_an_earlier_run() {
    let folder = folder("sweep");
    let (first, second) = (folder.path().join("first.csv"), folder.path().join("second.csv"));
    echo_sweep(&first, &["--turns", "2"]);
    let rows: Vec<Entry> = csv_file::read(&first).unwrap();
    let names: Vec<_> = rows.iter().map(|row| (row.name.as_str(), row.body, row.callers)).collect();
    assert_eq!(
        names,
        [("json-pooled", 100, 2), ("json-pooled", 100, 5), ("y3-mux", 100, 2), ("y3-mux", 100, 5)],
        "sorted, one of each"
    );
    for row in &rows {
        assert!(row.requests > 0 && row.errors == 0 && row.tps > 0.0, "{row:?}");
        assert!(row.mean_us <= row.max_us && row.p99_us <= row.p999_us && row.p999_us <= row.max_us, "{row:?}");
        assert!(row.turns == 2 && row.spread.is_some(), "{row:?}");
        assert!(row.server_rss_kib.is_some() && row.client_rss_kib > 0, "{row:?}");
        assert_eq!(row.commit, network::kept::commit());
        // Linux tells; an earlier CSV, as that of the page's test, has no such column.
        assert!(row.stolen.is_some_and(|stolen| (0.0..=100.0).contains(&stolen)), "{row:?}");
    }

    // Twice as fast before: each row is half as fast now.
    let before: Vec<Entry> = rows.iter().cloned().map(|row| Entry { tps: row.tps * 2.0, ..row }).collect();
    let faster = folder.path().join("faster.csv");
    csv_file::write(&faster, &before).unwrap();
    csv_file::write(&second, &rows).unwrap();
    let text = echo_sweep(&second, &["--missing", "--against", faster.to_str().unwrap()]);
    assert!(text.contains("4 rows in"), "{text}");
    let said = text.split_once("Compared with").unwrap().1;
    assert!(!said.contains("y3-mux"), "nothing was missing, so nothing was measured:\n{said}");
    let text = echo_sweep(&second, &["--against", faster.to_str().unwrap()]);
    let said = text.split_once("Compared with").unwrap().1;
    let lines: Vec<Vec<&str>> = said
        .lines()
        .filter(|line| line.starts_with("| y3-mux") || line.starts_with("| json-pooled"))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    assert_eq!(lines.len(), 4, "{said}");
    let now: Vec<Entry> = csv_file::read(&second).unwrap();
    for cells in lines {
        let [_, name, body, callers, old, new, change, ..] = cells[..] else { panic!("{cells:?}") };
        let number = |text: &str| text.replace(',', "").parse::<f64>().unwrap();
        let row = |rows: &[Entry]| {
            rows.iter().find(|row| row.is_of(name, body.parse().unwrap(), callers.parse().unwrap(), 0.0)).unwrap().tps
        };
        assert_eq!((number(old), number(new)), (row(&before).round(), row(&now).round()));
        let expected = 100.0 * (row(&now) / row(&before) - 1.0);
        let change: f64 = change.trim_end_matches('%').parse().unwrap();
        assert!((change - expected).abs() < 0.06, "{change} instead of {expected}");
    }
}

/// A run that nobody made, as CSVs in a folder.
fn fabricated(folder: &Folder) {
    let head = "name,body,callers,delay_ms,seconds,requests,errors,tps,mean_us,p99_us,p999_us,max_us,client_user_s,client_system_s,\
                client_rss_kib,server_wall_s,server_user_s,server_system_s,server_rss_kib,stolen,turns,spread,commit\n";
    // The server is busy for half of its core, a fifth of that in the program; the client for all of its own.
    let row = |name: &str, body: u32, callers: u32, tps: u32, commit: &str| {
        let times = format!("{tps},10,{},30000,40000,0.5,0.5,5000,1,0.1,0.4,6000,0.1,3,4.0", 900_000_000 / tps);
        format!("{name},{body},{callers},0,1,{tps},0,{times},{commit}\n")
    };
    let mut csv = head.to_owned();
    for (body, slower) in [(1024, 1), (5120, 3)] {
        for (callers, most) in [(100, 10), (1000, 13)] {
            for (name, tps) in [
                ("json-mux", 31_000),
                ("y3-mux", 110_000),
                ("kitex-mux", 4700),
                ("tonic", 2900),
                ("grpc", 1900),
                ("json-pooled", 9000),
                ("y3-pooled", 8000),
            ] {
                let commit = if name == "grpc" { "def5678 with uncommitted changes" } else { "abc1234" };
                csv += &row(name, body, callers, tps * most / slower, commit);
            }
        }
    }
    std::fs::write(folder.path().join("network.csv"), csv).unwrap();
    let head = "name,connections,seconds,requests,errors,qps,mean_us,p99_us,p999_us,client_cpu,client_kib,proxy_cpu,proxy_kib,\
                second_cpu,second_kib,backend_cpu,backend_kib,stolen,turns,spread,commit\n";
    let row = |name: &str, connections: u32, qps: u32, kib: u32| {
        format!(
            "{name},{connections},1,{qps},0,{qps},800,{},2000,94,8000,89,{kib},,,10,7000,0.2,2,6.0,abc1234\n",
            90_000_000 / qps
        )
    };
    let rows = [(100, 120_000, 8192), (500, 104_000, 9364)].into_iter().flat_map(|(connections, qps, kib)| {
        let all = [("y3-redact", qps), ("y3-route", qps + 5000), ("nginx", qps / 5), ("haproxy", qps / 4)];
        all.map(|(name, qps)| row(name, connections, qps, kib))
    });
    std::fs::write(folder.path().join("network-proxy.csv"), head.to_owned() + &rows.collect::<String>()).unwrap();
    let idle = "connections,rate,errors,p99_us,resident_kib,proxy_cpu,bytes_each,stolen\n\
                1000,0,0,0,9192,0,1000,0.1\n1000,1000,0,1500,9292,2.1,1100,0.1\n\
                10000,0,0,0,18555,0.4,1061,\n10000,1000,0,1500,19000,5.4,1070,12.5\n";
    std::fs::write(folder.path().join("network-idle.csv"), idle).unwrap();
    let workers = "workers,packets,ballast,in_flight,work_ms,rate,broker_cores,workers_cores,commit\n\
                   1,40000,256,4,0,24000,1.0,0.6,abc1234\n4,40000,256,4,0,30000,1.06,0.8,abc1234\n\
                   1,6000,256,4,5,600,0.1,0.1,abc1234\n4,6000,256,4,5,2400,0.3,0.2,abc1234\n";
    std::fs::write(folder.path().join("network-workers.csv"), workers).unwrap();
    let lag = "work_ms,workers,seconds,packets\n5,1,0.2,6000\n5,1,0.4,5880\n5,4,0.2,6000\n5,4,0.4,5500\n";
    std::fs::write(folder.path().join("network-lag.csv"), lag).unwrap();
}

/// The tables of a page: cells of each row, the heading first.
fn tables(text: &str) -> Vec<Vec<Vec<&str>>> {
    let mut tables = vec![Vec::new()];
    for line in text.lines() {
        if line.starts_with("|--") || line.starts_with("| --") {
            continue;
        }
        match line.strip_prefix("| ").and_then(|line| line.strip_suffix(" |")) {
            Some(cells) => tables.last_mut().unwrap().push(cells.split(" | ").map(str::trim).collect()),
            None => tables.push(Vec::new()),
        }
    }
    tables.retain(|table| !table.is_empty());
    tables
}

/// The numbers of a text with what belongs to them: `×3.55`, `89%`, `1,024`.
fn numbers(text: &str) -> Vec<&str> {
    let is_of = |c: char| c.is_ascii_digit() || "×.,%".contains(c);
    let words = text.split(|c: char| !is_of(c)).map(|word| word.trim_matches(['.', ',']));
    words.filter(|word| word.contains(|c: char| c.is_ascii_digit())).collect()
}

#[test]
fn the_page_begins_with_three_sentences_and_a_table_of_five_rows_whose_baseline_is_json() {
    let folder = folder("first");
    fabricated(&folder);
    let text = std::fs::read_to_string(page::write(folder.path()).unwrap()).unwrap();
    let begin = text.lines().skip(6).take_while(|line| !line.starts_with('|')).collect::<Vec<_>>().join(" ");
    assert_eq!(begin.trim().matches(". ").count() + 1, 3, "{begin}");
    let first = &tables(&text)[0];
    assert_eq!(first.len(), 6, "a heading and five rows: {first:?}");
    assert!(
        first[1][0].contains("newline-JSON") && first[1][0].contains("baseline") && first[1][2] == "×1.00",
        "{first:?}"
    );
    assert!(first[2][0] == "**Y3**" && first[2][2..4] == ["×3.55", "×23.4"], "{first:?}");
    assert!(first[1][3] == "×6.60" && first[3][3] == "×1.00", "{first:?}");
    assert!(first[1..].iter().all(|row| row.last() == Some(&"the client's core")), "{first:?}");
    let said: Vec<&str> = first.iter().flatten().copied().collect();
    for number in numbers(&begin.replace("Y3", "y")) {
        assert!(
            said.contains(&number) || ["1,024", "1,000"].contains(&number),
            "{number} is not in the table\n{begin}"
        );
    }
}

#[test]
fn no_number_of_the_page_is_said_with_two_values_and_no_table_twice() {
    let folder = folder("values");
    fabricated(&folder);
    let text = std::fs::read_to_string(page::write(folder.path()).unwrap()).unwrap();
    let tables = tables(&text);
    let place = |table: &[Vec<&str>], head: &str| table[0].iter().position(|cell| cell.starts_with(head)).unwrap();
    // The first table and that of all rows.
    let (first, all) = (&tables[0], &tables[1]);
    for (row, name) in first[1..].iter().zip(["json-mux", "y3-mux", "kitex-mux", "tonic", "grpc"]) {
        let same = all.iter().find(|row| row[0] == name && row[1] == "1000").unwrap();
        for (here, there) in [("requests/s", "requests/s"), ("server's core", "µs each"), ("TP99", "TP99")] {
            assert_eq!(row[place(first, here)], same[place(all, there)], "{name}, {here}");
        }
    }
    // A row of a table is in no other.
    let mut rows: Vec<&str> =
        text.lines().filter(|line| line.starts_with('|') && line.contains(|c: char| c.is_ascii_digit())).collect();
    let count = rows.len();
    rows.sort_unstable();
    rows.dedup();
    assert_eq!(rows.len(), count);
    // A picture's title is the one below it, and its factors are those of the first table, or of a table of workers.
    let cells: Vec<&str> = tables.iter().flatten().flatten().copied().collect();
    for (title, name) in text.split("![").skip(1).filter_map(|rest| rest.split_once(".svg)")?.0.split_once("](")) {
        let picture = std::fs::read_to_string(folder.path().join(format!("{name}.svg"))).unwrap();
        assert!(
            picture.starts_with("<svg") && numbers(title).iter().all(|number| picture.contains(number)),
            "{name}: {title}"
        );
        for factor in numbers(title).into_iter().filter(|number| number.starts_with('×') && !name.ends_with("5120")) {
            assert!(cells.contains(&factor), "{factor} of {title}");
        }
    }
    // The sentences about the gateway say the numbers of its table.
    let proxy = text.split_once("## Proxy").unwrap().1.split_once("<details>").unwrap().0;
    for number in ["120,000", "104,000", "×5.00", "89%", "10%", "94%", "1,061", "1,000", "3,000", "50 µs"] {
        assert!(proxy.contains(number), "{number}\n{proxy}");
    }
}

#[test]
fn the_page_shows_the_commits_of_its_rows_and_the_machine_that_measured_them() {
    let folder = folder("page");
    fabricated(&folder);
    let text = std::fs::read_to_string(page::write(folder.path()).unwrap()).unwrap();
    let has = |what: &str| assert!(text.contains(what), "{what}\n{text}");
    has("Measured at commits abc1234 (36 rows), def5678 with uncommitted changes (4 rows), unknown (4 rows)");
    has("its turns were at most 4% apart");
    has(" 12.5% |");
    has("4 workers do ×4.00 of the 600 packets a second of one");
    has("the broker, which takes 1.06 of the two cores");
    has("y3-pooled behind json-pooled");
    assert!(!text.contains("missed"), "{text}");
    // Written again, perhaps on another machine, it names the one that measured.
    let other = text.replacen(text.lines().nth(4).unwrap(), "Another machine.", 1);
    std::fs::write(folder.path().join("NETWORK.md"), &other).unwrap();
    assert_eq!(std::fs::read_to_string(page::write_again(folder.path()).unwrap()).unwrap(), other);
    for picture in ["network-tps-1024.svg", "network-tps-5120.svg", "network-lag-5ms.svg"] {
        has(picture);
    }
}
