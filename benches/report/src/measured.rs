//! Measured: the results of a run, or why they cannot be used.
//!
//! In: the folder of a run and the fingerprint of the current code. Out: its [`Figures`]. All must be present, newer than the stamp, of
//! this code, and with correct answers; otherwise the first exception is the error.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Result;
use crate::clock::{Clock, Steadiness, Turns};
use crate::figures::{Figure, Figures};
use crate::scenario::{PUBLISHED, regimes};
use crate::stamp::Stamp;
use crate::time::of_turns;

/// The folder of a run.
#[derive(Clone, Debug)]
pub struct Folder(pub PathBuf);

impl Folder {
    /// `stamp`, `promises`, `facts`, `instructions`, `cpu`, `go` or `clocks`.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name).with_extension("json")
    }

    /// A pass of a bench that is measured in turns.
    pub fn turns(&self, bench: &str, pass: usize) -> PathBuf {
        self.0.join("turns").join(bench).join(format!("pass-{pass}.json"))
    }

    /// Criterion's folder for a package, so that groups of the same name do not mix.
    pub fn criterion(&self, package: &str) -> PathBuf {
        self.0.join("criterion").join(package)
    }

    pub fn write(&self, name: &str, value: &impl Serialize) -> Result<()> {
        Ok(fs::write(self.file(name), serde_json::to_string_pretty(value)?)?)
    }
}

/// Criterion's name for the results of a pass.
pub fn baseline(pass: usize) -> String {
    format!("pass-{pass}")
}

/// The list of measurements that one bench program announces.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Promise {
    /// `y3` or `peers`.
    pub package: String,
    pub bench: String,
    /// Whether its ways are measured in turns; otherwise by criterion.
    pub turns: bool,
    pub passes: usize,
    pub ids: Vec<String>,
}

impl Promise {
    /// The id in [`Figures`].
    fn id(&self, id: &str) -> String {
        if self.package == "y3" { format!("own/{id}") } else { id.to_owned() }
    }
}

/// The instructions of the peers' ways for one message by id, or why they were not counted.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Instructions {
    counts: BTreeMap<String, f64>,
    why_not: Option<String>,
}

/// What the facts program reports about each way to read and to write, and about whole structs.
#[derive(Debug, Deserialize)]
struct Facts {
    readers: Vec<Fact>,
    writers: Vec<Fact>,
    structs: Vec<StructFact>,
}

/// A codec's way to read a scenario, or to write the 63 pairs.
#[derive(Debug, Deserialize)]
struct Fact {
    /// The scenario of a reader; `None` for writers.
    scenario: Option<String>,
    codec: String,
    mode: String,
    danger: Option<String>,
    bytes: f64,
    allocations: f64,
    allocated: f64,
    answer: Value,
    expected: Value,
}

#[derive(Debug, Deserialize)]
struct StructFact {
    group: String,
    name: String,
    bytes: f64,
    allocations: f64,
}

/// Both decoders in one loop, by the CPU time of the process.
#[derive(Debug, Deserialize)]
struct Cpu {
    y3: Share,
    json: Share,
}

#[derive(Debug, Deserialize)]
struct Share {
    cpu_ns: f64,
}

/// The Go implementations, or why they were not measured.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Go {
    pub figures: Vec<GoFigure>,
    pub why_not: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct GoFigure {
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

/// What a bench writes of a pass: here the numbers are those of turns.
#[derive(Deserialize)]
struct Pass {
    groups: BTreeMap<String, Turns>,
}

/// Reads a run. `fingerprint` is that of the current code.
pub fn read(folder: &Folder, fingerprint: &str) -> Result<Figures> {
    let stamp = Stamp::read(&folder.file("stamp"))?;
    if stamp.fingerprint != fingerprint {
        return Err("the code has changed since it was measured (the fingerprints differ): measure again".into());
    }
    if stamp.finished.is_none() {
        return Err("the last run of measurements broke off before its end: measure again".into());
    }
    let since = stamp.started();
    let file = |name| folder.file(name);
    let promises: Vec<Promise> = json(&file("promises"), since)?;
    let mut ways = BTreeMap::new();
    let mut in_turns = Vec::new();
    for promise in &promises {
        if promise.turns {
            in_turns.push((promise.bench.clone(), passes_of_turns(folder, promise, &mut ways, since)?));
        } else {
            passes_of_criterion(folder, promise, &mut ways, since)?;
        }
    }
    let clocks: Vec<Clock> = json(&file("clocks"), since)?;
    let passes = promises.iter().map(|promise| promise.passes).max().unwrap_or(1);
    let steadiness = Steadiness::new(&in_turns, &clocks, passes);
    add_facts(&json(&file("facts"), since)?, &mut ways)?;

    let Instructions { counts, why_not: uncounted } = json(&file("instructions"), since)?;
    if counts.is_empty() && uncounted.is_none() {
        return Err(format!("{}: neither counts nor why there are none", file("instructions").display()).into());
    }
    for (id, count) in counts {
        let way = ways.get_mut(&id).ok_or_else(|| format!("{id}: counted, but it was not measured"))?;
        way.instructions = Some(count);
    }
    let mut add = |id: String, ns: f64| drop(ways.insert(id, Figure { passes: vec![ns], ..Figure::default() }));
    let cpu: Cpu = json(&file("cpu"), since)?;
    add("cpu/y3".to_owned(), cpu.y3.cpu_ns);
    add("cpu/json".to_owned(), cpu.json.cpu_ns);
    for (scenario, y3, json) in PUBLISHED {
        add(format!("2020/{scenario}/Y3"), y3);
        add(format!("2020/{scenario}/JSON"), json);
    }
    let go: Go = json(&file("go"), since)?;
    let mut versions = BTreeSet::new();
    for GoFigure { scenario, codec, mode, ns, allocations, bytes, go, version } in go.figures {
        let way = ways.entry(format!("go/{scenario}/{codec}, {mode}")).or_default();
        (way.passes, way.allocations, way.allocated) = (vec![ns], Some(allocations), Some(bytes));
        // Of Go's own JSON the version is that of Go.
        let module = codec.split(',').next().unwrap_or_default();
        versions.extend((version != go && !version.is_empty()).then(|| format!("{module} {version}")));
        versions.insert(go);
    }
    let go = match go.why_not {
        Some(why_not) => format!("not measured: {why_not}"),
        None if versions.is_empty() => return Err("go.json: neither figures nor why there are none".into()),
        None => versions.into_iter().collect::<Vec<_>>().join(", "),
    };
    Ok(Figures { stamp, steadiness, go, uncounted, ways })
}

/// Adds what the facts know of a way. Every way that they know has to be measured, each that is measured has to be known, and all answers
/// have to be right.
fn add_facts(facts: &Facts, ways: &mut BTreeMap<String, Figure>) -> Result<()> {
    let mut known = BTreeSet::new();
    let mut add = |id: String, bytes, allocations, allocated, danger: Option<&String>| {
        let missing = || format!("{id}: the facts know it, but it was not measured");
        let way = ways.get_mut(&id).ok_or_else(missing)?;
        (way.bytes, way.allocations, way.allocated) = (Some(bytes), Some(allocations), allocated);
        way.danger = danger.cloned();
        known.insert(id);
        Ok::<(), String>(())
    };
    for fact in facts.readers.iter().chain(&facts.writers) {
        let Fact { scenario, codec, mode, answer, expected, .. } = fact;
        if answer != expected {
            let what = match scenario {
                Some(scenario) => format!("{codec} {mode} answers {answer} in {scenario}"),
                None => format!("what {codec} {mode} has written reads as {answer}"),
            };
            return Err(format!("{what}, but {expected} is right").into());
        }
        for regime in regimes(scenario.as_deref().unwrap_or_default()) {
            let group = match scenario {
                Some(scenario) => format!("extract/{regime}/{scenario}"),
                None => format!("encode/{regime}/C63"),
            };
            let id = format!("{group}/{codec} {mode}");
            add(id, fact.bytes, fact.allocations, Some(fact.allocated), fact.danger.as_ref())?;
        }
    }
    for StructFact { group, name, bytes, allocations } in &facts.structs {
        add(format!("{group}/{name}"), *bytes, *allocations, None, None)?;
    }
    // These benches have no facts.
    let without = ["own/", "scaling/", "floor/", "edit/"];
    let mut measured = ways.keys().filter(|id| !without.iter().any(|prefix| id.starts_with(prefix)));
    match measured.find(|id| !known.contains(*id)) {
        Some(unknown) => Err(format!("{unknown}: measured, but the facts do not know it").into()),
        None => Ok(()),
    }
}

fn json<T: DeserializeOwned>(path: &Path, since: SystemTime) -> Result<T> {
    let contents = fs::read(path).map_err(|error| format!("missing measurement: {}: {error}", path.display()))?;
    if fs::metadata(path)?.modified()? < since {
        return Err(format!("{} is older than the run it should belong to: measure again", path.display()).into());
    }
    Ok(serde_json::from_slice(&contents).map_err(|error| format!("{}: {error}", path.display()))?)
}

/// All passes of a bench that is measured in turns; a later one may have some of the groups only.
pub fn turns(folder: &Folder, bench: &str, since: SystemTime) -> Result<BTreeMap<String, Turns>> {
    let mut all: BTreeMap<String, Turns> = BTreeMap::new();
    for file in (1..).map(|pass| folder.turns(bench, pass)).take_while(|file| file.exists()) {
        for (name, turns) in json::<Pass>(&file, since)?.groups {
            let group = all.entry(name).or_default();
            group.clock.extend(of_turns(&turns.clock));
            for (way, turns) in turns.ways {
                group.ways.entry(way).or_default().extend(of_turns(&turns));
            }
        }
    }
    Ok(all)
}

fn passes_of_turns(
    folder: &Folder,
    promise: &Promise,
    ways: &mut BTreeMap<String, Figure>,
    since: SystemTime,
) -> Result<BTreeMap<String, Turns>> {
    let groups = turns(folder, &promise.bench, since)?;
    for id in &promise.ids {
        let way = id.rsplit_once('/').and_then(|(group, way)| groups.get(group)?.ways.get(way));
        let passes = way.map_or(&[][..], Vec::as_slice);
        if passes.len() < promise.passes {
            let lacks = promise.passes;
            return Err(format!("{id}: was not measured in pass-{lacks}, but in {} passes", passes.len()).into());
        }
        ways.insert(promise.id(id), Figure { passes: passes.to_vec(), ..Figure::default() });
    }
    Ok(groups)
}

#[derive(Deserialize)]
struct BenchmarkId {
    full_id: String,
    /// `{"Bytes": 12}` or `{"Elements": 1}`.
    throughput: Option<BTreeMap<String, f64>>,
}

#[derive(Deserialize)]
struct Estimates {
    median: Estimate,
}

#[derive(Deserialize)]
struct Estimate {
    point_estimate: f64,
}

/// Criterion's folders by the ids measured in them, with the size of an iteration; criterion replaces some characters in the names.
fn folders(path: &Path, found: &mut HashMap<String, (PathBuf, Option<f64>)>) -> Result<()> {
    for entry in fs::read_dir(path).map_err(|error| format!("missing measurements: {}: {error}", path.display()))? {
        let path = entry?.path();
        let id = path.join("benchmark.json");
        if id.is_file() {
            let id: BenchmarkId = serde_json::from_slice(&fs::read(&id)?)?;
            if let Some(parent) = path.parent() {
                let size = id.throughput.and_then(|sizes| sizes.into_values().next());
                found.insert(id.full_id, (parent.to_owned(), size));
            }
        } else if path.is_dir() {
            folders(&path, found)?;
        }
    }
    Ok(())
}

fn passes_of_criterion(
    folder: &Folder,
    promise: &Promise,
    ways: &mut BTreeMap<String, Figure>,
    since: SystemTime,
) -> Result<()> {
    let mut found = HashMap::new();
    folders(&folder.criterion(&promise.package), &mut found)?;
    for id in &promise.ids {
        let missing = || format!("{id}: promised by the bench {}, but it was not measured", promise.bench);
        let (path, size) = found.get(id).ok_or_else(missing)?;
        let pass = |pass| json(&path.join(baseline(pass)).join("estimates.json"), since);
        let passes: Result<Vec<Estimates>> = (1..=promise.passes).map(pass).collect();
        let passes = passes.map_err(|error| format!("{id}: {error}"))?;
        let passes = passes.iter().map(|pass| pass.median.point_estimate).collect();
        ways.insert(promise.id(id), Figure { passes, size: *size, ..Figure::default() });
    }
    Ok(())
}
