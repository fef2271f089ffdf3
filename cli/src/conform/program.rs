//! Program: runs the program under test, which can crash, hang, or print invalid or endless output.
//!
//! Each question gets an answer or a failure within a fixed time.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::rows::shown;
use crate::failure::tell;

/// The program is started at most this many times. After that, the remaining questions fail without being sent.
const STARTS: usize = 50;
/// After this many missing answers, the remaining questions fail without being sent.
const SILENCES: usize = 3;
/// The time limit for all answers together, as a multiple of the time limit for one answer.
const ANSWERS: u32 = 60;
/// How long to wait for the program to exit after it has closed its output.
const ENDING: Duration = Duration::from_secs(1);
/// The maximum length of an answer in bytes.
const LONGEST: u64 = 1 << 20;

/// The answer to a question, or the reason why there is none.
pub enum Answer {
    Given(Value),
    /// The text describes the failure.
    Failed(String),
}

pub struct Program {
    command: String,
    timeout: Duration,
    /// The remaining time for all answers.
    left: Duration,
    starts: usize,
    silences: usize,
    running: Option<Running>,
}

struct Running {
    child: Child,
    /// Sends questions to a thread that writes them to the program. So a program that reads nothing blocks only that
    /// thread.
    questions: Sender<String>,
    /// Lines of output. The last line can be incomplete.
    answers: Receiver<Vec<u8>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        // This also kills the processes that the shell has started, since they are in the same process group.
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
        let left = timeout.saturating_mul(ANSWERS);
        Program { command, timeout, left, starts: 0, silences: 0, running: None }
    }

    /// Sends one question and waits for the answer. If no answer arrives in time, the program is killed, and started
    /// again for the next question.
    pub fn ask(&mut self, question: &str) -> io::Result<Answer> {
        let mut running = match self.running.take() {
            _ if self.left.is_zero() => {
                let all = self.timeout.saturating_mul(ANSWERS);
                return Ok(Answer::Failed(format!("not asked: all answers together took {all:?}")));
            }
            _ if self.silences == SILENCES => {
                return Ok(Answer::Failed(format!("not asked: no answer in time {SILENCES} times")));
            }
            Some(running) => running,
            None if self.starts == STARTS => {
                return Ok(Answer::Failed(format!("not asked: the program ended {STARTS} times without an answer")));
            }
            None => self.start()?,
        };
        // If the program has ended, receiving the answer reports this.
        let _ = running.questions.send(format!("{question}\n"));
        let begun = Instant::now();
        let received = running.answers.recv_timeout(self.timeout.min(self.left));
        self.left = self.left.saturating_sub(begun.elapsed());
        Ok(match received {
            Ok(line) if line.len() as u64 == LONGEST && !line.ends_with(b"\n") => {
                Answer::Failed(format!("an answer of {LONGEST} bytes without a line end"))
            }
            Ok(line) => {
                self.running = Some(running);
                judged(&line, question)
            }
            Err(RecvTimeoutError::Timeout) => self.silence(question, format!("no answer in {:?}", self.timeout)),
            Err(RecvTimeoutError::Disconnected) => match running.end() {
                Some(end) => Answer::Failed(format!("the program ended: {end}")),
                None => self.silence(question, "the program closed its output without an answer".into()),
            },
        })
    }

    fn silence(&mut self, question: &str, what: String) -> Answer {
        self.silences += 1;
        let rest = if self.silences == SILENCES { "; no more questions are asked" } else { "" };
        tell(format_args!("{what} to {}{rest}", shown(question)));
        Answer::Failed(what)
    }

    fn start(&mut self) -> io::Result<Running> {
        self.starts += 1;
        let mut shell = if cfg!(windows) { Command::new("cmd") } else { Command::new("sh") };
        let flag = if cfg!(windows) { "/C" } else { "-c" };
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut shell, 0);
        let mut child = shell.arg(flag).arg(&self.command).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("no pipes"));
        };
        let (questions, asked) = channel::<String>();
        thread::spawn(move || asked.iter().try_for_each(|question| input.write_all(question.as_bytes())));
        let (sender, answers) = sync_channel(1);
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            loop {
                let mut line = Vec::new();
                match output.by_ref().take(LONGEST).read_until(b'\n', &mut line) {
                    Ok(1..) if sender.send(line).is_ok() => {}
                    _ => return,
                }
            }
        });
        Ok(Running { child, questions, answers })
    }
}

impl Running {
    /// Waits up to [`ENDING`] for the program to exit. Returns the exit status, or `None` if the program is still
    /// running.
    fn end(&mut self) -> Option<String> {
        let begun = Instant::now();
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status.to_string()),
                Ok(None) if begun.elapsed() < ENDING => thread::sleep(Duration::from_millis(5)),
                Ok(None) => return None,
                Err(error) => return Some(error.to_string()),
            }
        }
    }
}

/// Parses an output line of the program as an answer. An invalid line is a failure.
fn judged(line: &[u8], question: &str) -> Answer {
    let Ok(text) = std::str::from_utf8(line) else {
        return Answer::Failed(format!("the answer is not UTF-8: {}", shown(&line.escape_ascii().to_string())));
    };
    match serde_json::from_str::<Value>(text) {
        Ok(answer) if is_for(&answer, question) => Answer::Given(answer),
        Ok(_) => Answer::Failed(format!("the answer has another id: {}", shown(text.trim_end()))),
        Err(error) => Answer::Failed(format!("the answer is not JSON ({error}): {}", shown(text.trim_end()))),
    }
}

/// True if the answer has the id of the question, or has no id.
fn is_for(answer: &Value, question: &str) -> bool {
    let Some(id) = answer.get("id") else { return true };
    serde_json::from_str::<Value>(question).is_ok_and(|question| question.get("id") == Some(id))
}
