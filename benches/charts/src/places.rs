//! Places: which labels of a chart cover something or leave the picture.

use roxmltree::{Document, Node};

/// Left, top, right, bottom.
type Area = [f64; 4];

/// A sentence for each label that covers a line, a mark or another label, or that is cut off.
pub fn covered(picture: &str) -> Vec<String> {
    let svg = Document::parse(picture).unwrap();
    let number = |name: &str| svg.root_element().attribute(name).unwrap().parse::<f64>().unwrap();
    let (width, height) = (number("width"), number("height"));
    let labels: Vec<(&str, Area)> = svg.descendants().filter_map(label).collect();
    let things: Vec<Area> = svg.descendants().flat_map(thing).collect();
    let mut faults = Vec::new();
    for (place, (text, area)) in labels.iter().enumerate() {
        let [left, top, right, bottom] = *area;
        if left < 0.0 || top < 0.0 || right > width || bottom > height {
            faults.push(format!("{text} is cut off: {area:?}"));
        }
        faults.extend(
            labels[..place]
                .iter()
                .filter(|(_, other)| meet(area, other))
                .map(|(other, _)| format!("{text} and {other}")),
        );
        faults.extend(things.iter().find(|thing| meet(area, thing)).map(|thing| format!("{text} covers {thing:?}")));
    }
    faults
}

fn meet(one: &Area, other: &Area) -> bool {
    one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3]
}

/// A text and the room that it takes, in a font of usual width.
fn label<'a>(node: Node<'a, '_>) -> Option<(&'a str, Area)> {
    let text = node.text().filter(|_| node.has_tag_name("text"))?;
    let place = |name: &str| node.attribute(name)?.parse::<f64>().ok();
    let (x, y, class) = (place("x")?, place("y")?, node.attribute("class")?);
    let size = if class.split(' ').next_back()? == "big" { 15.0 } else { 12.0 };
    // Titles are bold, and everything may be set in a wide font.
    let width = if size > 12.0 { 0.62 } else { 0.55 } * size * text.chars().count() as f64;
    let left = match node.attribute("text-anchor")? {
        "start" => x,
        "middle" => x - width / 2.0,
        _ => x - width,
    };
    Some((text, [left, y - 0.75 * size, left + width, y + 0.2 * size]))
}

/// The rooms of a mark, or of the pieces of a line.
fn thing(node: Node<'_, '_>) -> Vec<Area> {
    let numbers = |text: &str| -> Vec<f64> {
        text.split([' ', ',', '(', ')']).filter_map(|number| number.parse().ok()).collect()
    };
    if let Some([x, y]) = node.attribute("transform").map(numbers).as_deref() {
        return vec![[x - 5.0, y - 5.0, x + 5.0, y + 5.0]];
    }
    let points = node.attribute("points").map(numbers).unwrap_or_default();
    let points: Vec<(f64, f64)> = points.chunks_exact(2).map(|point| (point[0], point[1])).collect();
    let mut pieces = Vec::new();
    for ends in points.windows(2) {
        let ((x, y), (to_x, to_y)) = (ends[0], ends[1]);
        // Short pieces, since the room around a long slope is mostly empty.
        for step in 0..50 {
            let (at, next) = (f64::from(step) / 50.0, f64::from(step + 1) / 50.0);
            let (one, other) =
                ((x + (to_x - x) * at, y + (to_y - y) * at), (x + (to_x - x) * next, y + (to_y - y) * next));
            pieces.push([one.0.min(other.0), one.1.min(other.1) - 1.0, one.0.max(other.0), one.1.max(other.1) + 1.0]);
        }
    }
    pieces
}
