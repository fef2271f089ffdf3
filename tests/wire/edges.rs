//! Lengths, numbers, floats and bools at the edges of their sizes: written in the shortest form, read in every form allowed.

use std::fmt::Debug;

use y3::parser::{Parser, header, nom};
use y3::{Decode, Encode, ErrorKind, Header, PVarInt, Packet, Tag};

fn written<T: Encode>(value: T) -> Vec<u8> {
    y3::to_vec(0x01, &value).unwrap()[2..].to_vec()
}

fn read<'a, T: Decode<'a>>(value: &[u8], packet: &'a mut Vec<u8>) -> Option<T> {
    packet.extend([0x01, u8::try_from(value.len()).unwrap()]);
    packet.extend(value);
    Packet::from_slice(packet).unwrap().decode().ok()
}

#[track_caller]
#[allow(clippy::needless_pass_by_value, reason = "a number, as the callers write it")]
fn reads<T: for<'a> Decode<'a> + PartialEq + Debug>(value: &[u8], expected: Option<T>) {
    assert_eq!(read::<T>(value, &mut Vec::new()), expected, "{value:02x?}");
}

#[test]
fn the_header_of_any_length_is_the_shortest_and_comes_back() {
    let tag = Tag::from(0x81);
    for (value_len, bytes) in [
        (0, &[0x81, 0x00][..]),
        (0x3f, &[0x81, 0x3f]),
        (0x40, &[0x81, 0x80, 0x40]),
        (0x1fff, &[0x81, 0xbf, 0x7f]),
        (0x2000, &[0x81, 0x80, 0xc0, 0x00]),
        (0xf_ffff, &[0x81, 0xbf, 0xff, 0x7f]),
        (0x10_0000, &[0x81, 0x80, 0xc0, 0x80, 0x00]),
        (0x07ff_ffff, &[0x81, 0xbf, 0xff, 0xff, 0x7f]),
        (0x0800_0000, &[0x81, 0x80, 0xc0, 0x80, 0x80, 0x00]),
        (0x7fff_ffff, &[0x81, 0x87, 0xff, 0xff, 0xff, 0x7f]),
    ] {
        let new = Header::new(tag, value_len).unwrap();
        assert_eq!(new.encode(&mut [0xff; Header::MAX_SIZE]), bytes, "{value_len}");
        assert_eq!((new.tag(), new.size(), new.value_len()), (tag, bytes.len(), value_len));
        assert_eq!(header::<ErrorKind>().parse(bytes), Ok((&[][..], new)));
        for cut in 0..bytes.len() {
            assert!(
                header::<ErrorKind>().parse(&bytes[..cut]).unwrap_err().is_incomplete(),
                "{value_len} cut at {cut}"
            );
        }
    }
    assert_eq!(Header::new(tag, 0x8000_0000), None);
    assert_eq!(Header::new(tag, usize::MAX), None);
}

#[test]
fn a_header_that_was_read_keeps_its_bytes() {
    for bytes in [&[0x01, 0x05][..], &[0x01, 0x80, 0x05], &[0x01, 0x80, 0x80, 0x80, 0x80, 0x05]] {
        let (_, padded) = header::<ErrorKind>().parse(bytes).unwrap();
        assert_eq!((padded.value_len(), padded.encode(&mut [0; Header::MAX_SIZE])), (5, bytes));
    }
}

#[test]
fn a_length_has_at_most_five_bytes_and_31_bits() {
    for (bytes, kind) in [
        (&[0x01, 0x80, 0x80, 0x80, 0x80, 0x80][..], ErrorKind::LengthOverflow),
        (&[0x01, 0x88, 0x80, 0x80, 0x80, 0x00], ErrorKind::LengthOverflow),
        (&[0x01, 0xc0], ErrorKind::NegativeLength),
    ] {
        assert_eq!(header::<ErrorKind>().parse(bytes), Err(nom::Err::Failure(kind)));
    }
}

#[test]
fn both_dialects_come_back_at_every_power_of_two() {
    for power in 0..64 {
        for near in -2..=2i64 {
            for number in [(1i64 << power).wrapping_add(near), (1i64 << power).wrapping_neg().wrapping_add(near)] {
                let (nvar, pvar) = (written(number), written(PVarInt(number)));
                reads(&nvar, Some(number));
                reads(&pvar, Some(PVarInt(number)));
                let narrow = i32::try_from(number).ok();
                assert_eq!(narrow.map_or(nvar.clone(), written), nvar);
                reads(&nvar, if nvar.len() <= 4 { narrow } else { None });
                reads(&pvar, narrow.map(PVarInt));
            }
        }
    }
}

#[test]
fn integers_of_other_widths_are_refused() {
    reads::<i64>(&[], None);
    reads::<i64>(&[0; 9], None);
    reads(&[0; 4], Some(0i32));
    reads::<i32>(&[0; 5], None);
    for wrong in [&[][..], &[0x80], &[0x01, 0x05]] {
        reads::<PVarInt<i64>>(wrong, None);
    }
    let padded = |size: usize| [vec![0x80; size - 1], vec![1]].concat();
    reads(&padded(10), Some(PVarInt(1i64)));
    reads::<PVarInt<i64>>(&padded(11), None);
    reads(&padded(5), Some(PVarInt(1i32)));
    reads::<PVarInt<i32>>(&padded(6), None);
}

#[test]
fn groups_above_the_width_repeat_the_sign() {
    reads(&[0x87, 0xff, 0xff, 0xff, 0x7f], Some(PVarInt(i32::MAX)));
    reads::<PVarInt<i32>>(&[0x88, 0x80, 0x80, 0x80, 0x00], None);
    reads(&[0xf8, 0x80, 0x80, 0x80, 0x00], Some(PVarInt(i32::MIN)));
    reads(&[0x80, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], Some(PVarInt(i64::MAX)));
    reads::<PVarInt<i64>>(&[0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00], None);
}

#[test]
fn zero_bytes_at_the_end_of_a_float_go_and_come_back() {
    let one = f32::from_bits(0x0100_0000);
    for (number, width) in
        [(0.0, 1), (-0.0, 1), (one, 1), (0.25, 2), (23.0, 2), (68.124, 4), (f32::NAN, 2), (f32::MAX, 4)]
    {
        let value = written(number);
        assert_eq!(value.len(), width, "{number}");
        assert_eq!(read::<f32>(&value, &mut Vec::new()).map(f32::to_bits), Some(number.to_bits()));
    }
    let one = f64::from_bits(0x0100_0000_0000_0000);
    for (number, width) in [(0.0, 1), (one, 1), (23.0, 2), (0.1, 8), (f64::INFINITY, 2)] {
        let value = written(number);
        assert_eq!(value.len(), width, "{number}");
        assert_eq!(read::<f64>(&value, &mut Vec::new()).map(f64::to_bits), Some(number.to_bits()));
    }
}

#[test]
fn floats_of_other_widths_are_refused() {
    reads::<f32>(&[], None);
    reads::<f32>(&[0; 5], None);
    reads::<f64>(&[], None);
    reads::<f64>(&[0; 9], None);
    reads(&[0x3e, 0x80, 0, 0], Some(0.25f32));
}

#[test]
fn nothing_but_zero_and_one_is_a_bool() {
    for (value, expected) in [
        (&[][..], Some(false)),
        (&[0], Some(false)),
        (&[1], Some(true)),
        (&[0x80, 0x01], Some(true)),
        (&[2], None),
        (&[0x7f], None),
        (&[0, 1], None),
        (&[0x80], None),
    ] {
        reads(value, expected);
    }
}
