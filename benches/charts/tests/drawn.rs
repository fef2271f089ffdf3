//! Drawn: each kind of chart is well-formed SVG with a title and a description, for any names and numbers.
//!
//! A test of the package report draws the charts of `docs/report` again and compares their bytes.

use charts::{Curve, Dot, Row, dots, lines};
use roxmltree::Document;

const NASTY: &str = "a <b> & \"c\"";

/// A row of numbers with a spread of five percent, or of 0 for a number up to 1. The number 0 becomes an empty place.
fn row(name: &str, own: bool, values: &[f64]) -> Row {
    let spread = |value: f64| if value > 1.0 { 0.05 } else { 0.0 };
    let dot = |value: &f64| (*value > 0.0).then(|| Dot { value: *value, spread: spread(*value) });
    Row { name: name.to_owned(), own, dots: values.iter().map(dot).collect() }
}

fn of_dots() -> String {
    let rows = [row(NASTY, false, &[5.0, 0.0, 6.0, 7.0, 80_000.0]), row("y3", true, &[9.0, 0.0, 1.0, 2.0, 3.0])];
    dots("a title", "ms", &["one", "other", "third", "fourth", "fifth"], &rows)
}

fn of_lines(points: &[(f64, f64)]) -> String {
    lines("a title", "ns", "bytes", &[Curve { name: NASTY.to_owned(), points: points.to_vec() }])
}

#[test]
fn any_name_and_any_number_make_well_formed_xml_with_a_title_and_a_description() {
    let (ends, wide) = ([(0.0, 4.0), (63.0, 40.0)], [(1.0, 1.0), (1024.0, 3000.0), (1_048_576.0, 90_000.0)]);
    for picture in [of_dots(), of_lines(&ends), of_lines(&wide)] {
        let svg = Document::parse(&picture).unwrap_or_else(|error| panic!("{error}\n{picture}"));
        let texts = |tag| svg.descendants().filter(move |node| node.has_tag_name(tag)).filter_map(|node| node.text());
        assert_eq!(texts("title").collect::<Vec<_>>(), ["a title"]);
        assert!(texts("desc").all(|text| text.contains(NASTY)), "{picture}");
        assert!(texts("tspan").any(|text| text == NASTY), "{picture}");
    }
}

#[test]
fn a_chart_without_a_positive_number_has_no_number_that_is_not_finite() {
    let mut pictures = vec![
        dots("none", "ns", &["a", "b"], &[row("empty", false, &[0.0, 0.0])]),
        dots("none", "ns", &[], &[]),
        lines("none", "ns", "x", &[]),
    ];
    pictures.extend([&[][..], &[(0.0, 0.0)], &[(0.0, 0.0), (1.0, 0.0)], &[(1.0, 3.0)]].map(of_lines));
    for picture in pictures {
        assert!(picture.ends_with("</svg>\n") && !picture.contains("NaN") && !picture.contains("inf"), "{picture}");
    }
}

#[test]
fn a_missing_number_has_no_dot_and_the_spread_decides_the_digits() {
    let picture = of_dots();
    let svg = Document::parse(&picture).unwrap();
    let marks = svg.descendants().filter(|node| node.attribute("class").is_some_and(|class| class.starts_with("mark")));
    // A row is one path for all panels that are side by side, with a dot in each panel.
    let dots: Vec<usize> = marks.map(|row| row.attribute("d").unwrap().matches('M').count()).collect();
    assert_eq!(dots, [3, 3, 1, 1]);
    assert!(picture.contains("y3: one 9.0 ms, third 1.00 ms,"), "{picture}");
}
