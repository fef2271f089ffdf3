//! Helpers of the tests: programs, options, waiting with a limit, events and messages.

use std::collections::BTreeSet;
use std::future::Future;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::OnceCell;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use y3_yomo::{Event, Message, Options, Retry, Running, Source, StreamFunction, Tls};

use crate::message::{message, unchanged};

pub const SECOND: Duration = Duration::from_secs(1);
/// A time that no working step needs, even on a busy machine.
pub const LONG: Duration = Duration::from_secs(120);

/// The tag of the messages that Go's source writes and Go's function observes.
pub const TAG: u32 = 0x33;

/// The number of messages of a delivery.
pub fn count() -> u32 {
    std::env::var("Y3_YOMO_MESSAGES").map_or(2000, |count| count.parse().expect("Y3_YOMO_MESSAGES is a number"))
}

/// Waits with a limit that allows for a thousand messages a second, which is slow.
pub async fn soon<T>(what: impl Future<Output = T>) -> T {
    let within = LONG + Duration::from_millis(count().into());
    tokio::time::timeout(within, what).await.expect("it happens soon")
}

/// A program in its own process, which is killed when this value is dropped.
pub struct Program {
    child: Child,
    /// The input of the program, which stays open. When it closes, the Go program ends, even if this process is killed.
    input: ChildStdin,
    /// The lines of both outputs. They are read as they arrive, so the program never waits.
    lines: UnboundedReceiver<String>,
}

impl Program {
    pub fn start(program: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Program {
        let mut command = Command::new("sh");
        command.args(["-c", "exec \"$0\" \"$@\" 2>&1"]).arg(program).args(arguments).envs(variables.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        // In its own process group, the program gets no Ctrl-C from the terminal. This process ends it.
        let mut child = command.process_group(0).spawn().unwrap();
        let mut printed = BufReader::new(child.stdout.take().unwrap()).lines();
        let (sender, lines) = unbounded_channel();
        tokio::spawn(async move {
            while let Ok(Some(line)) = printed.next_line().await {
                let _ = sender.send(line);
            }
        });
        Program { input: child.stdin.take().unwrap(), child, lines }
    }

    /// Waits for a line that begins with a word, and returns the rest of the line.
    pub async fn expect(&mut self, word: &str) -> String {
        loop {
            let line = soon(self.lines.recv()).await;
            let line = line.unwrap_or_else(|| panic!("it ended before it printed `{word}`"));
            if let Some(rest) = line.strip_prefix(word) {
                return rest.trim().to_owned();
            }
            eprintln!("{line}");
        }
    }

    pub async fn signal(&self, name: &str) {
        let id = self.child.id().expect("it runs").to_string();
        assert!(Command::new("kill").args([name, &id]).status().await.unwrap().success());
    }

    /// Kills the program, and waits until it has ended.
    pub async fn kill(mut self) {
        let _ = self.child.kill().await;
    }

    /// Waits until the program has ended without an error, and returns its last line.
    pub async fn ended(mut self) -> String {
        drop(self.input);
        let mut last = String::new();
        while let Some(line) = soon(self.lines.recv()).await {
            last = line;
        }
        assert!(soon(self.child.wait()).await.unwrap().success());
        last
    }
}

/// Starts a server, source or stream function of the published YoMo, with the Go program of this package. Returns
/// `None` if Go is not installed. With `Y3_GO=required`, the test fails instead.
pub async fn go(arguments: &[&str], variables: &[(&str, &str)]) -> Option<Program> {
    static PROGRAM: OnceCell<Result<PathBuf, String>> = OnceCell::const_new();
    match PROGRAM.get_or_init(build).await {
        Ok(program) => Some(Program::start(program, arguments, variables)),
        Err(reason) => {
            assert!(std::env::var("Y3_GO").as_deref() != Ok("required"), "no go, and Y3_GO=required: {reason}");
            eprintln!("skipped: no go: {reason}");
            None
        }
    }
}

/// Builds the Go program. This takes a minute or two the first time.
async fn build() -> Result<PathBuf, String> {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("y3_yomo_peer");
    let mut command = Command::new("go");
    command.args(["build", "-o"]).arg(&program).arg(".").current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/go"));
    let built = command.stdin(Stdio::null()).kill_on_drop(true).output().await;
    let built = built.map_err(|error| format!("{error}; https://go.dev/dl has Go"))?;
    built.status.success().then_some(program).ok_or_else(|| String::from_utf8_lossy(&built.stderr).into_owned())
}

/// Starts a YoMo server, and returns its address too.
pub async fn server(arguments: &[&str]) -> Option<(Program, String)> {
    let mut server = go(&[&["server"], arguments].concat(), &[]).await?;
    let address = server.expect("listening").await;
    Some((server, address))
}

/// Starts another server at the address of a server that has ended.
pub async fn server_at(address: &str) -> Program {
    server(&["--addr", address]).await.expect("it was there before").0
}

/// Options for tests: the peer soon notices a silent server, and connects again at once.
pub fn options(server: &str, name: &str) -> Options {
    let retry = Retry { first: SECOND / 50, most: SECOND / 5, give_up: LONG };
    Options { timeout: 10 * SECOND, silence: 2 * SECOND, retry, ..plain(server, name) }
}

/// Options with the default values.
pub fn plain(server: &str, name: &str) -> Options {
    Options::new(server, name, Tls::dangerously_trust_any())
}

/// Adds a queue of events to options, so that tests can wait for events.
pub fn observed(options: Options) -> (Options, Events) {
    let (sender, receiver) = unbounded_channel();
    let options = options.on_event(move |event| {
        let _ = sender.send(event.clone());
    });
    (options, Events(receiver))
}

pub struct Events(UnboundedReceiver<Event>);

impl Events {
    /// Waits for the next event of a kind.
    pub async fn wait<T>(&mut self, kind: impl Fn(Event) -> Option<T>) -> T {
        loop {
            if let Some(found) = kind(soon(self.0.recv()).await.expect("the peer lives")) {
                return found;
            }
        }
    }

    pub async fn connected(&mut self) {
        self.wait(|event| matches!(event, Event::Connected { .. }).then_some(())).await;
    }

    /// Waits for a lost connection. Returns the reason, and the messages that may be lost.
    pub async fn lost(&mut self) -> (String, Range<u64>) {
        let lost =
            |event| if let Event::Lost { cause, unconfirmed } = event { Some((cause, unconfirmed)) } else { None };
        self.wait(lost).await
    }

    /// Waits for a skipped frame, and returns its length.
    pub async fn skipped(&mut self) -> u64 {
        self.wait(|event| if let Event::Skipped { len } = event { Some(len) } else { None }).await
    }

    /// Waits until all messages before this number are confirmed.
    pub async fn confirmed(&mut self, end: u64) {
        self.wait(|event| matches!(event, Event::Confirmed { messages } if messages.end == end).then_some(())).await;
    }
}

pub async fn source(server: &str) -> Source {
    Source::connect(options(server, "source")).await.unwrap()
}

/// Writes messages with these numbers.
pub async fn send(source: &Source, numbers: Range<u32>) {
    for number in numbers {
        soon(source.send((TAG, message(number)))).await.unwrap();
    }
}

/// The numbers of the messages that a function got, or `None` for a changed message.
pub type Seen = UnboundedReceiver<Option<u32>>;

/// Waits for messages with these numbers, in any order.
pub async fn come_mixed(seen: &mut Seen, numbers: Range<u32>) {
    let mut missing: BTreeSet<u32> = numbers.collect();
    while !missing.is_empty() {
        let number = soon(seen.recv()).await.unwrap().expect("unchanged");
        assert!(missing.remove(&number), "{number} comes twice");
    }
}

/// Waits for messages with these numbers, in order.
pub async fn come(seen: &mut Seen, numbers: Range<u32>) {
    for number in numbers {
        assert_eq!(soon(seen.recv()).await, Some(Some(number)));
    }
}

/// A stream function that reports the numbers of its messages.
pub async fn numbers(options: Options, tags: &[u32]) -> (Running, Seen) {
    handing_on(options, tags, |message| unchanged(&message.payload)).await
}

/// A stream function that reports the result of this closure for each message.
pub async fn handing_on<T: Send + 'static>(
    options: Options,
    tags: &[u32],
    of: fn(Message) -> T,
) -> (Running, UnboundedReceiver<T>) {
    let (sender, receiver) = unbounded_channel();
    let handler = move |message: Message| {
        let _ = sender.send(of(message));
        async {}
    };
    (StreamFunction::new(options, tags).connect(handler).await.unwrap(), receiver)
}
