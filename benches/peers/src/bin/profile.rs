//! Measures the CPU time of y3 and of `serde_json` in one loop, as in the third part of the published report, and writes it to a file as
//! JSON. With `--quick` the loop takes half a second instead of three.

use std::hint::black_box;
use std::time::{Duration, Instant};
use std::{env, fs};

use cpu_time::ProcessTime;
use kit::readers::{json_value, y3_watch_to};
use kit::watched::{C63K32, Watched};
use serde_json::json;

/// The number of extractions between two readings of the clock. It is large because a reading costs as much as a few extractions. It is
/// small enough that a change of the machine's speed affects both decoders.
const BLOCK: u32 = 8192;

fn main() {
    let mut arguments = env::args().skip(1);
    let file = arguments.next().expect("the file to write");
    let time = Duration::from_secs_f64(if arguments.any(|argument| argument == "--quick") { 0.5 } else { 3.0 });

    let pair = C63K32::model().to_pair();
    let y3 = || y3_watch_to::<C63K32>(black_box(&pair.y3));
    let json = || json_value::<C63K32>(black_box(&pair.json))?.as_i64();
    assert_eq!((y3(), json()), (Some(-1), Some(-1)));

    // The decoders take turns, block by block. The first pass warms up for a tenth of the time.
    let mut charged = [Duration::ZERO; 2];
    let mut rounds = 0;
    for time in [time / 10, time] {
        (charged, rounds) = ([Duration::ZERO; 2], 0);
        let begin = Instant::now();
        while begin.elapsed() < time {
            charged[0] += block(y3);
            charged[1] += block(json);
            rounds += BLOCK;
        }
    }
    let [y3, json] = charged.map(|charged| charged.as_secs_f64() * 1e9);
    let decoder = |ns: f64| json!({ "cpu_ns": ns, "ns_per_operation": ns / f64::from(rounds) });
    let report = json!({ "rounds": rounds, "y3": decoder(y3), "json": decoder(json), "ratio": json / y3 });
    fs::write(file, format!("{report:#}\n")).expect("the file can be written");
}

fn block(extract: impl Fn() -> Option<i64>) -> Duration {
    let begin = ProcessTime::now();
    for _ in 0..BLOCK {
        black_box(extract());
    }
    begin.elapsed()
}
