//! Compared: ties, and what two runs say together.

#[allow(dead_code, reason = "each test uses its part")]
mod support;

use report::compare::{Both, Verdicts, both, compared, machines, pairs, summary};
use report::stamp::Mode;
use report::story::doubts;
use report::time::Time;
use report::verdict::{Case, Class, Place, Standing, as_table, each, in_words};
use serde_json::json;
use support::Made;

/// A time whose passes lie five percent apart.
fn place(name: &str, ns: f64) -> Place {
    Place { name: name.to_owned(), time: Time { ns, low: ns * 0.975, high: ns * 1.025 } }
}

fn case(what: &str, own: f64, other: f64) -> Case {
    Case {
        class: Class::Value,
        what: what.to_owned(),
        regime: "rotating".to_owned(),
        own: place("y3 find", own),
        other: place("rkyv access", other),
        // As if the passes had been measured side by side: two percent apart.
        ratio: Some(Time { ns: other / own, low: other / own * 0.99, high: other / own * 1.01 }),
        instructions: None,
        without_hint: None,
        first_fields: None,
    }
}

fn run(cases: Vec<Case>) -> Verdicts {
    Verdicts {
        machine: "a machine".to_owned(),
        date: "2026-11-22".to_owned(),
        commit: "abc".to_owned(),
        mode: Mode::Full,
        cases,
        others: Vec::new(),
    }
}

#[test]
fn a_difference_below_a_nanosecond_is_a_tie() {
    assert_eq!(case("C03-K02", 3.0, 3.9).standing(), Standing::Tie);
    assert_eq!(case("C03-K02", 3.0, 4.1).standing(), Standing::First);
    assert_eq!(case("C03-K02", 4.1, 3.0).standing(), Standing::Behind);
}

#[test]
fn so_is_one_below_a_twentieth() {
    assert_eq!(case("C63-K32", 100.0, 104.0).standing(), Standing::Tie);
    assert_eq!(case("C63-K32", 100.0, 106.0).standing(), Standing::First);
    assert_eq!(case("C63-K32", 106.0, 100.0).standing(), Standing::Behind);
}

#[test]
fn so_is_one_where_a_pass_has_the_other_order() {
    let mut unsure = case("C63-K32", 100.0, 150.0);
    unsure.ratio = Some(Time { ns: 1.5, low: 0.99, high: 1.7 });
    assert_eq!(unsure.standing(), Standing::Tie);
}

/// Runs before there were ratios.
#[test]
fn without_ratios_ranges_that_overlap_are_a_tie() {
    let mut old = case("C63-K32", 100.0, 104.0);
    old.ratio = None;
    assert_eq!(old.standing(), Standing::Tie);
    old.other = place("rkyv access", 130.0);
    assert_eq!(old.standing(), Standing::First);
}

/// The machine was half as fast in one pass; the ratios of the passes are the same.
#[test]
fn a_machine_that_drifts_between_passes_changes_no_verdict() {
    let mut drifted = case("C63-K32", 110.0, 74.0);
    for place in [&mut drifted.own, &mut drifted.other] {
        place.time.high = place.time.ns * 2.0;
    }
    assert_eq!(drifted.standing(), Standing::Behind);
}

/// Whatever the digits, the row says what the verdict says.
#[test]
fn a_verdict_can_be_repeated_from_its_row() {
    for (own, other) in
        [(110.0, 74.0), (73.0, 64.0), (100.04, 105.2), (9.96, 10.94), (9.96, 10.98), (1_234.0, 1_297.4), (20.0, 21.02)]
    {
        let case = case("C63-K32", own, other);
        let row = each(std::slice::from_ref(&case), |_| true);
        let cells: Vec<&str> = row.lines().last().expect("its row").split(" | ").collect();
        let numbers = |text: &str| -> Vec<f64> {
            text.split(['(', '–', ')']).filter_map(|part| part.trim().replace(',', "").parse().ok()).collect()
        };
        let times = |cell: &str| numbers(cell.rsplit_once(", ").expect("a name and a time").1);
        let (own, other, ratio) = (times(cells[2]), times(cells[3]), numbers(cells[4]));
        assert_eq!((own.len(), other.len(), ratio.len()), (3, 3, 3), "{row}");
        let near = (own[0] - other[0]).abs() < 1.0 || (0.95..=1.05).contains(&ratio[0]);
        let said = if near || ratio[1] <= 1.0 && 1.0 <= ratio[2] {
            "tie"
        } else if ratio[0] > 1.0 {
            "**first**"
        } else {
            "behind"
        };
        assert!(cells[5].starts_with(said), "{row}");
    }
}

#[test]
fn what_leaves_a_test_out_wins_no_row() {
    let made = Made::new("untested");
    let untested = json!({ "group": "message/encode", "name": "y3, text untested", "bytes": 29.0, "allocations": 0.0, "allocated": 0.0 });
    made.change(&made.0.facts(), |facts| facts["structs"].as_array_mut().unwrap().push(untested));
    for pass in 1..=3 {
        made.change(&made.0.turns("shootout", pass), |turns| {
            turns["groups"]["message/encode"]["ways"]["y3, text untested"] = json!([1.0, 1.0, 1.0]);
        });
    }
    made.change(&made.0.promises(), |promises| {
        let shootout = promises.as_array_mut().unwrap().iter_mut().find(|promise| promise["bench"] == "shootout");
        shootout.unwrap()["ids"].as_array_mut().unwrap().push("message/encode/y3, text untested".into());
    });
    let verdicts = Verdicts::of(&made.read().unwrap());
    let case = verdicts.cases.iter().find(|case| case.what == "message/encode").expect("its case");
    assert_eq!(case.own.name, "y3 serde");
}

#[test]
fn factors_have_the_digits_that_the_spread_allows() {
    assert_eq!(case("C63-K32", 100.0, 243.6).in_words(), "**first**, ×2.44");
    assert_eq!(case("C63-K32", 243.6, 100.0).in_words(), "behind, ×2.44");
}

#[test]
fn cases_are_counted_by_class_and_regime() {
    let cases = [
        case("C63-K32", 10.0, 20.0),
        case("C32-K16", 10.0, 20.0),
        case("C16-K08", 10.0, 10.5),
        case("C03-K02", 20.0, 10.0),
    ];
    assert!(
        as_table(&cases).contains("| one value of a message | **first** 2, tie 1, behind 1 |"),
        "{}",
        as_table(&cases)
    );
    assert_eq!(in_words(&cases), "y3 is first in 2 of 4 cases; in 1 there is no difference, in 1 it is behind");
    assert_eq!(in_words(&cases[..1]), "y3 is first in all 1 cases");
}

#[test]
fn verdicts_that_do_not_hold_in_both_runs_are_ties() {
    let one = run(vec![
        case("C63-K32", 10.0, 20.0),
        case("C32-K16", 10.0, 20.0),
        case("C16-K08", 10.0, 20.0),
        case("gone", 1.0, 5.0),
    ]);
    let other = run(vec![case("C63-K32", 11.0, 21.0), case("C32-K16", 20.0, 10.0), case("C16-K08", 10.0, 10.2)]);
    let pairs = pairs(&one, &other);
    let said: Vec<Both> = pairs.iter().map(|(one, other)| both(one, other)).collect();
    assert_eq!(said, [Both::Stable(Standing::First), Both::Flips, Both::Unsure]);
    let text = compared(&one, &other);
    assert!(text.contains("| 1 of 32, keys shuffled | **first**, ×2.00 | behind, ×2.00 | flips: a tie |"), "{text}");
    assert!(text.contains("| first in both |") && text.contains("| not stable: a tie |"), "{text}");
    let summary = summary(&pairs);
    assert!(
        summary.starts_with(
            "1 of 3 verdicts are the same in both runs: 1 first, 0 ties, 0 behind. 2 are not, and count as ties: 1 flip"
        ),
        "{summary}"
    );
    assert!(summary.ends_with("\nflips: one value of a message, 1 of 32, keys shuffled"), "{summary}");
}

#[test]
fn a_run_is_the_same_as_itself_after_it_was_written_and_read() {
    let made = Made::new("verdicts");
    let verdicts = Verdicts::of(&made.read().unwrap());
    std::fs::write(made.0.0.join("verdict.json"), verdicts.to_json().unwrap()).unwrap();
    let read = Verdicts::read(&made.0.0).unwrap();
    assert_eq!(read.cases, verdicts.cases);
    assert!(read.cases.len() > 10, "{}", read.cases.len());
    let pairs = pairs(&verdicts, &read);
    assert!(pairs.iter().all(|(one, other)| matches!(both(one, other), Both::Stable(_))));
    let error = Verdicts::read(&made.0.0.join("nowhere")).expect_err("there is none").to_string();
    assert!(error.contains("no verdicts") && error.contains("nowhere"), "{error}");
}

#[test]
fn a_quick_run_names_the_verdicts_that_may_turn_round() {
    let text = doubts(&[case("C63-K32", 100.0, 110.0), case("C32-K16", 100.0, 200.0)]);
    assert!(text.contains("1 of 2 verdicts are as close as that, in: 1 of 63."), "{text}");
    assert!(doubts(&[case("C32-K16", 100.0, 200.0)]).ends_with("No verdict here is as close as that."));
}

#[test]
fn runs_of_other_machines_stand_beside_this_one() {
    let made = Made::new("machines");
    let (here, mut other) = (
        run(vec![case("C63-K32", 10.0, 20.0), case("C32-K16", 10.0, 20.0), case("new", 1.0, 5.0)]),
        run(vec![case("C63-K32", 11.0, 21.0), case("C32-K16", 20.0, 10.0), case("gone", 1.0, 5.0)]),
    );
    other.machine = "Another(R) CPU, virtual (family 6 model 167 stepping 8, 2000 MHz), 2 cores".to_owned();
    assert_eq!(other.file(), "another-r-cpu-virtual-family-6-model-167.json");
    let folder = made.0.0.join("machines");
    std::fs::create_dir_all(&folder).unwrap();
    for run in [&here, &other] {
        std::fs::write(folder.join(run.file()), run.to_json().unwrap()).unwrap();
    }
    let here = here.with_others(&folder);
    assert_eq!(here.others.len(), 1, "this machine is not another one");
    let text = machines(&here);
    for said in [
        "- A: a machine, 2026-11-22, commit abc, full\n- B: Another(R) CPU",
        "| one value of a message | 2 / 0 / 0 | 1 / 0 / 1 | 1 of 2 |",
        "1 of 2 verdicts are the same.",
        "| one value of a message | 1 of 32, keys shuffled | **first**, ×2.00 | behind, ×2.00 |",
    ] {
        assert!(text.contains(said), "{said}\n{text}");
    }
    assert_eq!(machines(&run(Vec::new()).with_others(&made.0.0.join("nowhere"))), "");
}

#[test]
fn the_committed_runs_of_machines_can_be_read_and_are_named_by_their_processor() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/report/machines");
    for file in std::fs::read_dir(folder).unwrap() {
        let file = file.unwrap().path();
        let run = Verdicts::read(&file).unwrap();
        assert!(file.ends_with(run.file()), "{}: {}", file.display(), run.file());
        assert!(run.cases.len() > 50, "{}", run.cases.len());
    }
}
