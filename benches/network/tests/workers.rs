//! The workers' demo and its measuring: one command, Ctrl-C, and a broker that is missing.
//!
//! Without `nats-server` each test prints that it is skipped; `Y3_NATS=required` makes that a failure.

#[path = "../../../examples/workers/tests/kit/mod.rs"]
mod kit;

use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use kit::{Guard, nats_server};
use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process_group};

/// Longer than any test should take on a busy machine.
const LIMIT: Duration = Duration::from_secs(90);

const PROGRAM: &str = env!("CARGO_BIN_EXE_network");

#[test]
fn one_command_starts_everything_and_prints_the_counts() {
    let Some(program) = nats_server() else { return };
    let output = Command::new(PROGRAM)
        .args(["workers", "demo", "--packets", "5000", "--nats-server"])
        .arg(&program)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let counts = |what: &str| text.lines().find_map(|line| line.strip_prefix(what)?.trim().parse::<u64>().ok());
    assert_eq!(
        ["acknowledged", "results", "parked", "missing", "stored twice"].map(counts),
        [5000, 4997, 3, 0, 0].map(Some)
    );
}

/// A terminal tells the whole group of processes of Ctrl-C, the broker too; `kill -INT` tells one.
#[test]
fn ctrl_c_ends_demo_and_rate_soon_with_a_summary_and_leaves_no_process_and_no_folder() {
    let Some(program) = nats_server() else { return };
    for (name, folder, is_terminal, said) in [
        ("demo", "workers", true, "ended by Ctrl-C before all results were counted"),
        ("demo", "workers", false, "ended by Ctrl-C before all results were counted"),
        ("rate", "rate", true, "ended by Ctrl-C after 0 of 4 rows"),
    ] {
        // More packets than a minute brings.
        let mut command = Command::new(PROGRAM);
        command.args(["workers", name, "--packets", "10000000", "--nats-server"]).arg(&program).process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut command = Guard(command.spawn().unwrap());
        let id = command.0.id();
        let folder = std::env::temp_dir().join(format!("y3-{folder}-{id}"));
        let until = Instant::now() + LIMIT / 3;
        while !std::fs::read_to_string(folder.join("log")).is_ok_and(|log| log.contains("Server is ready")) {
            assert!(Instant::now() < until, "{name}: no broker");
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
                panic!("{name} does not end");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let (mut out, mut errors) = (String::new(), String::new());
        command.0.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        command.0.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        assert!(errors.contains(said), "{name}: {out}{errors}");
        assert!(out.contains(if name == "demo" { "acknowledged" } else { "packets/s" }), "{name}: {out}");
        assert_eq!(test_kill_process_group(group), Err(rustix::io::Errno::SRCH), "{name}: a process");
        assert!(!folder.exists(), "{name}: {}", folder.display());
    }
}

#[test]
fn without_nats_server_the_command_says_how_to_get_it() {
    let output =
        Command::new(PROGRAM).args(["workers", "demo", "--nats-server", "/nowhere/nats-server"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && text.contains("apt-get install nats-server"), "{text}");
}
