//! Compares patterns with a naive matcher: a plain recursion over the steps and the keys that lead to a packet.

use y3::{Limits, Pattern, Patterns};

use super::same::row;
use super::{ANY, Naive, TOP};

/// A step of a pattern is a key, `ANY`, or this: any number of keys.
pub const ANY_DEPTH: u8 = 0x81;

pub fn text(steps: &[u8]) -> String {
    let step = |step: &u8| match *step {
        ANY => "*".to_owned(),
        ANY_DEPTH => "**".to_owned(),
        key => format!("0x{key:02x}"),
    };
    steps.iter().map(step).collect::<Vec<_>>().join("/")
}

/// True if the pattern matches a packet with these keys. Each key has a flag that is true if its primitive was entered.
fn ends(steps: &[u8], keys: &[(u8, bool)]) -> bool {
    match (steps.split_first(), keys.split_first()) {
        (None, None) => true,
        (Some((&ANY_DEPTH, others)), key) => ends(others, keys) || key.is_some_and(|(_, inside)| ends(steps, inside)),
        (Some((step, others)), Some(((key, false), inside))) => (*step == ANY || step == key) && ends(others, inside),
        _ => false,
    }
}

/// True if the pattern can match a packet deeper than these keys.
fn goes_on(steps: &[u8], keys: &[(u8, bool)]) -> bool {
    match (steps.split_first(), keys.split_first()) {
        (None, _) | (_, Some(((_, true), _))) => false,
        (Some(_), None) => true,
        (Some((&ANY_DEPTH, others)), Some((_, inside))) => goes_on(others, keys) || goes_on(steps, inside),
        (Some((step, others)), Some(((key, _), inside))) => (*step == ANY || step == key) && goes_on(others, inside),
    }
}

/// The crate's patterns for these steps.
pub fn parsed(patterns: &[Vec<u8>]) -> Patterns<Vec<Pattern>> {
    Patterns(patterns.iter().map(|steps| text(steps).parse().unwrap()).collect())
}

/// Asserts that a watch finds the packets that match, and enters no others than necessary.
pub fn same(input: &[u8], patterns: &[Vec<u8>]) {
    let (items, then) =
        Naive { input, paths: patterns, limits: Limits::NONE, first_only: false, ends, goes_on }.items(TOP);
    let items = items.into_iter().map(|item| item.map(|(pattern, seen)| (pattern, seen.row(), seen.path)));
    let expected: Vec<_> = items.chain(then.map(Err)).collect();
    let mut found = Vec::new();
    for hit in parsed(patterns).watch(input) {
        found.push(hit.map(|hit| {
            let keys = hit.path().map(|path| path.keys().map(|key| key.unwrap().get()).collect::<Vec<_>>());
            (hit.path_index(), row(input, &hit.packet()), keys)
        }));
    }
    // A hit knows at most 8 keys.
    let known = |path: Vec<u8>| Some(path).filter(|path| path.len() <= 8);
    let expected: Vec<_> =
        expected.into_iter().map(|item| item.map(|(pattern, row, path)| (pattern, row, known(path)))).collect();
    assert_eq!(found, expected, "watch of {patterns:x?}");
}
