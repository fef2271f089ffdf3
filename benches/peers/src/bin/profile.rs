//! Profile: the CPU time of y3 and of `serde_json` in one loop, as in the third part of the published report.
//!
//! In: a file, and `--quick` for half a second instead of three. Out: the CPU time of the process for each decoder, as JSON in
//! the file.

use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use kit::readers::{json_value, y3_watch_to};
use kit::watched::{C63K32, Watched};
use serde_json::json;

/// Extractions of one decoder between two readings of the clock: many, since a reading costs as much as a few extractions,
/// but few enough that a change of the machine's speed affects both decoders.
const BLOCK: u32 = 8192;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("the file to write");
    let time = Duration::from_secs_f64(if arguments.any(|argument| argument == "--quick") { 0.5 } else { 3.0 });

    let pair = C63K32::model().to_pair();
    let y3 = || y3_watch_to::<C63K32>(black_box(&pair.y3));
    let json = || json_value::<C63K32>(black_box(&pair.json))?.as_i64();
    assert_eq!((y3(), json()), (Some(-1), Some(-1)));

    // Both in turn, block by block, after a tenth of the time to get warm.
    charge(time / 10, y3, json);
    let (rounds, y3, json) = charge(time, y3, json);
    let decoder = |time: f64| json!({ "cpu_ns": time * 1e9, "ns_per_operation": time * 1e9 / f64::from(rounds), "share": time / (y3 + json) });
    let report = json!({ "rounds": rounds, "y3": decoder(y3), "json": decoder(json), "ratio": json / y3 });
    fs::write(file, format!("{report:#}\n")).expect("the file can be written");
}

/// The rounds, and the seconds of CPU time of both.
fn charge(time: Duration, y3: impl Fn() -> Option<i64>, json: impl Fn() -> Option<i64>) -> (u32, f64, f64) {
    let (begin, mut rounds, mut charged) = (Instant::now(), 0, (Duration::ZERO, Duration::ZERO));
    while begin.elapsed() < time {
        charged.0 += block(&y3);
        charged.1 += block(&json);
        rounds += BLOCK;
    }
    (rounds, charged.0.as_secs_f64(), charged.1.as_secs_f64())
}

fn block(extract: impl Fn() -> Option<i64>) -> Duration {
    let begin = ProcessTime::now();
    for _ in 0..BLOCK {
        black_box(extract());
    }
    begin.elapsed()
}
