//! Hostile packets read as derived types: errors have an offset, recursion ends at a limit, nothing panics.

use super::keys_to;
use y3::{Decode, Encode, Error, ErrorKind, Packet};

/// A node that holds itself.
#[derive(Debug, PartialEq, Encode, Decode)]
struct Tree {
    #[y3(0x01)]
    child: Option<Box<Tree>>,
}

/// An enum that holds itself; each level is a node.
#[derive(Debug, PartialEq, Encode, Decode)]
enum Chain {
    #[y3(0x01)]
    End,
    #[y3(0x02)]
    Link(Box<Chain>),
}

#[derive(Debug, PartialEq, Encode, Decode)]
struct Newtype<T>(T);

/// Nested nodes, the innermost one empty.
fn nested(depth: usize) -> Vec<u8> {
    testkit::oracle::nested(0x81, depth, &[])
}

fn tree(depth: usize) -> Tree {
    (1..depth).fold(Tree { child: None }, |child, _| Tree { child: Some(Box::new(child)) })
}

#[test]
fn sixty_four_nodes_are_read_and_written_and_no_more() {
    assert_eq!(y3::decode::<Tree>(&nested(64)).unwrap(), tree(64));
    assert_eq!(y3::to_vec(0x01, &tree(64)).unwrap(), nested(64));

    let deep = nested(65);
    let error = y3::decode::<Tree>(&deep).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DepthLimit);
    assert_eq!(error.offset(), deep.len() as u64 - 2);
    assert_eq!(keys_to(&deep, error).len(), 65);
    assert_eq!(y3::to_vec(0x01, &tree(65)).unwrap_err().kind(), ErrorKind::DepthLimit);
    assert_eq!(y3::encoded_len(|encoder| encoder.put(0x01, tree(65))).unwrap_err().kind(), ErrorKind::DepthLimit);
}

/// Has a slice, a variant with fields, a newtype and a map at one level.
#[derive(Debug, Default, PartialEq, Encode, Decode)]
struct Wide {
    #[y3(0x01)]
    children: Vec<Wide>,
    #[y3(0x02)]
    variant: Option<Box<Nested>>,
    #[y3(0x03)]
    entries: Option<std::collections::BTreeMap<u8, Newtype<Wide>>>,
    #[y3(0x04, pvar, default)]
    numbers: [u64; 16],
    #[y3(rest)]
    others: Vec<u8>,
}

#[derive(Debug, PartialEq, Encode, Decode)]
enum Nested {
    #[y3(0x01)]
    Fields {
        #[y3(0x01)]
        inside: Wide,
    },
    #[y3(0x02)]
    Value(Wide),
}

/// The stack that SECURITY.md guarantees.
const STACK: usize = if cfg!(debug_assertions) { 1 << 20 } else { 256 << 10 };

#[test]
fn the_deepest_values_and_packets_fit_the_stack() {
    fn deepest() {
        let mut value = Wide::default();
        // The struct and the empty slice in it.
        let mut depth = 2;
        // A slice or a map has two nodes, a variant with fields three, a variant with a value two.
        for place in 0.. {
            let (next, nodes) = match place % 4 {
                0 => (Wide { children: vec![value], ..Wide::default() }, 2),
                1 => (Wide { variant: Some(Box::new(Nested::Fields { inside: value })), ..Wide::default() }, 3),
                2 => (Wide { variant: Some(Box::new(Nested::Value(value))), ..Wide::default() }, 2),
                _ => (Wide { entries: Some([(7, Newtype(value))].into()), ..Wide::default() }, 2),
            };
            (value, depth) = (next, depth + nodes);
            let written = y3::to_vec(0x01, &value);
            if depth > 64 {
                assert_eq!(written.unwrap_err().kind(), ErrorKind::DepthLimit);
                break;
            }
            assert_eq!(y3::decode::<Wide>(&written.unwrap()).unwrap(), value);
        }
        for packet in [nested(64), nested(65), nested(1000)] {
            assert_eq!(y3::decode::<Wide>(&packet).is_ok(), packet == nested(64));
            assert_eq!(y3::decode::<Tree>(&packet).is_ok(), packet == nested(64));
        }
    }
    std::thread::Builder::new().stack_size(STACK).spawn(deepest).unwrap().join().unwrap();
}

/// Tests the derive and serde.
#[test]
#[cfg(all(feature = "arbitrary", feature = "codec", feature = "serde"))]
fn every_cut_and_damage_of_one_byte_is_an_error_in_range_or_a_value_that_comes_back() {
    use testkit::properties::records::{full, holds};

    let packet = full();
    let mut taken = 0;
    for place in 0..packet.len() {
        holds(&packet[..place]);
        // Miri tries only a few of the bytes.
        for byte in (0..=255).step_by(if cfg!(miri) { 97 } else { 1 }) {
            let mut damaged = packet.clone();
            damaged[place] = byte;
            taken += usize::from(holds(&damaged));
        }
    }
    assert!(holds(&packet) && (cfg!(miri) || taken > packet.len() * 20), "{taken}");
}

mod evens {
    use y3::ErrorKind;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the derive hands over a reference")]
    pub fn encode(number: &u8) -> u8 {
        *number
    }

    pub fn decode(number: u8) -> Result<u8, ErrorKind> {
        if number % 2 == 0 { Ok(number) } else { Err(ErrorKind::Refused) }
    }
}

#[derive(Debug, Default, Encode, Decode)]
#[y3(root = 0x01, default)]
struct Strict {
    #[y3(0x10)]
    pair: Option<(u8, u8)>,
    #[y3(0x11)]
    list: [u16; 3],
    #[y3(0x12)]
    bytes: [u8; 3],
    #[y3(0x13)]
    entries: std::collections::BTreeMap<u8, u8>,
    #[y3(0x14)]
    chain: Option<Chain>,
    #[y3(0x15)]
    unit: (),
    #[y3(0x16, with = evens)]
    even: u8,
}

/// The message names what was found and what was expected. `explain` finds the packet at the error's offset.
#[test]
fn messages_name_what_a_type_wanted() {
    let cases: [(&[u8], &str, &[u8]); 11] = [
        (&[0x10, 0x01, 0x05], "expected a node, found a primitive in field `pair` (key 0x10) at byte 2", &[0x01, 0x10]),
        (
            &[0xd0, 0x03, 0x00, 0x01, 0x05],
            "expected 2 items, found fewer in field `pair` (key 0x10) at byte 2",
            &[0x01, 0x10],
        ),
        (
            &[0xd1, 0x02, 0x00, 0x00],
            "expected a u16 (1 to 4 bytes), found 0 bytes in field `list` (key 0x11) at byte 6",
            &[0x01, 0x11, 0x00],
        ),
        (
            &[0xd1, 0x03, 0x00, 0x01, 0x05],
            "expected 3 items, found fewer in field `list` (key 0x11) at byte 2",
            &[0x01, 0x11],
        ),
        (&[0x12, 0x02, 0x61, 0x62], "value in field `bytes` (key 0x12) at byte 4 is not 3 bytes long", &[0x01, 0x12]),
        (
            &[0x93, 0x06, 0x05, 0x01, 0x07, 0x05, 0x01, 0x07],
            "duplicate key 0x05 in field `entries` (key 0x13) at byte 7",
            &[0x01, 0x13, 0x05],
        ),
        (&[0x94, 0x02, 0x07, 0x00], "unknown variant 0x07 in field `chain` (key 0x14) at byte 4", &[0x01, 0x14, 0x07]),
        (&[0x14, 0x02, 0x01, 0x2c], "unknown variant 0x12c in field `chain` (key 0x14) at byte 2", &[0x01, 0x14]),
        (
            &[0x15, 0x01, 0x00],
            "expected a unit (0 bytes), found 1 byte in field `unit` (key 0x15) at byte 4",
            &[0x01, 0x15],
        ),
        (&[0x16, 0x01, 0x01], "value is not valid for its type in field `even` (key 0x16) at byte 2", &[0x01, 0x16]),
        (&[0x15, 0x00, 0x15, 0x00], "duplicate field `unit` (key 0x15) at byte 4", &[0x01, 0x15]),
    ];
    for (content, said, path) in cases {
        let packet = [&[0x81, u8::try_from(content.len()).unwrap()], content].concat();
        let error = y3::decode::<Strict>(&packet).unwrap_err();
        assert_eq!((error.to_string(), keys_to(&packet, error)), (said.to_owned(), path.to_vec()));
    }
    let error = y3::decode::<Strict>(&[0x82, 0x00]).unwrap_err();
    assert_eq!(error.to_string(), "expected key 0x01, found another key at byte 0");
    // Both structs have a field with the key of the duplicate.
    let error = y3::decode::<Tree>(&[0x81, 0x06, 0x81, 0x04, 0x81, 0x00, 0x81, 0x00]).unwrap_err();
    assert_eq!(error.to_string(), "duplicate field `child` (key 0x01/0x01) at byte 6");
}

mod counted {
    use std::cell::Cell;

    std::thread_local! {
        pub static DECODED: Cell<usize> = const { Cell::new(0) };
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the derive hands over a reference")]
    pub fn encode(number: &u8) -> u8 {
        *number
    }

    pub fn decode(number: u8) -> Result<u8, y3::ErrorKind> {
        DECODED.set(DECODED.get() + 1);
        if number < 30 { Ok(number) } else { Err(y3::ErrorKind::InvalidValue) }
    }
}

#[derive(Debug, Decode, Encode)]
struct Level {
    #[y3(0x01, with = counted)]
    number: u8,
    #[y3(0x02)]
    inner: Option<Box<Level>>,
    #[y3(0x03)]
    levels: Vec<Level>,
}

/// The reader expects fields in order and, if that fails, reads the packet again: twice in all, not twice per level.
#[test]
fn no_value_is_decoded_more_than_twice() {
    let mut level = Level { number: 0, inner: None, levels: vec![] };
    for number in 1..30 {
        level = if number % 2 == 0 {
            Level { number, inner: Some(Box::new(level)), levels: vec![] }
        } else {
            Level { number, inner: None, levels: vec![level] }
        };
    }
    let mut packet = y3::to_vec(0x01, &level).unwrap();
    y3::decode::<Level>(&packet).unwrap();
    assert_eq!(counted::DECODED.replace(0), 30);

    // Replaces the last packet of the innermost level, an empty slice, so that this field is missing.
    let end = packet.iter().rposition(|byte| *byte == 0xc3).unwrap();
    packet[end] = 0xc4;
    let error = y3::decode::<Level>(&packet).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::MissingField);
    let decoded = counted::DECODED.get();
    assert!((30..=60).contains(&decoded), "{decoded} values decoded");
}

#[derive(Debug, PartialEq, Decode)]
struct Pair<'a> {
    #[y3(0x01)]
    number: i32,
    #[y3(0x02)]
    text: &'a str,
}

/// A packet whose length field is this many bytes longer than necessary.
fn padded(tag: u8, padding: usize, value: &[u8]) -> Vec<u8> {
    let (high, low) = (value.len() >> 7, value.len() & 0x7f);
    let mut field = vec![0x80; padding];
    if value.len() >= 64 {
        field.push(0x80 | u8::try_from(high).unwrap());
    }
    field.push(u8::try_from(low).unwrap());
    [&[tag], &field[..], value].concat()
}

/// Fields in the order of the type or in another order, with unknown packets between them.
#[test]
fn headers_of_every_size_lead_to_the_fields() {
    for (padding, len) in (0..=3).flat_map(|padding| [0, 63, 64, 1000].map(|len| (padding, len))) {
        let text = "a".repeat(len);
        let fields = [padded(0x01, padding, &[0xbf]), padded(0x02, padding, text.as_bytes())];
        let other = padded(0x3f, padding, text.as_bytes());
        for [first, second] in [[0, 1], [1, 0]] {
            let packets = [&other, &fields[first], &other, &other, &fields[second], &other];
            let content: Vec<u8> = packets.into_iter().flatten().copied().collect();
            let whole = content.len() - other.len();
            let (last, front) = (whole - fields[second].len(), other.len() + fields[first].len());
            let cuts = [0, 1, front - 1, front, last, last + 1, last + 2, whole - 1, whole, whole + 1, content.len()];
            for cut in cuts {
                let packet = padded(0x81, 0, &content[..cut]);
                let read = y3::decode::<Pair>(&packet);
                if [whole, content.len()].contains(&cut) {
                    assert_eq!(read.unwrap(), Pair { number: -65, text: &text }, "{padding} {len} {cut}");
                } else {
                    let error = read.unwrap_err();
                    let fields_end_here = [0, front, last].contains(&cut);
                    let missing = matches!(error.kind(), ErrorKind::MissingField);
                    assert_eq!(missing, fields_end_here, "{padding} {len} {cut}: {error}");
                }
            }
        }
    }
}

/// A handwritten `Decode` that calls itself, as a tree of JSON does.
#[test]
fn a_decode_by_hand_that_reads_itself_ends_at_the_limit() {
    #[derive(Debug)]
    struct Depth(usize);

    impl<'a> y3::Decode<'a> for Depth {
        fn decode(packet: Packet<'a>) -> Result<Self, Error> {
            packet.children().try_fold(Depth(1), |depth, child| {
                let child = child?;
                let inside = if child.is_node() { child.decode::<Self>()?.0 } else { 0 };
                Ok(Depth(depth.0.max(1 + inside)))
            })
        }
    }

    let nested = |levels| testkit::oracle::nested(0x81, levels, &[0x01, 0x00]);
    assert_eq!(y3::decode::<Depth>(&nested(64)).unwrap().0, 64);
    let error = y3::decode::<Depth>(&nested(100_000)).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::DepthLimit, 64 * 4));
}
