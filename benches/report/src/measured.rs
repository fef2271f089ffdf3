//! Measured: combines the results of all programs of a run into [`Figures`].

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::Result;
use crate::clock::{Turns, steadiness};
use crate::figures::{Figure, Figures};
use crate::scenario::{PUBLISHED, PUBLISHED_CPU};
use crate::stamp::Stamp;
use crate::time::of_turns;

/// The results so far.
#[derive(Debug, Default)]
pub struct Measured {
    /// The groups that were measured in turns, by bench.
    pub turns: BTreeMap<&'static str, BTreeMap<String, Turns>>,
    /// The times of the clock before and after each pass of a criterion bench.
    pub clocks: Vec<f64>,
    /// The number of passes of criterion benches that were measured again.
    pub passes_again: usize,
    ways: BTreeMap<String, Figure>,
}

/// The file that a bench writes in a pass. Its numbers are the times of turns.
#[derive(Debug, Deserialize)]
pub struct Pass {
    groups: BTreeMap<String, Turns>,
}

/// The instructions per message of the ways of peers, by id, or the reason why they were not counted.
#[derive(Debug, Default, Deserialize)]
pub struct Counted {
    counts: BTreeMap<String, f64>,
    why_not: Option<String>,
}

/// A line of the output of the Go program.
#[derive(Debug, Deserialize)]
struct GoFigure {
    scenario: String,
    codec: String,
    mode: String,
    ns: f64,
    allocations: f64,
    bytes: f64,
    go: String,
    /// The version of the codec's module.
    version: String,
}

impl Measured {
    /// Adds a pass of a bench. A pass may have only some of the bench's groups.
    pub fn add_turns(&mut self, bench: &'static str, pass: Pass) {
        let groups = self.turns.entry(bench).or_default();
        for (name, turns) in pass.groups {
            let group = groups.entry(name).or_default();
            group.clock.extend(of_turns(&turns.clock));
            for (way, turns) in turns.ways {
                group.ways.entry(way).or_default().extend(of_turns(&turns));
            }
        }
    }

    /// Adds the nanoseconds of a pass by id, after putting `prefix` before each id.
    pub fn add_pass(&mut self, prefix: &str, ways: BTreeMap<String, f64>) {
        for (id, ns) in ways {
            self.ways.entry(format!("{prefix}{id}")).or_default().passes.push(ns);
        }
    }

    /// Returns all figures. `facts` has the bytes, allocations and dangers of each way. `go` is the output of the Go program, or the
    /// reason why it did not run.
    ///
    /// # Errors
    /// A program names a way that was not measured, or a result is missing.
    pub fn figures(
        self,
        stamp: Stamp,
        facts: BTreeMap<String, Figure>,
        counted: Counted,
        cpu: &Value,
        go: std::result::Result<String, String>,
    ) -> Result<Figures> {
        let steadiness = steadiness(&self.turns, &self.clocks, self.passes_again);
        let mut ways = self.ways;
        for (group, turns) in self.turns.into_values().flatten() {
            let figure = |(way, passes)| (format!("{group}/{way}"), Figure { passes, ..Figure::default() });
            ways.extend(turns.ways.into_iter().map(figure));
        }
        let measured = |ways: &mut BTreeMap<String, Figure>, id: &str| {
            ways.remove(id).ok_or_else(|| format!("{id}: known to a program, but not measured"))
        };
        for (id, fact) in facts {
            let Figure { passes, .. } = measured(&mut ways, &id)?;
            ways.insert(id, Figure { passes, ..fact });
        }
        if counted.counts.is_empty() && counted.why_not.is_none() {
            return Err("neither instructions nor the reason why they were not counted".into());
        }
        for (id, count) in counted.counts {
            let mut figure = measured(&mut ways, &id)?;
            figure.numbers.insert("instructions".to_owned(), count);
            ways.insert(id, figure);
        }
        let mut add = |id: String, ns: f64| drop(ways.insert(id, Figure { passes: vec![ns], ..Figure::default() }));
        for name in ["y3", "json"] {
            add(format!("cpu/{name}"), cpu[name]["cpu_ns"].as_f64().ok_or("no CPU time")?);
        }
        for (scenario, y3, json) in PUBLISHED.into_iter().chain([PUBLISHED_CPU]) {
            add(format!("2020/{scenario}/Y3"), y3);
            add(format!("2020/{scenario}/JSON"), json);
        }
        let go = match go {
            Ok(printed) => add_go(&printed, &mut ways)?,
            Err(why_not) => format!("not measured: {why_not}"),
        };
        Ok(Figures { stamp, steadiness, go, uncounted: counted.why_not, ways })
    }
}

/// Adds the output of the Go program. Returns the versions of Go and of its modules.
fn add_go(printed: &str, ways: &mut BTreeMap<String, Figure>) -> Result<String> {
    let mut versions = BTreeSet::new();
    for line in printed.lines() {
        let figure = serde_json::from_str(line).map_err(|error| format!("{line}: {error}"))?;
        let GoFigure { scenario, codec, mode, ns, allocations, bytes, go, version } = figure;
        let numbers =
            [("allocations", allocations), ("allocated", bytes)].map(|(name, of)| (name.to_owned(), of)).into();
        let figure = Figure { passes: vec![ns], numbers, ..Figure::default() };
        ways.insert(format!("go/{scenario}/{codec}, {mode}"), figure);
        // The version of encoding/json is the version of Go.
        let module = codec.split(',').next().unwrap_or_default();
        versions.extend((version != go && !version.is_empty()).then(|| format!("{module} {version}")));
        versions.insert(go);
    }
    if versions.is_empty() {
        return Err("the Go program printed nothing".into());
    }
    Ok(versions.into_iter().collect::<Vec<_>>().join(", "))
}

/// Reads a JSON file.
pub fn json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let contents = fs::read(path).map_err(|error| format!("missing measurement: {}: {error}", path.display()))?;
    Ok(serde_json::from_slice(&contents).map_err(|error| format!("{}: {error}", path.display()))?)
}

/// Collects the medians by id from the files that criterion wrote below a folder.
pub fn criterion(folder: &Path, found: &mut BTreeMap<String, f64>) -> Result<()> {
    for entry in fs::read_dir(folder).map_err(|error| format!("missing measurements: {}: {error}", folder.display()))? {
        let path = entry?.path();
        if path.join("benchmark.json").is_file() {
            let [id, estimates]: [Value; 2] =
                [json(&path.join("benchmark.json"))?, json(&path.join("estimates.json"))?];
            let median = estimates["median"]["point_estimate"].as_f64().ok_or("criterion has no median")?;
            found.insert(id["full_id"].as_str().ok_or("criterion names no id")?.to_owned(), median);
        } else if path.is_dir() {
            criterion(&path, found)?;
        }
    }
    Ok(())
}
