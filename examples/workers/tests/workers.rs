//! Workers on a real `nats-server`: what is promised when processes are killed, packets are faulty and stores are full.
//!
//! Without `nats-server` each test prints that it is skipped; `Y3_NATS=required` makes that a failure. Each test has a broker
//! of its own on loopback, which ends with the test, whatever its outcome.

mod kit;

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use async_nats::jetstream;
use async_nats::jetstream::message::PublishMessage;
use futures_util::StreamExt;
use kit::{Process, nats_server};
use rustix::process::{Pid, Signal, kill_process};
use tokio::task::JoinSet;
use workers::broker::Broker;
use workers::check::{self, Found};
use workers::defaults;
use workers::group::{Group, Settings};
use workers::packet;
use workers::source::{self, Sent};
use workers::worker::{self, Done};
use y3::edit::Edit;
use y3::path;

/// Longer than any test should take on a busy machine.
const LIMIT: Duration = Duration::from_secs(90);

const PROGRAM: &str = env!("CARGO_BIN_EXE_workers");

/// The program; what it logs are errors alone.
fn program(arguments: &str) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .args(["--log", "error"])
        .args(arguments.split(' '))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn spawn(arguments: &str) -> Process {
    Process(program(arguments).spawn().unwrap())
}

/// What a program says until it ends well.
fn said(mut child: Process) -> String {
    let mut text = String::new();
    child.0.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert!(child.0.wait().unwrap().success(), "{text}");
    text
}

fn settings(ack_wait: u64) -> Settings {
    Settings { ack_wait: Duration::from_millis(ack_wait), ..defaults() }
}

fn packets(packets: u64) -> source::Options {
    source::Options { packets, ballast: 100, ..defaults() }
}

/// Sends packets, and returns what was sent.
async fn stored(group: &Group, sending: source::Options) -> source::Options {
    source::run(group, &sending, &Sent::default()).await.unwrap();
    sending
}

/// Waits until it is true; the test has an end.
async fn until(mut is: impl AsyncFnMut() -> bool) {
    while !is().await {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// A worker in this process and its counts. It is aborted when this is dropped: what it has in work is left as it is.
fn work(group: &Group, options: worker::Options) -> (JoinSet<()>, Arc<Done>) {
    let done = Arc::<Done>::default();
    let (group, counts, mut task) = (group.clone(), Arc::clone(&done), JoinSet::new());
    task.spawn(async move {
        worker::run(&group, &options, &counts, std::future::pending()).await.unwrap();
    });
    (task, done)
}

/// Runs a test with a group on a broker, for at most [`LIMIT`].
fn run(settings: Settings, test: impl AsyncFnOnce(&mut Broker, Group)) {
    run_in(settings, None, test);
}

/// The same with a store of at most so many bytes.
fn run_in(settings: Settings, max_file_store: Option<u64>, test: impl AsyncFnOnce(&mut Broker, Group)) {
    let Some(program) = nats_server() else { return };
    // The broker ends before its folder is removed.
    let folder = tempfile::tempdir().unwrap();
    let mut broker = Broker::start(&program, folder.path(), max_file_store).unwrap();
    let event_loop = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    event_loop.block_on(async {
        let group = Group::open(&broker.address(), &settings).await.unwrap();
        tokio::time::timeout(LIMIT, test(&mut broker, group)).await.expect("the test takes too long");
    });
}

/// Waits until all packets are done, and asserts that each has its result or is parked, once.
async fn all_right(group: &Group, sent: &source::Options) -> Found {
    check::drained(group, LIMIT / 2).await.unwrap();
    let found = check::run(group, sent).await.unwrap();
    assert!(found.is_right(), "{found}");
    assert_eq!(found.results + found.parked.len() as u64, sent.packets);
    found
}

/// Takes a packet as a worker does that never acknowledges it.
async fn take(group: &Group) {
    let mut batch = group.consumer.batch().max_messages(1).expires(LIMIT / 9).messages().await.unwrap();
    batch.next().await.unwrap().unwrap();
}

#[test]
fn a_worker_killed_under_load_loses_nothing_and_stores_nothing_twice() {
    run(settings(1000), async |broker, group| {
        let address = broker.address();
        let start = || spawn(&format!("worker --server {address} --ack-wait 1s"));
        let mut workers: Vec<_> = (0..3).map(|_| start()).collect();
        let sending = source::Options { poison: 3, ..packets(6000) };
        let sent = Sent::default();
        let kill = async {
            for share in [1500, 3000, 4500] {
                until(async || sent.stored.load(Relaxed) >= share && group.lag().await.unwrap().in_work > 0).await;
                assert_eq!(workers[0].0.try_wait().unwrap(), None, "it ended before");
                drop(workers.remove(0));
                workers.push(start());
            }
        };
        let (published, ()) = tokio::join!(source::run(&group, &sending, &sent), kill);
        published.unwrap();
        assert_eq!(sent.stored.load(Relaxed), 6000);
        assert_eq!(all_right(&group, &sending).await.parked.len(), 3);
    });
}

#[test]
fn a_source_killed_while_it_sends_and_started_again_stores_nothing_twice() {
    run(settings(1000), async |broker, group| {
        let _workers = [0, 1].map(|_| work(&group, defaults()));
        let sending = packets(6000);
        let address = broker.address();
        let options = "--ack-wait 1s --packets 6000 --ballast 100 --rate 3000";
        let start = || spawn(&format!("source --server {address} {options}"));
        let all = async || group.lag().await.map_or(0, |lag| lag.results + lag.waiting + lag.in_work);
        for share in [1000, 2500, 4000] {
            let mut source = start();
            until(async || all().await >= share).await;
            assert_eq!(source.0.try_wait().unwrap(), None, "it ended before");
        }
        let text = said(start());
        assert!(text.starts_with("6000 of 6000 packets acknowledged"), "{text}");
        all_right(&group, &sending).await;
    });
}

/// The broker is restarted twice while packets come and are worked on.
#[test]
fn a_broker_asked_to_end_or_killed_and_started_again_loses_nothing() {
    for signal in [Signal::TERM, Signal::KILL] {
        run(settings(1000), async |broker, group| {
            let _workers = [0, 1].map(|_| work(&group, defaults()));
            let sending = packets(6000);
            let sent = Sent::default();
            let restart = async {
                for share in [1500, 3500] {
                    until(async || sent.stored.load(Relaxed) >= share).await;
                    broker.end(signal).unwrap();
                    assert!(sent.stored.load(Relaxed) < 6000, "the broker ended too late");
                    tokio::time::sleep(Duration::from_millis(200)).await;
                    broker.start_again().unwrap();
                }
            };
            let (published, ()) = tokio::join!(source::run(&group, &sending, &sent), restart);
            published.unwrap();
            all_right(&group, &sending).await;
            // The broker has forgotten the ids of packets that left the queue before it ended. Their results have the same ids.
            source::run(&group, &sending, &Sent::default()).await.unwrap();
            all_right(&group, &sending).await;
            // The broker's own books are right again: no packet that was acknowledged is kept.
            assert_eq!(group.packets.get_info().await.unwrap().state.messages, 0);
        });
    }
}

#[test]
fn poison_is_parked_with_its_fault_after_the_tries_and_harms_nothing_else() {
    run(settings(1000), async |_, group| {
        let sending = stored(&group, source::Options { poison: 30, ..packets(100) }).await;
        let worker = work(&group, worker::Options { tries: 4, ..defaults() });
        let found = all_right(&group, &sending).await;
        assert_eq!((found.results, found.parked.len()), (70, 30));
        for (id, fault) in &found.parked {
            assert_eq!(packet::work(&packet::poison(*id, 100)).unwrap_err().to_string() + " (delivery 4)", *fault);
        }
        assert_eq!(worker.1.given_back.load(Relaxed), 30 * 3);
        // Bytes as they came.
        let parked = group.parked.get_raw_message(1).await.unwrap();
        let id = parked.headers.get("Nats-Msg-Id").unwrap().as_str();
        let id: u64 = id.strip_prefix("source-").unwrap().parse().unwrap();
        assert!(found.parked.contains_key(&id));
        assert_eq!(parked.payload[..], packet::poison(id, 100));
        assert_eq!(parked.subject.as_str(), "y3.parked.source");
    });
}

#[test]
fn a_packet_that_ends_its_workers_is_parked_unread_after_the_last_delivery_allowed() {
    for (deliveries, is_parked) in [(2, true), (3, false)] {
        run(settings(300), async |_, group| {
            let sending = stored(&group, packets(1)).await;
            take(&group).await;
            take(&group).await;
            let worker = work(&group, worker::Options { deliveries, ..defaults() });
            check::drained(&group, LIMIT).await.unwrap();
            let found = check::run(&group, &sending).await.unwrap();
            let fault = found.parked.get(&0).map(String::as_str);
            assert_eq!(fault, is_parked.then_some("delivered 3 times without an acknowledgement (delivery 3)"));
            assert_eq!([found.results, worker.1.stored.load(Relaxed)], [u64::from(!is_parked); 2]);
        });
    }
}

#[test]
fn work_longer_than_the_ack_wait_is_done_again_and_stored_once() {
    run(settings(400), async |_, group| {
        let sending = stored(&group, packets(50)).await;
        let slow = worker::Options { work: Duration::from_millis(900), ..defaults() };
        let workers = [0, 1].map(|_| work(&group, slow.clone()));
        all_right(&group, &sending).await;
        // Deliveries that were in work when the packet was acknowledged are still to end.
        tokio::time::sleep(Duration::from_millis(1200)).await;
        all_right(&group, &sending).await;
        let stored: u64 = workers.iter().map(|worker| worker.1.stored.load(Relaxed)).sum();
        let again: u64 = workers.iter().map(|worker| worker.1.stored_before.load(Relaxed)).sum();
        assert_eq!(stored, 50);
        assert!(again >= 50, "{again} results were sent again");
    });
}

/// A result is stored, its packet is not acknowledged, and the packet comes again.
#[test]
fn a_redelivery_inside_the_window_is_stored_once_and_after_it_twice_and_the_checker_says_so() {
    let settings = Settings { window: Duration::from_millis(2000), ..settings(300) };
    for (late, wrong) in [(300, vec![]), (5000, vec![("stored twice", vec![0])])] {
        run(settings.clone(), async |_, group| {
            let sending = stored(&group, packets(1)).await;
            take(&group).await;
            let outcome = packet::expected(0);
            let result = PublishMessage::build().message_id("source-0").payload(outcome.result.into());
            source::publish(&group, &format!("y3.results.source.{}", outcome.class), &result).await.unwrap();
            tokio::time::sleep(Duration::from_millis(late)).await;
            let _worker = work(&group, defaults());
            check::drained(&group, LIMIT).await.unwrap();
            let found = check::run(&group, &sending).await.unwrap();
            assert_eq!(found.is_right(), wrong.is_empty());
            assert_eq!(found.wrong, wrong.into_iter().collect(), "{found}");
        });
    }
}

/// Sends until the broker is full, and returns how many packets it has. It says why it has no more.
async fn filled(group: &Group, packets: u64, says: &str) -> u64 {
    let sending = source::Options { patience: Duration::from_millis(500), ..self::packets(packets) };
    let sent = Sent::default();
    let why = source::run(group, &sending, &sent).await.unwrap_err().to_string();
    assert!(why.contains(says), "{why}");
    sent.stored.load(Relaxed)
}

#[test]
fn a_full_stream_is_a_named_cause_and_goes_on_when_workers_have_made_space() {
    let small = Settings { max_packets: 700, ..settings(1000) };
    run(small, async |_, group| {
        let filled = filled(&group, 3000, "maximum messages exceeded").await;
        assert_eq!((filled, group.lag().await.unwrap().waiting), (700, 700));
        let _worker = work(&group, defaults());
        let sending = stored(&group, packets(3000)).await;
        assert_eq!(all_right(&group, &sending).await.results, 3000);
    });
}

#[test]
fn a_full_store_is_a_named_cause_and_goes_on_when_space_is_made() {
    run_in(settings(2000), Some(1 << 20), async |_, group| {
        // Another group's messages.
        let config = jetstream::stream::Config {
            name: "other".to_owned(),
            subjects: vec!["other.>".to_owned()],
            ..Default::default()
        };
        group.context.create_stream(config).await.unwrap();
        for _ in 0..5 {
            group.context.publish("other.1", vec![0; 100_000].into()).await.unwrap().await.unwrap();
        }
        let filled = filled(&group, 4000, "insufficient").await;
        assert!((500..3999).contains(&filled), "{filled} packets were stored before");
        // Results have no room either, but for a gap that a packet does not fit into: workers wait with them.
        let _worker = work(&group, defaults());
        tokio::time::sleep(Duration::from_millis(1000)).await;
        let lag = group.lag().await.unwrap();
        assert!(lag.waiting + lag.in_work + lag.results >= filled, "{lag:?}");
        group.context.delete_stream("other").await.unwrap();
        let sending = stored(&group, packets(4000)).await;
        assert_eq!(all_right(&group, &sending).await.results, 4000);
    });
}

#[test]
fn a_packet_too_long_for_its_result_or_its_fault_is_parked_and_too_long_for_the_broker_is_an_error() {
    run(settings(1000), async |_, group| {
        let max = group.context.client().server_info().max_payload;
        // Other senders' packets, as long as the broker takes them; headers would not fit beside.
        let garbage = vec![0xff; max];
        let (mut from, long) = (Vec::new(), "a".repeat(max - 40));
        Edit::new().set(path!(0x01, 0x11, 0x13), &*long).apply(&packet::make(1, 0), &mut from).unwrap();
        assert!(from.len() <= max, "{} of {max}", from.len());
        for payload in [garbage, from] {
            let message = PublishMessage::build().payload(payload.into());
            source::publish(&group, "y3.packets.other", &message).await.unwrap();
        }
        let _worker = work(&group, worker::Options { tries: 1, ..defaults() });
        check::drained(&group, LIMIT).await.unwrap();
        let mut faults = Vec::new();
        for sequence in 1..=2 {
            let parked = group.parked.get_raw_message(sequence).await.unwrap();
            assert_eq!(parked.payload.len(), 1024);
            assert!(parked.headers.get("Y3-Cut-From").unwrap().as_str().parse::<usize>().unwrap() > max - 100);
            faults.push(parked.headers.get("Y3-Fault").unwrap().to_string());
        }
        faults.sort();
        assert!(faults[0].starts_with("faulty packet"), "{faults:?}");
        assert!(faults[1].starts_with("its result is not stored: max payload size exceeded"), "{faults:?}");

        let sending = source::Options { ballast: max, ..packets(1) };
        let began = Instant::now();
        let error = source::run(&group, &sending, &Sent::default()).await.unwrap_err();
        assert!(error.to_string().contains("max payload size exceeded"), "{error}");
        assert!(began.elapsed() < Duration::from_secs(5), "tried again in vain");
    });
}

#[test]
fn the_checker_finds_a_result_that_is_missing_changed_misjudged_or_not_asked_for() {
    run(settings(1000), async |_, group| {
        let sending = stored(&group, packets(20)).await;
        let _worker = work(&group, defaults());
        all_right(&group, &sending).await;
        let gone = group.results.get_raw_message(7).await.unwrap();
        group.results.delete_message(7).await.unwrap();
        let missing = packet::id(&gone.payload).unwrap();
        let [changed, misjudged] = [1, 2].map(|next| (missing + next) % 20);
        for (subject, id, bytes) in [
            (format!("y3.results.source.{}", packet::expected(changed).class), "", packet::make(changed, 1)),
            ("y3.results.source.quiet".to_owned(), "", packet::expected(20).result),
            ("y3.results.source.quiet".to_owned(), "", b"no packet".to_vec()),
            ("y3.parked.source".to_owned(), &*sending.message_id(misjudged), packet::make(misjudged, 1)),
        ] {
            let message = PublishMessage::build().message_id(id).payload(bytes.into());
            source::publish(&group, &subject, &message).await.unwrap();
        }
        let found = check::run(&group, &sending).await.unwrap();
        let twice = vec![changed.min(misjudged), changed.max(misjudged)];
        let ids = [vec![changed], vec![misjudged], vec![missing], vec![22, 23], twice];
        let wrong = ["changed", "misjudged", "missing", "not asked for", "stored twice"].into_iter().zip(ids);
        assert_eq!(found.wrong, wrong.collect(), "{found}");
    });
}

#[test]
fn a_worker_whose_clock_jumps_works_as_before() {
    let preload = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";
    if !Path::new(preload).is_file() {
        eprintln!("skipped: no libfaketime");
        return;
    }
    run(settings(5000), async |broker, group| {
        let clock = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        let set = |offset: &str| std::fs::write(&clock, offset).unwrap();
        let faked = |program: &str| {
            let mut command = Command::new(program);
            command
                .env("LD_PRELOAD", preload)
                .env("FAKETIME_TIMESTAMP_FILE", &clock)
                .env("FAKETIME_NO_CACHE", "1")
                // A step of the clock leaves the monotonic one alone.
                .env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
            command
        };
        set("+400d");
        let years = [Command::new("date"), faked("date")].map(|mut date| date.arg("+%Y").output().unwrap().stdout);
        assert_ne!(years[0], years[1], "the library does not fake");
        set("+0");
        let address = broker.address();
        let worker = ["--log", "error", "worker", "--ack-wait", "5s", "--server", &address];
        let _worker = Process(faked(PROGRAM).args(worker).stdout(Stdio::null()).spawn().unwrap());
        let sending = source::Options { rate: 1500.0, ..packets(4500) };
        let sent = Sent::default();
        let jumps = async {
            for (share, offset) in [(1000, "+1d"), (2000, "-1d"), (3000, "+400d")] {
                until(async || sent.stored.load(Relaxed) >= share).await;
                set(offset);
            }
        };
        let (published, ()) = tokio::join!(source::run(&group, &sending, &sent), jumps);
        published.unwrap();
        assert_eq!(all_right(&group, &sending).await.results, 4500);
    });
}

#[test]
fn a_group_says_what_is_wrong_with_its_broker_or_its_settings() {
    run(settings(1000), async |broker, _| {
        let open = |server: String, settings: Settings| async move {
            format!("{:#}", Group::open(&server, &settings).await.unwrap_err())
        };
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        let text = open(free.clone(), settings(1000)).await;
        assert!(text.contains(&free) && text.contains("nats-server -js"), "{text}");
        let output = program(&format!("worker --server {free}")).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.matches("Connection refused").count() == 1, "{said}");
        assert!(!said.contains('\x1b'), "{said:?}");

        // Other peers: one that speaks something else, one that says nothing.
        for words in [&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], b"", &[0x81, 0x03, 0x10, 0x01, 0x01, b'\r', b'\n']] {
            let peer = TcpListener::bind("127.0.0.1:0").unwrap();
            let address = peer.local_addr().unwrap().to_string();
            std::thread::spawn(move || {
                let (mut socket, _) = peer.accept().unwrap();
                let _ = socket.write_all(words);
                std::thread::sleep(Duration::from_secs(5));
            });
            let began = Instant::now();
            let text = open(address.clone(), settings(1000)).await;
            assert!(text.contains(&address), "{text}");
            assert!(began.elapsed() < Duration::from_secs(5), "{words:x?}");
        }

        let server = broker.address();
        let window = |window| Settings { window: Duration::from_millis(window), ..settings(1000) };
        let text = open(server.clone(), window(2000)).await;
        assert!(text.contains("already in use with a different configuration"), "{text}");
        let text = open(server.clone(), window(1999)).await;
        assert!(text.contains("a redelivered packet could be stored twice"), "{text}");
        for name in ["", "a.b", "a b", ">", "*", "é"] {
            let text = open(server.clone(), Settings { name: name.to_owned(), ..settings(1000) }).await;
            assert!(text.contains("has letters, digits, - and _"), "{name:?}: {text}");
        }
    });
}

#[test]
fn source_worker_and_check_run_as_commands_of_their_own() {
    run(settings(1000), async |broker, _| {
        let command = |name: &str| program(&format!("{name} --server {} --ack-wait 1s", broker.address()));
        let sent = command("source").args(["--packets", "800"]).output().unwrap();
        let text = String::from_utf8(sent.stdout).unwrap();
        assert!(text.starts_with("800 of 800 packets acknowledged"), "{text}");
        let early = command("check").args(["--packets", "800", "--wait", "100ms"]).output().unwrap();
        assert!(!early.status.success());
        assert!(String::from_utf8_lossy(&early.stderr).contains("waiting: 800"));
        let worker = Process(command("worker").spawn().unwrap());
        let checked = command("check").args(["--packets", "800"]).output().unwrap();
        assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
        // Ctrl-C ends the worker with a summary.
        kill_process(Pid::from_child(&worker.0), Signal::INT).unwrap();
        let text = said(worker);
        assert!(text.contains("800 results stored"), "{text}");
    });
}

#[test]
fn a_worker_whose_broker_is_away_ends_at_the_first_signal() {
    for (signal, waits) in [(Signal::INT, 100), (Signal::INT, 3000), (Signal::TERM, 1000)] {
        run(settings(1000), async |broker, group| {
            stored(&group, packets(2000)).await;
            let address = broker.address();
            let mut worker = spawn(&format!("worker --work 2s --ack-wait 1s --server {address}"));
            until(async || group.lag().await.unwrap().in_work > 0).await;
            broker.end(Signal::KILL).unwrap();
            tokio::time::sleep(Duration::from_millis(waits)).await;
            let begin = Instant::now();
            kill_process(Pid::from_child(&worker.0), signal).unwrap();
            until(async || worker.0.try_wait().unwrap().is_some()).await;
            let took = begin.elapsed();
            assert!(took < Duration::from_secs(2), "{took:?} after {waits} ms without a broker");
        });
    }
}
