//! Drawn: the pages have their parts and pictures, and say who is faster.

#[allow(dead_code, reason = "each test uses its part")]
mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use charts::places::covered;
use report::compare::Verdicts;
use report::figures::FILE;
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
        "One of 63 values takes y3 15.3 ns",
        "## What grows, and what does not",
        "## When to choose which",
        "## How many times as long as y3",
        "## Verdict",
        // The regimes are explained before their table.
        "- *Keys in order*: ",
        "| y3 beside the fastest safe codec |",
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
            page.name == "REPORT.md"
                || ["]({})", "]({BENCHES}/{})"].iter().any(|link| {
                    let link = link.replace("{BENCHES}", "../../benches").replace("{}", page.name);
                    text(&pages, "REPORT.md").contains(&link)
                }),
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
fn a_scenario_shows_the_ways_of_y3_and_one_of_each_other_codec() {
    let pages = drawn("kinds");
    let page = pages.iter().find(|page| page.name == "PEERS.md").unwrap();
    let part = page.text.split(
        "<summary>1 of 63, keys in order: y3 is first with 15.3 ns (hint), then capnp with 24.5 (reader)</summary>",
    );
    let part = part.last().unwrap().split("</details>").next().unwrap();
    for row in
        ["| **y3 hint** | 212 | 1.50 | 112 | 15.3 |", "| **y3 find** |", "| capnp reader |", "| serde_json Value |"]
    {
        assert_eq!(part.matches(row).count(), 1, "{row}\n{part}");
    }
    for other in ["first fields", "batch: ", "un&checked"] {
        assert!(!part.contains(other), "{other}\n{part}");
    }
    assert_eq!(page.text.matches("reads \\| anywhere").count(), 1, "what a way can do is said once: {}", page.text);
    assert!(page.text.contains(&format!("]({FILE})")), "all ways are in the table of figures");
}

#[test]
fn one_verdict_is_open_and_the_rest_folded() {
    for (name, text) in drawn("folded").iter().map(|page| (page.name, &page.text)) {
        assert_eq!(text.matches("<details>").count(), text.matches("</details>").count(), "{name}");
        if name == "PEERS.md" {
            let mut open = String::new();
            for (place, part) in text.split("<details>").enumerate() {
                open += if place == 0 { part } else { part.split_once("</details>").unwrap().1 };
            }
            assert_eq!(open.lines().filter(|line| line.starts_with("| --- ")).count(), 1, "{open}");
            assert!(open.contains("| y3's fastest, ns | fastest of the others, ns |"), "{open}");
        }
    }
}

#[test]
fn what_nobody_reads_is_no_rate() {
    for page in drawn("rates") {
        assert!(page.of_benches || !page.text.contains("GB/s"), "{}", page.name);
    }
}

#[test]
fn links_lead_to_the_page_of_the_benches_and_back() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("placed");
    let pages = drawn("placed-run");
    for (out, ways, to, back) in [
        ("docs/report", "benches/WAYS.md", "(../../benches/WAYS.md)", "(../docs/report/REPORT.md)"),
        ("elsewhere", "elsewhere/WAYS.md", "(WAYS.md)", "(REPORT.md)"),
    ] {
        fs::create_dir_all(folder.join("benches")).unwrap();
        report::page::write(&pages, &folder.join(out)).unwrap();
        let read = |path: &str| fs::read_to_string(folder.join(path)).unwrap();
        assert!(read(ways).contains(back), "{}", read(ways));
        let report = read(&format!("{out}/REPORT.md"));
        assert!(report.contains(to), "{report}");
    }
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
fn streams_are_in_packets_a_second() {
    let pages = drawn("streams");
    let streams = text(&pages, "STREAMS.md");
    // 1,000 packets in 10.1 µs; JSON lines take twenty times as long.
    assert!(streams.contains("| 64 B | 1% | 99 | – | 4.95 (×20.0) |"), "{streams}");
}

#[test]
fn cells_do_not_end_where_a_name_has_a_bar() {
    let pages = drawn("cells");
    let peers = text(&pages, "PEERS.md");
    let row = peers.lines().find(|line| line.starts_with("| rkyv <un&checked>")).expect("its row");
    assert_eq!(row.replace("\\|", "").matches('|').count(), 3, "{row}");
    assert!(!NASTY.is_empty() && row.contains("\\|"), "{row}");
}

#[test]
fn pictures_are_xml_with_words_for_those_who_cannot_see_them_and_cover_nothing() {
    let mut names = BTreeSet::new();
    for Page { name: page, text, pictures, .. } in drawn("pictures") {
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
    assert!(block.contains("One of 63 values takes y3 15.3 ns; serde_json needs 2,750 ns for it."), "{block}");
    assert!(block.contains("![After a text of 1,024 bytes y3 reads the next value in 6.1 ns, serde_json in 303](docs/report/scaling-value.svg)"), "{block}");
    assert!(
        block.contains("a processor (family 25 model 17, Zen 4), 2 cores, 20") && block.contains("commit abc"),
        "{block}"
    );
    assert!(block.contains("`cargo run --release --manifest-path benches/report/Cargo.toml`"), "{block}");
}

/// The numbers of a text.
fn numbers(text: &str) -> Vec<String> {
    let number = |word: &str| {
        let word = word.trim_matches(|letter: char| !letter.is_ascii_digit());
        word.replace(',', "").parse::<f64>().ok().map(|_| word.to_owned())
    };
    text.split([' ', ';', '\n', '(', ')', '|', '–']).filter_map(number).collect()
}

/// In its panels a picture has the numbers of its title.
#[test]
fn the_numbers_of_a_title_are_in_its_picture() {
    for (name, picture) in drawn("titles").iter().flat_map(|page| &page.pictures) {
        // Its numbers count scenarios; the next test counts them again.
        if name == "scenarios.svg" {
            continue;
        }
        let svg = roxmltree::Document::parse(picture).unwrap();
        let title = svg.descendants().find(|node| node.has_tag_name("title")).and_then(|node| node.text()).unwrap();
        // The description and the labels, but not the title, which is drawn too.
        let texts = svg.descendants().filter(|node| node.has_tag_name("desc") || node.has_tag_name("text"));
        let texts = texts.filter_map(|node| node.text()).filter(|text| !title.contains(text));
        let plotted = numbers(&texts.collect::<Vec<&str>>().join("; "));
        let plotted: Vec<f64> = plotted.iter().filter_map(|number| number.replace(',', "").parse().ok()).collect();
        // What is shown, and a year.
        let shown = ["1 of 63", "1 of 3", "One of 63 values", "63 values written", "in 2020"];
        let said = shown.iter().fold(title.to_owned(), |title, shown| title.replace(shown, ""));
        for said in numbers(&said) {
            let value: f64 = said.replace(',', "").parse().unwrap();
            let digits = said.split_once('.').map_or(0, |(_, digits)| digits.len());
            // With fewer digits than in the picture perhaps.
            let close = f64::max(0.51 * 0.1_f64.powi(i32::try_from(digits).unwrap()), value * 0.005);
            let same = |plotted: &f64| (plotted - value).abs() <= close;
            assert!(plotted.iter().any(same), "{name}: {said} of “{title}” is not in {plotted:?}");
        }
    }
}

#[test]
fn a_title_names_who_is_first() {
    for page in drawn("winners") {
        for (name, picture) in &page.pictures {
            let title = picture.split_once("<title id=\"title\">").unwrap().1.split_once("</title>").unwrap().0;
            let named = ["is first", " tie", "y3 reads"].iter().any(|words| title.contains(words));
            assert!(named || title.contains("Y3 is first"), "{name}: {title}");
        }
    }
}

#[test]
fn one_of_63_is_the_same_number_everywhere() {
    let pages = drawn("one-of-63");
    let first = text(&pages, "REPORT.md");
    for said in
        ["One of 63 values takes y3 15.3 ns", "![One of 63 values, keys in order: y3 is first with 15.3 ns (hint)"]
    {
        assert!(first.contains(said), "{said}\n{first}");
    }
    let peers = text(&pages, "PEERS.md");
    assert!(peers.contains("1 of 63, keys in order: y3 is first with 15.3 ns (hint)"), "{peers}");
    assert!(peers.contains("| 1 of 63 | keys in order | y3 hint, 15.3 ("), "{peers}");
    // What was done in 2020 has the numbers of its own regime, which it names.
    assert!(first.contains("1 of 63, one buffer: Y3 is first in Go in 2020, 2,080 ns beside JSON's 43,000"), "{first}");
    let value = |page: &str, start: &str| page.lines().find(|line| line.starts_with(start)).map(str::to_owned);
    let row = value(peers, "| 1 of 63 | one buffer |").unwrap();
    assert!(row.contains("y3 hint, 10.7 ("), "{row}");
}

/// Each number of the README's block is on the first page.
#[test]
fn the_numbers_of_the_readme_are_in_the_report() {
    let measured = Made::new("readme-numbers").read().unwrap();
    let pages = story::pages(&measured, &Verdicts::of(&measured));
    let known = numbers(text(&pages, "REPORT.md"));
    for number in numbers(&block(&measured)) {
        assert!(known.contains(&number), "{number} is not in {known:?}");
    }
}

/// What is published now: the README's findings are those of the report beside it.
#[test]
fn the_published_readme_says_what_the_published_report_says() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| fs::read_to_string(repository.join(path)).unwrap();
    let (readme, report) = (read("README.md"), read("docs/report/REPORT.md"));
    let block = readme.split("<!-- report: begin -->").nth(1).unwrap().split("<!-- report: end -->").next().unwrap();
    let known = numbers(&report);
    for number in numbers(block) {
        assert!(known.contains(&number), "README.md: {number} is not in REPORT.md");
    }
}
