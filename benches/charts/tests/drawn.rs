//! Drawn: each kind of chart is well-formed SVG that says what it shows, for any names and numbers, and its labels cover nothing.

use charts::places::covered;
use charts::{Curve, Dot, Row, dots, lines};
use roxmltree::{Document, Node};

const NASTY: &str = "a <b> & \"c\"";

/// Numbers with a spread of five percent; zero stands for none.
fn row(name: &str, own: bool, values: &[f64]) -> Row {
    let dot = |value: &f64| (*value > 0.0).then(|| Dot { value: *value, low: value * 0.98, high: value * 1.03 });
    Row { name: name.to_owned(), own, dots: values.iter().map(dot).collect() }
}

fn curve(name: &str, points: &[(f64, f64)]) -> Curve {
    Curve { name: name.to_owned(), label: name.to_owned(), points: points.to_vec() }
}

fn of_dots() -> String {
    let mut rows = [row(NASTY, false, &[5.0, 0.0, 6.0, 7.0, 80_000.0]), row("y3", true, &[9.0, 0.0, 1.0, 2.0, 3.0])];
    rows[1].dots[1] = Some(Dot { value: 900.0, low: 100.0, high: 4000.0 });
    dots(
        "a title that is long enough to go on in a second line, where it says what was found with a number and a name beside \
          it",
        "ms",
        &["one", "other", "third", "fourth", "fifth"],
        &rows,
    )
}

fn all() -> Vec<String> {
    // Three lines end in one place, and one ends early.
    let ends = [(0.0, 4.0), (8.0, 5.0), (63.0, 40.0)];
    let curves = [curve(NASTY, &ends), curve("y3 find", &ends), curve("serde_json", &[(0.0, 4.0), (63.0, 39.0)])];
    let early = curve("early", &[(0.0, 1.0), (7.0, 3.0)]);
    let wide = curve("wide", &[(1.0, 1.0), (4.0, 900.0), (1024.0, 3000.0), (1_048_576.0, 90_000.0)]);
    let curves: Vec<&Curve> = curves.iter().chain([&early]).collect();
    vec![
        of_dots(),
        lines("lines", "ns", "pairs", &curves, false),
        lines("lines", "ns", "pairs", &curves, true),
        lines("lines", "ns", "bytes", &[&wide, &early], true),
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
fn escapes_names_and_shows_each_once() {
    for picture in all().iter().skip(1).take(2) {
        let svg = Document::parse(picture).unwrap();
        assert_eq!(texts(&svg).iter().filter(|text| **text == NASTY).count(), 1, "{picture}");
    }
}

#[test]
fn writes_no_number_that_is_not_finite() {
    let nothing = [row("empty", false, &[0.0, 0.0])];
    for picture in [
        all(),
        vec![
            dots("none", "ns", &["a", "b"], &nothing),
            dots("none", "ns", &[], &[]),
            lines("none", "ns", "x", &[], true),
        ],
    ]
    .concat()
    {
        let svg = Document::parse(&picture).unwrap();
        let broken = |node: Node<'_, '_>| {
            node.attributes().any(|attribute| ["NaN", "inf"].iter().any(|bad| attribute.value().contains(bad)))
        };
        assert!(!svg.descendants().any(broken), "{picture}");
    }
}

#[test]
fn leaves_the_place_of_a_missing_number_empty() {
    assert_eq!(of_dots().matches(r#"<path class="mark"#).count(), 9);
}

#[test]
fn draws_a_higher_number_farther_to_the_right() {
    let picture = of_dots();
    let svg = Document::parse(&picture).unwrap();
    let places: Vec<f64> = svg
        .descendants()
        .filter(|node| node.attribute("class").is_some_and(|class| class.starts_with("mark")))
        .filter_map(|node| node.attribute("transform")?.strip_prefix("translate(")?.split(' ').next()?.parse().ok())
        .collect();
    // The first panel, 5 ms and 9 ms.
    assert!(places[1] > places[0], "{places:?}");
}

#[test]
fn draws_a_spread_that_is_wider_than_its_dot() {
    assert_eq!(of_dots().matches("<polyline").count(), 1);
}

#[test]
fn shows_the_unit_and_the_digits_that_the_spread_allows() {
    let picture = of_dots();
    assert!(picture.contains("y3: one 9.0 ms, other 900 ms,"), "{picture}");
    let svg = Document::parse(&picture).unwrap();
    assert!(texts(&svg).contains(&"1 ms"), "{:?}", texts(&svg));
}

#[test]
fn labels_cover_no_line_no_mark_and_no_other_label() {
    for picture in all() {
        assert_eq!(covered(&picture), Vec::<String>::new(), "{picture}");
    }
}

#[test]
fn a_label_on_a_line_is_noticed() {
    let text = |x: u32, what: &str| format!(r#"<text class="t" x="{x}" y="20" text-anchor="start">{what}</text>"#);
    let line = r#"<polyline class="line" points="0,16 100,16"/>"#;
    let svg =
        |shapes: &str| format!(r#"<svg xmlns="http://www.w3.org/2000/svg" width="200" height="40">{shapes}</svg>"#);
    assert_eq!(covered(&svg(&(text(20, "on it") + line))).len(), 1);
    assert_eq!(covered(&svg(&(text(120, "beside it") + line))), Vec::<String>::new());
    assert_eq!(covered(&svg(&(text(20, "first") + &text(30, "second")))).len(), 1);
    assert_eq!(covered(&svg(&text(190, "cut off"))).len(), 1);
}

#[test]
fn a_chart_without_a_positive_number_ends_too() {
    for points in [vec![], vec![(0.0, 0.0)], vec![(0.0, 0.0), (1.0, 0.0)], vec![(1.0, 3.0)]] {
        for logarithmic in [false, true] {
            let svg = lines("Nothing", "ns", "bytes", &[&curve("y3", &points)], logarithmic);
            assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN") && !svg.contains("inf"), "{points:?}: {svg}");
        }
    }
}

#[test]
fn no_text_is_smaller_than_twelve_pixels() {
    for picture in all() {
        let sizes = picture.split("font-size:").skip(1).filter_map(|rest| rest.split_once("px")?.0.parse::<f64>().ok());
        let sizes: Vec<f64> = sizes.collect();
        assert!(!sizes.is_empty() && sizes.iter().all(|size| *size >= 12.0), "{sizes:?}");
    }
}

#[test]
fn a_line_ends_with_its_last_point_and_has_its_label_above_the_plot() {
    let picture = lines("lines", "ns", "pairs", &[&curve("y3", &[(0.0, 4.0), (63.0, 40.0)])], false);
    let svg = Document::parse(&picture).unwrap();
    let place = |node: Node<'_, '_>| {
        let numbers = node.attribute("transform")?.strip_prefix("translate(")?.strip_suffix(')')?.split_once(' ')?;
        Some((numbers.0.parse::<f64>().ok()?, numbers.1.parse::<f64>().ok()?))
    };
    let marks: Vec<(f64, f64)> = svg.descendants().filter_map(place).collect();
    let [first, last, label] = marks[..] else { panic!("{marks:?}") };
    assert!(last.0 > first.0 && label.0 < last.0 && label.1 < first.1.min(last.1), "{marks:?}");
}

#[test]
fn a_legend_says_what_a_line_through_a_dot_is_if_there_is_one() {
    let legend = "a line through a dot: from the lowest to the highest measured";
    assert!(texts(&Document::parse(&of_dots()).unwrap()).contains(&legend));
    let exact = Row { name: "y3".to_owned(), own: true, dots: vec![Some(Dot { value: 5.0, low: 5.0, high: 5.0 })] };
    assert!(!dots("exact", "ns", &["one"], &[exact]).contains(legend));
}
