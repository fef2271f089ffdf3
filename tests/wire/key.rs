//! Keys and tags, as numbers and as text.

use y3::{Error, ErrorKind, Key, Path, Tag, path};

fn key(number: u8) -> Key {
    Key::new(number).unwrap()
}

#[test]
fn gives_back_the_number_of_a_key() {
    assert_eq!((Key::MAX.get(), key(0x2a).get()), (0x3f, 0x2a));
    assert_eq!((key(7).to_string(), format!("{:?}", key(0x3f))), ("0x07".into(), "Key(0x3f)".into()));
    assert_eq!((key(3) == 3, key(3) == 4), (true, false));
}

#[test]
fn prints_the_kind_and_the_key_of_a_tag() {
    assert_eq!(format!("{:?}", Tag::primitive(key(1))), "Tag(0x01: primitive 0x01)");
    // The slice bit of a primitive has no meaning.
    assert_eq!(format!("{:?}", Tag::from(0x41)), "Tag(0x41: primitive 0x01)");
    assert_eq!(format!("{:?}", Tag::node(key(1))), "Tag(0x81: node 0x01)");
    assert_eq!(format!("{:?}", Tag::slice(key(0x3f))), "Tag(0xff: slice 0x3f)");
}

#[test]
fn a_number_above_63_is_no_key() {
    for number in 0..=u8::MAX {
        assert_eq!(Key::new(number).map(Key::get), (number <= 63).then_some(number));
    }
}

#[test]
fn a_key_in_text_is_hexadecimal_with_and_without_0x() {
    for number in 0..=u8::MAX {
        let key = Key::new(number);
        let texts =
            [format!("{number:02x}"), format!("{number:02X}"), format!("{number:#04x}"), format!("0x{number:x}")];
        for text in texts {
            assert_eq!(text.parse::<Key>().ok(), key, "{text}");
            assert_eq!(text.parse::<Path>().ok(), Path::new(&[number]), "{text}");
        }
    }
    assert_eq!(["10", "0x10", "9"].map(str::parse), [Ok(key(0x10)), Ok(key(0x10)), Ok(key(9))]);
    assert_eq!("01/10/11".parse(), Ok(path!(0x01, 0x10, 0x11)));
    assert_eq!("1/0x10/f".parse(), Ok(path!(0x01, 0x10, 0x0f)));
}

#[test]
fn a_wrong_key_in_text_is_an_error_at_the_wrong_character() {
    for (text, offset) in [
        ("", 0),
        ("0x", 2),
        ("x1", 0),
        ("0X01", 1),
        ("0x0x1", 3),
        ("+1", 0),
        ("-1", 0),
        (" 1", 0),
        ("1 ", 1),
        ("1g", 1),
        ("0x1\u{e9}", 3),
        ("\u{e9}", 0),
        ("40", 0),
        ("0xff", 2),
        ("011", 2),
        ("0x001", 4),
        ("1/2", 1),
    ] {
        assert_eq!(text.parse::<Key>(), Err(Error::new(ErrorKind::InvalidKey, offset)), "{text}");
    }
}
