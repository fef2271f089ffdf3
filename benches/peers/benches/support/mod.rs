//! Support: one way to time a case, count its allocations and print what was found.
//!
//! In: cases, each with a group, a name and the bytes it deals with. Out: criterion's measurements and a Markdown table.

use std::alloc::{GlobalAlloc, Layout, System};
use std::env;
use std::fs;
use std::hint::black_box;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use criterion::Criterion;
use serde_json::Value;

/// Counts what is asked of the system's allocator.
struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// How often a case runs to have its allocations counted: every entry of the cache some times.
const RUNS: u32 = 4096;

struct Case {
    group: &'static str,
    name: &'static str,
    bytes: f64,
    allocations: f64,
}

pub struct Bench {
    criterion: Criterion,
    cases: Vec<Case>,
}

impl Bench {
    /// Short times, so that all of it is done in minutes; arguments behind `--` override them.
    pub fn new() -> Self {
        let criterion = Criterion::default()
            .warm_up_time(Duration::from_millis(300))
            .measurement_time(Duration::from_secs(1))
            .sample_size(50)
            .nresamples(10_000)
            .without_plots()
            .configure_from_args();
        Self { criterion, cases: Vec::new() }
    }

    /// Times what has proven to give the right answer; `bytes` is the size of what it writes or reads.
    pub fn case<T>(&mut self, group: &'static str, name: &'static str, bytes: f64, mut run: impl FnMut() -> T) {
        // Buffers have grown, tables are there: only what every run allocates counts.
        for _ in 0..RUNS {
            black_box(run());
        }
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        for _ in 0..RUNS {
            black_box(run());
        }
        let allocations = f64::from(u32::try_from(ALLOCATIONS.load(Ordering::Relaxed) - before).expect("some"));
        self.cases.push(Case { group, name, bytes, allocations: allocations / f64::from(RUNS) });
        self.criterion.benchmark_group(group).bench_function(name, |bencher| bencher.iter(&mut run));
    }

    /// Prints a table for each group, made from the medians that criterion has left.
    pub fn finish(self) {
        self.criterion.final_summary();
        if env::args().any(|argument| argument == "--test" || argument == "--list") {
            return;
        }
        println!("\n{}", machine());
        let mut groups: Vec<&str> = Vec::new();
        for case in &self.cases {
            if !groups.contains(&case.group) {
                groups.push(case.group);
            }
        }
        for group in groups {
            // A run of some groups only leaves the others out.
            let Some(measure) = median(group, "y3 serde") else { continue };
            println!("\n| {group} | ns | y3 serde = 1 | million/s | allocations | bytes |\n|---|--:|--:|--:|--:|--:|");
            for case in self.cases.iter().filter(|case| case.group == group) {
                let time = median(group, case.name);
                println!(
                    "| {} | {} | {} | {} | {} | {} |",
                    case.name,
                    shown(time),
                    shown(time.map(|time| time / measure)),
                    shown(time.map(|time| 1000.0 / time)),
                    shown(Some(case.allocations)),
                    shown(Some(case.bytes)),
                );
            }
        }
    }
}

/// A case's median in nanoseconds.
fn median(group: &str, name: &str) -> Option<f64> {
    let estimates = criterion_home().join(group.replace('/', "_")).join(name).join("new/estimates.json");
    let estimates: Value = serde_json::from_slice(&fs::read(estimates).ok()?).ok()?;
    estimates["median"]["point_estimate"].as_f64()
}

/// Whole numbers as such, others in three digits that count.
fn shown(number: Option<f64>) -> String {
    match number {
        None => "-".into(),
        Some(number) if number >= 100.0 || number.fract().abs() < f64::EPSILON => format!("{number:.0}"),
        Some(number) if number < 10.0 => format!("{number:.2}"),
        Some(number) => format!("{number:.1}"),
    }
}

/// Where criterion leaves its results: the same places in the same order as it looks for them.
fn criterion_home() -> PathBuf {
    let target = || {
        let mut cargo = Command::new(env::var_os("CARGO")?);
        let output = cargo.args(["metadata", "--no-deps", "--format-version", "1"]).output().ok()?;
        let metadata: Value = serde_json::from_slice(&output.stdout).ok()?;
        metadata["target_directory"].as_str().map(PathBuf::from)
    };
    let home = env::var_os("CRITERION_HOME").map(PathBuf::from);
    let named = || env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    home.unwrap_or_else(|| named().or_else(target).unwrap_or_else(|| "target".into()).join("criterion"))
}

/// What the figures were taken on, as far as the machine says.
fn machine() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let rustc = Command::new("rustc").arg("--version").output();
    let rustc = rustc.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    format!("{}, {}", name.map_or("unknown machine", |name| name.1), rustc.unwrap_or_default())
}
