//! Profile: the CPU time of y3 and of `serde_json` in one loop, as in the third part of the published report.
//!
//! In: a folder, and `--quick` for one second instead of six. Out: `cpu.json`, the CPU time of the process for each
//! decoder, and `flame.svg`, the samples, on systems that can be sampled.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use peers::extract::data::Item;
use peers::extract::scenario::{Regime, Scenario};
use serde_json::{Value, json};
use y3::{PathSet, path};

const SET: PathSet<1> = PathSet::new([path!(0, 32)]);
const ANSWER: i64 = -1;

/// Not inlined, so that its samples have its name.
#[inline(never)]
fn y3_extract(bytes: &[u8]) -> Option<i64> {
    SET.watch(bytes).next()?.ok()?.decode().ok()
}

#[inline(never)]
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
    let folder = arguments.next().expect("the folder to write into");
    let seconds = if arguments.any(|argument| argument == "--quick") { 0.5 } else { 3.0 };
    let (folder, time) = (Path::new(&folder), Duration::from_secs_f64(seconds));

    let model = Scenario::C63K32.models(Regime::OneBuffer).remove(0);
    assert!(matches!(model.0[31], (32, Item::I64(ANSWER))), "the report's model");
    let pair = model.to_pair();
    let messages = Messages { y3: pair.y3, json: pair.json };
    assert_eq!(y3_extract(&messages.y3), Some(ANSWER));
    assert_eq!(json_extract(&messages.json), Some(ANSWER));

    fs::create_dir_all(folder).expect("the folder can be made");
    charge(&messages, time / 10);
    let charged = charge(&messages, time);
    let flame = sample(&messages, time, &folder.join("flame.svg"));
    let report = report(&charged, flame);
    fs::write(folder.join("cpu.json"), format!("{report:#}\n")).expect("the folder can be written");
}

/// Runs both decoders in turn, block by block; without a sampler, which would use CPU time too.
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

/// The number of samples in each decoder.
struct Samples {
    y3: isize,
    json: isize,
}

/// Runs one after the other in one loop, as published, under a profiler.
#[cfg(any(target_os = "linux", target_os = "macos"))]
#[inline(never)]
fn sample(messages: &Messages, time: Duration, flame: &Path) -> Result<Samples, String> {
    // No library is excluded: JSON spends much of its time in the allocator. Profilers exclude libraries since a sample may
    // interrupt an unwinding, which cannot happen here.
    let guard = pprof::ProfilerGuardBuilder::default().frequency(1000).build().map_err(|error| error.to_string())?;
    let begin = Instant::now();
    while begin.elapsed() < time {
        for _ in 0..BLOCK {
            black_box(y3_extract(black_box(&messages.y3)));
            black_box(json_extract(black_box(&messages.json)));
        }
    }
    let mut builder = guard.report();
    let report = builder.frames_post_processor(trim).build().map_err(|error| error.to_string())?;
    drop(guard);

    let count = |name: &str| -> isize {
        let inside = |frames: &pprof::Frames| frames.frames.iter().any(|frame| is(frame, name));
        report.data.iter().filter(|(frames, _)| inside(frames)).map(|(_, count)| *count).sum()
    };
    let samples = Samples { y3: count("::y3_extract"), json: count("::json_extract") };
    if samples.json == 0 {
        return Err("no sample fell into the decoders".into());
    }
    let mut options = pprof::flamegraph::Options::default();
    options.title = "C63-K32, y3 and serde_json in turn: where the samples fell".into();
    options.subtitle = Some(format!("y3_extract {}, json_extract {}", samples.y3, samples.json));
    options.hash = true;
    let file = fs::File::create(flame).map_err(|error| error.to_string())?;
    report.flamegraph_with_options(file, &mut options).map_err(|error| error.to_string())?;
    Ok(samples)
}

/// Removes the frames outside of the loop: the start of the program.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn trim(frames: &mut pprof::Frames) {
    let outermost =
        |frame: &Vec<pprof::Symbol>| ["::y3_extract", "::json_extract", "::sample"].iter().any(|name| is(frame, name));
    // The innermost frame comes first.
    if let Some(place) = frames.frames.iter().position(outermost) {
        frames.frames.truncate(place + 1);
    }
    frames.thread_name = "one loop".into();
}

/// Whether a frame is that function's own: the last of those that were inlined into one another.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn is(frame: &[pprof::Symbol], function: &str) -> bool {
    frame.last().is_some_and(|symbol| symbol.name().ends_with(function))
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn sample(_: &Messages, _: Duration, _: &Path) -> Result<Samples, String> {
    Err(format!("the profiler takes its samples through signals, which {} does not have", std::env::consts::OS))
}

fn report(charged: &Charged, flame: Result<Samples, String>) -> Value {
    let both = (charged.y3 + charged.json).as_secs_f64();
    let decoder = |time: Duration| {
        json!({
            "cpu_ns": time.as_secs_f64() * 1e9,
            "ns_per_operation": time.as_secs_f64() * 1e9 / f64::from(charged.rounds),
            "share": time.as_secs_f64() / both,
        })
    };
    let (samples, why_no_flame) = match flame {
        Ok(samples) => (json!({ "y3": samples.y3, "json": samples.json }), Value::Null),
        Err(why) => (Value::Null, Value::String(why)),
    };
    json!({
        "rounds": charged.rounds,
        "y3": decoder(charged.y3),
        "json": decoder(charged.json),
        "ratio": charged.json.as_secs_f64() / charged.y3.as_secs_f64(),
        "samples": samples,
        "why_no_flame": why_no_flame,
    })
}
