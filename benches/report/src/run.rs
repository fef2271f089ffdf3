//! Run: runs every measurement as a child process, one after the other.
//!
//! In: the repository and a mode. Out: a folder with the stamp, criterion's results, the facts, the CPU time and Go's figures.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::{env, thread};

use serde_json::Value;

use crate::error::Result;
use crate::measured::{Folder, Go, GoFigure, Instructions, Promise, baseline};
use crate::progress::Progress;
use crate::stamp::{Mode, OWN_FEATURES, Stamp};

/// A bench program, and criterion's settings for it.
struct Bench {
    package: &'static str,
    name: &'static str,
    /// In the full mode. The peers' readers stand beside each other in the report's tables: minutes between their passes let
    /// a machine that changes its pace do so for all of them.
    passes: usize,
    full: &'static [&'static str],
}

/// The peers' readers are many, and measured three times.
const SHORTEST: &[&str] = &["--warm-up-time", "0.02", "--measurement-time", "0.07"];
const SHORT: &[&str] = &["--warm-up-time", "0.05", "--measurement-time", "0.2"];
const LONG: &[&str] = &["--warm-up-time", "0.1", "--measurement-time", "0.3"];
/// Enough to check that everything runs and to see the layout of the report.
const QUICK: &[&str] =
    &["--warm-up-time", "0.01", "--measurement-time", "0.04", "--sample-size", "10", "--nresamples", "200"];

const PEERS: Bench = Bench { package: "peers", name: "extract", passes: 3, full: SHORTEST };

/// The benches that run between the passes of the peers.
const OTHERS: [&[Bench]; 2] = [
    &[
        Bench { package: "y3", name: "extract", passes: 1, full: LONG },
        Bench { package: "y3", name: "parallel", passes: 1, full: LONG },
        Bench { package: "y3", name: "shapes", passes: 1, full: LONG },
        Bench { package: "y3", name: "encode", passes: 1, full: LONG },
    ],
    &[
        Bench { package: "y3", name: "stream", passes: 1, full: LONG },
        Bench { package: "y3", name: "reach", passes: 1, full: LONG },
        Bench { package: "y3", name: "edit", passes: 1, full: SHORT },
        Bench { package: "peers", name: "scaling", passes: 1, full: SHORT },
        Bench { package: "peers", name: "shootout", passes: 1, full: LONG },
        Bench { package: "peers", name: "edit", passes: 1, full: LONG },
    ],
];

/// The programs that were built, by package and name.
type Programs = BTreeMap<(&'static str, String), PathBuf>;

/// A program, in the folder where cargo would run it.
fn program(repository: &Path, programs: &Programs, package: &'static str, name: &str) -> Result<Command> {
    let built = programs.get(&(package, name.to_owned()));
    let mut command = Command::new(built.ok_or_else(|| format!("{package} has built no program {name}"))?);
    command.current_dir(root(repository, package));
    Ok(command)
}

fn root(repository: &Path, package: &str) -> PathBuf {
    if package == "y3" { repository.to_owned() } else { repository.join("benches").join(package) }
}

/// Measures everything, and removes earlier results of the same mode.
pub fn run(repository: &Path, folder: &Folder, mode: Mode) -> Result<()> {
    if folder.0.exists() {
        fs::remove_dir_all(&folder.0)?;
    }
    fs::create_dir_all(&folder.0)?;
    let mut stamp = Stamp::new(repository, mode)?;
    stamp.write(&folder.stamp())?;

    let programs = build(repository)?;
    let go = build_go(repository, &folder.0.join("go"));
    let promises = promises(repository, &programs, mode)?;
    fs::write(folder.promises(), serde_json::to_string_pretty(&promises)?)?;
    let total = promises.iter().map(|promise| promise.ids.len() * promise.passes).sum();
    let mut progress = Progress::new(total);
    let mut bench = |bench: &Bench, pass| {
        let command = program(repository, &programs, bench.package, bench.name)?;
        measure(command, folder, mode, bench, pass, &mut progress)
    };
    bench(&PEERS, 1)?;
    for (others, pass) in OTHERS.iter().zip(2..) {
        for other in *others {
            bench(other, 1)?;
        }
        if pass <= passes(&PEERS, mode) {
            bench(&PEERS, pass)?;
        }
    }

    let quick: &[&str] = if mode == Mode::Quick { &["--quick"] } else { &[] };
    let run_binary = |name: &str, out: OsString, arguments: &[&str]| {
        let mut command = program(repository, &programs, "peers", name)?;
        command.arg(out).args(arguments);
        watch(&mut command, |_| {}).map(|_| ())
    };
    progress.step("facts: bytes, allocations, answers");
    run_binary("facts", folder.facts().into(), &[])?;
    fs::write(folder.instructions(), serde_json::to_string_pretty(&counted())?)?;
    progress.step("CPU time of both decoders");
    run_binary("profile", folder.cpu().into(), quick)?;
    progress.step("the Go implementations");
    fs::write(folder.go(), serde_json::to_string_pretty(&run_go(repository, go, quick)?)?)?;
    progress.step("done");
    stamp.finish();
    stamp.write(&folder.stamp())
}

fn passes(bench: &Bench, mode: Mode) -> usize {
    if mode == Mode::Full { bench.passes } else { 1 }
}

fn benches() -> impl Iterator<Item = &'static Bench> {
    std::iter::once(&PEERS).chain(OTHERS.into_iter().flatten())
}

/// Builds all programs first, so that no compiler runs during a measurement and all programs match the stamp.
fn build(repository: &Path) -> Result<Programs> {
    let mut programs = Programs::new();
    let mut progress = Progress::building();
    for package in ["y3", "peers"] {
        progress.step(&format!("building the benches of {package}; the first time this takes some minutes"));
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.current_dir(root(repository, package));
        command.args(["bench", "--locked", "--no-run", "--quiet", "--message-format=json-render-diagnostics"]);
        if package == "y3" {
            command.args(["--features", OWN_FEATURES]);
        }
        for bench in benches().filter(|bench| bench.package == package) {
            command.args(["--bench", bench.name]);
        }
        // Cargo builds the package's binaries with its benches, and writes a line for each crate that is done.
        let printed = watch(&mut command, |line| {
            if let Some(name) = built(line).and_then(|message| message["target"]["name"].as_str().map(str::to_owned)) {
                progress.done();
                progress.doing(&format!("building the benches of {package}: {name}"));
            }
        })?;
        for message in printed.lines().filter_map(built) {
            if let (Some(name), Some(path)) = (message["target"]["name"].as_str(), message["executable"].as_str()) {
                programs.insert((package, name.to_owned()), path.into());
            }
        }
    }
    Ok(programs)
}

/// A line of cargo's about a crate that is built.
fn built(line: &str) -> Option<Value> {
    let message: Value = serde_json::from_str(line).ok()?;
    (message["reason"] == "compiler-artifact").then_some(message)
}

/// Asks every bench program what it is going to measure.
fn promises(repository: &Path, programs: &Programs, mode: Mode) -> Result<Vec<Promise>> {
    let promise = |bench: &Bench| {
        let mut command = program(repository, programs, bench.package, bench.name)?;
        let listed = watch(command.args(["--bench", "--list"]), |_| {})?;
        let ids: Vec<String> =
            listed.lines().filter_map(|line| line.strip_suffix(": benchmark").map(str::to_owned)).collect();
        if ids.is_empty() {
            return Err(format!("the bench {} of {} lists nothing to measure", bench.name, bench.package).into());
        }
        Ok(Promise {
            package: bench.package.to_owned(),
            bench: bench.name.to_owned(),
            passes: passes(bench, mode),
            ids,
        })
    };
    benches().map(promise).collect()
}

/// One pass of one bench program.
fn measure(
    mut command: Command,
    folder: &Folder,
    mode: Mode,
    bench: &Bench,
    pass: usize,
    progress: &mut Progress,
) -> Result<()> {
    let (package, name) = (bench.package, bench.name);
    progress.step(&format!("bench {name} of {package}, pass {pass} of {}", passes(bench, mode)));
    command.env("CRITERION_HOME", folder.criterion(package));
    command.args(["--bench", "--noplot", "--save-baseline"]).arg(baseline(pass));
    command.args(if mode == Mode::Full { bench.full } else { QUICK });
    watch(&mut command, |line| {
        // Output of criterion: `Benchmarking <id>: Warming up for …`, and at the end `<id>   time:   […]`.
        if let Some((id, _)) = line.strip_prefix("Benchmarking ").and_then(|line| line.split_once(": Warming")) {
            progress.doing(id);
        } else if line.contains("time:   [") {
            progress.done();
        }
    })?;
    Ok(())
}

fn counted() -> Instructions {
    Instructions { counts: BTreeMap::new(), why_not: Some("not counted".to_owned()) }
}

/// Where the Go module of the peers lies.
const GO: &str = "benches/peers/go";

/// The Go implementations as a program, or why there is none: no `go` here, or no network to fetch the modules from.
fn build_go(repository: &Path, program: &Path) -> std::result::Result<PathBuf, String> {
    let mut command = Command::new("go");
    let built = command.current_dir(repository.join(GO)).args(["build", "-o"]).arg(program).arg(".").output();
    let output = built.map_err(|_| "Go is not installed".to_owned())?;
    if output.status.success() {
        return Ok(program.to_owned());
    }
    let error = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    eprintln!("the Go implementations cannot be built and will not be measured:\n{error}");
    Err(format!("`go build` fails: {}", error.lines().last().unwrap_or_default()))
}

/// Both Go modules and Go's own JSON.
fn run_go(repository: &Path, program: std::result::Result<PathBuf, String>, arguments: &[&str]) -> Result<Go> {
    let program = match program {
        Ok(program) => program,
        Err(why) => return Ok(Go { figures: Vec::new(), why_not: Some(why) }),
    };
    let printed = watch(Command::new(program).current_dir(repository.join(GO)).args(arguments), |_| {})?;
    let figure = |line: &str| serde_json::from_str(line).map_err(|error| format!("{line}: {error}").into());
    let figures = printed.lines().map(figure).collect::<Result<Vec<GoFigure>>>()?;
    Ok(Go { figures, why_not: None })
}

/// Runs a program, shows each line of both its outputs to `see`, and gives the standard output back. If it fails, the error
/// ends with what it said last.
fn watch(command: &mut Command, mut see: impl FnMut(&str)) -> Result<String> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
    let (sender, lines) = channel();
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let mut printed = String::new();
    let mut last = VecDeque::new();
    thread::scope(|scope| {
        let of_err = sender.clone();
        scope.spawn(move || send(out, &sender, true));
        scope.spawn(move || send(err, &of_err, false));
        for (line, to_out) in lines {
            see(&line);
            if to_out {
                printed.push_str(&line);
                printed.push('\n');
            }
            last.push_back(line);
            if last.len() > 20 {
                last.pop_front();
            }
        }
    });
    let status = child.wait()?;
    if status.success() {
        return Ok(printed);
    }
    Err(format!("{command:?}: {status}\n{}", Vec::from(last).join("\n")).into())
}

fn send(output: Option<impl Read>, lines: &Sender<(String, bool)>, to_out: bool) {
    for line in
        output.into_iter().flat_map(|output| BufReader::new(output).split(b'\n')).map_while(std::result::Result::ok)
    {
        // The other end reads until both senders are gone.
        if lines.send((String::from_utf8_lossy(&line).trim_end().to_owned(), to_out)).is_err() {
            return;
        }
    }
}
