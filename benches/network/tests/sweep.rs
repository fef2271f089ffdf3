//! The sweeps as commands: rows in a CSV, a second run compared with it, and the page that is made of all rows.

use std::path::PathBuf;
use std::process::Command;

use network::echo::rows::Entry;
use network::report::{csv_file, page};

/// A folder that is removed with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("network-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
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
    let folder = Folder::new("sweep");
    let (first, second) = (folder.file("first.csv"), folder.file("second.csv"));
    echo_sweep(&first, &[]);
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
        assert!(row.server_rss_kib.is_some() && row.client_rss_kib > 0, "{row:?}");
        assert_eq!(row.commit, network::report::findings::commit());
        // Linux tells; an earlier CSV, as that of the page's test, has no such column.
        assert!(row.stolen.is_some_and(|stolen| (0.0..=100.0).contains(&stolen)), "{row:?}");
    }

    // Twice as fast before: each row is half as fast now.
    let before: Vec<Entry> = rows.iter().cloned().map(|row| Entry { tps: row.tps * 2.0, ..row }).collect();
    let faster = folder.file("faster.csv");
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

#[test]
fn the_page_shows_the_rows_their_commits_and_what_is_missed() {
    let folder = Folder::new("page");
    let head = "name,body,callers,delay_ms,seconds,requests,errors,tps,mean_us,p99_us,p999_us,max_us,client_user_s,\
                client_system_s,client_rss_kib,server_wall_s,server_user_s,server_system_s,server_rss_kib,commit\n";
    let row = |name: &str, callers: u32, tps: u32, commit: &str| {
        format!("{name},1024,{callers},0,1,{tps},0,{tps},10,20,30,40,0.1,0.1,5000,1.5,0.1,0.1,6000,{commit}\n")
    };
    let csv = [
        head.to_owned(),
        row("y3-mux", 100, 120_000, "abc1234"),
        row("y3-mux", 1000, 140_000, "abc1234"),
        // Alone at its number of callers, it has no line.
        row("kitex-mux", 1000, 10_000, "def5678 with uncommitted changes"),
    ];
    std::fs::write(folder.file("network.csv"), csv.concat()).unwrap();
    let idle = "connections,rate,errors,p99_us,resident_kib,proxy_cpu,bytes_each,stolen\n\
                1000,0,0,0,12000,0,2000,0.1\n1000,1000,0,1500,12100,2.1,2100,0.1\n\
                10000,0,0,0,30000,0.4,2100,\n10000,1000,0,1500,31000,2.5,2200,12.5\n";
    std::fs::write(folder.file("network-idle.csv"), idle).unwrap();
    let workers = "workers,packets,ballast,in_flight,work_ms,rate,broker_cores,workers_cores,commit\n\
                   1,6000,256,4,5,600,0.1,0.1,abc1234\n4,6000,256,4,5,2400,0.3,0.2,abc1234\n";
    std::fs::write(folder.file("network-workers.csv"), workers).unwrap();
    let lag = "work_ms,workers,seconds,packets\n5,1,0.2,6000\n5,1,0.4,5880\n5,4,0.2,6000\n5,4,0.4,5500\n";
    std::fs::write(folder.file("network-lag.csv"), lag).unwrap();

    let text = std::fs::read_to_string(page::write(&folder.0).unwrap()).unwrap();
    let has = |what: &str| assert!(text.contains(what), "{what}\n{text}");
    has("Measured at commits abc1234 (4 rows), unknown (4 rows), def5678 with uncommitted changes (1 rows)");
    has("×14.00");
    has("**missed**, 0.93 of the goal");
    has("at most 8 KiB for each of 10,000 idle connections");
    has("2.5%");
    has("**missed**, 1.25 of the goal, from a disturbed row");
    has(" 12.5% |");
    has("4 workers do 4.0 times the work of one");
    has("×4.00");
    // Written again, perhaps on another machine, it names the one that measured.
    let other = text.replacen(text.lines().nth(4).unwrap(), "Another machine.", 1);
    std::fs::write(folder.file("NETWORK.md"), &other).unwrap();
    assert_eq!(std::fs::read_to_string(page::write_again(&folder.0).unwrap()).unwrap(), other);
    for picture in ["network-tps-1024.svg", "network-idle-memory.svg", "network-idle-cpu.svg", "network-lag-5ms.svg"] {
        has(picture);
        assert!(std::fs::read_to_string(folder.file(picture)).unwrap().starts_with("<svg"), "{picture}");
    }
}
