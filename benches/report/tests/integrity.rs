//! Integrity: if one thing is wrong with a run, the error names it.

#[allow(dead_code, reason = "each test uses its part")]
mod support;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use report::drift::in_words;
use report::measured::{Measured, WRITTEN};
use report::stamp::{commit, fingerprint};
use serde_json::json;
use support::Made;

const ID: &str = "extract/keys-in-order/C63-K32/serde_json Value";

/// Measured by criterion.
const OWN: &str = "extract/rotating/C63-K32/y3 find";

/// Takes the reader out of a pass.
fn remove(made: &Made, pass: usize) {
    let (group, way) = Made::parted(ID);
    made.change(&made.0.turns("extract", pass), |turns| {
        turns["groups"][group]["ways"].as_object_mut().unwrap().remove(way).unwrap();
    });
}

#[test]
fn an_intact_run_is_read() {
    let measured = Made::new("intact").read().unwrap();
    let time = measured.peers.get("extract/keys-in-order/C63-K32/y3 find").unwrap();
    // Three passes: one, two and three percent above.
    assert!(
        (time.ns - 30.6).abs() < 1e-9 && (time.low - 30.3).abs() < 1e-9 && (time.high - 30.9).abs() < 1e-9,
        "{time:?}"
    );
    assert_eq!(measured.facts.scenarios(), ["C63-K32", "session"]);
    assert_eq!(measured.facts.structs.len(), 2);
}

#[test]
fn a_missing_measurement_is_named() {
    let made = Made::new("missing");
    (1..=3).for_each(|pass| remove(&made, pass));
    let error = made.error();
    assert!(error.contains(ID) && error.contains("was not measured"), "{error}");

    let made = Made::new("missing-own");
    fs::remove_dir_all(made.pass("y3", OWN, 1).parent().unwrap()).unwrap();
    let error = made.error();
    assert!(error.contains(OWN) && error.contains("was not measured"), "{error}");
}

#[test]
fn so_is_one_that_lacks_a_pass() {
    let made = Made::new("pass");
    remove(&made, 3);
    let error = made.error();
    assert!(error.contains(ID) && error.contains("pass-3"), "{error}");

    let made = Made::new("pass-own");
    fs::remove_file(made.pass("y3", OWN, 1).join("estimates.json")).unwrap();
    let error = made.error();
    assert!(error.contains(OWN) && error.contains("pass-1"), "{error}");
}

/// The third pass was on a machine that was busy: of the five passes those that lie closest together count.
#[test]
fn what_was_measured_again_replaces_what_drifted() {
    let made = Made::new("again");
    let (group, way) = Made::parted(ID);
    made.change(&made.0.turns("extract", 3), |turns| turns["groups"][group]["ways"][way] = json!([9e3, 9e3, 9e3]));
    let clock = made.read().unwrap().drift;
    assert_eq!((clock.again, clock.unsteady), ([0, 0], 0), "JSON is not near y3");

    let turns =
        |ns: f64| json!({ "groups": { group: { "clock": [33.0, 33.5, 33.0], "ways": { way: [ns, ns, ns] } } } });
    made.write(&made.0.turns("extract", 4), &turns(2750.0));
    made.write(&made.0.turns("extract", 5), &turns(2760.0));
    let measured = made.read().unwrap();
    let time = measured.peers.get(ID).unwrap();
    assert_eq!((time.low, time.ns, time.high), (2750.0, 2754.0, 2760.0));
    assert_eq!(measured.drift.again, [1, 1]);
    let said = in_words(&measured.drift, measured.instructions.why_not.as_deref());
    assert!(said.contains("1 were measured a fourth time, 1 of them a fifth time"), "{said}");
    assert!(said.contains("| extract of peers | 30 | 30 | 33 | 1.10 |"), "{said}");
}

#[test]
fn a_group_drifts_if_its_clock_or_a_way_near_the_top_does() {
    use report::drift::drifted;
    use report::turns::InTurns;
    let drifts = |test: &str, way: &str, turns: [f64; 3]| {
        let made = Made::new(test);
        made.change(&made.0.turns("extract", 2), |pass| {
            let group = &mut pass["groups"]["extract/keys-in-order/C63-K32"];
            *if way == "clock" { &mut group["clock"] } else { &mut group["ways"][way] } = json!(turns);
        });
        drifted(&InTurns::read(&made.0, "extract", std::time::SystemTime::UNIX_EPOCH).unwrap())
    };
    assert!(drifts("steady", "y3 hint", [15.0, 15.4, 15.9]).is_empty());
    assert_eq!(drifts("way", "y3 hint", [18.0, 18.4, 30.0]), ["extract/keys-in-order/C63-K32"]);
    assert_eq!(drifts("clock", "clock", [40.0, 40.4, 41.0]), ["extract/keys-in-order/C63-K32"]);
    assert!(drifts("one turn", "clock", [90.0, 30.0, 31.0]).is_empty(), "a turn that was disturbed does not count");
}

#[test]
fn instructions_are_counted_or_it_is_said_why_not() {
    let made = Made::new("instructions");
    let measured = made.read().unwrap();
    assert_eq!(measured.instructions("C63-K32", "y3 hint"), Some(112.5));
    assert_eq!(measured.instructions(WRITTEN, "y3 Encoder"), Some(700.0));
    assert_eq!(measured.instructions("C63-K32", "y3 find"), None);
    assert!(
        in_words(&measured.drift, measured.instructions.why_not.as_deref())
            .contains("Instructions are those of callgrind")
    );
    made.write(&made.0.instructions(), &json!({ "counts": {}, "why_not": "valgrind does not run" }));
    let measured = made.read().unwrap();
    assert_eq!(measured.instructions("C63-K32", "y3 hint"), None);
    assert!(
        in_words(&measured.drift, measured.instructions.why_not.as_deref())
            .contains("Instructions were not counted: valgrind does not run.")
    );
    made.write(&made.0.instructions(), &json!({ "counts": {}, "why_not": null }));
    assert!(made.error().contains("neither counts nor why"));
}

#[test]
fn what_the_facts_know_has_to_be_measured() {
    let made = Made::new("unpromised");
    made.change(&made.0.promises(), |promises| promises[0]["ids"].as_array_mut().unwrap().retain(|id| *id != ID));
    let error = made.error();
    assert!(error.contains(ID) && error.contains("facts know it"), "{error}");
}

#[test]
fn what_is_measured_the_facts_have_to_know() {
    let made = Made::new("unknown");
    made.change(&made.0.facts(), |facts| {
        facts["writers"].as_array_mut().unwrap().retain(|writer| writer["codec"] != "serde_json");
    });
    let error = made.error();
    assert!(
        error.contains("encode/keys-in-order/C63/serde_json to_writer") && error.contains("do not know"),
        "{error}"
    );
}

#[test]
fn a_struct_that_was_measured_the_facts_have_to_know() {
    let made = Made::new("unknown-struct");
    made.change(&made.0.facts(), |facts| {
        facts["structs"].as_array_mut().unwrap().retain(|case| case["name"] != "prost");
    });
    let error = made.error();
    assert!(error.contains("message/encode/prost") && error.contains("do not know"), "{error}");
}

#[test]
fn a_measurement_older_than_the_stamp_is_named() {
    let made = Made::new("older");
    made.age(&made.pass("y3", OWN, 1).join("estimates.json"));
    let error = made.error();
    assert!(error.contains(OWN) && error.contains("older than the run"), "{error}");
}

#[test]
fn so_is_every_other_file_of_the_run() {
    let made = Made::new("older-files");
    let files = [
        made.0.facts(),
        made.0.cpu(),
        made.0.go(),
        made.0.promises(),
        made.0.instructions(),
        made.0.pace(),
        made.0.turns("extract", 2),
    ];
    for file in files {
        let made = Made::new("older-files");
        made.age(&file);
        let error = made.error();
        assert!(error.contains(file.to_str().unwrap()) && error.contains("older than the run"), "{error}");
    }
}

#[test]
fn other_code_has_to_be_measured_again() {
    let made = Made::new("code");
    let error = Measured::read(&made.0, "fedcba9876543210").expect_err("other code").to_string();
    assert!(error.contains("code has changed"), "{error}");
}

#[test]
fn a_run_that_broke_off_is_none() {
    let made = Made::new("broke-off");
    made.change(&made.0.stamp(), |stamp| stamp["finished"] = serde_json::Value::Null);
    assert!(made.error().contains("broke off"));
    fs::remove_file(made.0.stamp()).unwrap();
    assert!(made.error().contains("nothing has been measured"));
}

#[test]
fn a_wrong_answer_is_named() {
    let made = Made::new("answer");
    made.change(&made.0.facts(), |facts| facts["readers"][3]["answer"] = serde_json::Value::Null);
    let error = made.error();
    assert!(
        error.contains("serde_json Value answers null in C63-K32") && error.contains("18446744073709551615"),
        "{error}"
    );

    let made = Made::new("answer-of-writer");
    made.change(&made.0.facts(), |facts| facts["writers"][1]["answer"] = 7.into());
    let error = made.error();
    assert!(error.contains("serde_json to_writer") && error.contains('7'), "{error}");
}

/// Files on which no figure depends.
const NO_CODE: [&str; 8] = [
    "benches/README.md",
    "benches/charts/src/lib.rs",
    "benches/counts/paths.md",
    "benches/network/src/main.rs",
    "benches/pair/src/main.rs",
    "benches/peers/target/built",
    "benches/report/src/main.rs",
    "README.md",
];

/// One for a test, with some code and nothing else.
fn small_repository(test: &str) -> PathBuf {
    let repository = Made::new(test).0.0;
    for file in
        ["Cargo.toml", "Cargo.lock", "src/lib.rs", "benches/extract.rs", "derive/Cargo.toml", "derive/src/lib.rs"]
    {
        let file = repository.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "code").unwrap();
    }
    fs::create_dir_all(repository.join("tests/data")).unwrap();
    for file in NO_CODE {
        fs::create_dir_all(repository.join(file).parent().unwrap()).unwrap();
    }
    repository
}

#[test]
fn the_fingerprint_is_that_of_the_code_alone() {
    let repository = &small_repository("fingerprint");
    let before = fingerprint(repository).unwrap();
    for file in NO_CODE {
        fs::write(repository.join(file), "something else").unwrap();
    }
    assert_eq!(fingerprint(repository).unwrap(), before);
    fs::write(repository.join("src/lib.rs"), "Code").unwrap();
    assert_ne!(fingerprint(repository).unwrap(), before);
    fs::write(repository.join("src/lib.rs"), "code").unwrap();
    assert_eq!(fingerprint(repository).unwrap(), before);
    fs::rename(repository.join("src/lib.rs"), repository.join("src/main.rs")).unwrap();
    assert_ne!(fingerprint(repository).unwrap(), before);
}

#[test]
fn a_commit_has_changes_only_if_files_on_which_figures_depend_differ_from_it() {
    let repository = &small_repository("commit");
    let git = |arguments: &[&str]| {
        let author = ["-c", "user.name=a", "-c", "user.email=a", "-c", "core.hooksPath=/dev/null"];
        let git = Command::new("git").current_dir(repository).args(author).args(arguments).output().unwrap();
        assert!(git.status.success(), "{}", String::from_utf8_lossy(&git.stderr));
    };
    let is_changed = || commit(repository).ends_with(" + changes");
    fs::write(repository.join(".gitignore"), "target").unwrap();
    git(&["init", "--quiet"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "--message", "code"]);
    assert_eq!(commit(repository).len(), 12);

    for file in NO_CODE {
        fs::write(repository.join(file), "something else").unwrap();
    }
    assert!(!is_changed(), "files without code are not in git");
    git(&["add", "."]);
    git(&["commit", "--quiet", "--message", "no code"]);
    for file in NO_CODE {
        fs::write(repository.join(file), "changed").unwrap();
    }
    assert!(!is_changed(), "files without code are changed");

    for file in ["Cargo.lock", "benches/extract.rs", "derive/src/lib.rs", "src/lib.rs"] {
        fs::write(repository.join(file), "Code").unwrap();
        assert!(is_changed(), "{file} is changed");
        fs::remove_file(repository.join(file)).unwrap();
        assert!(is_changed(), "{file} is removed");
        fs::write(repository.join(file), "code").unwrap();
        assert!(!is_changed(), "{file} is as it was");
    }
    fs::write(repository.join("src/new.rs"), "code").unwrap();
    assert!(is_changed(), "a file is not in git");
    git(&["add", "src/new.rs"]);
    assert!(is_changed(), "a file is not committed");
}
