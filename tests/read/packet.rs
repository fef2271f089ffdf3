//! Reading the packets and values directly inside a packet.

use y3::{Decode, Error, ErrorKind, PVarInt, Packet};

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
fn says_which_number_a_value_is_not() {
    fn refused<'a, T: Decode<'a> + std::fmt::Debug>(bytes: &'a [u8]) -> String {
        Packet::from_slice(bytes).unwrap().decode::<T>().unwrap_err().to_string()
    }
    // The error names `PVarInt` if the bytes are no integer at all, otherwise the type that cannot hold the integer.
    assert_eq!(refused::<u8>(&[0x01, 0x05, 0, 0, 0, 0, 7]), "expected a u8 (1 to 4 bytes), found 5 bytes at byte 2");
    assert_eq!(refused::<u8>(&[0x01, 0x01, 0xff]), "value at byte 2 is not a u8");
    assert_eq!(refused::<PVarInt<u8>>(&[0x01, 0x02, 0x82, 0x2c]), "value at byte 2 is not a u8");
    assert_eq!(refused::<PVarInt<u8>>(&[0x01, 0x01, 0x80]), "value at byte 2 is not a PVarInt of 32 bits");
    assert_eq!(
        refused::<PVarInt<i64>>(&[0x01, 0x0b, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x07]),
        "expected a PVarInt of 64 bits (1 to 10 bytes), found 11 bytes at byte 2"
    );
    for node in [refused::<u8>(&[0x81, 0x00]), refused::<PVarInt<u8>>(&[0x81, 0x00])] {
        assert_eq!(node, "expected a primitive, found a node at byte 0");
    }
}

#[test]
fn packets_are_equal_only_with_the_same_bytes() {
    let packet = |bytes| Packet::from_slice(bytes).unwrap();
    assert_eq!(packet(&[0x01, 0x01, 0x07]), packet(&[0x01, 0x01, 0x07]));
    for other in [&[0x01, 0x01, 0x08][..], &[0x02, 0x01, 0x07], &[0x01, 0x02, 0x00, 0x07], &[0x01, 0x00]] {
        assert_ne!(packet(&[0x01, 0x01, 0x07]), packet(other));
    }
}
