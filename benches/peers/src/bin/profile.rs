//! Profile: the CPU time of y3 and of `serde_json` in one loop, as in the third part of the published report.
//!
//! In: a file, and `--quick` for half a second instead of three. Out: the CPU time of the process for each decoder, as JSON in
//! the file.

use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use kit::data::Item;
use peers::extract::scenario::{Regime, Scenario};
use serde_json::{Value, json};
use y3::{PathSet, path};

const SET: PathSet<1> = PathSet::new([path!(0, 32)]);
const ANSWER: i64 = -1;

fn y3_extract(bytes: &[u8]) -> Option<i64> {
    SET.watch(bytes).next()?.ok()?.decode().ok()
}

fn json_extract(bytes: &[u8]) -> Option<i64> {
    let value: Value = serde_json::from_slice(bytes).ok()?;
    value["k32"].as_i64()
}

/// C63-K32 in both encodings.
struct Messages {
    y3: Vec<u8>,
    json: Vec<u8>,
}

/// The CPU time of the process.
struct Charged {
    rounds: u32,
    y3: Duration,
    json: Duration,
}

/// Extractions of one decoder between two readings of the clock: many, since a reading costs as much as a few extractions,
/// but few enough that a change of the machine's speed affects both decoders.
const BLOCK: u32 = 8192;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("the file to write");
    let seconds = if arguments.any(|argument| argument == "--quick") { 0.5 } else { 3.0 };
    let time = Duration::from_secs_f64(seconds);

    let model = Scenario::C63K32.models(Regime::OneBuffer).remove(0);
    assert!(matches!(model.0[31], (32, Item::I64(ANSWER))), "the report's model");
    let pair = model.to_pair();
    let messages = Messages { y3: pair.y3, json: pair.json };
    assert_eq!(y3_extract(&messages.y3), Some(ANSWER));
    assert_eq!(json_extract(&messages.json), Some(ANSWER));

    charge(&messages, time / 10);
    let report = report(&charge(&messages, time));
    fs::write(file, format!("{report:#}\n")).expect("the file can be written");
}

/// Runs both decoders in turn, block by block.
fn charge(messages: &Messages, time: Duration) -> Charged {
    let mut charged = Charged { rounds: 0, y3: Duration::ZERO, json: Duration::ZERO };
    let begin = Instant::now();
    while begin.elapsed() < time {
        charged.y3 += block(|| y3_extract(black_box(&messages.y3)));
        charged.json += block(|| json_extract(black_box(&messages.json)));
        charged.rounds += BLOCK;
    }
    charged
}

fn block(extract: impl Fn() -> Option<i64>) -> Duration {
    let begin = ProcessTime::now();
    for _ in 0..BLOCK {
        black_box(extract());
    }
    begin.elapsed()
}

fn report(charged: &Charged) -> Value {
    let both = (charged.y3 + charged.json).as_secs_f64();
    let decoder = |time: Duration| {
        json!({
            "cpu_ns": time.as_secs_f64() * 1e9,
            "ns_per_operation": time.as_secs_f64() * 1e9 / f64::from(charged.rounds),
            "share": time.as_secs_f64() / both,
        })
    };
    json!({
        "rounds": charged.rounds,
        "y3": decoder(charged.y3),
        "json": decoder(charged.json),
        "ratio": charged.json.as_secs_f64() / charged.y3.as_secs_f64(),
    })
}
