//! Patterns in text, and how deep a search goes.

use y3::{Error, ErrorKind, Pattern, Patterns};

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
        let bytes = (0..nodes).fold(vec![0x02, 0x00], |inside, _| testkit::oracle::packed(0x81, &inside));
        let found: Vec<_> = pattern.search(&bytes).collect();
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].map(|hit| hit.path_index()).map_err(|error| error.kind()),
            if nodes > 64 { Err(ErrorKind::DepthLimit) } else { Ok(0) }
        );
    }
}
