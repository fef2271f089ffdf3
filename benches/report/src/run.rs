//! Run: runs all measurements as child processes, one after the other.

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

/// The benches of peers whose ways run in turns.
const IN_TURNS: [&str; 3] = ["extract", "shootout", "edit"];
const TURNS: &[&str] = &["--rounds", "7", "--turn", "3"];

/// A bench in which criterion measures one way after the other: its package, its name, and its arguments for a pass.
type OneByOne = (&'static str, &'static str, &'static [&'static str]);
const ONE_BY_ONE: [OneByOne; 7] = [
    ("y3", "extract", SHORT),
    // Needs longer samples, because two new threads share a core for some milliseconds.
    ("y3", "parallel", &["--warm-up-time", "0.05", "--measurement-time", "0.6", "--sample-size", "10"]),
    ("y3", "encode", SHORT),
    ("y3", "stream", SHORT),
    ("y3", "reach", SHORT),
    ("y3", "edit", SHORT),
    ("peers", "scaling", SHORT),
];
const SHORT: &[&str] = &["--warm-up-time", "0.02", "--measurement-time", "0.08", "--sample-size", "20"];

/// The arguments of a quick run, which checks that everything runs and gives rough figures.
const QUICK_TURNS: &[&str] = &["--rounds", "5", "--turn", "1"];
const QUICK: &[&str] =
    &["--warm-up-time", "0.01", "--measurement-time", "0.04", "--sample-size", "10", "--nresamples", "200"];

/// Each pass runs all benches, so there are minutes between two measurements of one way.
const PASSES: usize = 3;

/// The maximum number of times that a drifted group is measured again.
const AGAIN: usize = 2;
/// Nothing is measured again once a run has taken this long.
const LATEST: Duration = Duration::from_secs(12 * 60);

/// The paths of the built programs, by package and name.
type Programs = BTreeMap<(&'static str, String), PathBuf>;

fn root(repository: &Path, package: &str) -> PathBuf {
    if package == "y3" { repository.to_owned() } else { repository.join("benches").join(package) }
}

/// Measures everything. Empties `folder` first, and stores the files of all programs there.
pub fn run(repository: &Path, folder: &Path, mode: Mode) -> Result<Figures> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    let stamp = Stamp::new(repository, mode)?;
    let programs = build(repository)?;
    let go = build_go(repository, &folder.join("go"));
    let mut run = Run { repository, programs, folder, mode, begun: Instant::now(), measured: Measured::default() };
    for pass in 1..=PASSES {
        IN_TURNS.iter().try_for_each(|name| run.in_turns(name, pass, &[]))?;
        // A quick run has only one pass of the criterion benches, because these take most of the time.
        for bench in ONE_BY_ONE.iter().filter(|_| pass == 1 || mode == Mode::Full) {
            run.one_by_one(bench, pass)?;
        }
    }
    IN_TURNS.iter().try_for_each(|name| run.again(name))?;
    let quick: &[&str] = if mode == Mode::Quick { &["--quick"] } else { &[] };
    let (facts, counted, cpu) =
        (run.answer("facts", &[])?, run.answer("instructions", &[])?, run.answer("profile", quick)?);
    run.step("the Go implementations");
    let go = match go {
        Ok(program) => Ok(printed(Command::new(program).current_dir(repository.join(GO)).args(quick))?),
        Err(why_not) => Err(why_not),
    };
    run.measured.figures(stamp, facts, counted, &cpu, go)
}

/// Builds all programs before the first measurement. So no compiler runs during a measurement, and all programs match the stamp.
fn build(repository: &Path) -> Result<Programs> {
    let mut programs = Programs::new();
    for package in ["y3", "peers"] {
        eprintln!("building the benches of {package}; the first build takes some minutes");
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.current_dir(root(repository, package));
        command.args(["bench", "--locked", "--no-run", "--message-format=json-render-diagnostics"]);
        if package == "y3" {
            command.args(["--features", OWN_FEATURES]);
        }
        let of_peers = IN_TURNS.iter().map(|name| ("peers", *name));
        let all = of_peers.chain(ONE_BY_ONE.iter().map(|(package, name, _)| (*package, *name)));
        command.args(all.filter(|(of, _)| *of == package).flat_map(|(_, name)| ["--bench", name]));
        // Cargo builds the binaries of the package together with its benches. It writes its progress to standard error.
        for line in printed(command.stderr(Stdio::inherit()))?.lines() {
            let message: Value = serde_json::from_str(line)?;
            if let (Some(name), Some(path)) = (message["target"]["name"].as_str(), message["executable"].as_str()) {
                programs.insert((package, name.to_owned()), path.into());
            }
        }
    }
    Ok(programs)
}

/// The state of a run.
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

    /// A command for a program. It runs in the folder in which cargo would run the program.
    fn program(&self, package: &'static str, name: &str) -> Result<Command> {
        let built = self.programs.get(&(package, name.to_owned()));
        let mut command = Command::new(built.ok_or_else(|| format!("package {package} has no program {name}"))?);
        command.current_dir(root(self.repository, package));
        Ok(command)
    }

    /// Runs a program of peers, and reads the file that the program writes.
    fn answer<T: DeserializeOwned>(&self, name: &str, arguments: &[&str]) -> Result<T> {
        self.step(name);
        let file = self.folder.join(name).with_extension("json");
        printed(self.program("peers", name)?.arg(&file).args(arguments))?;
        json(&file)
    }

    /// Runs a pass of a bench in which ways run in turns. If `only` names groups, runs only these groups.
    fn in_turns(&mut self, name: &'static str, pass: usize, only: &[String]) -> Result<()> {
        self.step(&format!("bench {name} of peers, pass {pass}"));
        let mut command = self.program("peers", name)?;
        let file = self.folder.join(format!("{name}-{pass}.json"));
        command.args(["--bench", "--out"]).arg(&file);
        command.args(if self.mode == Mode::Full { TURNS } else { QUICK_TURNS });
        command.args(only.iter().flat_map(|group| ["--only", group]));
        printed(&mut command)?;
        self.measured.add_turns(name, json(&file)?);
        Ok(())
    }

    /// Measures the drifted groups again.
    fn again(&mut self, name: &'static str) -> Result<()> {
        for pass in PASSES + 1..=PASSES + AGAIN {
            let drifted = self.measured.turns.get(name).map(drifted).unwrap_or_default();
            if drifted.is_empty() || self.begun.elapsed() > LATEST {
                break;
            }
            self.in_turns(name, pass, &drifted)?;
        }
        Ok(())
    }

    /// Runs a pass of a criterion bench, and measures the clock before and after the pass. Repeats the pass if the two times differ.
    fn one_by_one(&mut self, bench: &OneByOne, pass: usize) -> Result<()> {
        let again = if self.mode == Mode::Full { AGAIN } else { 0 };
        let mut before = self.clock()?;
        for time in 0..=again {
            let ways = self.by_criterion(bench, pass)?;
            let after = self.clock()?;
            self.measured.clocks.extend([before, after]);
            if is_steady(before, after) || time == again || self.begun.elapsed() > LATEST {
                self.measured.add_pass(if bench.0 == "y3" { "own/" } else { "" }, ways);
                break;
            }
            self.measured.passes_again += 1;
            before = after;
        }
        Ok(())
    }

    /// Runs a criterion bench. Returns the nanoseconds of an iteration by id.
    fn by_criterion(&self, (package, name, full): &OneByOne, pass: usize) -> Result<BTreeMap<String, f64>> {
        self.step(&format!("bench {name} of {package}, pass {pass}"));
        let home = self.folder.join("criterion");
        if home.exists() {
            fs::remove_dir_all(&home)?;
        }
        let mut command = self.program(package, name)?;
        command.env("CRITERION_HOME", &home).args(["--bench", "--noplot", "--save-baseline", "pass"]);
        command.args(if self.mode == Mode::Full { full } else { QUICK });
        printed(&mut command)?;
        let mut found = BTreeMap::new();
        criterion(&home, &mut found)?;
        Ok(found)
    }

    /// Measures the clock: the nanoseconds in which y3 finds one of the report's 63 values.
    fn clock(&self) -> Result<f64> {
        let mut command = self.program("peers", "extract")?;
        command.args(["--clock", "--rounds", "3", "--turn", "1"]);
        let turns: Vec<f64> = serde_json::from_str(&printed(&mut command)?)?;
        of_turns(&turns).ok_or_else(|| "the clock printed no times".into())
    }
}

/// The folder of the Go program.
const GO: &str = "benches/peers/go";

/// Builds the Go program. If Go is not installed or the build fails, returns the reason.
fn build_go(repository: &Path, program: &Path) -> std::result::Result<PathBuf, String> {
    let mut command = Command::new("go");
    let built = command.current_dir(repository.join(GO)).args(["build", "-o"]).arg(program).arg(".").output();
    let output = built.map_err(|_| "Go is not installed".to_owned())?;
    if output.status.success() {
        return Ok(program.to_owned());
    }
    let error = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    eprintln!("the Go program cannot be built, so Go is not measured:\n{error}");
    Err(format!("`go build` fails: {}", error.lines().last().unwrap_or_default()))
}

/// Runs a program and returns its output. If the program fails, the error ends with the last lines of its standard error.
fn printed(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8(output.stdout)?);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = said.lines().collect();
    Err(format!("{command:?}: {}\n{}", output.status, lines[lines.len().saturating_sub(20)..].join("\n")).into())
}
