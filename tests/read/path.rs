//! Paths, their text, and sets of them.

use proptest::collection::vec;
use proptest::prelude::*;
use y3::{Error, ErrorKind, Path, PathSet, path};

use testkit::oracle::trees::config;

fn text(keys: &[u8]) -> String {
    keys.iter().map(|key| format!("{key:#04x}")).collect::<Vec<_>>().join("/")
}

#[test]
fn gives_back_the_keys_of_a_path() {
    for len in 1..=Path::MAX_LEN {
        // Keys with and without zero bits at their end.
        for keys in [[0x10; 8], [0x3f, 0, 1, 2, 4, 8, 0x10, 0x20], [0; 8]] {
            let path = Path::new(&keys[..len]).unwrap();
            assert_eq!(path.len(), len, "{path}");
            assert_eq!(path.to_string(), text(&keys[..len]));
            assert_eq!(path.to_string().parse(), Ok(path));
        }
    }
    assert_eq!(path!(1, 0x10).to_string(), "0x01/0x10");
    assert_eq!(format!("{:?}", path!(1, 0x10)), "Path(0x01/0x10)");
    assert_eq!((Path::new(&[0; 9]), Path::new(&[]), Path::new(&[1, 64])), (None, None, None));
}

#[test]
fn a_wrong_path_in_text_is_an_error_at_the_wrong_character() {
    for (text, kind, offset) in [
        ("", ErrorKind::InvalidPath, 0),
        ("/", ErrorKind::InvalidKey, 0),
        ("/1", ErrorKind::InvalidKey, 0),
        ("1/", ErrorKind::InvalidKey, 2),
        ("1//2", ErrorKind::InvalidKey, 2),
        ("0x01/+2", ErrorKind::InvalidKey, 5),
        ("0x01/0x+2", ErrorKind::InvalidKey, 7),
        ("1/2/40/3", ErrorKind::InvalidKey, 4),
        ("17/256", ErrorKind::InvalidKey, 5),
        ("1/2/3/4/5/6/7/8/9", ErrorKind::InvalidPath, 16),
        ("1/2/3/4/5/6/7/8/", ErrorKind::InvalidPath, 16),
        ("1/2/3/4/5/6/7/8g", ErrorKind::InvalidKey, 15),
    ] {
        assert_eq!(text.parse::<Path>(), Err(Error::new(kind, offset)), "{text}");
    }
}

#[test]
fn a_path_set_without_paths_is_empty() {
    for set in [PathSet::<8>::default(), PathSet::from_slice(&[]).unwrap()] {
        assert_eq!((set.len(), set.is_empty(), set.iter().next(), set.get(0)), (0, true, None, None));
    }
    assert!(PathSet::<0>::new([]).is_empty());
}

#[test]
fn a_path_given_twice_gives_each_hit_once() {
    let (a, b) = (path!(0x01), path!(0x01, 0x02));
    let set = |paths: &[Path]| PathSet::<4>::from_slice(paths).unwrap();
    let once = |paths: &[Path]| set(paths).watch(&[0x81, 0x02, 0x02, 0x00]).map(Result::unwrap).collect::<Vec<_>>();
    assert_eq!(once(&[a, a]), once(&[a]));
    assert_eq!(once(&[a, b, b, a]), once(&[a, b]));
    let given = set(&[b, a, b, a]);
    let hits = given.watch(&[0x81, 0x02, 0x02, 0x00]).map(|hit| hit.unwrap().path_index());
    // The index of the first of them.
    assert!(hits.eq([1, 0]));
    // The set lists what it was given, so that every index of the array names its path.
    assert_eq!((given.len(), given.iter().len()), (4, 4));
    assert!(given.iter().eq([b, a, b, a]));
    assert_eq!(
        [0, 1, 2, 3, 4, usize::MAX].map(|index| given.get(index)),
        [Some(b), Some(a), Some(b), Some(a), None, None]
    );
}

#[test]
fn paths_given_in_any_order_keep_their_indices() {
    let given = [path!(3, 1), path!(1, 2), path!(2, 5, 1), path!(1, 4), path!(2, 4), path!(1)];
    let set = PathSet::<8>::from_slice(&given).unwrap();
    let bytes = [
        [0x81, 0x06, 0x02, 0x00, 0x04, 0x00, 0x05, 0x00].as_slice(),
        &[0x82, 0x08, 0x04, 0x00, 0x85, 0x02, 0x01, 0x00, 0x02, 0x00],
        &[0x83, 0x04, 0x02, 0x00, 0x01, 0x00],
    ];
    assert!(set.iter().eq(given));
    assert_eq!((set.len(), set.is_empty(), set.get(5), set.get(6)), (6, false, Some(path!(1)), None));
    let hits = |bytes: &[u8]| set.watch(bytes).map(|hit| hit.unwrap().path_index()).collect::<Vec<_>>();
    assert_eq!(hits(&bytes.concat()), [5, 1, 3, 4, 2, 0]);
    assert_eq!(bytes.map(hits), [vec![5, 1, 3], vec![4, 2], vec![0]]);
}

proptest! {
    #![proptest_config(config(3000))]

    #[test]
    fn a_path_keeps_its_keys_also_through_text(keys in vec(0..64u8, 1..=8)) {
        let path = Path::new(&keys).unwrap();
        prop_assert_eq!(path.len(), keys.len());
        prop_assert_eq!(path.to_string(), text(&keys));
        prop_assert_eq!(path.to_string().parse::<Path>(), Ok(path));
    }
}

#[test]
fn a_text_that_is_no_path_says_what_to_write_instead() {
    for (text, message) in [
        ("63", "0x63 is above 0x3f, the highest key (paths are hexadecimal) at byte 0"),
        ("01/0x40", "0x40 is above 0x3f, the highest key (paths are hexadecimal) at byte 5"),
        ("01/**", "`**` works in patterns only at byte 3"),
        ("01:", "argument is not a key of 0x00 to 0x3f at byte 3"),
    ] {
        assert_eq!(text.parse::<Path>().unwrap_err().to_string(), message);
    }
    assert_eq!(y3::Key::try_from(64).unwrap_err().to_string(), "0x40 is above 0x3f, the highest key at byte 0");
}
