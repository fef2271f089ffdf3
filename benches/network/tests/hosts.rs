//! Tests of rows across hosts: two network namespaces, and the commands for two machines.
//!
//! If the system does not allow network namespaces, each test prints that it is skipped.

use std::path::Path;
use std::time::Duration;

use network::measure::hosts::{Between, Host};
use network::measure::kept;
use network::measure::row::Row;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;
use tokio::time::{Instant, sleep};

const PROGRAM: &str = env!("CARGO_BIN_EXE_network");

/// Creates two hosts. Prints a message and returns `None` if the system does not allow them.
fn joined() -> Option<[Host; 2]> {
    Host::joined([0, 1]).map_err(|error| println!("skipped: {error:#}")).ok()
}

fn sweep(csv: &Path, more: &str) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args("echo sweep --callers 5 --body 100 --csv".split(' ')).arg(csv).args(more.split(' '));
    command
}

#[tokio::test]
async fn rows_across_hosts_stand_beside_those_of_the_loopback() {
    if joined().is_none() {
        return;
    }
    let folder = TempDir::with_prefix("network-hosts").unwrap();
    let csv = folder.path().join("rows.csv");
    let more = "--kind y3-mux --kind json-pooled --seconds 0.1 --between";
    for between in ["loopback,namespaces", "namespaces"] {
        let output = sweep(&csv, &format!("{more} {between}")).output().await.unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let rows: Vec<Row> = kept::read(&csv).unwrap();
    let names: Vec<_> = rows.iter().map(|row| (row.name.as_str(), row.between)).collect();
    let [one, two] = [Between::Loopback, Between::Namespaces];
    assert_eq!(names, [("y3-mux", one), ("json-pooled", one), ("y3-mux", two), ("json-pooled", two)]);
    assert!(rows.iter().all(|row| row.requests > 0 && row.errors == 0 && row.server_cpu.is_some()), "{rows:?}");
}

/// Runs the commands of the README, with the other host's address instead of `HOST`.
#[tokio::test]
async fn the_commands_for_two_machines_work_between_hosts_that_see_only_each_other() {
    let Some([server, load]) = joined() else { return };
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let documented = |command: &str| {
        assert!(readme.contains(&format!("`network {command}`")), "{command}");
        let mut of = Command::new(PROGRAM);
        of.args(command.replace("HOST", &server.address.to_string()).split(' '));
        of
    };
    let mut serve = documented("echo server --kind y3 --addr 0.0.0.0:7001");
    let mut child = server.spawn(serve.stdout(std::process::Stdio::piped())).unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).await.unwrap();
    assert_eq!(line, "listening 0.0.0.0:7001\n");

    let folder = TempDir::with_prefix("network-machines").unwrap();
    let csv = folder.path().join("rows.csv");
    let mut sweep = documented("echo sweep --kind y3-mux --at HOST:7001");
    sweep.args("--callers 5 --body 100 --seconds 0.1 --csv".split(' ')).arg(&csv);
    let sweep = load.spawn(&mut sweep).unwrap();
    assert!(sweep.wait_with_output().await.unwrap().status.success());
    let rows: Vec<Row> = kept::read(&csv).unwrap();
    let [row] = &rows[..] else { panic!("{rows:?}") };
    assert!(row.between == Between::Machines && row.requests > 0 && row.server_cpu.is_none(), "{row:?}");

    let seen = std::fs::read_to_string("/proc/thread-self/net/dev").unwrap();
    assert!(!seen.contains("wire:"), "this machine's network has the wire: {seen}");
}

/// Returns the child processes that are in other network namespaces than this process.
fn inside(process: u32) -> Vec<String> {
    let namespace = |id: &str| std::fs::read_link(format!("/proc/{id}/ns/net")).ok();
    let children = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default();
    let other = |id: &&str| namespace(id).is_some_and(|of| Some(of) != namespace("self"));
    children.split_whitespace().filter(other).map(str::to_owned).collect()
}

#[tokio::test]
async fn a_sweep_that_is_told_to_end_or_killed_leaves_no_process_in_its_namespaces() {
    if joined().is_none() {
        return;
    }
    for signal in [Signal::INT, Signal::KILL] {
        let folder = TempDir::with_prefix("network-killed").unwrap();
        let mut command = sweep(&folder.path().join("rows.csv"), "--kind y3-mux --seconds 60 --between namespaces");
        let mut child = command.stderr(std::process::Stdio::null()).kill_on_drop(true).spawn().unwrap();
        let (id, until) = (child.id().unwrap(), Instant::now() + Duration::from_secs(30));
        // The server and the load generator.
        let mut processes = Vec::new();
        while processes.len() < 2 {
            assert!(Instant::now() < until, "{processes:?}");
            sleep(Duration::from_millis(20)).await;
            processes = inside(id);
        }
        kill_process(Pid::from_raw(id.cast_signed()).unwrap(), signal).unwrap();
        child.wait().await.unwrap();
        while processes.iter().any(|id| Path::new("/proc").join(id).exists()) {
            assert!(Instant::now() < until, "{signal:?} leaves one of {processes:?}");
            sleep(Duration::from_millis(20)).await;
        }
    }
}
