//! Support: the files of a small made-up run, of which tests break one thing.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use report::folder::Folder;
use report::measured::Measured;
use serde_json::{Value, json};

pub const FINGERPRINT: &str = "0123456789abcdef";

/// A name with characters that XML and Markdown have to escape.
pub const NASTY: &str = "rkyv <un&checked> \"|\"";

pub struct Made(pub Folder);

/// Readers and their times, as multiples of that of y3's `find`.
const READERS: [(&str, &str, f64, bool); 10] = [
    ("y3", "find", 1.0, true),
    ("y3", "PathSet", 1.2, true),
    ("y3", "hint", 0.5, true),
    ("serde_json", "Value", 90.0, true),
    ("capnp", "reader", 0.8, true),
    ("postcard", "first fields", 0.4, true),
    ("y3", "batch: first_each", 0.3, true),
    ("capnp", "batch: reader", 0.7, true),
    ("postcard", "batch: first fields", 0.1, true),
    ("rkyv", "<un&checked> \"|\"", 0.1, false),
];

const WRITERS: [(&str, &str); 2] = [("y3", "Encoder"), ("serde_json", "to_writer")];

/// No two regimes have the same times.
fn pace(regime: &str) -> f64 {
    match regime {
        "one-buffer" => 0.7,
        "one-buffer-texts" => 0.9,
        "rotating" => 1.4,
        "in-order" => 1.2,
        _ => 1.0,
    }
}

impl Made {
    /// A run in a folder for one test.
    pub fn new(test: &str) -> Made {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
        if folder.exists() {
            fs::remove_dir_all(&folder).unwrap();
        }
        let made = Made(Folder(folder));
        fs::create_dir_all(&made.0.0).unwrap();
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
        // The clock of files may be some milliseconds late.
        let started = now - 1;
        made.write(
            &made.0.stamp(),
            &json!({
                "started": started, "finished": now + 60, "mode": "full", "command": "cargo run", "commit": "abc", "cpu": "a processor",
                "processor": "family 25 model 17, Zen 4", "features": "std, derive", "cores": 2, "kernel": "a kernel", "rustc": "rustc 1", "flags": null, "fingerprint": FINGERPRINT,
                "peers": { "capnp": "1.2.3" },
            }),
        );
        made.facts();
        made.benches();
        made.write(
            &made.0.cpu(),
            &json!({
                "rounds": 1000, "y3": { "cpu_ns": 1000.0, "share": 0.01 }, "json": { "cpu_ns": 99_000.0, "share": 0.99 },
                "ratio": 99.0,
            }),
        );
        made.write(
            &made.0.instructions(),
            &json!({ "counts": { "extract/keys-in-order/C63-K32/y3 hint": 112.5, "extract/keys-in-order/C63-K32/capnp reader": 1_204.0, "encode/keys-in-order/C63/y3 Encoder": 700.0 }, "why_not": null }),
        );
        made.write(&made.0.go(), &json!({ "figures": [], "why_not": "Go is not installed" }));
        made
    }

    fn facts(&self) {
        let facts = |codec: &str, mode: &str| {
            json!({
                "scenario": null, "safe": true, "danger": null, "codec": codec, "mode": mode, "way": "recommended", "bytes": 212.5, "allocations": 1.5, "allocated": 64.0,
                "answer": u64::MAX, "expected": u64::MAX,
            })
        };
        let reader = |scenario: &str, (codec, mode, _, safe): &(&str, &str, f64, bool)| {
            let mut reader = facts(codec, mode);
            reader["scenario"] = scenario.into();
            reader["safe"] = (*safe).into();
            reader["danger"] = if *safe { Value::Null } else { "reads | anywhere".into() };
            reader
        };
        let readers: Vec<Value> = ["C63-K32", "session"]
            .iter()
            .flat_map(|scenario| READERS.iter().map(|described| reader(scenario, described)))
            .collect();
        let writers: Vec<Value> = WRITERS.iter().map(|(codec, mode)| facts(codec, mode)).collect();
        let structs = ["y3 serde", "prost"]
            .map(|name| json!({ "group": "message/encode", "name": name, "bytes": 29.0, "allocations": 0.0, "allocated": 0.0 }));
        self.write(&self.0.facts(), &json!({ "readers": readers, "writers": writers, "structs": structs }));
    }

    fn benches(&self) {
        let mut extract = Vec::new();
        for (codec, mode, times, _) in READERS {
            for group in [
                "one-buffer/C63-K32",
                "one-buffer-texts/C63-K32",
                "keys-in-order/C63-K32",
                "rotating/C63-K32",
                "in-order/session",
            ] {
                let regime = group.split('/').next().unwrap();
                extract.push((format!("extract/{group}/{codec} {mode}"), 30.0 * times * pace(regime)));
            }
        }
        for (codec, mode) in WRITERS {
            extract.extend(
                ["one-buffer", "one-buffer-texts", "keys-in-order", "rotating"]
                    .map(|regime| (format!("encode/{regime}/C63/{codec} {mode}"), 90.0 * pace(regime))),
            );
        }
        let mut scaling = Vec::new();
        for (name, short, long) in [("y3 find", 5.0, 6.0), ("serde_json typed, one field", 20.0, 300.0)] {
            scaling.push((format!("scaling/value/{name}/1"), short));
            scaling.push((format!("scaling/value/{name}/1024"), long));
        }
        for pairs in [0_u8, 1, 8, 62] {
            scaling.push((format!("scaling/pairs/y3 find/{pairs}"), 4.0 + f64::from(pairs)));
            scaling.push((format!("floor/load-add chain/{pairs}"), 0.5 + f64::from(pairs)));
        }
        let shootout = vec![("message/encode/y3 serde".to_owned(), 13.0), ("message/encode/prost".to_owned(), 15.0)];
        let mut own = Vec::new();
        for regime in ["one-buffer", "rotating"] {
            for name in ["hand", "y3 find", "y3 watch", "serde_json Value"] {
                own.push((format!("extract/{regime}/C63-K32/{name}"), 30.0));
            }
            for name in ["y3 watch, one thread", "y3 watch, all cores", "serde_json Value, one thread"] {
                own.push((format!("parallel/{regime}/C63-K32/{name}"), 30.0));
            }
        }
        own.extend([
            ("stream/values/64 B, 1% hits, 1000 packets/y3".to_owned(), 10_000.0),
            ("stream/values/64 B, 1% hits, 1000 packets/json lines, lazy".to_owned(), 200_000.0),
            ("stream/chunks/4 B, 1% hits, 1000 packets/y3/16".to_owned(), 50_000.0),
            ("reach/sets/constant, 8 paths".to_owned(), 1000.0),
            ("edit/redact-64k/63-texts/walk".to_owned(), 1000.0),
        ]);
        let edit = vec![
            ("edit/rotating/patch/y3 patch".to_owned(), 30.0),
            ("edit/rotating/patch/serde_json decode and encode".to_owned(), 900.0),
        ];
        let benches = [
            ("peers", "extract", 3, extract),
            ("peers", "edit", 3, edit),
            ("peers", "scaling", 1, scaling),
            ("peers", "shootout", 3, shootout),
            ("y3", "extract", 1, own),
        ];
        let mut promises = Vec::new();
        for (package, bench, passes, times) in benches {
            let turns = package == "peers" && bench != "scaling";
            for pass in 1..=passes {
                let at = |ns: f64| ns * (1.0 + 0.01 * f64::from(pass));
                if turns {
                    self.in_turns(bench, pass, times.iter().map(|(id, ns)| (id.as_str(), at(*ns))));
                } else {
                    for (id, ns) in &times {
                        self.measured(package, id, pass, at(*ns));
                    }
                }
            }
            let ids: Vec<&String> = times.iter().map(|(id, _)| id).collect();
            promises.push(json!({ "package": package, "bench": bench, "turns": turns, "passes": passes, "ids": ids }));
        }
        self.write(
            &self.0.pace(),
            &json!({ "clocks": [{ "bench": "scaling of peers", "pass": 1, "before": 30.0, "after": 36.0 }] }),
        );
        self.write(&self.0.promises(), &promises.into());
    }

    /// A pass of a bench whose ways alternate: three turns of each.
    fn in_turns<'a>(&self, bench: &str, pass: u8, times: impl Iterator<Item = (&'a str, f64)>) {
        let mut groups = serde_json::Map::new();
        for (id, ns) in times {
            let (group, way) = Self::parted(id);
            let group = groups.entry(group).or_insert_with(|| json!({ "clock": [30.0, 91.0, 30.5], "ways": {} }));
            group["ways"][way] = json!([ns * 3.0, ns, ns * 1.1]);
        }
        let file = self.0.turns(bench, pass.into());
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        self.write(&file, &json!({ "groups": groups }));
    }

    /// The group and the way of an id.
    pub fn parted(id: &str) -> (&str, &str) {
        // `<bench>/<regime>/<case>/<way>`; the groups of whole structs are `<what>/<task>`.
        let levels = if ["extract/", "encode/", "edit/"].iter().any(|bench| id.starts_with(bench)) { 3 } else { 2 };
        let at = id.match_indices('/').nth(levels - 1).expect("as many levels").0;
        (&id[..at], &id[at + 1..])
    }

    fn measured(&self, package: &str, id: &str, pass: u8, ns: f64) {
        let folder = self.pass(package, id, pass);
        fs::create_dir_all(&folder).unwrap();
        self.write(&folder.join("benchmark.json"), &json!({ "full_id": id, "throughput": { "Bytes": 80_000 } }));
        let interval = json!({ "lower_bound": ns * 0.99, "upper_bound": ns * 1.01 });
        let median = json!({ "point_estimate": ns, "confidence_interval": interval });
        self.write(&folder.join("estimates.json"), &json!({ "median": median }));
    }

    /// The folder of one pass of one measurement.
    pub fn pass(&self, package: &str, id: &str, pass: u8) -> PathBuf {
        let name = id.replace(['/', '<', '>', '"', '|'], "_");
        self.0.criterion(package).join(name).join(format!("pass-{pass}"))
    }

    pub fn write(&self, path: &Path, value: &Value) {
        assert!(path.starts_with(&self.0.0));
        fs::write(path, value.to_string()).unwrap();
    }

    /// Changes a file of JSON.
    pub fn change(&self, path: &Path, change: impl FnOnce(&mut Value)) {
        let mut value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        change(&mut value);
        self.write(path, &value);
    }

    /// Makes the file one hour old.
    pub fn age(&self, path: &Path) {
        assert!(path.starts_with(&self.0.0));
        let before = SystemTime::now() - Duration::from_secs(3600);
        File::options().write(true).open(path).unwrap().set_modified(before).unwrap();
    }

    pub fn read(&self) -> report::Result<Measured> {
        Measured::read(&self.0, FINGERPRINT)
    }

    /// The error for this run.
    pub fn error(&self) -> String {
        self.read().expect_err("it is broken").to_string()
    }
}
