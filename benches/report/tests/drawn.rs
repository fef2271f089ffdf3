//! Drawn: the pages have their parts and pictures, and say who is faster.

#[allow(dead_code, reason = "each test uses its part")]
mod support;

use std::collections::BTreeSet;

use charts::places::covered;
use report::compare::Verdicts;
use report::page::Page;
use report::readme::block;
use report::story;
use support::{Made, NASTY};

fn drawn(test: &str) -> Vec<Page> {
    let measured = Made::new(test).read().unwrap();
    story::pages(&measured, &Verdicts::of(&measured))
}

fn text<'a>(pages: &'a [Page], name: &str) -> &'a str {
    &pages.iter().find(|page| page.name == name).unwrap_or_else(|| panic!("no {name}")).text
}

#[test]
fn the_report_says_first_when_to_choose_which_and_last_how() {
    let pages = drawn("sections");
    let sections = [
        "## When to choose which",
        "## How many times as long as y3",
        "## Verdict",
        "## How it grows",
        "## 2020 and now, Go and Rust",
        "## Where y3 loses, and why",
        "## Method",
        "## Measured on",
    ];
    let report = text(&pages, "REPORT.md");
    let places = sections.map(|section| report.find(section).unwrap_or_else(|| panic!("no {section}\n{report}")));
    assert!(places.is_sorted(), "{places:?}");
    assert!(report.lines().count() < 170, "{} lines", report.lines().count());
}

#[test]
fn each_page_is_linked_and_says_machine_processor_and_features() {
    let pages = drawn("linked");
    for page in &pages {
        assert!(
            page.name == "REPORT.md" || text(&pages, "REPORT.md").contains(&format!("]({})", page.name)),
            "{}",
            page.name
        );
        assert!(page.text.contains("a processor (family 25 model 17, Zen 4), 2 cores"), "{}", page.text);
        assert!(page.text.contains("std, derive"), "{}", page.name);
    }
    assert!(text(&pages, "REPORT.md").contains("cargo run --release --manifest-path benches/report/Cargo.toml"));
}

#[test]
fn what_was_not_measured_is_not_mentioned() {
    let pages = drawn("nothing");
    assert!(!text(&pages, "WAYS.md").contains("## Batches of 256 packets"));
    assert!(!text(&pages, "EDITING.md").contains("## 3 of 63 kept"), "{}", text(&pages, "EDITING.md"));
    for page in &pages {
        // A row without a single number.
        let empty = |line: &&str| {
            line.starts_with("| ")
                && line.matches('|').count() > 3
                && line.split('|').skip(2).all(|cell| ["", "–"].contains(&cell.trim()))
        };
        assert_eq!(page.text.lines().find(empty), None, "{}", page.name);
    }
}

#[test]
fn the_verdict_is_by_class_and_regime() {
    let pages = drawn("classes");
    let report = text(&pages, "REPORT.md");
    for row in [
        // The hint takes half of `find`'s time, capnp 0.8 of it, the first fields 0.4.
        "| one value of a message | **first** | **first** | **first** | **first** | **first** |",
        // 0.3 beside 0.7: batches are compared with batches, and without first fields.
        "| one value of each message of a batch | **first** | **first** | **first** | **first** | **first** |",
    ] {
        assert!(report.contains(row), "{row}\n{report}");
    }
    // The hint and the first fields are columns: each case is counted once.
    let row = "| 1 of 63 | keys in order | y3 hint, 15.3 (15.2–15.5) | capnp reader, 24.5 (24.2–24.7) | 1.60 (1.60–1.60) | **first**, ×1.60 \
               | y3 find, 30.6 (30.3–30.9) | postcard first fields, 12.2 (12.1–12.4) | 112 / 1,204 |";
    assert!(text(&pages, "PEERS.md").contains(row), "{}", text(&pages, "PEERS.md"));
    assert!(report.contains("**Formats without keys and lengths**"), "{report}");
    assert!(report.contains("Go was not measured: Go is not installed."));
}

#[test]
fn modes_of_one_kind_have_a_table_of_their_own() {
    let pages = drawn("kinds");
    let peers = text(&pages, "PEERS.md");
    for kind in
        ["| Recommended |", "| First fields |", "| Several messages at a time |", "| Not safe on hostile input |"]
    {
        assert!(peers.contains(kind), "{kind}\n{peers}");
    }
    let rows = |start: &str| -> BTreeSet<String> {
        let from = peers.split(start).nth(1).unwrap();
        from.lines().skip(2).take_while(|line| line.starts_with('|')).map(str::to_owned).collect()
    };
    assert!(rows("| Recommended |").iter().all(|row| !row.contains("batch: ")));
    assert!(rows("| Several messages at a time |").iter().all(|row| row.contains("batch: ")));
    assert!(rows("| Recommended |").iter().all(|row| !row.contains("first fields") && !row.contains("anywhere")));
    assert!(rows("| Not safe on hostile input |").iter().all(|row| row.contains("reads \\| anywhere")));
}

#[test]
fn no_table_has_two_columns_with_one_heading() {
    for page in drawn("headings") {
        for line in page
            .text
            .lines()
            .zip(page.text.lines().skip(1))
            .filter(|(_, next)| next.starts_with("| --"))
            .map(|(line, _)| line)
        {
            let headings: Vec<&str> =
                line.trim_matches('|').split(" | ").map(str::trim).filter(|heading| !heading.is_empty()).collect();
            let once: BTreeSet<&&str> = headings.iter().collect();
            assert_eq!(once.len(), headings.len(), "{}: {line}", page.name);
        }
    }
}

#[test]
fn streams_are_in_gigabytes_and_packets_a_second() {
    let pages = drawn("streams");
    let streams = text(&pages, "STREAMS.md");
    // 80,000 bytes and 1,000 packets in 10.1 µs; JSON lines take twenty times as long.
    assert!(streams.contains("| 64 B | 1% | 7.9 | 99 | – | 4.95 | – | ×20.0 |"), "{streams}");
}

#[test]
fn cells_do_not_end_where_a_name_has_a_bar() {
    let pages = drawn("cells");
    let peers = text(&pages, "PEERS.md");
    let row = peers.lines().find(|line| line.starts_with("| rkyv <un&checked>")).expect("its row");
    let heading = peers.lines().find(|line| line.starts_with("| Not safe")).expect("its heading");
    let cells = |line: &str| line.replace("\\|", "").matches('|').count();
    assert_eq!(cells(row), cells(heading), "{row}");
    assert!(!NASTY.is_empty() && row.contains("\\|"), "{row}");
}

#[test]
fn pictures_are_xml_with_words_for_those_who_cannot_see_them_and_cover_nothing() {
    let mut names = BTreeSet::new();
    for Page { name: page, text, pictures } in drawn("pictures") {
        for (name, picture) in pictures {
            assert!(text.contains(&format!("]({name})")), "{page}: {name} is not shown");
            let svg = roxmltree::Document::parse(&picture).unwrap_or_else(|error| panic!("{name}: {error}"));
            for tag in ["title", "desc"] {
                let node = svg.root_element().children().find(|node| node.has_tag_name(tag)).expect(tag);
                assert!(node.text().is_some_and(|text| !text.is_empty()), "{name}: {tag}");
            }
            assert!(picture.contains("prefers-color-scheme:dark"));
            for broken in ["NaN", "inf"] {
                assert!(
                    !svg.descendants()
                        .any(|node| node.attributes().any(|attribute| attribute.value().contains(broken))),
                    "{name}: {broken}"
                );
            }
            assert_eq!(covered(&picture), Vec::<String>::new(), "{name}");
            assert!(names.insert(name.clone()), "{name} is drawn twice");
        }
    }
    assert!(names.len() >= 8, "{names:?}");
}

#[test]
fn the_readme_gets_the_finding_one_chart_and_the_command() {
    let block = block(&Made::new("readme").read().unwrap());
    // The hint's median with keys in order, and serde_json's.
    assert!(block.contains("One of 63 values takes it 15.3 ns; serde_json needs 2,750 ns for it."), "{block}");
    assert!(block.contains("![After a text of 1,024 bytes y3 reads the next value in 6.1 ns, serde_json in 303](docs/report/scaling-value.svg)"), "{block}");
    assert!(
        block.contains("a processor (family 25 model 17, Zen 4), 2 cores, 20") && block.contains("commit abc"),
        "{block}"
    );
    assert!(block.contains("`cargo run --release --manifest-path benches/report/Cargo.toml`"), "{block}");
}

/// In its panels a picture has the numbers of its title, and one case has one number on all pages.
#[test]
fn the_numbers_of_a_title_are_in_its_picture_and_one_of_63_is_the_same_everywhere() {
    let pages = drawn("titles");
    for (name, picture) in pages.iter().flat_map(|page| &page.pictures) {
        let svg = roxmltree::Document::parse(picture).unwrap();
        let title = svg.descendants().find(|node| node.has_tag_name("title")).and_then(|node| node.text()).unwrap();
        // The description and the labels, but not the title, which is drawn too.
        let texts = svg.descendants().filter(|node| node.has_tag_name("desc") || node.has_tag_name("text"));
        let texts = texts.filter_map(|node| node.text()).filter(|text| !title.contains(text));
        let described = texts.collect::<Vec<&str>>().join("; ");
        let plotted: Vec<f64> = described
            .split([' ', ';'])
            .filter_map(|word| word.trim_end_matches([',', '.', ':']).replace(',', "").parse().ok())
            .collect();
        // The nanoseconds of a title, with fewer digits than in the picture perhaps.
        let said = title.split(" ns").map(|before| before.rsplit(' ').next().unwrap());
        for said in said.filter(|said| title.contains(&format!("{said} ns"))) {
            let Ok(ns) = said.replace(',', "").parse::<f64>() else { continue };
            let digits = said.split_once('.').map_or(0, |(_, digits)| digits.len());
            let same = |plotted: &f64| (plotted - ns).abs() <= 0.51 * 0.1_f64.powi(i32::try_from(digits).unwrap());
            assert!(plotted.iter().any(same), "{name}: {said} ns of “{title}” is not in “{described}”");
        }
    }
    let first = text(&pages, "REPORT.md");
    for said in ["One of 63 values takes it 15.3 ns", "![Keys in order: y3 reads one of 63 values in 15.3 ns"] {
        assert!(first.contains(said), "{said}\n{first}");
    }
    assert!(text(&pages, "PEERS.md").contains("1 of 63, keys in order: y3 takes 15.3 ns (hint)"));
}
