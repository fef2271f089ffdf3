//! Drawn: each kind of chart is well-formed SVG that says what it shows, for any names and numbers.
//!
//! How the charts look is in `docs/report`: a test of the report draws them again and compares their bytes.

use charts::{Curve, Dot, Row, dots, lines};
use roxmltree::Document;

const NASTY: &str = "a <b> & \"c\"";

/// Numbers with a spread of five percent; zero stands for none.
fn row(name: &str, own: bool, values: &[f64]) -> Row {
    let dot = |value: &f64| (*value > 0.0).then(|| Dot { value: *value, low: value * 0.98, high: value * 1.03 });
    Row { name: name.to_owned(), own, dots: values.iter().map(dot).collect() }
}

fn of_dots() -> String {
    let mut rows = [row(NASTY, false, &[5.0, 0.0, 6.0, 7.0, 80_000.0]), row("y3", true, &[9.0, 0.0, 1.0, 2.0, 3.0])];
    rows[1].dots[1] = Some(Dot { value: 900.0, low: 100.0, high: 4000.0 });
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
        assert!(texts("text").any(|text| text == NASTY), "{picture}");
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
fn a_missing_number_has_no_dot_and_a_spread_wider_than_its_dot_has_a_line_and_a_legend() {
    let picture = of_dots();
    assert_eq!(picture.matches(r#"<path class="mark"#).count(), 9);
    assert_eq!(picture.matches("<polyline").count(), 1);
    assert!(picture.contains("y3: one 9.0 ms, other 900 ms,"), "{picture}");
    let exact = Row { dots: vec![Some(Dot { value: 5.0, low: 5.0, high: 5.0 })], ..row("y3", true, &[]) };
    let legend = "a line through a dot: from the lowest to the highest measured";
    assert!(picture.contains(legend) && !dots("exact", "ns", &["one"], &[exact]).contains(legend));
}
