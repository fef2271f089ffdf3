//! Integrity: if one thing is wrong with a run, the error names it.

#[allow(dead_code, reason = "each test uses its part")]
mod support;

use std::fs;

use report::measured::Measured;
use report::stamp::fingerprint;
use support::Made;

const ID: &str = "extract/rotating/C63-K32/serde_json Value";

#[test]
fn an_intact_run_is_read() {
    let measured = Made::new("intact").read().unwrap();
    let time = measured.peers.get("extract/one-buffer/C63-K32/y3 find").unwrap();
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
    fs::remove_dir_all(made.pass("peers", ID, 1).parent().unwrap()).unwrap();
    let error = made.error();
    assert!(error.contains(ID) && error.contains("was not measured"), "{error}");
}

#[test]
fn so_is_one_that_lacks_a_pass() {
    let made = Made::new("pass");
    fs::remove_dir_all(made.pass("peers", ID, 3)).unwrap();
    let error = made.error();
    assert!(error.contains(ID) && error.contains("pass-3"), "{error}");
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
    made.age(&made.pass("peers", ID, 2).join("estimates.json"));
    let error = made.error();
    assert!(error.contains(ID) && error.contains("older than the run"), "{error}");
}

#[test]
fn so_are_older_facts_cpu_times_and_figures_of_go() {
    let made = Made::new("older-files");
    let files = [made.0.facts(), made.0.cpu(), made.0.go(), made.0.promises()];
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

#[test]
fn the_fingerprint_is_that_of_the_code_alone() {
    let made = Made::new("fingerprint");
    let repository = &made.0.0;
    for folder in ["src", "benches/report/src", "benches/charts/src", "benches/peers/target", "tests/data"] {
        fs::create_dir_all(repository.join(folder)).unwrap();
    }
    for file in ["Cargo.toml", "Cargo.lock", "src/lib.rs", "benches/extract.rs"] {
        fs::write(repository.join(file), "code").unwrap();
    }
    let before = fingerprint(repository).unwrap();
    for file in [
        "benches/README.md",
        "benches/report/src/main.rs",
        "benches/charts/src/lib.rs",
        "benches/peers/target/built",
        "README.md",
    ] {
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
