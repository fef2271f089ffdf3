//! What a sink holds between two encoders, and which of its bytes can be replaced.

use y3::{Encoder, Error, ErrorKind, Sink, SliceSink};

#[test]
fn writes_nothing_for_a_value_that_is_absent() {
    let mut buffer = [0; 12];
    let mut sink = SliceSink::new(&mut buffer);
    let mut encoder = Encoder::new(&mut sink);
    assert_eq!((encoder.put(0x01, None::<&str>), encoder.put(0x02, Some(7))), (Ok(()), Ok(())));
    let invalid = Err(Error::new(ErrorKind::InvalidKey, 3));
    assert_eq!((encoder.put(64, None::<&str>), encoder.put(64, Some("a"))), (invalid, invalid));
    assert_eq!(sink.written(), [0x02, 0x01, 0x07]);
    let mut encoder = Encoder::new(&mut sink);
    assert_eq!(encoder.put(0x03, Some("")), Ok(()));
    let absent = |offset| Err(Error::new(ErrorKind::AbsentValue, offset));
    assert_eq!(encoder.slice(0x04, |items| items.put(0, None::<&str>)), absent(7));
    assert_eq!(encoder.slice(0x04, |items| items.put(0, Some("")).and_then(|()| items.put(0, ""))), Ok(()));
    assert_eq!(sink.written()[3..], [0x03, 0x00, 0xc4, 0x04, 0x00, 0x00, 0x00, 0x00]);
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

/// A function writes a tree into a node, at top level, and only to count it. Each call returns the writer's error.
#[test]
fn a_recursive_writer_returns_an_error_of_its_own_from_everywhere() {
    #[derive(Debug, PartialEq)]
    enum Refused {
        Text(&'static str),
        Packet(Error),
    }

    impl From<Error> for Refused {
        fn from(error: Error) -> Self {
            Refused::Packet(error)
        }
    }

    enum Tree {
        Text(&'static str),
        Trees(Vec<Tree>),
    }

    fn write<S: Sink>(tree: &Tree, encoder: &mut Encoder<'_, S>) -> Result<(), Refused> {
        match tree {
            Tree::Text("") => Err(Refused::Text("empty")),
            Tree::Text(text) => Ok(encoder.put(0x02, *text)?),
            Tree::Trees(trees) => encoder.slice(0x03, |slice| trees.iter().try_for_each(|tree| write(tree, slice))),
        }
    }

    for (text, written) in [("a", Ok(7)), ("", Err(Refused::Text("empty")))] {
        let tree = Tree::Trees(vec![Tree::Text(text), Tree::Trees(vec![])]);
        let mut buffer = [0; 8];
        let mut sink = SliceSink::new(&mut buffer);
        let done = Encoder::new(&mut sink).packets(|encoder| write(&tree, encoder));
        assert_eq!(done.map(|()| sink.written().len()), written);
        assert_eq!(y3::encoded_len(|encoder| write(&tree, encoder)), written);
    }
    let deep = (0..65).fold(Tree::Text("a"), |tree, _| Tree::Trees(vec![tree]));
    let error = y3::encoded_len(|encoder| write(&deep, encoder)).unwrap_err();
    assert_eq!(error, Refused::Packet(Error::new(ErrorKind::DepthLimit, 128)));
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
        for end in [usize::MAX, isize::MAX.unsigned_abs()] {
            assert_eq!(vec.replace_first(0..end, &[7, 8]), Err(ErrorKind::BufferTooSmall));
            assert_eq!(bytes.replace_first(0..end, &[7, 8]), Err(ErrorKind::BufferTooSmall));
        }
        assert_eq!((&vec[..], &bytes[..]), (&[1, 2, 3][..], &[1, 2, 3][..]));
    }
}
