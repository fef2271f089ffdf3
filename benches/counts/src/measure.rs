//! Measure: runs a case, and counts it with callgrind.
//!
//! In: a function and its expected answer. Out: the instructions it takes, and the most bytes it holds at once.

use std::error::Error;
use std::fmt::Debug;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};

/// Callgrind counts this function and the functions it calls, and nothing else. The use of the answer after the call
/// prevents a tail call.
#[inline(never)]
fn counted(run: &mut dyn FnMut()) -> bool {
    run();
    black_box(true)
}

/// Runs a function, checks its answer, and returns the most bytes that it held at once.
pub fn measure<T: PartialEq + Debug>(name: &str, want: &T, mut run: impl FnMut() -> T) -> usize {
    let mut got = None;
    let allocated = allocation_counter::measure(|| {
        counted(&mut || got = Some(black_box(run())));
    });
    assert_eq!(got.as_ref(), Some(want), "{name}");
    usize::try_from(allocated.bytes_max).expect("memory is addressed by usize")
}

/// Runs a table of this program under callgrind and returns the instructions of each call of [`measure`], in order. There
/// must be `cases` calls.
pub fn instructions(table: &str, cases: usize) -> Result<Vec<u64>, Box<dyn Error>> {
    let file = std::env::temp_dir().join(format!("y3-counts-{}", std::process::id()));
    let done = callgrind(table, &file);
    // The file is removed in any case.
    let dumps = std::fs::read_to_string(&file);
    let _ = std::fs::remove_file(&file);
    done?;
    // Each dump has one line of totals; the last dump covers the code after the last case and is ignored.
    let mut totals = Vec::new();
    for line in dumps?.lines() {
        if let Some(total) = line.strip_prefix("totals: ") {
            totals.push(total.trim().parse()?);
        }
    }
    if totals.pop() != Some(0) || totals.len() != cases {
        return Err(format!("callgrind counted {} of {cases} cases, or outside of them", totals.len()).into());
    }
    Ok(totals)
}

fn callgrind(table: &str, file: &Path) -> Result<(), Box<dyn Error>> {
    const COUNTED: &str = "counts::measure::counted";
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=callgrind", "--quiet", "--combine-dumps=yes"])
        .arg(format!("--toggle-collect={COUNTED}"))
        .arg(format!("--dump-after={COUNTED}"))
        .arg(format!("--callgrind-out-file={}", file.display()))
        .arg(std::env::current_exe()?)
        .args(["run", table])
        .stdout(Stdio::null());
    let status =
        command.status().map_err(|error| format!("valgrind, a package of most systems, does not run: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("the cases under callgrind: {status}").into()) }
}
