//! Paths, their text form, and sets of them.

#[cfg(feature = "alloc")]
use y3::Paths;
use y3::{Error, ErrorKind, Path, PathSet, path};

fn text(keys: &[u8]) -> String {
    keys.iter().map(|key| format!("{key:#04x}")).collect::<Vec<_>>().join("/")
}

#[test]
fn gives_back_the_keys_of_a_path() {
    for len in 1..=Path::MAX_LEN {
        // Keys with and without trailing zero bits.
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
        assert_eq!((set.iter().len(), set.get(0)), (0, None));
    }
    assert_eq!(PathSet::<0>::new([]).iter().len(), 0);
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
    // The index of the first of the equal paths.
    assert!(hits.eq([1, 0]));
    // The set keeps all given paths, so every index of the array names its path.
    assert_eq!(given.iter().len(), 4);
    assert!(given.iter().eq([b, a, b, a]));
    assert_eq!(
        [0, 1, 2, 3, 4, usize::MAX].map(|index| given.get(index)),
        [Some(b), Some(a), Some(b), Some(a), None, None]
    );
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
    let put = y3::Encoder::new(&mut y3::SliceSink::new(&mut [0; 8])).put(64, 1);
    assert_eq!(put.unwrap_err().to_string(), "0x40 is above 0x3f, the highest key at byte 0");
}

#[test]
fn a_constant_path_enters_and_has_any_key() {
    const INSIDE: u8 = 0x10;
    const PATHS: [Path; 4] = [path!(*), path!(0x3f, 0x02 => INSIDE, *), path!(* => 2,), path!(*, * => *, *,)];
    assert_eq!(PATHS.map(|path| path.to_string()), ["*", "0x3f/0x02:0x10/*", "*:0x02", "*/*:*/*"]);
    assert_eq!(PATHS.map(|path| path.to_string().parse::<Path>().unwrap()), PATHS);
    assert_eq!(path!(1, 2, 3, 4, 5, 6, 7, 8).enter(Path::ANY), None);
    assert_eq!("1/2:".parse::<Path>(), Err(Error::new(ErrorKind::InvalidKey, 4)));
    assert_eq!("1/**".parse::<Path>(), Err(Error::new(ErrorKind::AnyDepth, 2)));
    assert_eq!("1:2:3:4:5:6:7:8:9".parse::<Path>(), Err(Error::new(ErrorKind::InvalidPath, 16)));
}

#[test]
fn ten_thousand_embedded_levels_end_at_the_depth_of_the_path() {
    let mut bytes = vec![0x02, 0x01, 0x05];
    while bytes.len() < 40_000 {
        bytes = testkit::oracle::packed(0x02, &bytes);
    }
    for path in ["02:02:02:02:02:02:02:02", "*:*:*:*:*:*:*:*"] {
        let hits: Vec<_> = PathSet::new([path.parse::<Path>().unwrap()]).watch(&bytes).map(Result::unwrap).collect();
        assert!(hits.len() == 1 && hits[0].offset() >= 21 && hits[0].value().len() > 39_000, "{path}");
    }
}

#[cfg(feature = "alloc")]
#[test]
fn an_owned_set_of_many_paths_names_each_of_them() {
    let keys = || (0..64u8).flat_map(|a| (0..64).map(move |b| (a, b)));
    let set: Paths = keys().map(|(a, b)| Path::new(&[a, b]).unwrap()).collect();
    assert_eq!(set.iter().len(), 4096);
    for (index, (a, b)) in keys().enumerate() {
        let bytes = [0x80 | a, 0x02, b, 0x00];
        let hit = set.watch(&bytes).next().unwrap().unwrap();
        assert_eq!((hit.path_index(), set.get(index)), (index, Path::new(&[a, b])));
    }
}

#[cfg(feature = "alloc")]
#[test]
fn an_owned_set_goes_to_another_thread_with_its_reader() {
    fn watcher(paths: &[Path]) -> y3::Watcher<Paths> {
        y3::Watcher::new(paths.iter().copied().collect(), y3::Limits::DEFAULT)
    }
    let mut watcher = watcher(&[path!(0x01, 0x11)]);
    let events = std::thread::spawn(move || watcher.feed(&[0x81, 0x02, 0x11, 0x00]).count());
    assert_eq!(events.join().unwrap(), 1);
}
