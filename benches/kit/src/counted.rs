//! Counted: counts the instructions of calls with callgrind.

use std::error::Error;
use std::hint::black_box;
use std::process::{Command, Stdio};
use std::{env, fs, process};

/// Callgrind counts only this function and the functions that it calls. The use of the answer after the call prevents a
/// tail call.
#[inline(never)]
pub fn counted(run: &mut dyn FnMut()) -> bool {
    run();
    black_box(true)
}

/// Runs this program with the arguments under callgrind, and returns the instructions of each call of [`counted`], in
/// order. The program must make exactly `calls` calls.
pub fn instructions(arguments: &[&str], calls: usize) -> Result<Vec<u64>, Box<dyn Error>> {
    let file = env::temp_dir().join(format!("y3-counted-{}-{}", process::id(), arguments.join("-")));
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=callgrind", "--quiet", "--combine-dumps=yes"])
        .args(["--toggle-collect=kit::counted::counted", "--dump-after=kit::counted::counted"])
        .arg(format!("--callgrind-out-file={}", file.display()))
        .arg(env::current_exe()?)
        .args(arguments)
        .stdout(Stdio::null());
    let output = command.output().map_err(|error| format!("valgrind does not run: {error}"));
    // The guard removes the file, even after an error.
    let dumps = fs::read_to_string(&file);
    let _ = fs::remove_file(&file);
    let output = output?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{} under callgrind: {}", output.status, said.lines().last().unwrap_or_default()).into());
    }
    // Each dump has one line of totals. The last dump covers the code after the last call, and is ignored.
    let totals = dumps?
        .lines()
        .filter_map(|line| line.strip_prefix("totals: "))
        .map(|total| total.trim().parse())
        .collect::<Result<Vec<u64>, _>>();
    let mut totals = totals?;
    if totals.pop() != Some(0) {
        return Err("callgrind counted outside of the calls".into());
    }
    if totals.len() != calls {
        return Err(format!("callgrind counted {} of {calls} cases", totals.len()).into());
    }
    Ok(totals)
}
