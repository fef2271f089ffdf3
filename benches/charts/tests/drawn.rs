//! Drawn: each kind of chart is well-formed SVG that says what it shows, for any names and numbers.

use charts::{Curve, Dots, Series, columns, dots, lines, rows};
use roxmltree::{Document, Node};

const NASTY: &str = "a <b> & \"c\"";

fn groups() -> Vec<String> {
    vec!["first".to_owned(), NASTY.to_owned()]
}

fn series(name: &str, values: [Option<f64>; 2]) -> Series {
    Series { name: name.to_owned(), values: values.to_vec() }
}

fn two_series() -> [Series; 2] {
    [series(NASTY, [Some(1.0), None]), series("other", [Some(20.0), Some(3000.0)])]
}

fn all() -> Vec<String> {
    let row = |name: &str, apart: bool, value| Dots {
        name: name.to_owned(),
        own: !apart,
        apart,
        values: vec![Some(value), None],
    };
    let curve =
        |name: &str| Curve { name: name.to_owned(), label: name.to_owned(), points: vec![(0.0, 4.0), (63.0, 40.0)] };
    let (one, other) = (curve(NASTY), curve("other"));
    vec![
        columns("columns", "ns", &groups(), &two_series()),
        rows("rows", &groups(), &two_series()),
        dots("dots", "ms", &["one", "other"], &[row(NASTY, true, 5.0), row("own", false, 9.0)], "set apart"),
        lines("lines", "ns", "pairs", &[&one, &other], false),
        lines("lines", "ns", "pairs", &[&one, &other], true),
    ]
}

fn texts<'a>(svg: &'a Document<'_>) -> Vec<&'a str> {
    svg.descendants().filter(|node| node.has_tag_name("text")).filter_map(|node| node.text()).collect()
}

#[test]
fn writes_well_formed_xml_with_a_title_and_a_description() {
    for picture in all() {
        let svg = Document::parse(&picture).unwrap_or_else(|error| panic!("{error}\n{picture}"));
        for tag in ["title", "desc"] {
            let node = svg.root_element().children().find(|node| node.has_tag_name(tag)).expect(tag);
            assert!(node.text().is_some_and(|text| !text.is_empty()), "{tag}");
        }
        assert!(picture.contains("prefers-color-scheme:dark"));
    }
}

#[test]
fn escapes_names_and_shows_them() {
    for picture in all() {
        let svg = Document::parse(&picture).unwrap();
        assert!(texts(&svg).iter().any(|text| text.starts_with(NASTY)), "{picture}");
    }
}

#[test]
fn writes_no_number_that_is_not_finite() {
    let nothing = [series("empty", [None, None])];
    let pictures =
        [all(), vec![columns("none", "ns", &groups(), &nothing), rows("none", &groups(), &nothing)]].concat();
    for picture in pictures {
        let svg = Document::parse(&picture).unwrap();
        let broken = |node: Node<'_, '_>| {
            node.attributes().any(|attribute| ["NaN", "inf"].iter().any(|bad| attribute.value().contains(bad)))
        };
        assert!(!svg.descendants().any(broken), "{picture}");
    }
}

#[test]
fn leaves_the_place_of_a_missing_number_empty() {
    let picture = columns("columns", "ns", &groups(), &two_series());
    // One bar for each of the three numbers, and one swatch for each series.
    assert_eq!(picture.matches(r#"<rect class="bar"#).count(), 3 + 2, "{picture}");
}

#[test]
fn draws_a_higher_number_as_a_higher_column() {
    let picture = columns("columns", "ns", &groups(), &[series("one", [Some(10.0), Some(900.0)])]);
    let svg = Document::parse(&picture).unwrap();
    let heights = svg.descendants().filter(|node| node.attribute("class") == Some("bar p0 c0"));
    let heights: Vec<f64> = heights.map(|node| node.attribute("height").unwrap().parse().unwrap()).collect();
    // The first is the swatch.
    assert!(heights[2] > heights[1], "{heights:?}");
}

#[test]
fn shows_the_unit() {
    let picture = dots(
        "dots",
        "ms",
        &["one"],
        &[Dots { name: "a".to_owned(), own: false, apart: false, values: vec![Some(5.0)] }],
        "",
    );
    let svg = Document::parse(&picture).unwrap();
    assert!(texts(&svg).contains(&"10 ms"), "{:?}", texts(&svg));
    assert!(picture.contains("a: one 5 ms."), "{picture}");
}
