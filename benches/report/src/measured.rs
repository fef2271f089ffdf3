//! Measured: what the programs of a run have said, gathered.
//!
//! In: the passes of benches, and what other programs say of the same ways. Out: [`Figures`]; an error if a program knows a way that was
//! not measured.

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

/// What was measured so far.
#[derive(Debug, Default)]
pub struct Measured {
    /// The groups measured in turns, by bench.
    pub turns: BTreeMap<&'static str, BTreeMap<String, Turns>>,
    /// The machine's clock before and after the passes of benches measured by criterion, and how many passes were measured again.
    pub clocks: Vec<f64>,
    pub passes_again: usize,
    ways: BTreeMap<String, Figure>,
}

/// What a bench writes of a pass: here the numbers are those of turns.
#[derive(Debug, Deserialize)]
pub struct Pass {
    groups: BTreeMap<String, Turns>,
}

/// The instructions of the peers' ways for one message by id, or why they were not counted.
#[derive(Debug, Default, Deserialize)]
pub struct Counted {
    counts: BTreeMap<String, f64>,
    why_not: Option<String>,
}

/// A line of the Go program.
#[derive(Debug, Deserialize)]
struct GoFigure {
    scenario: String,
    codec: String,
    mode: String,
    ns: f64,
    allocations: f64,
    bytes: f64,
    go: String,
    /// Of the codec's module.
    version: String,
}

impl Measured {
    /// Adds a pass of a bench, or of some of its groups.
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

    /// Adds nanoseconds by id; `prefix` is that of the package.
    pub fn add_pass(&mut self, prefix: &str, ways: BTreeMap<String, f64>) {
        for (id, ns) in ways {
            self.ways.entry(format!("{prefix}{id}")).or_default().passes.push(ns);
        }
    }

    /// All figures. `facts` are what a message of each way takes but for its time; `go` is what the Go program printed, or why there is
    /// none.
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
            ways.remove(id).ok_or_else(|| format!("{id}: known to a program, but it was not measured"))
        };
        for (id, fact) in facts {
            let Figure { passes, .. } = measured(&mut ways, &id)?;
            ways.insert(id, Figure { passes, ..fact });
        }
        if counted.counts.is_empty() && counted.why_not.is_none() {
            return Err("neither instructions nor why there are none".into());
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

/// Adds what the Go program printed. Returns the versions.
fn add_go(printed: &str, ways: &mut BTreeMap<String, Figure>) -> Result<String> {
    let mut versions = BTreeSet::new();
    for line in printed.lines() {
        let figure = serde_json::from_str(line).map_err(|error| format!("{line}: {error}"))?;
        let GoFigure { scenario, codec, mode, ns, allocations, bytes, go, version } = figure;
        let numbers =
            [("allocations", allocations), ("allocated", bytes)].map(|(name, of)| (name.to_owned(), of)).into();
        let figure = Figure { passes: vec![ns], numbers, ..Figure::default() };
        ways.insert(format!("go/{scenario}/{codec}, {mode}"), figure);
        // Of Go's own JSON the version is that of Go.
        let module = codec.split(',').next().unwrap_or_default();
        versions.extend((version != go && !version.is_empty()).then(|| format!("{module} {version}")));
        versions.insert(go);
    }
    if versions.is_empty() {
        return Err("the Go program says nothing".into());
    }
    Ok(versions.into_iter().collect::<Vec<_>>().join(", "))
}

/// Reads a file of JSON.
pub fn json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let contents = fs::read(path).map_err(|error| format!("missing measurement: {}: {error}", path.display()))?;
    Ok(serde_json::from_slice(&contents).map_err(|error| format!("{}: {error}", path.display()))?)
}

/// Collects what criterion has written below a folder: the median by id.
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
