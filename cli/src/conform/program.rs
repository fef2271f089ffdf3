//! The program that is asked: it may crash, hang or say anything.
//!
//! In: a shell's command, and questions. Out: an answer to each, or what happened instead.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// How often a program that does not answer is started again; then the rows that are left fail unasked.
const STARTS: usize = 50;
/// The longest answer, in bytes.
const LONGEST: u64 = 1 << 20;

/// What came of a question.
pub enum Answer {
    Given(Value),
    /// In words.
    Failed(String),
}

pub struct Program {
    command: String,
    timeout: Duration,
    starts: usize,
    running: Option<Running>,
}

struct Running {
    child: Child,
    questions: ChildStdin,
    answers: Receiver<String>,
}

impl Drop for Running {
    fn drop(&mut self) {
        // What the shell has started too: they are a process group of their own.
        if cfg!(unix) {
            let _ = Command::new("kill")
                .args(["-KILL", "--", &format!("-{}", self.child.id())])
                .stderr(Stdio::null())
                .status();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Program {
    pub fn new(command: String, timeout: Duration) -> Program {
        Program { command, timeout, starts: 0, running: None }
    }

    /// Asks for one answer. A program that gives none is ended, and started again for the next question.
    pub fn ask(&mut self, question: &str) -> io::Result<Answer> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None if self.starts == STARTS => return Ok(Answer::Failed(format!("not asked: no answer {STARTS} times"))),
            None => self.start()?,
        };
        // If the program is gone, so is the answer.
        let _ = writeln!(running.questions, "{question}").and_then(|()| running.questions.flush());
        Ok(match running.answers.recv_timeout(self.timeout) {
            Ok(line) => {
                self.running = Some(running);
                match serde_json::from_str::<Value>(&line) {
                    Ok(answer) if is_for(&answer, question) => Answer::Given(answer),
                    Ok(_) => Answer::Failed(format!("the answer has another id: {}", line.trim_end())),
                    Err(error) => Answer::Failed(format!("the answer is not JSON ({error}): {}", line.trim_end())),
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                Answer::Failed(format!("no answer in {} seconds", self.timeout.as_secs()))
            }
            Err(RecvTimeoutError::Disconnected) => Answer::Failed(match running.child.wait() {
                Ok(status) => format!("the program ended: {status}"),
                Err(error) => format!("the program ended: {error}"),
            }),
        })
    }

    fn start(&mut self) -> io::Result<Running> {
        self.starts += 1;
        let mut shell = if cfg!(windows) { Command::new("cmd") } else { Command::new("sh") };
        let flag = if cfg!(windows) { "/C" } else { "-c" };
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut shell, 0);
        let mut child = shell.arg(flag).arg(&self.command).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(questions), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("no pipes"));
        };
        let (sender, receiver) = sync_channel(1);
        thread::spawn(move || {
            let mut answers = BufReader::new(answers);
            loop {
                let mut line = String::new();
                match answers.by_ref().take(LONGEST).read_line(&mut line) {
                    Ok(1..) if sender.send(line).is_ok() => {}
                    _ => return,
                }
            }
        });
        Ok(Running { child, questions, answers: receiver })
    }
}

/// Whether an answer has the id of the question; one without an id is taken.
fn is_for(answer: &Value, question: &str) -> bool {
    let Some(id) = answer.get("id") else { return true };
    serde_json::from_str::<Value>(question).is_ok_and(|question| question.get("id") == Some(id))
}
