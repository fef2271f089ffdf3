//! Figures: one case has one number, on whatever page it stands, and it is that of the table of figures.

#[allow(dead_code, reason = "each test uses its part")]
mod support;

use std::collections::{BTreeMap, BTreeSet};

use report::compare::Verdicts;
use report::figures::{rows, to_json};
use report::markdown::cell;
use report::measured::{Measured, REGIMES};
use report::page::Page;
use report::readme::block;
use report::scenario::described;
use report::story;
use report::time::Time;
use report::verdict::regime_in_words;
use serde_json::json;
use support::{Made, NASTY};

/// A case, a regime and a reader, as pages name them.
type Case = (String, String, String);
type Numbers = BTreeMap<Case, BTreeSet<String>>;

/// The numbers of all tables by case.
fn in_tables(pages: &[Page]) -> Numbers {
    let mut numbers = Numbers::new();
    for page in pages {
        let (mut section, mut headings) = (String::new(), Vec::new());
        for (line, next) in page.text.lines().zip(page.text.lines().skip(1).chain([""])) {
            if let Some(heading) = line.strip_prefix("## ").or_else(|| line.strip_prefix("### ")) {
                heading.clone_into(&mut section);
            } else if let Some(summary) = line.strip_prefix("<summary>") {
                // `1 of 63, keys in order: y3 is first …`, `63 values written: the ways`, `message/encode`.
                let case = summary.trim_end_matches("</summary>").split(": ").next().unwrap();
                let regime = REGIMES_IN_WORDS.iter().find_map(|regime| case.strip_suffix(regime)?.strip_suffix(", "));
                regime.unwrap_or(case).clone_into(&mut section);
            } else if next.starts_with("| --") {
                headings = cells(line);
            } else if line.starts_with("| ") && !line.starts_with("| --") {
                of_row(&section, &headings, &cells(line), &mut numbers);
            }
        }
    }
    numbers
}

fn cells(line: &str) -> Vec<String> {
    let line = line.trim().trim_matches('|').replace("\\|", "\u{1}");
    line.split('|').map(|cell| cell.trim().replace('\u{1}', "\\|").replace("**", "")).collect()
}

fn of_row(section: &str, headings: &[String], cells: &[String], numbers: &mut Numbers) {
    let mut add = |case: &str, regime: &str, reader: &str, number: &str| {
        if number.starts_with(|first: char| first.is_ascii_digit()) {
            // Whole structs have no regime of their own.
            let regime = if case.contains('/') || case.starts_with("3 fields") { "" } else { regime };
            let case = (case.to_owned(), regime.to_owned(), reader.to_owned());
            numbers.entry(case).or_default().insert(number.to_owned());
        }
    };
    let at = |name: &str| headings.iter().position(|heading| heading == name).and_then(|at| cells.get(at));
    if let (Some(case), Some(regime)) = (at("case"), at("regime")) {
        // `y3 hint, 15.3 (15.2–15.5)`
        for cell in cells {
            let time = cell.split_once(" (").and_then(|(before, _)| before.rsplit_once(", "));
            if let Some((reader, number)) = time {
                add(case, regime, reader, number);
            }
        }
        return;
    }
    for (heading, cell) in headings.iter().zip(cells).skip(1) {
        let regime = heading.strip_suffix(", ns").filter(|regime| REGIMES_IN_WORDS.contains(regime));
        if let Some(regime) = regime.or((heading == "ns").then_some("")) {
            add(section, regime, &cells[0], cell);
        }
    }
}

const REGIMES_IN_WORDS: [&str; 6] = [
    "one buffer",
    "one buffer, longer texts",
    "keys in order",
    "keys shuffled",
    "one after the other",
    "in random order",
];

/// The table of figures, as pages show it.
fn figures(measured: &Measured) -> Numbers {
    let rows = rows(measured).into_iter().map(|row| {
        let regime = row.regime.as_deref().map_or("", regime_in_words).to_owned();
        let time = Time { ns: row.ns, low: row.lowest, high: row.highest };
        let reader = row.reader.replace('|', "\\|");
        ((described(&row.case).to_owned(), regime, reader), BTreeSet::from([cell(Some(time))]))
    });
    rows.collect()
}

fn drawn(measured: &Measured) -> Vec<Page> {
    story::pages(measured, &Verdicts::of(measured))
}

/// Numbers that are not those of the table of figures.
fn wrong(pages: &[Page], figures: &Numbers) -> Vec<String> {
    let of_case = |(case, found): (&Case, &BTreeSet<String>)| match figures.get(case) {
        Some(known) if known == found => None,
        known => Some(format!("{case:?}: {found:?} on pages, {known:?} in the figures")),
    };
    in_tables(pages).iter().filter_map(of_case).collect()
}

#[test]
fn a_case_has_one_number_on_all_pages_that_of_the_table_of_figures() {
    let measured = Made::new("one-number").read().unwrap();
    let (pages, figures) = (drawn(&measured), figures(&measured));
    assert_eq!(wrong(&pages, &figures), Vec::<String>::new());
    // The check sees readers, writers, whole structs and changed messages.
    let seen = in_tables(&pages);
    for (case, regime, reader) in [
        ("1 of 63", "keys in order", "y3 hint"),
        ("1 of 63", "keys shuffled", "postcard first fields"),
        ("63 values written", "one buffer", "serde_json to_writer"),
        ("message/encode", "", "prost"),
        ("1 of 63 overwritten", "keys shuffled", "y3 patch"),
    ] {
        assert!(
            seen.contains_key(&(case.to_owned(), regime.to_owned(), reader.to_owned())),
            "{case}, {regime}, {reader}"
        );
    }
}

#[test]
fn a_second_number_is_found() {
    let measured = Made::new("second-number").read().unwrap();
    let (mut pages, figures) = (drawn(&measured), figures(&measured));
    let peers = pages.iter_mut().find(|page| page.name == "PEERS.md").expect("its page");
    // In the verdict only, or only in the table of modes.
    peers.text = peers.text.replacen("y3 hint, 15.3 (", "y3 hint, 15.4 (", 1);
    assert_eq!(wrong(&pages, &figures).len(), 1);
}

/// *1 of 63* is with the keys in order, wherever no other regime is named.
#[test]
fn a_sentence_about_one_of_63_has_the_figures_of_keys_in_order() {
    let measured = Made::new("sentences").read().unwrap();
    let mut pages = drawn(&measured);
    let mut readme = Page::titled("README.md", "y3", "benches/report");
    readme.say(&block(&measured));
    pages.push(readme);
    let shown = |regime: &str| -> BTreeSet<String> {
        let of = figures(&measured).into_iter().filter(|((case, at, _), _)| case == "1 of 63" && at == regime);
        of.flat_map(|(_, numbers)| numbers).collect()
    };
    let mut seen = 0;
    for page in &pages {
        // A sentence may go on in the next line; tables have a test of their own.
        let text: Vec<&str> = page.text.lines().filter(|line| !line.starts_with('|')).collect();
        let text = text.join(" ").replace("<details>", ". ");
        for sentence in text.split(". ").flat_map(|sentence| sentence.split("![")) {
            // What was published in 2020 was not measured here.
            let sentence = sentence.split("and in Rust now").last().unwrap();
            let lower = sentence.to_lowercase();
            if !(lower.contains("one of 63 value") || lower.contains("1 of 63,") || lower.contains("1 of 63:")) {
                continue;
            }
            let others = REGIMES.map(regime_in_words).into_iter().filter(|regime| *regime != "keys in order");
            let named = others.filter(|regime| lower.contains(regime)).max_by_key(|regime| regime.len());
            let known = shown(named.unwrap_or("keys in order"));
            for (before, _) in sentence.match_indices(" ns").map(|(at, _)| sentence.split_at(at)) {
                let number = before.rsplit([' ', '(']).next().unwrap();
                assert!(known.contains(number), "{}: {number} ns in “{sentence}”, but {known:?}", page.name);
                seen += 1;
            }
        }
    }
    // The headline, in the report and in the README, the first chart and that of the peers.
    assert!(seen >= 6, "{seen}");
}

#[test]
fn the_table_of_figures_has_every_reader_with_its_instructions_bytes_and_allocations() {
    let measured = Made::new("table").read().unwrap();
    let table: serde_json::Value = serde_json::from_str(&to_json(&measured).unwrap()).unwrap();
    let find = |case: &str, reader: &str| {
        let is = |row: &&serde_json::Value| {
            row["case"] == case
                && row["reader"] == reader
                && (row["regime"] == "keys-in-order" || row["regime"].is_null())
        };
        table.as_array().unwrap().iter().find(is).cloned().unwrap_or_default()
    };
    assert_eq!(find("C63-K32", "y3 hint")["instructions"], 112.5);
    assert_eq!(find("63 pairs", "y3 Encoder")["instructions"], 700.0);
    for (case, reader, way, safe) in [
        ("C63-K32", "postcard first fields", json!("recommended"), json!(true)),
        ("C63-K32", NASTY, json!("recommended"), json!(false)),
        ("63 pairs", "serde_json to_writer", json!("recommended"), json!(true)),
        ("message/encode", "prost", json!(null), json!(null)),
    ] {
        let row = find(case, reader);
        assert_eq!((&row["way"], &row["safe"]), (&way, &safe), "{case}, {reader}: {row}");
        assert!(row["bytes"].is_f64() && row["allocations"].is_f64(), "{case}, {reader}: {row}");
    }
    assert!(find("message/encode", "prost")["ns"].is_f64());
    assert_eq!(
        measured.figure("C63-K32", "keys-in-order", "y3 hint").map(|figure| figure.instructions),
        Some(Some(112.5))
    );
}
