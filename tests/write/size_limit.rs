//! Lengths at the limits of the format and of `usize`: bodies of 2^31-1 bytes and more, and outputs that no `usize` can
//! count. The sinks only count, or one slice is written many times, or the bytes are zeros that are never accessed. The
//! result is a size or `SizeLimit`.

use std::ops::Range;

use y3::{Encoder, Error, ErrorKind, Sink};

/// Counts from its own start position, which can be the last possible one.
struct Far(usize);

impl Sink for Far {
    fn position(&self) -> usize {
        self.0
    }

    fn store(&mut self, _: usize, _: &[u8]) -> Result<(), ErrorKind> {
        Ok(())
    }

    fn replace_first(&mut self, _: Range<usize>, _: &[u8]) -> Result<(), ErrorKind> {
        Ok(())
    }

    fn finish(&mut self, position: usize) {
        self.0 = position;
    }
}

/// Writes a packet of each kind.
type Write = fn(&mut Encoder<'_, Far, false>) -> Result<(), Error>;

const PACKETS: &[(usize, Write)] = &[
    (2, |encoder| encoder.put(0x01, "")),
    (3, |encoder| encoder.put(0x01, true)),
    (12, |encoder| encoder.put(0x01, y3::PVarInt(i64::MIN))),
    (2 + 20, |encoder| encoder.put(0x01, [0u8; 20])),
    (3 + 100, |encoder| encoder.put(0x01, [0u8; 100])),
    (2, |encoder| encoder.node(0x01, |_| Ok(()))),
    (5, |encoder| encoder.slice(0x01, |items| items.put(0, true))),
    (3 + 64, |encoder| encoder.node(0x01, |node| node.put(0x02, [0u8; 62]))),
    (3 + 2 + 63, |encoder| encoder.node(0x01, |node| node.slice(0x02, |items| items.put(0, [0u8; 61])))),
    (3 + 3 + 64, |encoder| encoder.node(0x01, |node| node.node(0x02, |node| node.put(0x03, [0u8; 62])))),
];

#[test]
fn refuses_a_packet_that_ends_after_the_last_position() {
    for (index, &(len, write)) in PACKETS.iter().enumerate() {
        for room in 0..len + 2 {
            let start = usize::MAX - room;
            let mut sink = Far(start);
            let done = write(&mut Encoder::new(&mut sink)).map_err(|error| error.kind());
            let expected = if len <= room { (Ok(()), start + len) } else { (Err(ErrorKind::SizeLimit), start) };
            assert_eq!((done, sink.0), expected, "packet {index}, {room} bytes before the end");
        }
    }
}

/// The caller drops an error in a body. The next packet is written where the refused packet was to begin.
#[test]
fn goes_on_in_a_body_after_a_packet_without_a_position() {
    let mut sink = Far(usize::MAX - 10);
    let done = Encoder::new(&mut sink).node(0x01, |node| {
        assert_eq!(node.put(0x02, [0u8; 9]).unwrap_err().kind(), ErrorKind::SizeLimit);
        assert_eq!(node.node(0x02, |inner| inner.put(0x03, [0u8; 5])).unwrap_err().kind(), ErrorKind::SizeLimit);
        node.put(0x02, [0u8; 6])
    });
    assert_eq!((done, sink.0), (Ok(()), usize::MAX));
}

#[cfg(feature = "serde")]
#[test]
fn refuses_in_serde_what_ends_after_the_last_position() {
    use serde::Serializer;
    use serde::ser::{Serialize, SerializeSeq};

    /// A text that is written in parts.
    struct Parts;

    impl Serialize for Parts {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_str(&format_args!("{}{}", "four", 5678))
        }
    }

    /// A sequence that drops the errors of its items.
    struct Careless;

    impl Serialize for Careless {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut items = serializer.serialize_seq(None)?;
            let _ = items.serialize_element(serde_bytes::Bytes::new(&[0; 100]));
            items.serialize_element(&true)?;
            items.end()
        }
    }

    fn assert_refused(len: usize, value: &impl Serialize) {
        for room in 0..len + 2 {
            let mut sink = Far(usize::MAX - room);
            let done = y3::serde::to_sink(&mut sink, value).map_err(|error| error.kind());
            let limit = ErrorKind::SizeLimit;
            let expected =
                if len <= room { (Ok(()), usize::MAX - room + len) } else { (Err(limit), usize::MAX - room) };
            assert_eq!((done, sink.0), expected, "{room} bytes before the end");
        }
    }
    assert_refused(10, &Parts);
    assert_refused(2 + 2 + 3 + 3, &("", true, false));
    assert_refused(3 + 3 + 100, &[serde_bytes::Bytes::new(&[0; 100])]);
    assert_refused(5, &Careless);
}

/// More bytes than a 32-bit `usize` can count, all of them the same 64 MiB.
#[cfg(all(target_pointer_width = "32", not(miri)))]
mod beyond_32_bits {
    use super::*;
    use y3::encoded_len;

    const LEN: usize = 64 << 20;
    /// The length of the packet takes four bytes.
    const PACKET: usize = 1 + 4 + LEN;

    fn too_large<T>(offset: usize) -> Result<T, Error> {
        Err(Error::new(ErrorKind::SizeLimit, offset as u64))
    }

    #[test]
    fn refuses_a_body_of_more_than_4_gib() {
        let zeros = vec![0u8; LEN];
        fn write<S: Sink>(node: &mut Encoder<'_, S>, zeros: &[u8]) -> Result<(), Error> {
            (0..63).try_for_each(|_| node.put(0x01, zeros))?;
            // The node now has a body of 2^32 + 10 bytes.
            node.put(0x02, &zeros[..usize::MAX - 63 * PACKET - 5 + 11])
        }
        let in_node = encoded_len(|encoder| encoder.node(0x01, |node| write(node, &zeros)));
        assert_eq!(in_node, too_large(2 + 63 * PACKET));
        let in_slice = encoded_len(|encoder| encoder.slice(0x01, |items| items.node(0, |node| write(node, &zeros))));
        assert_eq!(in_slice, too_large(4 + 63 * PACKET));
    }

    /// One test, so that only one vector takes memory at a time. A vector of 1 GiB can grow a little but not
    /// double: no allocation can have 2 GiB.
    #[cfg(feature = "bytes")]
    #[test]
    fn grows_vectors_of_1_gib_until_they_cannot() {
        const GIB: usize = 1 << 30;
        let full = |offset: usize| Err(Error::new(ErrorKind::BufferTooSmall, offset as u64));

        let mut out = vec![0u8; GIB];
        assert_eq!(Encoder::new(&mut out).put(0x01, [7u8; 20]), Ok(()));
        assert_eq!((out.len(), &out[GIB..][..3]), (GIB + 22, &[0x01, 0x14, 0x07][..]));
        drop(out);

        let (mut out, zeros) = (vec![0u8; GIB], vec![0u8; GIB]);
        let mut encoder = Encoder::new(&mut out);
        assert_eq!(encoder.put(0x01, &zeros[..]), full(GIB));
        assert_eq!(encoder.node(0x01, |node| node.put(0x02, &zeros[..])), full(GIB + 2));
        assert_eq!(out.len(), GIB);
        drop((out, zeros));

        let mut out = bytes::BytesMut::zeroed(GIB - 10);
        assert_eq!(Encoder::new(&mut out).put(0x01, [7u8; 100]), full(GIB - 10));
        assert_eq!(out.len(), GIB - 10);
    }
}

/// Bodies of 2^31-1 bytes and of one byte more. The zeros are never read or written, so no machine needs the memory: a
/// zeroed page exists only after it is accessed.
#[cfg(all(target_pointer_width = "64", not(miri)))]
mod beyond_31_bits {
    use super::*;
    use testkit::oracle::written::in_slice;
    use y3::encoded_len;

    const MAX: usize = 0x7fff_ffff;

    #[test]
    fn refuses_values_of_two_to_the_31_bytes() {
        let zeros = vec![0u8; MAX + 1];
        assert_eq!(encoded_len(|encoder| encoder.put(0x01, &zeros[..MAX])), Ok(1 + 5 + MAX));
        let too_large = |offset| Err(Error::new(ErrorKind::SizeLimit, offset));
        assert_eq!(encoded_len(|encoder| encoder.put(0x01, &zeros[..])), too_large(0).map(|()| 0));

        let (written, done) = in_slice(9, |encoder| {
            encoder.put(0x01, true)?;
            encoder.put(0x02, &zeros[..])
        });
        assert_eq!((&written[..], done), (&[0x01, 0x01, 0x01][..], too_large(3)));
        // A value that does not fit is no error of the format; a value beyond the format is no lack of space.
        let (_, done) = in_slice(9, |encoder| encoder.put(0x02, &zeros[..MAX]));
        assert_eq!(done, Err(Error::new(ErrorKind::BufferTooSmall, 0)));

        #[cfg(feature = "alloc")]
        {
            let mut out = vec![0xee];
            let mut encoder = Encoder::new(&mut out);
            assert_eq!(encoder.put(0x02, &zeros[..]), too_large(1));
            assert_eq!(encoder.put(0x03, true), Ok(()));
            let node = encoder.node(0x04, |node| {
                node.put(0x05, true)?;
                node.put(0x06, &zeros[..])
            });
            assert_eq!(node, too_large(9));
            assert_eq!(out, [0xee, 0x03, 0x01, 0x01]);
        }
    }
}
