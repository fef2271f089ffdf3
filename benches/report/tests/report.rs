//! The report: the results of programs become figures, and figures become verdicts. The pages in docs/report are the hand-written pages
//! with the figures filled in.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use report::clock::drifted;
use report::compare::{MACHINES, Verdicts, compared};
use report::figures::{Figure, Figures};
use report::fill::filled;
use report::measured::{Measured, criterion};
use report::pages::{Named, PAGES, README};
use report::stamp::{MEASURED, commit};
use report::tables;
use report::time::{Time, of_passes};
use report::verdict::{Case, Class, Place, Standing, cases};
use serde_json::{Value, from_value, json};

const GROUP: &str = "extract/keys-in-order/telemetry-63";
const SESSION: &str = "extract/in-order/session";

/// Ways to read one value: their names, their nanoseconds, and what hostile input can cause.
const READERS: [(&str, f64, Option<&str>); 7] = [
    ("y3 find", 30.0, None),
    ("y3 hint", 15.0, None),
    ("y3 batch: find", 9.0, None),
    ("capnp reader", 24.0, None),
    ("postcard first fields", 12.0, None),
    ("rkyv unchecked", 3.0, Some("reads | anywhere")),
    ("serde_json Value", 2700.0, None),
];

/// Three passes of two groups. `change` changes the group [`SESSION`] in the second pass.
fn measured(change: impl FnOnce(&mut Value)) -> Measured {
    let mut measured = Measured::default();
    let mut change = Some(change);
    for pass in 1..=3 {
        let turns = READERS.iter().map(|(way, ns, _)| (*way, [ns * (1.0 + f64::from(pass) / 100.0); 3]));
        let group = json!({ "clock": [30.0, 30.0, 30.0], "ways": turns.collect::<BTreeMap<_, _>>() });
        let mut written = json!({ "groups": { GROUP: group, SESSION: group } });
        if let Some(change) = change.take_if(|_| pass == 2) {
            change(&mut written["groups"][SESSION]);
        }
        measured.add_turns("extract", from_value(written).unwrap());
        measured.add_pass("own/", [("shapes/y3 find".to_owned(), 40.0)].into());
    }
    measured
}

/// The results of the other programs of a run.
struct Said {
    facts: Value,
    counted: Value,
    cpu: Value,
    go: Result<String, String>,
}

impl Said {
    fn new() -> Said {
        let fact = |danger| json!({ "bytes": 212.5, "allocations": 1.5, "allocated": 64.0, "danger": danger });
        let of = |group| READERS.iter().map(move |(way, _, danger)| (format!("{group}/{way}"), fact(*danger)));
        Said {
            facts: of(GROUP).chain(of(SESSION)).collect(),
            counted: json!({ "counts": { format!("{GROUP}/y3 find"): 112.5 }, "why_not": null }),
            cpu: json!({ "y3": { "cpu_ns": 1.0 }, "json": { "cpu_ns": 99.0 } }),
            go: Err("Go is not installed".to_owned()),
        }
    }

    fn figures(self) -> report::Result<Figures> {
        let stamp = json!({
            "started": 1, "finished": 2, "mode": "full", "commit": "abc", "cpu": "a processor", "processor": "", "features": "std",
            "cores": 2, "kernel": "k", "rustc": "r", "flags": null, "peers": {},
        });
        let (stamp, facts, counted) = (from_value(stamp)?, from_value(self.facts)?, from_value(self.counted)?);
        measured(|_| ()).figures(stamp, facts, counted, &self.cpu, self.go)
    }
}

#[test]
fn what_programs_said_becomes_figures() {
    let figures = Said::new().figures().unwrap();
    let (way, figure, time) = figures.find(&format!("{SESSION}/y3*")).unwrap();
    assert_eq!((way, figure.numbers["bytes"], time.low < time.ns && time.ns < time.high), ("y3 hint", 212.5, true));
    let other = figures.find(&format!("{SESSION}/others*")).unwrap();
    assert_eq!(other.0, "capnp reader", "ways that read the first fields or that hostile input can harm are left out");
    assert_eq!(figures.ways.values().filter_map(|way| way.numbers.get("instructions")).collect::<Vec<_>>(), [&112.5]);
    assert_eq!(figures.ways["own/shapes/y3 find"].passes, [40.0; 3]);
    assert!(figures.get("2020/C63-K32/Y3").is_some());
    assert_eq!(figures.go, "not measured: Go is not installed");
}

/// A change that makes a result wrong, and words of the expected error.
type Fault = (fn(&mut Said), &'static str);

#[test]
fn what_is_said_of_something_else_or_not_at_all_is_an_error() {
    let faults: [Fault; 5] = [
        (|said| said.facts["a/b"] = json!({}), "a/b: known to a program"),
        (|said| said.counted["counts"]["a/b"] = json!(1.0), "a/b: known to a program"),
        (|said| said.counted = json!({ "counts": {} }), "neither instructions nor the reason"),
        (|said| said.cpu = json!({ "y3": { "cpu_ns": 1.0 } }), "no CPU time"),
        (|said| said.go = Ok(String::new()), "the Go program printed nothing"),
    ];
    for (break_it, words) in faults {
        let mut said = Said::new();
        break_it(&mut said);
        let error = said.figures().expect_err(words).to_string();
        assert!(error.contains(words), "{words}: {error}");
    }
}

#[test]
fn criterions_medians_are_read_by_id() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("criterion");
    let _ = fs::remove_dir_all(&folder);
    let mut found = BTreeMap::new();
    assert!(criterion(&folder, &mut found).unwrap_err().to_string().contains("missing measurements"));
    let pass = folder.join("a_b").join("pass");
    fs::create_dir_all(&pass).unwrap();
    fs::write(pass.join("benchmark.json"), r#"{ "full_id": "a/b" }"#).unwrap();
    fs::write(pass.join("estimates.json"), r#"{ "median": { "point_estimate": 40.5 } }"#).unwrap();
    criterion(&folder, &mut found).unwrap();
    assert_eq!(found, [("a/b".to_owned(), 40.5)].into());
}

#[test]
fn the_three_passes_that_lie_closest_together_count() {
    let of = |passes: &[f64]| of_passes(passes).map(|time| [time.low, time.ns, time.high]);
    assert_eq!(of(&[3.0, 1.0, 2.0]), Some([1.0, 2.0, 3.0]));
    assert_eq!(of(&[30.0, 31.0, 62.0, 32.0]), Some([30.0, 31.0, 32.0]));
    assert_eq!(of(&[62.0, 30.0, 61.0, 63.0, 31.0]), Some([61.0, 62.0, 63.0]));
    assert_eq!((of(&[5.0]), of(&[])), (Some([5.0, 5.0, 5.0]), None));
}

#[test]
fn a_group_drifts_if_its_clock_or_a_way_near_the_top_does() {
    let drifts = |way: &str, turns: [f64; 3]| {
        let measured = measured(|group| {
            *if way == "clock" { &mut group["clock"] } else { &mut group["ways"][way] } = json!(turns);
        });
        drifted(&measured.turns["extract"]) == [SESSION]
    };
    assert!(!drifts("y3 hint", [15.0, 15.4, 15.9]));
    assert!(drifts("y3 hint", [18.0, 18.4, 30.0]));
    assert!(!drifts("serde_json Value", [9e3, 9e3, 9e3]), "the way is not near the top");
    assert!(drifts("clock", [40.0, 40.4, 41.0]));
    assert!(!drifts("clock", [90.0, 30.0, 31.0]), "one disturbed turn has no effect");
}

fn case(own: f64, other: f64, [low, ns, high]: [f64; 3]) -> Case {
    let place = |ns: f64| Place { name: "a way".to_owned(), time: Time { ns, low: ns, high: ns } };
    let [what, regime] = ["C63-K32", "rotating"].map(str::to_owned);
    Case {
        class: Class::Value,
        what,
        regime,
        own: place(own),
        other: place(other),
        ratio: Time { ns, low, high },
        floor: None,
    }
}

#[test]
fn a_case_stands_as_its_digits_say() {
    let standings = [
        (case(100.0, 120.0, [1.19, 1.2, 1.21]), Standing::First),
        (case(100.0, 80.0, [0.79, 0.8, 0.81]), Standing::Behind),
        (case(100.0, 105.0, [1.05, 1.05, 1.05]), Standing::Tie),
        (case(100.0, 106.0, [1.06, 1.06, 1.06]), Standing::First),
        (case(100.0, 95.0, [0.95, 0.95, 0.95]), Standing::Tie),
        (case(100.0, 94.0, [0.94, 0.94, 0.94]), Standing::Behind),
        // The other codec is faster in one pass.
        (case(100.0, 120.0, [0.99, 1.2, 1.3]), Standing::Tie),
        // The times differ by less than a nanosecond.
        (case(2.0, 2.9, [1.45, 1.45, 1.45]), Standing::Tie),
        (case(2.0, 3.0, [1.5, 1.5, 1.5]), Standing::First),
    ];
    for (case, standing) in standings {
        assert_eq!(case.standing(), standing, "{case:?}");
    }
}

#[test]
fn only_what_can_be_compared_decides_a_case_and_the_floor_stands_beside_it() {
    let mut figures = Said::new().figures().unwrap();
    let time = |ns: f64| Figure { passes: vec![ns; 3], ..Figure::default() };
    figures.ways.insert(format!("{SESSION}/loop by hand"), time(5.0));
    figures.ways.insert(format!("{SESSION}/capnp texts untested"), time(4.0));
    // A group of structs can have a floor too.
    for (way, ns) in [("y3 derive", 22.0), ("prost", 50.0), ("loop by hand", 18.0)] {
        figures.ways.insert(format!("message/decode borrowed/{way}"), time(ns));
    }
    let cases = cases(&figures);
    let of = |case: &'_ Case| (case.class, case.own.name.clone(), case.other.name.clone(), case.floor.is_some());
    let expected = |floor| (Class::Value, "y3 hint".to_owned(), "capnp reader".to_owned(), floor);
    let of_structs = (Class::Struct, "y3 derive".to_owned(), "prost".to_owned(), true);
    assert_eq!(cases.iter().map(of).collect::<Vec<_>>(), [expected(false), expected(true), of_structs]);
    let table = tables::cases(cases.iter().skip(2)).unwrap();
    assert!(table.contains("| 18.0 (×1.22) "), "{table}");
}

#[test]
fn two_runs_are_compared_case_by_case() {
    let run = |ratios: [f64; 2]| Verdicts {
        machine: "m".to_owned(),
        date: "2026-11-23".to_owned(),
        commit: "abc".to_owned(),
        mode: report::stamp::Mode::Full,
        cases: vec![
            case(100.0, 100.0 * ratios[0], [ratios[0]; 3]),
            Case { regime: "one-buffer".to_owned(), ..case(100.0, 100.0 * ratios[1], [ratios[1]; 3]) },
        ],
    };
    let text = compared(&[run([2.0, 2.0]), run([0.5, 2.0])]);
    assert!(text.contains("| 2 / 0 / 0 | 1 / 0 / 1 |          1 of 2 |"), "{text}");
    assert!(text.contains("| 1 of 63, keys shuffled | **first**, ×2.00 | behind, ×2.00 |"), "{text}");
}

#[test]
fn the_verdicts_of_another_machine_are_kept() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("kept");
    let _ = fs::remove_dir_all(&folder);
    let figures = Said::new().figures().unwrap();
    let here = Verdicts::of(&figures);
    here.keep(&folder, &figures).unwrap();
    assert!(!folder.exists());
    Verdicts { machine: "another (model 1 stepping 2)".to_owned(), ..here.clone() }.keep(&folder, &figures).unwrap();
    assert_eq!(here.others(&folder.join(MACHINES)).len(), 1);
}

#[test]
fn a_name_that_stands_for_nothing_is_a_dash_and_is_told() {
    let figure = |name: &str| (name == "ns a").then(|| "12".to_owned());
    let chart = |name: &str, title: &str| (name == "one").then(|| title.to_owned());
    let page = filled("{{ns a}} ns, {{ns b}} ns\n![{{ns a}} ns](one.svg)\n![none](two.svg)\n", &figure, &chart);
    assert_eq!(page.text, "12 ns, – ns\n![12 ns](one.svg)\n");
    assert_eq!(page.charts, [("one.svg".to_owned(), "12 ns".to_owned())]);
    assert_eq!(page.missing, ["ns b", "two.svg"]);
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The pages in docs/report were not changed by hand, and every name on a page is replaced.
#[test]
fn the_pages_are_those_that_people_wrote_with_the_figures_beside_them() {
    let published = repository().join("docs/report");
    let figures = Figures::read(&published).unwrap();
    let named = Named::new(&figures, &published);
    let written = |name: &str| fs::read_to_string(published.join(name)).unwrap();
    for (name, text) in PAGES {
        let page = named.filled(text);
        assert_eq!(page.missing, Vec::<String>::new(), "{name}");
        for (chart, svg) in page.charts {
            let chart = chart.rsplit('/').next().unwrap();
            assert!(written(chart) == svg, "{chart}: write it again with --from docs/report");
        }
        if name == README {
            let readme = fs::read_to_string(repository().join(README)).unwrap();
            assert!(readme.contains(&page.text), "{name} differs: write it again with --from docs/report");
        } else {
            assert!(written(name) == page.text, "{name}: write it again with --from docs/report");
        }
    }
    assert!(figures.to_json().unwrap() == written("figures.json"));
}

#[test]
fn sentences_have_no_measured_number_of_their_own() {
    let digits = |text: &str| text.starts_with(|first: char| first.is_ascii_digit());
    for (name, text) in PAGES {
        let own = filled(text, &|_| Some(String::new()), &|_, _| None).text;
        let words: Vec<&str> =
            own.split_whitespace().map(|word| word.trim_matches(['(', '*', '.', ',', ';', ':', ')'])).collect();
        for pair in words.windows(2) {
            let is_broken = pair[0].split_once('.').is_some_and(|(whole, rest)| digits(whole) && digits(rest));
            let is_time = digits(pair[0]) && ["ns", "µs", "ms", "%"].contains(&pair[1]);
            let is_factor = pair[0].strip_prefix('×').is_some_and(digits);
            assert!(!is_broken && !is_time && !is_factor, "{name}: {} {}", pair[0], pair[1]);
        }
    }
}

#[test]
fn a_table_of_more_than_twelve_rows_is_folded() {
    let files = fs::read_dir(repository().join("docs/report")).unwrap().map(|entry| entry.unwrap().path());
    for page in files.filter(|file| file.extension().is_some_and(|extension| extension == "md")) {
        let text = fs::read_to_string(&page).unwrap();
        let (mut folded, mut lines) = (false, 0);
        for line in text.lines() {
            folded = (folded || line.starts_with("<details")) && !line.starts_with("</details>");
            lines = if line.starts_with('|') { lines + 1 } else { 0 };
            // The heading and the rule below it are two more lines.
            assert!(folded || lines <= 14, "{}: {line}", page.display());
        }
    }
}

#[test]
fn the_commit_has_changes_if_the_code_has_and_not_if_prose_has() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("stamp");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("src")).unwrap();
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=y3", "-c", "user.email=y3@example.com"];
        let mut git = std::process::Command::new("git");
        assert!(git.current_dir(&folder).args(identity).args(arguments).output().unwrap().status.success());
    };
    let put = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    git(&["init", "--quiet"]);
    put("src/lib.rs", "one");
    git(&["add", "."]);
    git(&["commit", "--quiet", "--message", "one"]);
    let now = || commit(&folder, &MEASURED).unwrap();
    let first = now();
    assert!(!first.ends_with("+ changes"));
    put("README.md", "two");
    put("src/notes.md", "two");
    assert_eq!(now(), first);
    put("src/lib.rs", "two");
    assert_eq!(now(), first.clone() + " + changes");
    put("src/lib.rs", "one");
    assert_eq!(now(), first);
    put("src/new.rs", "");
    assert_eq!(now(), first + " + changes");
}
