//! Edges: what small public functions promise, each on its own, so that a fault in one of them shows here by its name.
//!
//! In: calls with known answers. Out: those answers.

use std::collections::BTreeSet;

use y3::{
    Encode, Encoder, Error, ErrorKind, Key, KeySet, Limits, Packet, Path, PathSet, Sink, SliceSink, Tag, keys, path,
};

fn key(number: u8) -> Key {
    Key::new(number).unwrap()
}

#[test]
fn gives_back_the_number_of_a_key() {
    assert_eq!((u8::from(key(0x2a)), u8::from(Key::MAX), key(0x2a).get()), (0x2a, 0x3f, 0x2a));
    assert_eq!((key(7).to_string(), format!("{:?}", key(0x3f))), ("0x07".into(), "Key(0x3f)".into()));
    assert_eq!((key(3) == 3, key(3) == 4), (true, false));
}

#[test]
fn prints_the_kind_and_the_key_of_a_tag() {
    assert_eq!(format!("{:?}", Tag::primitive(key(1))), "Tag(0x01: primitive 0x01)");
    // The slice bit of a primitive means nothing.
    assert_eq!(format!("{:?}", Tag::from(0x41)), "Tag(0x41: primitive 0x01)");
    assert_eq!(format!("{:?}", Tag::node(key(1))), "Tag(0x81: node 0x01)");
    assert_eq!(format!("{:?}", Tag::slice(key(0x3f))), "Tag(0xff: slice 0x3f)");
}

#[test]
fn prints_the_keys_of_a_set() {
    assert_eq!(format!("{:?}", keys![0x3f, 0x02]), "{Key(0x02), Key(0x3f)}");
    assert_eq!((KeySet::EMPTY.is_empty(), keys![0].is_empty()), (true, false));
}

/// Every pair of sets over some keys beside sets of the standard library.
#[test]
fn sets_of_keys_do_what_sets_do() {
    let some = [0, 1, 31, 32, 62, 63].map(key);
    let of = |bits: u32| some.into_iter().enumerate().filter(move |(bit, _)| bits >> bit & 1 != 0).map(|(_, key)| key);
    for bits in 0..64 {
        let (set, model) = (of(bits).collect::<KeySet>(), of(bits).collect::<BTreeSet<Key>>());
        assert_eq!((set.len(), set.is_empty()), (model.len(), model.is_empty()));
        assert!(set.iter().eq(model.iter().copied()) && set.into_iter().eq(set.iter()));
        let mut left = set.iter();
        for passed in 0..=model.len() {
            assert_eq!((left.len(), left.size_hint().1), (model.len() - passed, Some(model.len() - passed)));
            left.next();
        }
        assert_eq!((left.next(), left.next()), (None, None));
        for others in 0..64 {
            let other = of(others).collect::<KeySet>();
            let either: BTreeSet<Key> = model.iter().copied().chain(of(others)).collect();
            let (mut assigned, mut extended) = (set, set);
            assigned |= other;
            extended.extend(of(others));
            assert!((set | other).iter().eq(either));
            assert_eq!((assigned, extended), (set | other, set | other));
        }
    }
    assert_eq!((KeySet::ALL.len(), KeySet::EMPTY.len()), (64, 0));
    assert!(KeySet::ALL.iter().map(Key::get).eq(0..64));
}

#[test]
fn a_path_set_without_paths_is_empty() {
    for set in [PathSet::<8>::default(), PathSet::from_slice(&[]).unwrap()] {
        assert_eq!((set.len(), set.is_empty(), set.iter().next(), set.get(0)), (0, true, None, None));
    }
    assert!(PathSet::<0>::new([]).is_empty());
}

#[test]
fn an_optional_value_is_none_only_where_its_key_is_not() {
    let node = Packet::from_slice(&[0x81, 0x0a, 0x02, 0x01, 0x07, 0x02, 0x01, 0x08, 0x03, 0x02, 0x41, 0xff]).unwrap();
    assert_eq!(node.get::<i32>(0x02), Ok(Some(7)), "the first of two");
    assert_eq!(node.get::<i32>(0x04), Ok(None));
    assert_eq!(node.get::<&str>(0x03), Err(Error::new(ErrorKind::InvalidUtf8, 11)));
    assert_eq!(node.get::<[u8; 3]>(0x03), Err(Error::new(ErrorKind::InvalidValue, 10)));
    assert_eq!(node.get::<i32>(0x40), Err(Error::new(ErrorKind::InvalidKey, 0)));
    let primitive = node.find(0x02).unwrap().unwrap();
    assert_eq!(primitive.get::<i32>(0x02), Err(Error::new(ErrorKind::NotANode, 2)));
    let cut = Packet::from_slice(&[0x81, 0x03, 0x01, 0x02, 0x07]).unwrap();
    assert_eq!(cut.get::<i32>(0x02), Err(Error::new(ErrorKind::Overrun, 2)));
}

#[test]
fn gives_back_the_keys_of_a_path() {
    for len in 1..=Path::MAX_LEN {
        // Keys with and without zero bits at their end.
        for keys in [[0x10; 8], [0x3f, 0, 1, 2, 4, 8, 0x10, 0x20], [0; 8]] {
            let path = Path::new(&keys[..len]).unwrap();
            assert_eq!(path.depth(), len, "{path}");
            assert!(path.keys().eq(keys[..len].iter().map(|number| key(*number))), "{path}");
            assert_eq!(path.to_string().parse(), Ok(path));
        }
    }
    assert_eq!(path!(1, 0x10).to_string(), "0x01/0x10");
    assert_eq!(format!("{:?}", path!(1, 0x10)), "Path(0x01/0x10)");
    assert_eq!((Path::new(&[0; 9]), Path::new(&[]), Path::new(&[1, 64])), (None, None, None));
}

#[test]
fn a_key_in_text_is_hexadecimal_with_and_without_0x() {
    for number in 0..=u8::MAX {
        let key = Key::new(number);
        let texts =
            [format!("{number:02x}"), format!("{number:02X}"), format!("{number:#04x}"), format!("0x{number:x}")];
        for text in texts {
            assert_eq!(text.parse::<Key>().ok(), key, "{text}");
            assert_eq!(text.parse::<Path>().ok(), Path::new(&[number]), "{text}");
        }
    }
    assert_eq!(["10", "0x10", "9"].map(str::parse), [Ok(key(0x10)), Ok(key(0x10)), Ok(key(9))]);
    assert_eq!("01/10/11".parse(), Ok(path!(0x01, 0x10, 0x11)));
    assert_eq!("1/0x10/f".parse(), Ok(path!(0x01, 0x10, 0x0f)));
}

#[test]
fn a_wrong_key_in_text_is_an_error_at_the_wrong_character() {
    for (text, offset) in [
        ("", 0),
        ("0x", 2),
        ("x1", 0),
        ("0X01", 1),
        ("0x0x1", 3),
        ("+1", 0),
        ("-1", 0),
        (" 1", 0),
        ("1 ", 1),
        ("1g", 1),
        ("0x1\u{e9}", 3),
        ("\u{e9}", 0),
        ("40", 0),
        ("0xff", 2),
        ("011", 2),
        ("0x001", 4),
        ("1/2", 1),
    ] {
        assert_eq!(text.parse::<Key>(), Err(Error::new(ErrorKind::InvalidKey, offset)), "{text}");
    }
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
fn a_number_above_63_is_no_key() {
    for number in 0..=u8::MAX {
        let expected = Key::new(number).ok_or(Error::new(ErrorKind::InvalidKey, 0));
        assert_eq!((Key::try_from(number), number <= 63), (expected, expected.is_ok()));
    }
}

#[test]
fn appends_behind_what_an_encoder_before_it_wrote() {
    let mut buffer = [0; 8];
    let mut sink = SliceSink::new(&mut buffer);
    Encoder::new(&mut sink).put(0x01, true).unwrap();
    Encoder::new(&mut sink).put(0x02, false).unwrap();
    assert_eq!(sink.written(), [0x01, 0x01, 0x01, 0x02, 0x01, 0x00]);
    let error = Encoder::new(&mut sink).put(0x03, true).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::BufferTooSmall, 6));
    assert_eq!(sink.into_written(), [0x01, 0x01, 0x01, 0x02, 0x01, 0x00]);
}

#[test]
fn refuses_to_watch_inside_a_primitive() {
    const WATCHED: PathSet<1> = PathSet::new([path!(0x01)]);
    let bytes = [0x81, 0x03, 0x02, 0x01, 0x00];
    let primitive = Packet::from_slice(&bytes).unwrap().find(0x02).unwrap().unwrap();
    let error = WATCHED.watch_packets(primitive.children()).next().unwrap().unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::NotANode, 2));
}

#[test]
fn a_walk_skips_the_children_it_is_told_to_skip() {
    let bytes = [0x81, 0x02, 0x02, 0x00, 0x03, 0x00];
    let mut walk = y3::walk(&bytes);
    assert_eq!(walk.next().unwrap().unwrap().key(), 0x01);
    walk.skip_children();
    assert_eq!((walk.next().unwrap().unwrap().key(), walk.depth()), (key(0x03), 0));
    assert!(walk.next().is_none());
}

#[test]
fn replaces_no_byte_by_no_bytes() {
    let mut buffer = [1, 2, 3];
    let mut sink = SliceSink::new(&mut buffer);
    assert_eq!(sink.replace_first(0..2, &[]), Ok(()));
    assert_eq!(sink.replace_first(0..2, &[7, 8]), Ok(()));
    assert_eq!(buffer, [7, 8, 2]);
}

#[test]
fn refuses_to_replace_in_a_range_that_no_sink_has() {
    for range in [0..usize::MAX, 1..4, 3..4, 3..3, 7..9, usize::MAX - 1..usize::MAX] {
        let mut buffer = [1, 2, 3];
        let done = SliceSink::new(&mut buffer).replace_first(range.clone(), &[7, 8]);
        assert_eq!((done, buffer), (Err(ErrorKind::BufferTooSmall), [1, 2, 3]), "{range:?}");
    }
    #[cfg(feature = "bytes")]
    {
        let (mut vec, mut bytes) = (vec![1, 2, 3], bytes::BytesMut::from(&[1, 2, 3][..]));
        assert_eq!(vec.replace_first(0..usize::MAX, &[7, 8]), Err(ErrorKind::BufferTooSmall));
        assert_eq!(bytes.replace_first(0..usize::MAX, &[7, 8]), Err(ErrorKind::BufferTooSmall));
        assert_eq!((&vec[..], &bytes[..]), (&[1, 2, 3][..], &[1, 2, 3][..]));
    }
}

#[test]
fn counts_the_bytes_of_an_encoded_value() {
    let lens = [true.encode().len(), 300i32.encode().len(), "".encode().len(), "Y3!".encode().len()];
    assert_eq!(lens, [1, 2, 0, 3]);
    assert_eq!((0.encode().is_empty(), "".encode().is_empty(), [1].encode().is_empty()), (false, true, false));
}

fn written(value: impl Encode) -> Vec<u8> {
    let mut buffer = [0; 64];
    let mut sink = SliceSink::new(&mut buffer);
    Encoder::new(&mut sink).put(0x01, value).unwrap();
    sink.written().to_vec()
}

#[test]
fn writes_a_small_integer_as_the_32_bit_type_of_its_sign() {
    for number in [i8::MIN, -1, 0, 1, i8::MAX] {
        assert_eq!(written(number), written(i32::from(number)));
    }
    for number in [i16::MIN, -129, -128, -1, 0, 127, 128, i16::MAX] {
        assert_eq!(written(number), written(i32::from(number)));
    }
    for number in [0, 1, 127, 128, u8::MAX] {
        assert_eq!(written(number), written(u32::from(number)));
    }
    for number in [0, 255, 32767, 32768, u16::MAX] {
        assert_eq!(written(number), written(u32::from(number)));
    }
}

#[test]
fn writes_a_usize_as_a_u64_on_every_machine() {
    for number in [0usize, 127, 128, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff] {
        assert_eq!(written(number), written(number as u64));
    }
    assert_eq!(written(0xffff_ffffusize), [0x01, 0x05, 0x00, 0xff, 0xff, 0xff, 0xff]);
    assert_eq!(written(usize::MAX), written(usize::MAX as u64));
}

#[cfg(feature = "alloc")]
#[test]
fn writes_an_owned_text_or_bytes_as_the_borrowed_ones() {
    use std::borrow::Cow;

    for text in ["", "Y3", "longer than a register holds"] {
        let (owned, bytes) = (text.to_owned(), text.as_bytes());
        let cows: [Cow<'_, str>; 2] = [Cow::Borrowed(text), Cow::Owned(owned.clone())];
        let byte_cows: [Cow<'_, [u8]>; 2] = [Cow::Borrowed(bytes), Cow::Owned(bytes.to_vec())];
        for same in [written(&owned), written(owned.clone()), written(&cows[0]), written(&cows[1])] {
            assert_eq!(same, written(text));
        }
        for same in [written(bytes.to_vec()), written(&byte_cows[0]), written(&byte_cows[1])] {
            assert_eq!(same, written(bytes));
        }
        #[cfg(feature = "bytes")]
        assert_eq!(written(bytes::Bytes::copy_from_slice(bytes)), written(bytes));
    }
}

#[test]
fn writes_nothing_for_a_value_that_is_absent() {
    let mut buffer = [0; 8];
    let mut sink = SliceSink::new(&mut buffer);
    let mut encoder = Encoder::new(&mut sink);
    assert_eq!((encoder.put_opt(0x01, None::<&str>), encoder.put_opt(0x02, Some(7))), (Ok(()), Ok(())));
    let invalid = Err(Error::new(ErrorKind::InvalidKey, 3));
    assert_eq!((encoder.put_opt(64, None::<&str>), encoder.put_opt(64, Some("a"))), (invalid, invalid));
    assert_eq!(sink.written(), [0x02, 0x01, 0x07]);
}

#[test]
fn takes_a_reference_to_a_sink_for_a_sink() {
    fn put<S: Sink>(mut sink: S, key: u8) -> Result<(), Error> {
        Encoder::new(&mut sink).put(key, true)
    }
    let mut buffer = [0; 8];
    let mut sink = SliceSink::new(&mut buffer);
    assert_eq!((put(&mut sink, 1), put(&mut sink as &mut dyn Sink, 2)), (Ok(()), Ok(())));
    assert_eq!(put(&mut sink, 3), Err(Error::new(ErrorKind::BufferTooSmall, 6)));
    assert_eq!(sink.written(), [1, 1, 1, 2, 1, 1]);
}

#[test]
fn limits_keep_what_was_set_within_their_bounds() {
    const MIB: usize = 1 << 20;
    let (default, none) = (Limits::default(), Limits::NONE);
    assert_eq!((default.max_packet_len(), default.max_value_len(), default.max_depth()), (64 * MIB, 16 * MIB, 64));
    assert_eq!((none.max_packet_len(), none.max_value_len(), none.max_depth()), (usize::MAX, usize::MAX, 64));
    let strict = none.with_max_packet_len(100).with_max_value_len(10).with_max_depth(3);
    assert_eq!((strict.max_packet_len(), strict.max_value_len(), strict.max_depth()), (100, 10, 3));
    // A header is never too long, and no walk goes deeper than it can.
    let edge = |bytes: usize, nodes: usize| {
        let limits = none.with_max_packet_len(bytes).with_max_depth(nodes);
        (limits.max_packet_len(), limits.max_depth())
    };
    assert_eq!([edge(0, 0), edge(5, 63), edge(6, 64), edge(7, 65)], [(6, 0), (6, 63), (6, 64), (7, 64)]);
}

#[test]
fn an_error_prints_its_kind_and_its_offset() {
    let told = [
        (ErrorKind::UnexpectedEnd, "input ends inside the packet at byte 7"),
        (ErrorKind::Overrun, "packet reaches past the end of its node at byte 7"),
        (ErrorKind::NegativeLength, "negative length at byte 7"),
        (ErrorKind::LengthOverflow, "length field too long or above 2^31-1 at byte 7"),
        (ErrorKind::DepthLimit, "node nested deeper than the limit at byte 7"),
        (ErrorKind::TrailingBytes, "unexpected bytes after the packet at byte 7"),
        (ErrorKind::NotANode, "packet is a primitive, not a node at byte 7"),
        (ErrorKind::InvalidValue, "value does not fit the type asked for at byte 7"),
        (ErrorKind::InvalidUtf8, "text is not utf-8 at byte 7"),
        (ErrorKind::InvalidKey, "argument is not a key of 0x00 to 0x3f at byte 7"),
        (ErrorKind::InvalidPath, "argument is not a path of 1 to 8 keys at byte 7"),
        (ErrorKind::SizeLimit, "packet longer than the limit at byte 7"),
        (ErrorKind::BufferTooSmall, "no room left in the sink at byte 7"),
    ];
    for (kind, text) in told {
        assert_eq!(Error::new(kind, 7).to_string(), text);
    }
}

/// How many bytes a fuzzer has to give, told before it gives them.
#[cfg(feature = "arbitrary")]
#[test]
fn takes_one_byte_for_an_arbitrary_key_or_tag() {
    use arbitrary::Arbitrary;

    assert_eq!((Key::size_hint(0), Tag::size_hint(0)), ((1, Some(1)), (1, Some(1))));
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
