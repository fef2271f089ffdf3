//! The context of an error: keys, offset and lengths, for every kind and every reader of slices.

use y3::show::{encode_text, explain};
use y3::{Error, ErrorKind, MAX_DEPTH, Packet, PathSet, SliceSink, packets, path};

use testkit::hex::unhex;
use testkit::oracle::packed;

fn of_check(hex: &str) -> String {
    let bytes = unhex(hex);
    explain(&bytes, y3::check(&bytes).unwrap_err()).to_string()
}

#[test]
fn every_error_of_a_check_names_keys_and_lengths() {
    for (hex, expected) in [
        ("0105aabb", "input ends inside the packet at byte 0: packet 0x01 at byte 0 declares 5 bytes but has 2"),
        ("01", "input ends inside the packet at byte 0: packet 0x01 at byte 0 has an incomplete length field"),
        (
            "8108900611040a",
            "input ends inside the packet at byte 0: in 0x01/0x10, packet 0x11 at byte 4 declares 4 bytes but has 1",
        ),
        (
            "8108900611",
            "input ends inside the packet at byte 0: in 0x01/0x10, packet 0x11 at byte 4 has an incomplete length field",
        ),
        // The cut is between two packets: the node lacks bytes, but none of its packets does.
        (
            "8108900602000300",
            "input ends inside the packet at byte 0: in 0x01, packet 0x10 at byte 2 declares 6 bytes but has 4",
        ),
        (
            "8404010105048105",
            "packet reaches past the end of its node at byte 5: in 0x04, packet 0x04 at byte 5 has an incomplete length field",
        ),
        (
            "840585040101060201aa",
            "packet reaches past the end of its node at byte 2: in 0x04, packet 0x05 at byte 2 declares 4 bytes but has 3",
        ),
        ("010105840201ff", "negative length at byte 6: in 0x04, packet 0x01 at byte 5"),
        ("018880808000", "length field longer than 5 bytes, or length above 2^31-1 at byte 1: packet 0x01 at byte 0"),
    ] {
        assert_eq!(of_check(hex), expected, "{hex}");
    }
}

#[test]
fn a_node_below_the_limit_has_all_keys_to_it() {
    let bytes = (0..=MAX_DEPTH).fold(vec![], |inside, _| packed(0x81, &inside));
    let fault = explain(&bytes, y3::check(&bytes).unwrap_err());
    assert_eq!((fault.error().kind(), fault.keys().len()), (ErrorKind::DepthLimit, MAX_DEPTH + 1));
    assert_eq!(fault.offset(), Some(fault.error().offset()));
    let error = y3::walk(&bytes).with_max_depth(2).find_map(Result::err).unwrap();
    assert_eq!(explain(&bytes, error).keys().len(), 3);
}

#[test]
fn errors_of_watching_embedded_packets_and_values_have_a_place_too() {
    const FRAMES: PathSet<1> = PathSet::new([path!(0x3f, 0x02)]);
    const READINGS: PathSet<1> = PathSet::new([path!(0x01, 0x11)]);
    // 3f { 01 = 05, 02 = 01 { 11 = (2 bytes of 4) } }
    let bytes = unhex("bf0b01010502068104 1104ffff".replace(' ', "").as_str());
    let inside = FRAMES.watch(&bytes).next().unwrap().unwrap().packet();
    let error = READINGS.watch_packets(inside.embedded()).next().unwrap().unwrap_err();
    assert_eq!(
        explain(&bytes, error).to_string(),
        "packet reaches past the end of its node at byte 9: in 0x3f/0x02/0x01, packet 0x11 at byte 9 declares 4 bytes but has 2"
    );
    let error = inside.decode::<&str>().unwrap_err();
    assert_eq!(error.to_string(), "text is not UTF-8 at byte 7");
    assert_eq!(
        explain(&bytes, error).to_string(),
        "text is not UTF-8 at byte 7: in 0x3f, packet 0x02 at byte 5 has 6 bytes"
    );
    let error = inside.decode::<f32>().unwrap_err();
    let expected =
        "expected an f32 (1 to 4 bytes), found 6 bytes at byte 7: in 0x3f, packet 0x02 at byte 5 has 6 bytes";
    assert_eq!(explain(&bytes, error).to_string(), expected);
    let error = inside.find(0x01).unwrap_err();
    assert_eq!(explain(&bytes, error).to_string(), format!("{error}: in 0x3f, packet 0x02 at byte 5 has 6 bytes"));
}

#[test]
fn an_error_of_other_bytes_is_only_repeated() {
    let bytes = unhex("8103010105");
    for error in [
        Error::new(ErrorKind::Overrun, 2),
        Error::new(ErrorKind::UnexpectedEnd, 0),
        Error::new(ErrorKind::NegativeLength, 1),
        Error::new(ErrorKind::NotANode, 1),
        Error::new(ErrorKind::InvalidValue, 2),
        Error::new(ErrorKind::InvalidUtf8, 9),
        Error::new(ErrorKind::InvalidKey, 0),
        Error::new(ErrorKind::BufferTooSmall, 0),
        Error::new(ErrorKind::Overrun, u64::MAX),
        Packet::from_slice(&[0x01, 0x00, 0x05]).unwrap_err(),
        encode_text("=", &mut SliceSink::new(&mut [])).unwrap_err(),
    ] {
        let fault = explain(&bytes, error);
        assert_eq!(fault.to_string(), error.to_string());
        assert_eq!((fault.keys(), fault.offset(), fault.declared(), fault.available()), (&[][..], None, None, None));
    }
    assert_eq!(explain(&[], packets(&[0x01]).next().unwrap().unwrap_err()).offset(), None);
}

#[test]
fn a_cut_packet_after_embedded_packets_is_not_theirs() {
    // The end of the node cuts the packet in the value of 02; the end of the input cuts 03.
    let bytes = unhex("020281050305");
    let fault = explain(&bytes, Error::new(ErrorKind::UnexpectedEnd, 2));
    assert_eq!((fault.offset(), fault.declared(), fault.available()), (Some(2), Some(5), Some(0)));
}

/// The documented size on a machine with 64-bit words.
#[test]
#[cfg(target_pointer_width = "64")]
fn a_fault_takes_144_bytes() {
    assert_eq!(size_of::<y3::ErrorContext>(), 144);
}
