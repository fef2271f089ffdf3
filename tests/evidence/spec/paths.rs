//! Sets of watched paths: which are refused, and what comes of paths that lead through one another.

use super::*;

#[test]
fn path_1() {
    rows("PATH-1");
    assert_eq!(Path::new(&[]), None);
    assert_eq!("".parse::<Path>().map_err(|error| error.offset()), Err(0));
    for text in ["/", "0x01/", "/0x01", "0x01//0x02"] {
        assert!(text.parse::<Path>().is_err(), "{text}");
    }
}

#[test]
fn path_2() {
    rows("PATH-2");
    // A path more, the same as one of the others, changes nothing.
    for paths in small_paths() {
        let twice = [&paths[..], &paths[..1]].concat();
        let (set, twice) = (path_set(&paths), path_set(&twice));
        small_inputs(&TELLING, 4, |input| assert_eq!(watched(input, &twice), watched(input, &set), "{}", hex(input)));
    }
}

#[test]
fn path_3() {
    rows("PATH-3");
    let none = path_set(&[]);
    every_small_input(|input| {
        let fault = packets(input).find_map(Result::err).map(fault);
        assert_eq!(watched(input, &none), (Vec::new(), fault), "{}", hex(input));
        assert_eq!(streamed(input.chunks(1), &none), (Vec::new(), fault), "{}", hex(input));
    });
}

#[test]
fn path_4() {
    rows("PATH-4");
    let longest = [0x01; Path::MAX_LEN];
    assert!(Path::new(&longest).is_some());
    assert_eq!(Path::new(&[&longest[..], &[0x01]].concat()), None);
    let (one, other) = (y3::path!(0x01), y3::path!(0x02));
    assert!(PathSet::<2>::from_slice(&[one, other]).is_some());
    assert_eq!(PathSet::<1>::from_slice(&[one, other]), None);
}

#[test]
fn skip_7() {
    rows("SKIP-7");
    // Every cut of nodes on the paths: an outer packet that is whole comes before those inside it, one that is cut does
    // not come at all.
    let bytes = unhex("810c910811020101910211001200");
    let paths = [vec![0x01], vec![0x01, 0x11], vec![0x01, 0x11, 0x11]];
    let set = path_set(&paths);
    let (whole, end) = watched(&bytes, &set);
    let order: Vec<_> = whole.iter().map(|(path, offset, _)| (*path, *offset)).collect();
    assert_eq!((order, end), (vec![(0, 0), (1, 2), (2, 4), (2, 8)], None));
    for cut in 1..bytes.len() {
        let (hits, fault) = watched(&bytes[..cut], &set);
        let expected: Vec<_> = whole.iter().filter(|hit| ends(&bytes, hit) <= cut).cloned().collect();
        assert_eq!((hits, fault), (expected, Some((ErrorKind::UnexpectedEnd, 0))), "the first {cut} bytes");
    }
}

/// Where a hit ends in the input.
fn ends(bytes: &[u8], (_, offset, value): &oracle::Found) -> usize {
    let start = usize::try_from(*offset).unwrap();
    start + read_header(&bytes[start..]).unwrap().0 + value.len()
}

#[test]
fn skip_8() {
    rows("SKIP-8");
    // Anything at all in a watched node, whole and cut short: with a path through it, the fault inside it is reported,
    // and without one it is not.
    let (through, alone) = (path_set(&[vec![0x01], vec![0x01, 0x3e]]), path_set(&[vec![0x01]]));
    every_small_input(|value| {
        let len = u8::try_from(value.len()).unwrap();
        let whole = [&[0x81, len], value].concat();
        let hit = (0, 0, value.to_vec());
        let inside = Packet::from_slice(&whole).unwrap().children().find_map(Result::err).map(fault);
        assert_eq!(watched(&whole, &through), (vec![hit.clone()], inside), "{}", hex(&whole));
        assert_eq!(watched(&whole, &alone), (vec![hit], None), "{}", hex(&whole));
        // The same bytes in a node of 2^31-1: nothing in them is too long for it, so only the input cuts.
        let cut = [&[0x81, 0x87, 0xff, 0xff, 0xff, 0x7f], value].concat();
        let end = (ErrorKind::UnexpectedEnd, 0);
        let inside = packets(value).find_map(Result::err).map(fault);
        let inside = inside.filter(|(kind, _)| *kind != ErrorKind::UnexpectedEnd);
        let expected = inside.map_or(end, |(kind, offset)| (kind, offset + 6));
        assert_eq!(watched(&cut, &through), (Vec::new(), Some(expected)), "{}", hex(&cut));
        assert_eq!(watched(&cut, &alone), (Vec::new(), Some(end)), "{}", hex(&cut));
    });
}
