//! Runs the command as a process, with its input, its output and its exit code.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use data_encoding::HEXLOWER;

pub fn hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}

pub fn unhex(text: &str) -> Vec<u8> {
    HEXLOWER.decode(text.as_bytes()).unwrap()
}

/// The output and the exit code of a run.
#[derive(Debug)]
pub struct Run {
    pub code: i32,
    pub bytes: Vec<u8>,
    pub errors: String,
}

impl Run {
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes).unwrap()
    }

    pub fn lines(&self) -> Vec<&str> {
        self.text().lines().collect()
    }
}

pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_y3"));
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(variable);
    }
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the command with these bytes on standard input.
pub fn y3(arguments: &[&str], input: &[u8]) -> Run {
    finish(command(arguments), input)
}

pub fn finish(mut command: Command, input: &[u8]) -> Run {
    let mut child = command.spawn().unwrap();
    let (mut stdin, input) = (child.stdin.take().unwrap(), input.to_vec());
    // The command can end before it has read everything.
    let writer = thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(!errors.contains("panicked"), "{errors}");
    Run { code: output.status.code().unwrap_or(-1), bytes: output.stdout, errors }
}

/// A file that is removed at the end of a test.
pub struct File(pub PathBuf);

impl File {
    pub fn new(name: &str, bytes: &[u8]) -> File {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}.y3", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        File(path)
    }

    pub fn name(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A folder that is removed at the end of a test.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// A running command.
pub struct Running {
    child: Child,
    lines: Receiver<String>,
    errors: Receiver<String>,
}

/// Every step takes less time than this, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn lines_of(source: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(source).lines() {
            if sender.send(line.unwrap()).is_err() {
                return;
            }
        }
    });
    lines
}

impl Running {
    pub fn start(arguments: &[&str]) -> Running {
        let (mut running, output) = Running::start_with_output(arguments);
        running.lines = lines_of(output);
        running
    }

    /// Like `start`, but also returns the output stream.
    pub fn start_with_output(arguments: &[&str]) -> (Running, ChildStdout) {
        let mut child = command(arguments).spawn().unwrap();
        let output = child.stdout.take().unwrap();
        let errors = lines_of(child.stderr.take().unwrap());
        (Running { child, lines: channel().1, errors }, output)
    }

    pub fn send(&mut self, bytes: &[u8]) {
        let stdin = self.child.stdin.as_mut().unwrap();
        stdin.write_all(bytes).unwrap();
        stdin.flush().unwrap();
    }

    /// Like `send`, but returns false if the command no longer reads.
    pub fn try_send(&mut self, bytes: &[u8]) -> bool {
        self.child.stdin.as_mut().unwrap().write_all(bytes).is_ok()
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Returns the next line of output. The command must print it without more input.
    pub fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("no line of output")
    }

    pub fn has_no_line(&self) -> bool {
        self.lines.recv_timeout(Duration::from_millis(300)).is_err()
    }

    pub fn error(&self) -> String {
        self.errors.recv_timeout(PATIENCE).expect("no line on standard error")
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Presses Ctrl-C.
    #[cfg(unix)]
    pub fn interrupt(&self) {
        let sent = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// Closes the input, and returns the exit code and the remaining output.
    pub fn end(mut self) -> (i32, Vec<String>, Vec<String>) {
        drop(self.child.stdin.take());
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        (code, self.lines.iter().collect(), self.errors.iter().collect())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
