//! Go: YoMo itself, as published, in a process of its own.
//!
//! In: the arguments of the program in `go` in this package. Out: what it prints, line by line; it ends with its owner.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

/// A running server, source or stream function of the Go module `github.com/yomorun/yomo`.
///
/// It is killed when this is dropped, and it ends by itself at the end of its input, so also if this process is killed.
#[derive(Debug)]
pub struct Go {
    child: Child,
    /// Held open: its end ends the program.
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Go {
    /// Builds the program into a folder, which takes a minute or two the first time.
    pub async fn build(folder: &Path) -> Result<PathBuf, String> {
        let program = folder.join("y3_yomo_peer");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/go");
        let mut command = Command::new("go");
        command.args(["build", "-o"]).arg(&program).arg(".").current_dir(source);
        let built = command.stdin(Stdio::null()).kill_on_drop(true).output().await;
        let built =
            built.map_err(|error| format!("`go build` in {source} failed: {error}; https://go.dev/dl has Go"))?;
        if built.status.success() {
            Ok(program)
        } else {
            Err(format!("`go build` in {source} failed:\n{}", String::from_utf8_lossy(&built.stderr).trim_end()))
        }
    }

    /// Starts a program that [`build`](Self::build) has made.
    pub fn start(program: &Path, arguments: &[&str]) -> Result<Go, String> {
        Self::start_with(program, arguments, &[])
    }

    /// Starts it with variables added to its environment.
    pub fn start_with(program: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Result<Go, String> {
        let mut command = Command::new(program);
        command.args(arguments).envs(variables.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        // Ctrl-C in a terminal is for this process, which then ends that one.
        command.process_group(0);
        let mut child = command.spawn().map_err(|error| format!("{} did not start: {error}", program.display()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("no pipes to the Go program".into());
        };
        Ok(Go { child, input, lines: BufReader::new(output).lines() })
    }

    /// Waits for a line that begins with a word, and returns what follows it.
    pub async fn expect(&mut self, word: &str, within: Duration) -> Result<String, String> {
        let wait = async {
            while let Ok(Some(line)) = self.lines.next_line().await {
                if let Some(rest) = line.strip_prefix(word) {
                    return Ok(rest.trim().to_owned());
                }
                if let Some(cause) = line.strip_prefix("failed") {
                    return Err(cause.trim().to_owned());
                }
            }
            Err(format!("the Go program ended before it printed `{word}`"))
        };
        timeout(within, wait)
            .await
            .unwrap_or_else(|_| Err(format!("no `{word}` from the Go program within {within:?}")))
    }

    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.child.id().expect("it runs")
    }

    /// Kills it, and waits until it is gone.
    pub async fn kill(mut self) {
        let _ = self.child.kill().await;
    }

    /// Asks it to end, as an operator would, and waits until it is gone.
    pub async fn end(self, within: Duration) -> Result<(), String> {
        let Go { mut child, input, .. } = self;
        drop(input);
        let ended = timeout(within, child.wait()).await;
        ended.map(|_| ()).map_err(|_| format!("the Go program did not end within {within:?}"))
    }
}
