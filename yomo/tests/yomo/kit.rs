//! What the tests share: Go programs, bounded waiting, options, collected events and messages.

use std::future::Future;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use y3_yomo::{Event, Message, Options, Retry, Running, StreamFunction, Tls};

use crate::go::Go;
use crate::message::unchanged;

pub const SECOND: Duration = Duration::from_secs(1);
/// Longer than anything takes that works, on a busy machine.
pub const LONG: Duration = Duration::from_secs(120);

/// The tag of the messages that Go's source writes and Go's function observes.
pub const TAG: u32 = 0x33;

/// How many messages a delivery has.
pub fn count() -> u32 {
    std::env::var("Y3_YOMO_MESSAGES").map_or(2000, |count| count.parse().expect("Y3_YOMO_MESSAGES is a number"))
}

/// How long a delivery may take: a thousand messages a second is slow.
pub fn delivered_within() -> Duration {
    LONG + Duration::from_millis(count().into())
}

/// The Go program, or `None` where there is no Go to build it with; `Y3_GO=required` makes that a failure.
pub fn go() -> Option<&'static PathBuf> {
    static PROGRAM: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let built = PROGRAM.get_or_init(|| {
        let build = || run(Go::build(env!("CARGO_TARGET_TMPDIR").as_ref()));
        std::thread::spawn(build).join().expect("building does not panic")
    });
    match built {
        Ok(program) => Some(program),
        Err(reason) => {
            assert!(std::env::var("Y3_GO").as_deref() != Ok("required"), "no go, and Y3_GO=required: {reason}");
            eprintln!("skipped: no go: {reason}");
            None
        }
    }
}

/// Runs a test on a runtime of its own, with an end.
pub fn run<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let within = LONG * 3 + delivered_within();
    runtime.block_on(async { tokio::time::timeout(within, test).await.expect("the test comes to an end") })
}

/// Waits, not for ever.
pub async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(LONG, what).await.expect("it happens soon")
}

/// A server of YoMo and its address.
pub async fn server(arguments: &[&str]) -> Option<(Go, String)> {
    server_with(arguments, &[]).await
}

pub async fn server_with(arguments: &[&str], variables: &[(&str, &str)]) -> Option<(Go, String)> {
    let mut go = Go::start_with(go()?, &[&["server"], arguments].concat(), variables).unwrap();
    let address = go.expect("listening", LONG).await.unwrap();
    Some((go, address))
}

/// Another server at the address of one that is gone.
pub async fn server_at(address: &str) -> Go {
    let mut go = Go::start(go().expect("it was there before"), &["server", "--addr", address]).unwrap();
    go.expect("listening", LONG).await.unwrap();
    go
}

/// Options for tests: a silence that is noticed soon, connecting again at once.
pub fn options(server: &str, name: &str) -> Options {
    let retry = Retry { first: Duration::from_millis(20), most: Duration::from_millis(200), give_up: LONG };
    Options { timeout: 10 * SECOND, silence: 2 * SECOND, retry, ..plain(server, name) }
}

/// The defaults.
pub fn plain(server: &str, name: &str) -> Options {
    Options::new(server, name, Tls::dangerously_trust_any())
}

/// Options whose events can be waited for.
pub fn observed(options: Options) -> (Options, Events) {
    let (sender, receiver) = unbounded_channel();
    let options = options.on_event(move |event| {
        let _ = sender.send(event.clone());
    });
    (options, Events(receiver))
}

pub struct Events(UnboundedReceiver<Event>);

impl Events {
    /// The next event of a kind.
    pub async fn wait<T>(&mut self, kind: impl Fn(&Event) -> Option<T>) -> T {
        soon(async {
            loop {
                if let Some(found) = kind(&self.0.recv().await.expect("the peer lives")) {
                    return found;
                }
            }
        })
        .await
    }

    pub async fn connected(&mut self) {
        self.wait(|event| matches!(event, Event::Connected { .. }).then_some(())).await;
    }
}

/// A stream function that hands on its messages.
pub async fn messages(options: Options, tags: &[u32]) -> (Running, UnboundedReceiver<Message>) {
    handing_on(options, tags, |message| message).await
}

/// A stream function that hands on the numbers of messages, `None` for one that was changed.
pub async fn numbers(options: Options, tags: &[u32]) -> (Running, UnboundedReceiver<Option<u32>>) {
    handing_on(options, tags, |message| unchanged(&message.payload)).await
}

async fn handing_on<T: Send + 'static>(
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
