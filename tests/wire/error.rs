//! What an error prints.

use y3::{Error, ErrorKind};

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
        (ErrorKind::SizeLimit, "value longer than 2^31-1 bytes, or output longer than memory at byte 7"),
        (ErrorKind::BufferTooSmall, "no room left in the sink at byte 7"),
    ];
    for (kind, text) in told {
        assert_eq!(Error::new(kind, 7).to_string(), text);
    }
}
