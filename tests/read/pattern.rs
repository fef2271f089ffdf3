//! Patterns: `**` beside a plain recursive match.

use proptest::collection::vec;
use proptest::prelude::*;
use testkit::oracle::ANY;
use testkit::oracle::patterns::{self, ANY_DEPTH, text};
use testkit::oracle::trees::{self, config, damage};
use y3::{Error, ErrorKind, Pattern, Patterns};

fn step() -> impl Strategy<Value = u8> {
    prop_oneof![6 => trees::key(), 1 => Just(ANY), 3 => Just(ANY_DEPTH)]
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
        patterns::same(&input, &patterns);
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
    let pattern = Patterns(["**/02".parse().unwrap()]);
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
        let found: Vec<_> = pattern.search(&bytes).collect();
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].map(|hit| hit.path_index()).map_err(|error| error.kind()),
            if nodes > 64 { Err(ErrorKind::DepthLimit) } else { Ok(0) }
        );
    }
}
