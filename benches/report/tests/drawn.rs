//! Drawn: the page has all sections and pictures, and names the fastest codec.

#[allow(dead_code, reason = "each test uses its part")]
mod support;

use report::readme::block;
use report::sections::{Report, report};
use support::{Made, NASTY};

fn drawn(test: &str) -> Report {
    report(&Made::new(test).read().unwrap())
}

#[test]
fn sections_stand_in_their_order() {
    let text = drawn("sections").text;
    let sections = [
        "## Summary",
        "## Measured on",
        "## The published report redone",
        "## Peers",
        "## Encode",
        "## Whole structs",
        "## Scaling",
        "## The readers of y3",
        "## How to read this",
    ];
    let places = sections.map(|section| text.find(section).unwrap_or_else(|| panic!("no {section}")));
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn lost_cases_are_said_in_words() {
    let text = drawn("lost").text;
    assert!(text.contains("y3 is first in 0 of 5 cases, and in 5 it is not:"), "{text}");
    assert!(text.contains(
        "- C63-K32, rotating buffers: capnp reader takes 24.5 ns, y3's fastest mode, find, 30.6 ns, 1.25 times as long."
    ));
    assert!(text.contains("Ahead of y3's fastest mode, but not safe on hostile input"));
    assert!(text.contains("not measured: Go is not installed"));
    assert!(text.contains("No flame graph: nobody samples here."));
}

#[test]
fn pictures_are_xml_with_words_for_those_who_cannot_see_them() {
    let Report { text, files } = drawn("pictures");
    assert!(files.len() >= 7, "{}", files.len());
    for (name, picture) in files {
        assert!(text.contains(&format!("]({name})")), "{name} is not shown");
        let picture = String::from_utf8(picture).unwrap();
        let svg = roxmltree::Document::parse(&picture).unwrap_or_else(|error| panic!("{name}: {error}"));
        for tag in ["title", "desc"] {
            let node = svg.root_element().children().find(|node| node.has_tag_name(tag)).expect(tag);
            assert!(node.text().is_some_and(|text| !text.is_empty()), "{name}: {tag}");
        }
        assert!(picture.contains("prefers-color-scheme:dark"));
        for broken in ["NaN", "inf"] {
            assert!(
                !svg.descendants().any(|node| node.attributes().any(|attribute| attribute.value().contains(broken))),
                "{name}: {broken}"
            );
        }
        if name.starts_with("peers-") {
            let named = svg.descendants().any(|node| node.text() == Some(&format!("{NASTY} †")));
            assert!(named, "{name}");
        }
    }
}

#[test]
fn cells_do_not_end_where_a_name_has_a_bar() {
    let text = drawn("cells").text;
    let row = text.lines().find(|line| line.starts_with("| rkyv |")).expect("its row");
    let heading = text.lines().find(|line| line.starts_with("| codec | mode | way |")).expect("its heading");
    let cells = |line: &str| line.replace("\\|", "").matches('|').count();
    assert_eq!(cells(row), cells(heading), "{row}");
    assert!(row.contains("no: reads \\| anywhere"), "{row}");
}

#[test]
fn the_readme_gets_one_sentence_and_one_chart() {
    let block = block(&Made::new("readme").read().unwrap());
    assert!(
        block.starts_with(
            "A jump costs the same whatever it jumps over: `find` reads the value behind a text of 1 byte in 5.05 ns"
        ),
        "{block}"
    );
    assert!(
        block.contains(
            "1,024\nbytes in 6.06 ns, where serde_json with a typed struct needs 20.2 ns and 303 ns.\n\n![Nanoseconds"
        ),
        "{block}"
    );
    assert!(block.contains("(docs/report/scaling-value.svg)\n\na processor, 2 cores, rustc 1,"), "{block}");
    assert!(block.contains("commit abc"), "{block}");
}
