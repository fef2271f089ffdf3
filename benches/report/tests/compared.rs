//! Compared: ties, and what two runs say together.

#[allow(dead_code, reason = "each test uses its part")]
mod support;

use report::compare::{Both, Verdicts, both, compared, pairs, summary};
use report::measured::Time;
use report::stamp::Mode;
use report::story::doubts;
use report::verdict::{Case, Class, Place, Standing, as_table, each, in_words};
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
    }
}

#[test]
fn a_difference_below_a_nanosecond_is_a_tie() {
    assert_eq!(case("C03-K02", 3.0, 3.9).standing(), Standing::Tie);
    assert_eq!(case("C03-K02", 3.0, 4.1).standing(), Standing::First);
    assert_eq!(case("C03-K02", 4.1, 3.0).standing(), Standing::Behind);
}

#[test]
fn so_is_one_within_the_spread() {
    assert_eq!(case("C63-K32", 100.0, 104.0).standing(), Standing::Tie);
    assert_eq!(case("C63-K32", 100.0, 106.0).standing(), Standing::First);
    assert_eq!(case("C63-K32", 106.0, 100.0).standing(), Standing::Behind);
}

/// Whatever the digits, the row says what the verdict says.
#[test]
fn a_verdict_can_be_repeated_from_its_row() {
    for (own, other) in [(110.0, 74.0), (73.0, 64.0), (100.04, 105.2), (9.96, 10.94), (9.96, 10.98), (1_234.0, 1_297.4)]
    {
        let case = case("C63-K32", own, other);
        let row = each(std::slice::from_ref(&case), |_| true);
        let cells: Vec<&str> = row.lines().last().expect("its row").split(" | ").collect();
        let times = |cell: &str| -> Vec<f64> {
            let time = cell.rsplit_once(", ").expect("a name and a time").1;
            time.split(['(', '–', ')']).filter_map(|part| part.trim().replace(',', "").parse().ok()).collect()
        };
        let (own, other) = (times(cells[2]), times(cells[3]));
        assert_eq!((own.len(), other.len()), (3, 3), "{row}");
        let tie = (own[0] - other[0]).abs() < 1.0 || own[1] <= other[2] && other[1] <= own[2];
        let said = if tie {
            "tie"
        } else if own[0] < other[0] {
            "**first**"
        } else {
            "behind"
        };
        assert!(cells[4].starts_with(said), "{row}");
    }
}

#[test]
fn factors_have_the_digits_that_the_spread_allows() {
    assert_eq!(case("C63-K32", 100.0, 243.6).in_words(), "**first**, ×2.4");
    assert_eq!(case("C63-K32", 243.6, 100.0).in_words(), "behind, ×2.4");
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
    assert!(text.contains("| 1 of 32, keys shuffled | **first**, ×2.0 | behind, ×2.0 | flips: a tie |"), "{text}");
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
