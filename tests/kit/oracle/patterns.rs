//! Patterns, naively: a plain recursive match of steps with the keys that lead to a packet.
//!
//! In: bytes and patterns. Out: nothing, or a panic that says where `Patterns::search` differs.

use y3::{Pattern, Patterns};

use super::{ANY, Seen, TOP, walk};

/// A step of a pattern is a key, `ANY`, or any number of keys.
pub const ANY_DEPTH: u8 = 0x81;

fn text(steps: &[u8]) -> String {
    let step = |step: &u8| match *step {
        ANY => "*".to_owned(),
        ANY_DEPTH => "**".to_owned(),
        key => format!("0x{key:02x}"),
    };
    steps.iter().map(step).collect::<Vec<_>>().join("/")
}

fn matches(steps: &[u8], keys: &[u8]) -> bool {
    match (steps.split_first(), keys.split_first()) {
        (None, None) => true,
        (Some((&ANY_DEPTH, others)), key) => {
            matches(others, keys) || key.is_some_and(|(_, inside)| matches(steps, inside))
        }
        (Some((step, others)), Some((key, inside))) => (*step == ANY || step == key) && matches(others, inside),
        _ => false,
    }
}

/// Whether a packet inside the one with these keys may match.
fn goes_on(steps: &[u8], keys: &[u8]) -> bool {
    match (steps.split_first(), keys.split_first()) {
        (None, _) => false,
        (Some(_), None) => true,
        (Some((&ANY_DEPTH, others)), Some((_, inside))) => goes_on(others, keys) || goes_on(steps, inside),
        (Some((step, others)), Some((key, inside))) => (*step == ANY || step == key) && goes_on(others, inside),
    }
}

/// Asserts that a search finds what matches, and enters nothing else.
pub fn same(input: &[u8], patterns: &[Vec<u8>]) {
    let enter = |seen: &Seen| patterns.iter().any(|steps| goes_on(steps, &seen.path));
    let (seen, then) = walk(input, TOP, 64, &enter);
    let index = |seen: &Seen| {
        patterns.iter().position(|steps| matches(steps, &seen.path)).map(|index| (index, seen.offset as u64))
    };
    let expected: Vec<_> = seen.iter().filter_map(index).map(Ok).chain(then.map(Err)).collect();
    let parsed: Vec<Pattern> = patterns.iter().map(|steps| text(steps).parse().unwrap()).collect();
    assert!(parsed.iter().zip(patterns).all(|(pattern, steps)| pattern.to_string() == text(steps)));
    let patterns = Patterns(&parsed);
    let found = patterns.search(input).map(|hit| hit.map(|hit| (hit.path_index(), hit.offset())));
    assert_eq!(found.collect::<Vec<_>>(), expected, "search for {parsed:?}");
}
