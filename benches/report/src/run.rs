//! Run: runs every measurement as a child process, one after the other.
//!
//! In: the repository and a mode. Out: the figures.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::Result;
use crate::clock::{drifted, is_steady};
use crate::figures::Figures;
use crate::measured::{Measured, criterion, json};
use crate::stamp::{Mode, OWN_FEATURES, Stamp};
use crate::time::of_turns;

/// A bench program, and the arguments for a pass of it.
struct Bench {
    package: &'static str,
    name: &'static str,
    /// Whether its groups are measured in turns; otherwise by criterion, one way after the other.
    turns: bool,
    full: &'static [&'static str],
}

const fn turns(name: &'static str) -> Bench {
    Bench { package: "peers", name, turns: true, full: &["--rounds", "7", "--turn", "3"] }
}

const fn one_by_one(package: &'static str, name: &'static str) -> Bench {
    let full = &["--warm-up-time", "0.02", "--measurement-time", "0.08", "--sample-size", "20"];
    Bench { package, name, turns: false, full }
}

/// Enough to check that everything runs, and for a first look.
const QUICK_TURNS: &[&str] = &["--rounds", "5", "--turn", "1"];
const QUICK: &[&str] =
    &["--warm-up-time", "0.01", "--measurement-time", "0.04", "--sample-size", "10", "--nresamples", "200"];

/// All benches, in the order of a pass.
const BENCHES: [Bench; 10] = [
    turns("extract"),
    turns("shootout"),
    turns("edit"),
    one_by_one("y3", "extract"),
    // Longer samples: two threads that were just started share a core for some milliseconds.
    Bench {
        full: &["--warm-up-time", "0.05", "--measurement-time", "0.6", "--sample-size", "10"],
        ..one_by_one("y3", "parallel")
    },
    one_by_one("y3", "encode"),
    one_by_one("y3", "stream"),
    one_by_one("y3", "reach"),
    one_by_one("y3", "edit"),
    one_by_one("peers", "scaling"),
];

/// Each pass goes through all benches: minutes lie between two measurements of one way.
const PASSES: usize = 3;

/// What has drifted is measured again so many times at most, and not when measuring has taken so long already.
const AGAIN: usize = 2;
const LATEST: Duration = Duration::from_secs(12 * 60);

/// The programs that were built, by package and name.
type Programs = BTreeMap<(&'static str, String), PathBuf>;

fn root(repository: &Path, package: &str) -> PathBuf {
    if package == "y3" { repository.to_owned() } else { repository.join("benches").join(package) }
}

/// Measures everything. What the programs write goes to a folder, which is emptied first.
pub fn run(repository: &Path, folder: &Path, mode: Mode) -> Result<Figures> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    let mut stamp = Stamp::new(repository, mode)?;
    let programs = build(repository)?;
    let go = build_go(repository, &folder.join("go"));
    let mut run = Run { repository, programs, folder, mode, begun: Instant::now(), measured: Measured::default() };
    for pass in 1..=PASSES {
        for bench in BENCHES.iter().filter(|bench| pass <= passes(bench, mode)) {
            if bench.turns {
                run.in_turns(bench, pass, &[])?;
            } else {
                run.one_by_one(bench, pass)?;
            }
        }
    }
    for bench in BENCHES.iter().filter(|bench| bench.turns) {
        run.again(bench)?;
    }
    let quick: &[&str] = if mode == Mode::Quick { &["--quick"] } else { &[] };
    let (facts, counted, cpu) =
        (run.answer("facts", &[])?, run.answer("instructions", &[])?, run.answer("profile", quick)?);
    run.step("the Go implementations");
    let go = match go {
        Ok(program) => Ok(printed(Command::new(program).current_dir(repository.join(GO)).args(quick))?),
        Err(why_not) => Err(why_not),
    };
    stamp.finish();
    run.measured.figures(stamp, facts, counted, &cpu, go)
}

/// In the quick mode what criterion measures, which takes most of the time, has one pass.
fn passes(bench: &Bench, mode: Mode) -> usize {
    if mode == Mode::Full || bench.turns { PASSES } else { 1 }
}

/// Builds all programs first, so that no compiler runs during a measurement and all programs match the stamp.
fn build(repository: &Path) -> Result<Programs> {
    let mut programs = Programs::new();
    for package in ["y3", "peers"] {
        eprintln!("building the benches of {package}; the first time this takes some minutes");
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.current_dir(root(repository, package));
        command.args(["bench", "--locked", "--no-run", "--message-format=json-render-diagnostics"]);
        if package == "y3" {
            command.args(["--features", OWN_FEATURES]);
        }
        for bench in BENCHES.iter().filter(|bench| bench.package == package) {
            command.args(["--bench", bench.name]);
        }
        // Cargo builds the package's binaries with its benches, and shows its progress itself.
        for line in printed(command.stderr(Stdio::inherit()))?.lines() {
            let message: Value = serde_json::from_str(line)?;
            if let (Some(name), Some(path)) = (message["target"]["name"].as_str(), message["executable"].as_str()) {
                programs.insert((package, name.to_owned()), path.into());
            }
        }
    }
    Ok(programs)
}

/// A run so far.
struct Run<'a> {
    repository: &'a Path,
    programs: Programs,
    folder: &'a Path,
    mode: Mode,
    begun: Instant,
    measured: Measured,
}

impl Run<'_> {
    fn step(&self, name: &str) {
        eprintln!("{:3} minutes: {name}", self.begun.elapsed().as_secs() / 60);
    }

    /// A program, in the folder where cargo would run it.
    fn program(&self, package: &'static str, name: &str) -> Result<Command> {
        let built = self.programs.get(&(package, name.to_owned()));
        let mut command = Command::new(built.ok_or_else(|| format!("{package} has built no program {name}"))?);
        command.current_dir(root(self.repository, package));
        Ok(command)
    }

    /// What a program of the peers writes to the file that it is given.
    fn answer<T: DeserializeOwned>(&self, name: &str, arguments: &[&str]) -> Result<T> {
        self.step(name);
        let file = self.folder.join(name).with_extension("json");
        printed(self.program("peers", name)?.arg(&file).args(arguments))?;
        json(&file)
    }

    /// A pass of a bench whose ways alternate; of some groups only, if they are named.
    fn in_turns(&mut self, bench: &Bench, pass: usize, only: &[String]) -> Result<()> {
        self.step(&format!("bench {} of {}, pass {pass}", bench.name, bench.package));
        let mut command = self.program(bench.package, bench.name)?;
        let file = self.folder.join(format!("{}-{pass}.json", bench.name));
        command.args(["--bench", "--out"]).arg(&file);
        command.args(if self.mode == Mode::Full { bench.full } else { QUICK_TURNS });
        command.args(only.iter().flat_map(|group| ["--only", group]));
        printed(&mut command)?;
        self.measured.add_turns(bench.name, json(&file)?);
        Ok(())
    }

    /// Measures again the groups that have drifted.
    fn again(&mut self, bench: &Bench) -> Result<()> {
        for pass in PASSES + 1..=PASSES + AGAIN {
            let drifted = self.measured.turns.get(bench.name).map(drifted).unwrap_or_default();
            if drifted.is_empty() || self.begun.elapsed() > LATEST {
                break;
            }
            self.in_turns(bench, pass, &drifted)?;
        }
        Ok(())
    }

    /// A pass of a bench of criterion's, between two looks at the machine's clock; and once more while they differ.
    fn one_by_one(&mut self, bench: &Bench, pass: usize) -> Result<()> {
        let again = if self.mode == Mode::Full { AGAIN } else { 0 };
        let mut before = self.clock()?;
        for time in 0..=again {
            let ways = self.by_criterion(bench, pass)?;
            let after = self.clock()?;
            self.measured.clocks.extend([before, after]);
            if is_steady(before, after) || time == again || self.begun.elapsed() > LATEST {
                self.measured.add_pass(if bench.package == "y3" { "own/" } else { "" }, ways);
                break;
            }
            self.measured.passes_again += 1;
            before = after;
        }
        Ok(())
    }

    /// The nanoseconds and the size of an iteration by id.
    fn by_criterion(&self, bench: &Bench, pass: usize) -> Result<BTreeMap<String, (f64, Option<f64>)>> {
        let (package, name) = (bench.package, bench.name);
        self.step(&format!("bench {name} of {package}, pass {pass}"));
        let home = self.folder.join("criterion");
        if home.exists() {
            fs::remove_dir_all(&home)?;
        }
        let mut command = self.program(package, name)?;
        command.env("CRITERION_HOME", &home).args(["--bench", "--noplot", "--save-baseline", "pass"]);
        command.args(if self.mode == Mode::Full { bench.full } else { QUICK });
        printed(&mut command)?;
        let mut found = BTreeMap::new();
        criterion(&home, &mut found)?;
        Ok(found)
    }

    /// The machine's clock now: nanoseconds for one watch of the report's 63 values.
    fn clock(&self) -> Result<f64> {
        let mut command = self.program("peers", "extract")?;
        command.args(["--clock", "--rounds", "3", "--turn", "1"]);
        let turns: Vec<f64> = serde_json::from_str(&printed(&mut command)?)?;
        of_turns(&turns).ok_or_else(|| "the clock says nothing".into())
    }
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

/// What a program prints. If it fails, the error ends with what it said last.
fn printed(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8(output.stdout)?);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = said.lines().collect();
    Err(format!("{command:?}: {}\n{}", output.status, lines[lines.len().saturating_sub(20)..].join("\n")).into())
}
