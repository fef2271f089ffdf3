//! Measured: the results of a run, or why they cannot be used.
//!
//! In: the folder of a run and the fingerprint of the current code. Out: times, facts, CPU time and Go's figures. All
//! must be present, newer than the stamp, of this code, and with correct answers; otherwise the first exception is the
//! error.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::drift::{Drift, Pace};
use crate::error::Result;
use crate::folder::{Folder, baseline, recent};
use crate::stamp::Stamp;
use crate::time::{Time, median, of_passes};
use crate::turns::InTurns;

/// All data of the report.
#[derive(Debug)]
pub struct Measured {
    pub stamp: Stamp,
    /// The benches of the crate itself.
    pub own: Times,
    /// The benches of `benches/peers`.
    pub peers: Times,
    /// The number of passes through all readers and writers of the peers.
    pub passes: usize,
    pub facts: Facts,
    pub instructions: Instructions,
    /// How much the machine changed its pace.
    pub drift: Drift,
    pub cpu: Cpu,
    pub go: Go,
}

/// One way of a codec in one case: what every page, title and sentence has its numbers from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    pub time: Time,
    /// Of one message; `None` without valgrind, and outside of the regimes that are counted.
    pub instructions: Option<f64>,
}

/// The instructions of the peers' readers and writers for one message, or why they were not counted.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Instructions {
    /// By the ids of the times.
    pub counts: BTreeMap<String, f64>,
    pub why_not: Option<String>,
}

/// The list of measurements that one bench program announces.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Promise {
    /// `y3` or `peers`.
    pub package: String,
    pub bench: String,
    /// Whether its ways are measured in turns; otherwise by criterion.
    #[serde(default)]
    pub turns: bool,
    pub passes: usize,
    pub ids: Vec<String>,
}

/// Times by id, `group/way`, each with the bytes or the elements of one iteration; and the passes of what is measured in turns.
#[derive(Debug, Default)]
pub struct Times(BTreeMap<String, (Time, f64)>, BTreeMap<String, Vec<f64>>);

impl Times {
    pub fn get(&self, id: &str) -> Option<Time> {
        self.0.get(id).map(|(time, _)| *time)
    }

    pub fn ns(&self, id: &str) -> Option<f64> {
        self.get(id).map(|time| time.ns)
    }

    /// The bytes or the elements of one iteration, as the bench said.
    pub fn size(&self, id: &str) -> Option<f64> {
        self.0.get(id).map(|(_, size)| *size)
    }

    /// How many times as long one way takes as another of its group: the median, the lowest and the highest of the passes, in each of which
    /// both were measured side by side.
    pub fn ratio(&self, way: &str, other: &str) -> Option<Time> {
        let passes: Vec<f64> =
            self.1.get(way)?.iter().zip(self.1.get(other)?).map(|(way, other)| way / other).collect();
        of_passes(&passes)
    }

    pub fn all(&self) -> impl Iterator<Item = (&str, Time)> {
        self.0.iter().map(|(id, (time, _))| (id.as_str(), *time))
    }

    /// All ids that begin with a prefix: the rest of the id, and the time.
    pub fn below<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, Time)> {
        self.all().filter_map(move |(id, time)| Some((id.strip_prefix(prefix)?.strip_prefix('/')?, time)))
    }
}

/// What the facts program reports about each way to read and to write, and about whole structs.
#[derive(Debug, Deserialize)]
pub struct Facts {
    pub readers: Vec<Fact>,
    pub writers: Vec<Fact>,
    pub structs: Vec<StructFact>,
}

/// A codec's way to read a scenario, or to write the 63 pairs.
#[derive(Debug, Deserialize)]
pub struct Fact {
    /// The scenario of a reader; `None` for writers.
    pub scenario: Option<String>,
    pub codec: String,
    pub mode: String,
    pub way: String,
    pub safe: bool,
    pub danger: Option<String>,
    pub bytes: f64,
    pub allocations: f64,
    pub allocated: f64,
    pub answer: Value,
    pub expected: Value,
}

impl Fact {
    pub fn id(&self, regime: &str) -> String {
        match &self.scenario {
            Some(scenario) => format!("extract/{regime}/{scenario}/{}", self.name()),
            None => format!("encode/{regime}/C63/{}", self.name()),
        }
    }

    pub fn name(&self) -> String {
        format!("{} {}", self.codec, self.mode)
    }

    pub fn is_own(&self) -> bool {
        self.codec == "y3"
    }

    /// Whether the mode reads the first fields of a struct in their order: it cannot skip a field that it does not know.
    pub fn is_positional(&self) -> bool {
        self.mode.ends_with("first fields")
    }

    /// Whether the mode reads several messages at a time; in the scenario of a batch all do.
    pub fn is_batch(&self) -> bool {
        self.mode.starts_with("batch: ") || self.scenario.as_ref().is_some_and(|scenario| scenario.starts_with("batch"))
    }
}

/// The bytes and allocations of a case of the shoot-out.
#[derive(Debug, Deserialize)]
pub struct StructFact {
    pub group: String,
    pub name: String,
    pub bytes: f64,
    pub allocations: f64,
}

/// The case of the report's 63 pairs written.
pub const WRITTEN: &str = "63 pairs";

/// The regimes of all scenarios but batches and the recorded session.
pub const REGIMES: [&str; 4] = ["one-buffer", "one-buffer-texts", "keys-in-order", "rotating"];

/// The regimes in which a scenario is measured.
pub fn regimes(scenario: &str) -> &'static [&'static str] {
    match scenario {
        "session" => &["in-order"],
        _ if scenario.starts_with("batch") => &["in-order"],
        _ if scenario.starts_with("telemetry") => &["keys-in-order"],
        _ => &REGIMES,
    }
}

/// Both decoders in one loop, by the CPU time of the process.
#[derive(Debug, Deserialize)]
pub struct Cpu {
    pub rounds: f64,
    pub y3: Share,
    pub json: Share,
    pub ratio: f64,
}

#[derive(Debug, Deserialize)]
pub struct Share {
    pub cpu_ns: f64,
    pub share: f64,
}

/// The Go implementations, or why they were not measured.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Go {
    pub figures: Vec<GoFigure>,
    pub why_not: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct GoFigure {
    pub scenario: String,
    pub codec: String,
    pub mode: String,
    pub ns: f64,
    pub allocations: f64,
    pub bytes: f64,
    pub go: String,
    /// Of the codec's module.
    pub version: String,
}

impl Go {
    pub fn find(&self, scenario: &str, codec: &str, mode: &str) -> Option<&GoFigure> {
        self.figures.iter().find(|figure| figure.scenario == scenario && figure.codec == codec && figure.mode == mode)
    }
}

impl Measured {
    /// `fingerprint` is that of the current code.
    pub fn read(folder: &Folder, fingerprint: &str) -> Result<Measured> {
        let stamp = Stamp::read(&folder.stamp())?;
        if stamp.fingerprint != fingerprint {
            return Err("the code has changed since it was measured (the fingerprints differ): measure again".into());
        }
        if stamp.finished.is_none() {
            return Err("the last run of measurements broke off before its end: measure again".into());
        }
        let since = stamp.started();
        let promises: Vec<Promise> = json(&folder.promises(), since)?;
        let own = times(folder, "y3", &promises, since)?;
        let mut peers = times(folder, "peers", &promises, since)?;
        let in_turns = promises.iter().filter(|promise| promise.turns);
        let in_turns = in_turns.map(|promise| Ok((promise.bench.clone(), turns(folder, promise, &mut peers, since)?)));
        let in_turns = in_turns.collect::<Result<Vec<_>>>()?;
        let pace: Pace = json(&folder.pace(), since)?;
        let drift = Drift::new(&in_turns, &pace);
        let facts: Facts = json(&folder.facts(), since)?;
        facts.check(&peers)?;
        let instructions: Instructions = json(&folder.instructions(), since)?;
        if instructions.counts.is_empty() && instructions.why_not.is_none() {
            return Err(format!("{}: neither counts nor why there are none", folder.instructions().display()).into());
        }
        let cpu: Cpu = json(&folder.cpu(), since)?;
        let go: Go = json(&folder.go(), since)?;
        if go.figures.is_empty() && go.why_not.is_none() {
            return Err(format!("{}: neither figures nor why there are none", folder.go().display()).into());
        }
        let passes = promises.iter().map(|promise| promise.passes).max().unwrap_or(1);
        Ok(Measured { stamp, own, peers, passes, facts, instructions, drift, cpu, go })
    }

    /// The id of a reader or writer of the peers. `case` is a scenario (`C63-K32`), [`WRITTEN`], a task of editing (`patch`), or a group of
    /// whole structs, which have one regime, whatever is asked for; `reader` is the codec and its mode, `y3 find`.
    pub fn id(&self, case: &str, regime: &str, reader: &str) -> Option<String> {
        let group = match case {
            WRITTEN => format!("encode/{regime}/C63"),
            _ => format!("edit/{regime}/{case}"),
        };
        let ids =
            [format!("extract/{regime}/{case}/{reader}"), format!("{group}/{reader}"), format!("{case}/{reader}")];
        ids.into_iter().find(|id| self.peers.get(id).is_some())
    }

    /// The one figure of a reader or writer of the peers, by [`id`](Measured::id).
    pub fn figure(&self, case: &str, regime: &str, reader: &str) -> Option<Figure> {
        let id = self.id(case, regime, reader)?;
        Some(Figure { time: self.peers.get(&id)?, instructions: self.instructions.counts.get(&id).copied() })
    }

    /// The instructions that a reader or writer takes for a message, in the one regime in which they are counted: with its keys in
    /// order, or the only one of the case.
    pub fn instructions(&self, case: &str, reader: &str) -> Option<f64> {
        ["keys-in-order", "in-order"].iter().find_map(|regime| self.figure(case, regime, reader)?.instructions)
    }
}

impl Facts {
    /// Checks that every announced reader and writer was measured, that every measurement is known, and that all answers
    /// are right.
    fn check(&self, times: &Times) -> Result<()> {
        let mut known = BTreeSet::new();
        for fact in self.readers.iter().chain(&self.writers) {
            let (name, Fact { scenario, answer, expected, .. }) = (fact.name(), fact);
            if answer != expected {
                let what = match scenario {
                    Some(scenario) => format!("{name} answers {answer} in {scenario}"),
                    None => format!("what {name} has written reads as {answer}"),
                };
                return Err(format!("{what}, but {expected} is right").into());
            }
            let regimes = regimes(scenario.as_deref().unwrap_or("C63"));
            known.extend(regimes.iter().map(|regime| fact.id(regime)));
        }
        known.extend(self.structs.iter().map(|case| format!("{}/{}", case.group, case.name)));
        if let Some(missing) = known.iter().find(|id| times.get(id).is_none()) {
            return Err(format!("{missing}: the facts know it, but it was not measured").into());
        }
        // These benches have no facts.
        let without = ["scaling/", "floor/", "edit/"];
        let mut measured = times.0.keys().filter(|id| !without.iter().any(|prefix| id.starts_with(prefix)));
        if let Some(unknown) = measured.find(|id| !known.contains(*id)) {
            return Err(format!("{unknown}: measured, but the facts do not know it").into());
        }
        Ok(())
    }

    /// The scenarios, in the order of the facts.
    pub fn scenarios(&self) -> Vec<&str> {
        in_order(self.readers.iter().filter_map(|reader| reader.scenario.as_deref()))
    }

    pub fn of<'a>(&'a self, scenario: &'a str) -> impl Iterator<Item = &'a Fact> {
        self.readers.iter().filter(move |reader| reader.scenario.as_deref() == Some(scenario))
    }

    pub fn of_struct(&self, group: &str, name: &str) -> Option<&StructFact> {
        self.structs.iter().find(|case| case.group == group && case.name == name)
    }
}

/// Each name once, in the order of its first occurrence.
pub fn in_order<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut once = Vec::new();
    for name in names {
        if !once.contains(&name) {
            once.push(name);
        }
    }
    once
}

fn json<T: DeserializeOwned>(path: &Path, since: SystemTime) -> Result<T> {
    Ok(serde_json::from_slice(&recent(path, since)?).map_err(|error| format!("{}: {error}", path.display()))?)
}

#[derive(Deserialize)]
struct BenchmarkId {
    full_id: String,
    /// `{"Bytes": 12}` or `{"Elements": 1}`.
    throughput: Option<BTreeMap<String, f64>>,
}

/// Criterion's folders by the ids measured in them, with the size of an iteration; criterion replaces some characters in the names.
fn folders(path: &Path, found: &mut HashMap<String, (PathBuf, f64)>) -> Result<()> {
    for entry in fs::read_dir(path).map_err(|error| format!("missing measurements: {}: {error}", path.display()))? {
        let path = entry?.path();
        let id = path.join("benchmark.json");
        if id.is_file() {
            let id: BenchmarkId = serde_json::from_slice(&fs::read(&id)?)?;
            if let Some(parent) = path.parent() {
                let size = id.throughput.and_then(|sizes| sizes.into_values().next()).unwrap_or(1.0);
                found.insert(id.full_id, (parent.to_owned(), size));
            }
        } else if path.is_dir() {
            folders(&path, found)?;
        }
    }
    Ok(())
}

#[derive(Deserialize)]
struct Estimates {
    median: Estimate,
}

#[derive(Deserialize)]
struct Estimate {
    point_estimate: f64,
    confidence_interval: Interval,
}

#[derive(Deserialize)]
struct Interval {
    lower_bound: f64,
    upper_bound: f64,
}

/// All times that a package's benches announced.
fn times(folder: &Folder, package: &str, promises: &[Promise], since: SystemTime) -> Result<Times> {
    let mut found = HashMap::new();
    let mut times = Times::default();
    let by_criterion = || promises.iter().filter(|promise| promise.package == package && !promise.turns);
    if by_criterion().next().is_some() {
        folders(&folder.criterion(package), &mut found)?;
    }
    for promise in by_criterion() {
        for id in &promise.ids {
            let bench = &promise.bench;
            let missing = || format!("{id}: promised by the bench {bench}, but it was not measured");
            let (path, size) = found.get(id).ok_or_else(missing)?;
            let pass = |pass| json(&path.join(baseline(pass)).join("estimates.json"), since);
            let passes = (1..=promise.passes).map(pass).collect::<Result<Vec<Estimates>>>();
            let passes = passes.map_err(|error| format!("{id}: {error}"))?;
            times.0.insert(id.clone(), (middle(&passes).ok_or_else(missing)?, *size));
        }
    }
    Ok(times)
}

/// Adds the times of a bench that was measured in turns.
fn turns(folder: &Folder, promise: &Promise, times: &mut Times, since: SystemTime) -> Result<InTurns> {
    let bench = &promise.bench;
    let first = folder.turns(bench, 1);
    if !first.exists() {
        return Err(format!("missing measurements: {}", first.display()).into());
    }
    let measured = InTurns::read(folder, bench, since)?;
    let mut passes: HashMap<String, &Vec<f64>> = HashMap::new();
    for (group, turns) in &measured.groups {
        passes.extend(turns.ways.iter().map(|(way, passes)| (format!("{group}/{way}"), passes)));
    }
    for id in &promise.ids {
        let passes = passes.get(id).copied();
        let passes = passes.ok_or_else(|| format!("{id}: promised by the bench {bench}, but it was not measured"))?;
        if passes.len() < promise.passes {
            let lacks = promise.passes;
            return Err(format!("{id}: was not measured in pass-{lacks}, but in {} passes", passes.len()).into());
        }
        let time = of_passes(passes).ok_or_else(|| format!("{id}: no pass"))?;
        times.0.insert(id.clone(), (time, 1.0));
        times.1.insert(id.clone(), passes.clone());
    }
    Ok(measured)
}

fn middle(passes: &[Estimates]) -> Option<Time> {
    if let [pass] = passes {
        let Estimate { point_estimate: ns, confidence_interval: interval } = &pass.median;
        return Some(Time { ns: *ns, low: interval.lower_bound, high: interval.upper_bound });
    }
    let mut medians: Vec<f64> = passes.iter().map(|pass| pass.median.point_estimate).collect();
    medians.sort_by(f64::total_cmp);
    Some(Time { ns: median(&medians)?, low: *medians.first()?, high: *medians.last()? })
}
