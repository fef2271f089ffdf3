//! The bytes of values: each type of the standard library compared with the type that defines its encoding.

use y3::{Encode, Encoder, SliceSink};

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
fn writes_a_key_and_an_address_as_their_number_and_their_bytes() {
    use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

    assert_eq!(written(y3::Key::new(0x3f).unwrap()), written(0x3f_u8));
    for address in [IpAddr::from(Ipv4Addr::LOCALHOST), Ipv6Addr::LOCALHOST.into(), Ipv6Addr::UNSPECIFIED.into()] {
        let bytes = written(address);
        match address {
            IpAddr::V4(address) => assert_eq!(bytes, written(address.octets())),
            IpAddr::V6(address) => assert_eq!(bytes, written(address.octets())),
        }
        assert_eq!(y3::decode::<IpAddr>(&bytes), Ok(address));
    }
}

/// Only an absent value has no packet.
#[cfg(feature = "alloc")]
#[test]
fn writes_an_optional_value_that_is_there() {
    assert_eq!(y3::to_vec(0x01, &Some("")), Ok(vec![0x01, 0x00]));
    assert_eq!(y3::to_vec(0x01, &Some(5)), Ok(written(5)));
    assert_eq!(y3::to_vec(0x01, ""), Ok(vec![0x01, 0x00]));
    assert_eq!(y3::to_vec(0x01, &None::<i32>).unwrap_err().kind(), y3::ErrorKind::AbsentValue);
}
