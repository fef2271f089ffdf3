//! Tests of `network workers rate`: its rows, Ctrl-C, and a missing broker.
//!
//! Without `nats-server`, each test prints that it is skipped. With `Y3_NATS=required`, it fails instead.

#[path = "../../../examples/workers/tests/kit/mod.rs"]
mod kit;

use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use kit::{Process, nats_server};
use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process_group};

/// A time that no test should need, even on a busy machine.
const LIMIT: Duration = Duration::from_secs(90);

const PROGRAM: &str = env!("CARGO_BIN_EXE_network");

/// A terminal sends Ctrl-C to the whole process group, including the broker. `kill -INT` sends it to one process.
#[test]
fn ctrl_c_ends_the_measuring_soon_with_its_rows_and_leaves_no_process_and_no_folder() {
    let Some(program) = nats_server() else { return };
    for is_terminal in [true, false] {
        let temporary = tempfile::TempDir::with_prefix("ctrl-c").unwrap();
        let entries = || std::fs::read_dir(temporary.path()).unwrap().map(|entry| entry.unwrap().path());
        // More packets than the workers can handle in a minute.
        let mut command = Command::new(PROGRAM);
        command.env("TMPDIR", temporary.path());
        command.args(["workers", "rate", "--packets", "10000000", "--nats-server"]).arg(&program).process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut command = Process(command.spawn().unwrap());
        let id = command.0.id();
        let until = Instant::now() + LIMIT / 3;
        let is_ready = |log| std::fs::read_to_string(log).is_ok_and(|log| log.contains("Server is ready"));
        while !entries().any(|folder| is_ready(folder.join("log"))) {
            assert!(Instant::now() < until, "no broker");
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::sleep(Duration::from_millis(500));
        let group = Pid::from_raw(i32::try_from(id).unwrap()).unwrap();
        let tell = if is_terminal { kill_process_group } else { kill_process };
        let begin = Instant::now();
        tell(group, Signal::INT).unwrap();
        while command.0.try_wait().unwrap().is_none() {
            if begin.elapsed() > Duration::from_secs(10) {
                kill_process_group(group, Signal::KILL).unwrap();
                panic!("it does not end");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let (mut out, mut errors) = (String::new(), String::new());
        command.0.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        command.0.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        assert!(errors.contains("ended by Ctrl-C after 0 of 4 rows"), "{out}{errors}");
        assert!(out.contains("packets/s"), "{out}");
        assert_eq!(test_kill_process_group(group), Err(rustix::io::Errno::SRCH), "a process is left");
        assert_eq!(entries().next(), None, "a folder is left");
    }
}

#[test]
fn rows_are_kept_and_replace_older_ones_of_the_same_work() {
    let Some(program) = nats_server() else { return };
    let folder = tempfile::TempDir::with_prefix("network-workers").unwrap();
    let csv = folder.path().join("rows.csv");
    for workers in ["1,2", "2"] {
        let arguments = ["workers", "rate", "--packets", "300", "--workers", workers, "--nats-server"];
        let output = Command::new(PROGRAM).args(arguments).arg(&program).arg("--csv").arg(&csv).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let rows: Vec<network::workers::Rate> = network::measure::kept::read(&csv).unwrap();
    assert_eq!(rows.iter().map(|row| (row.workers, row.packets)).collect::<Vec<_>>(), [(1, 300), (2, 300)]);
    assert!(rows.iter().all(|row| row.rate > 0.0 && row.broker_cores >= 0.0), "{rows:?}");
}

#[test]
fn without_nats_server_the_command_says_how_to_get_it() {
    let output =
        Command::new(PROGRAM).args(["workers", "rate", "--nats-server", "/nowhere/nats-server"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && text.contains("apt-get install nats-server"), "{text}");
}
