//! Which bytes of a fuzzer make which value.

use std::fmt::Debug;

use arbitrary::{Arbitrary, Unstructured};
use y3::{Key, Limits, MAX_DEPTH, PVarInt, Path, path};

/// The value made from these bytes. Asserts that it takes as many bytes as its size hint says.
fn made<'a, T: Arbitrary<'a>>(bytes: &'a [u8]) -> T {
    let mut u = Unstructured::new(bytes);
    let value = T::arbitrary(&mut u).unwrap();
    let (least, most) = T::size_hint(0);
    let taken = bytes.len() - u.len();
    assert!(least <= taken && Some(taken) <= most, "{taken} bytes, not {least} to {most:?}");
    value
}

fn same<'a, T: Arbitrary<'a> + Debug + PartialEq>(bytes: &'a [u8], expected: &T) {
    assert_eq!(&made::<T>(bytes), expected);
}

#[test]
fn a_value_is_made_of_the_first_bytes() {
    same(&[0xd1, 9], &Key::new(0x11).unwrap());
    assert_eq!(Key::size_hint(0), (1, Some(1)));
    same(&[0xff, 0xff, 0xff, 0xff, 9], &PVarInt(-1i32));
    same(&[0, 0x01, 9], &path!(0x01));
    same(&[7, 1, 2, 3, 4, 5, 6, 0x47, 0x7f, 9], &path!(1, 2, 3, 4, 5, 6, 7 => 63));
    same(&[2, 0x80, 0xc1, 0xff, 9], &path!(*, * => *));
    let limits = Limits::NONE.with_max_packet_len(0x0201).with_max_value_len(7).with_max_depth(64);
    same(&[0x01, 0x02, 7, 0, 64, 9], &limits);
}

fn packet(bytes: &[u8]) -> Vec<u8> {
    y3::arbitrary::packet(&mut Unstructured::new(bytes)).unwrap()
}

#[test]
fn a_packet_is_what_the_bytes_say() {
    for (bytes, expected) in [
        (&[][..], &[0x00, 0x00][..]),
        (&[0x3f], &[0x3f, 0x00]),
        (&[0x42, 2, 5, 6, 7], &[0x02, 0x02, 5, 6]),
        (&[0x02, 200, 5, 6, 7], &[0x02, 0x03, 5, 6, 7]),
        (&[0x81], &[0x81, 0x00]),
        (&[0x81, 9, 0x02, 1, 3, 0xc4, 2, 0x7f, 0, 0x85, 0], &[0x81, 0x09, 0x02, 0x01, 3, 0xc4, 0x04, 0, 0, 0x80, 0]),
    ] {
        assert_eq!(packet(bytes), expected);
    }
}

#[test]
fn a_packet_of_any_bytes_is_well_formed() {
    // Miri takes a minute for what takes a millisecond elsewhere.
    for byte in (0..=u8::MAX).step_by(if cfg!(miri) { 0x41 } else { 1 }) {
        for len in [1, 2, 3, 64, 65, 66, 200, 1000] {
            let made = packet(&vec![byte; len]);
            assert_eq!(y3::Packet::from_slice(&made).unwrap().check(), Ok(()), "{len} times {byte:#04x}");
        }
    }
    // Nodes nested exactly to the allowed depth.
    let deepest = packet(&[0x81, 1].repeat(100));
    assert_eq!(y3::walk(&deepest).filter(|packet| packet.unwrap().is_node()).count(), MAX_DEPTH);
}

#[test]
fn any_bytes_and_no_bytes_make_a_value() {
    for byte in 0..=u8::MAX {
        let bytes = [byte; 80];
        assert!(made::<Path>(&bytes).len() <= Path::MAX_LEN);
        assert!(made::<Limits>(&bytes).max_depth() <= MAX_DEPTH);
    }
    assert_eq!(Path::arbitrary(&mut Unstructured::new(&[])).unwrap(), path!(0));
}
