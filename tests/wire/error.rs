//! The messages of errors.

use y3::{Error, ErrorKind};

#[test]
fn an_error_prints_its_kind_and_its_offset() {
    let told = [
        (ErrorKind::UnexpectedEnd, "input ends inside the packet at byte 7"),
        (ErrorKind::Overrun, "packet reaches past the end of its node at byte 7"),
        (ErrorKind::NegativeLength, "negative length at byte 7"),
        (ErrorKind::LengthOverflow, "length field longer than 5 bytes, or length above 2^31-1 at byte 7"),
        (ErrorKind::DepthLimit, "node nested deeper than the limit at byte 7"),
        (ErrorKind::TrailingBytes, "unexpected bytes after the packet at byte 7"),
        (ErrorKind::NotANode, "expected a node, found a primitive at byte 7"),
        (ErrorKind::InvalidValue, "value does not fit the requested type at byte 7"),
        (ErrorKind::InvalidUtf8, "text is not UTF-8 at byte 7"),
        (ErrorKind::InvalidKey, "argument is not a key of 0x00 to 0x3f at byte 7"),
        (ErrorKind::InvalidPath, "argument is not a path of 1 to 8 keys at byte 7"),
        (ErrorKind::SizeLimit, "value longer than 2^31-1 bytes, or output longer than memory at byte 7"),
        (ErrorKind::BufferTooSmall, "no space left in the sink at byte 7"),
        (ErrorKind::MissingItems, "fewer items than the type requires at byte 7"),
        (ErrorKind::ExtraItems, "more items than the type requires at byte 7"),
        (ErrorKind::UnexpectedKey, "packet does not have the key that its type requires at byte 7"),
        (ErrorKind::UnknownVariant, "unknown variant at byte 7"),
    ];
    for (kind, text) in told {
        assert_eq!(Error::new(kind, 7).to_string(), text);
    }
}

#[test]
fn an_error_says_what_was_expected() {
    let told = |result: Result<(), Error>| result.unwrap_err().to_string();
    let items = [0xc1, 0x09, 0x00, 0x01, 0x01, 0x00, 0x01, 0x02, 0x00, 0x01, 0x03];
    assert_eq!(told(y3::decode::<[i32; 2]>(&items).map(drop)), "expected 2 items, found more at byte 8");
    assert_eq!(told(y3::decode::<[i32; 4]>(&items).map(drop)), "expected 4 items, found fewer at byte 0");
    assert_eq!(told(y3::decode::<bool>(&[0x01, 0x01, 0x02]).map(drop)), "value at byte 2 is not a bool");
    assert_eq!(told(y3::decode::<u16>(&[0x01, 0x04, 0, 1, 0, 0]).map(drop)), "value at byte 2 is not a u16");
    assert_eq!(format!("{:?}", Error::new(ErrorKind::Overrun, 7)), "Error { kind: Overrun, offset: 7, .. }");
}
