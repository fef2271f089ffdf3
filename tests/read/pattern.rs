//! Patterns: `**` beside a plain recursive match.

use crate::kit::oracle::trees::{self, config, damage};
use crate::kit::oracle::{TOP, walk};
use proptest::collection::vec;
use proptest::prelude::*;
use y3::{Error, ErrorKind, Pattern};

const ANY: u8 = 0x80;
const ANY_DEPTH: u8 = 0x81;

fn step() -> impl Strategy<Value = u8> {
    prop_oneof![6 => trees::key(), 1 => Just(ANY), 3 => Just(ANY_DEPTH)]
}

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

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn a_search_finds_what_matches_and_enters_nothing_else(
        trees in trees::trees(32),
        damage in damage(),
        patterns in vec(vec(step(), 1..=4), 0..4),
    ) {
        let mut input = trees::encode(&trees);
        for damage in damage {
            damage.apply(&mut input);
        }
        let enter = |seen: &crate::kit::oracle::Seen| patterns.iter().any(|steps| goes_on(steps, &seen.path));
        let (seen, then) = walk(&input, TOP, 64, &enter);
        let index = |seen: &crate::kit::oracle::Seen| {
            patterns.iter().position(|steps| matches(steps, &seen.path)).map(|index| (index, seen.offset as u64))
        };
        let expected: Vec<_> = seen.iter().filter_map(index).map(Ok).chain(then.map(Err)).collect();
        let parsed: Vec<Pattern> = patterns.iter().map(|steps| text(steps).parse().unwrap()).collect();
        let found = y3::search(&input, &parsed).map(|hit| hit.map(|hit| (hit.path_index(), hit.offset())));
        prop_assert_eq!(found.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_pattern_is_printed_as_it_is_parsed(steps in vec(step(), 1..=8)) {
        let pattern: Pattern = text(&steps).parse().unwrap();
        prop_assert_eq!(pattern.to_string(), text(&steps));
    }
}

#[test]
fn a_wrong_pattern_is_refused_where_it_is_wrong() {
    for (text, kind, offset) in [
        ("", ErrorKind::InvalidPath, 0),
        ("**/", ErrorKind::InvalidKey, 3),
        ("01//02", ErrorKind::InvalidKey, 3),
        ("01:**", ErrorKind::InvalidKey, 2),
        ("***", ErrorKind::InvalidKey, 0),
        ("**/**/**/**/**/**/**/**/01", ErrorKind::InvalidPath, 24),
        ("40", ErrorKind::InvalidKey, 0),
    ] {
        assert_eq!(text.parse::<Pattern>(), Err(Error::new(kind, offset)), "{text}");
    }
    assert!("**/**/**/**/**/**/**/01".parse::<Pattern>().is_ok());
    assert!("**".parse::<y3::Path>().is_err(), "a path that streams watch has no any-depth step");
}

#[test]
fn a_search_reaches_the_64th_node_and_no_further() {
    let pattern: [Pattern; 1] = ["**/02".parse().unwrap()];
    for nodes in [63, 64, 65] {
        let mut bytes = vec![0x02, 0x00];
        for _ in 0..nodes {
            let len = bytes.len();
            let header = if len < 64 {
                vec![0x81, u8::try_from(len).unwrap()]
            } else {
                vec![0x81, 0x80 | u8::try_from(len >> 7).unwrap(), u8::try_from(len & 0x7f).unwrap()]
            };
            bytes.splice(0..0, header);
        }
        let found: Vec<_> = y3::search(&bytes, &pattern).collect();
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].map(|hit| hit.path_index()).map_err(|error| error.kind()),
            if nodes > 64 { Err(ErrorKind::DepthLimit) } else { Ok(0) }
        );
    }
}
