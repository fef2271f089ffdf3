//! SPEC §5: floats, booleans, text and bytes.

use super::*;

/// Bits of floats: zeros, subnormals, infinities, NaNs with and without payload, and numbers with zero bytes anywhere.
fn float_bits() -> impl Iterator<Item = u64> {
    let firsts = [0x0000, 0x8000, 0x3e80, 0x4037, 0x7ff0, 0x7ff8, 0xfff0, 0x7f80, 0x7fc0, 0xff80, 0x0001];
    let others = [0, 1, 0x8000_0000_0000_0000, 0x0100, 0x1234_5678_9abc_def0, 0x00ff_0000_0000_0000, 0xff00_0000];
    firsts.into_iter().flat_map(move |first: u64| others.into_iter().map(move |other| first << 48 | other >> 16))
}

/// The big-endian bytes of a float without the zeros at the end.
fn trimmed(bytes: &[u8]) -> &[u8] {
    let len = bytes.iter().rposition(|byte| *byte != 0).map_or(1, |last| last + 1);
    &bytes[..len]
}

#[test]
fn flt_1() {
    rows("FLT-1");
    for bits in float_bits() {
        assert_eq!(written_value(Value::F64(bits), Dialect::NVar), trimmed(&bits.to_be_bytes()));
        let bits = u32::try_from(bits >> 32).unwrap();
        assert_eq!(written_value(Value::F32(bits), Dialect::NVar), trimmed(&bits.to_be_bytes()));
    }
}

#[test]
fn flt_2() {
    rows("FLT-2");
    for bits in float_bits() {
        for len in 1..=8 {
            let value = &bits.to_be_bytes()[..len];
            let read = u64::from_be_bytes([value, &vec![0; 8 - len]].concat().try_into().unwrap());
            assert_eq!(read_value("f64", Dialect::PVar, value), Ok(Value::F64(read)));
            if len <= 4 {
                let read = u32::try_from(read >> 32).unwrap();
                assert_eq!(read_value("f32", Dialect::PVar, value), Ok(Value::F32(read)));
            }
        }
    }
}

#[test]
fn flt_3() {
    rows("FLT-3");
    for (kind, width) in [("f32", 4), ("f64", 8)] {
        for len in [0].into_iter().chain(width + 1..=16) {
            assert_eq!(read_value(kind, Dialect::NVar, &vec![0; len]), Err(ErrorKind::InvalidValue));
        }
    }
}

#[test]
fn flt_4() {
    rows("FLT-4");
    for bits in float_bits() {
        let value = written_value(Value::F64(bits), Dialect::NVar);
        assert_eq!(read_value("f64", Dialect::NVar, &value), Ok(Value::F64(bits)));
        let bits = u32::try_from(bits >> 32).unwrap();
        let value = written_value(Value::F32(bits), Dialect::NVar);
        assert_eq!(read_value("f32", Dialect::NVar, &value), Ok(Value::F32(bits)));
    }
}

#[test]
fn bool_1() {
    rows("BOOL-1");
    for value in [false, true] {
        assert_eq!(written_value(Value::Bool(value), Dialect::PVar), [u8::from(value)]);
    }
}

#[test]
fn bool_2() {
    rows("BOOL-2");
    for padding in 0..5 {
        for bit in [0, 1] {
            let value = [&[0x80; 4][..padding], &[bit]].concat();
            assert_eq!(read_value("bool", Dialect::NVar, &value), Ok(Value::Bool(bit == 1)));
        }
    }
}

#[test]
fn bool_3() {
    rows("BOOL-3");
    for value in integer_values() {
        let expected = match oracle::pvar(&value, 32) {
            Some(0) => Ok(Value::Bool(false)),
            Some(1) => Ok(Value::Bool(true)),
            _ => Err(ErrorKind::InvalidValue),
        };
        assert_eq!(read_value("bool", Dialect::NVar, &value), expected, "{}", hex(&value));
    }
}

#[test]
fn txt_1() {
    rows("TXT-1");
    // A byte order mark, a letter with its accent apart and in one, ends and newlines: nothing added, nothing changed.
    for text in ["\u{feff}a", "e\u{301}", "\u{e9}", "a\0", "\r\n", "\u{10ffff}", "中文 y3 🙂"] {
        assert_eq!(written_value(Value::Text(text.into()), Dialect::NVar), text.as_bytes());
        assert_eq!(read_value("text", Dialect::NVar, text.as_bytes()), Ok(Value::Text(text.into())));
    }
}

/// Whether RFC 3629, section 4, has a sequence that begins `bytes`: how long it is.
fn utf8_sequence(bytes: &[u8]) -> Option<usize> {
    let tail = |byte: &u8| (0x80..=0xbf).contains(byte);
    Some(match bytes {
        [0x00..=0x7f, ..] => 1,
        [0xc2..=0xdf, a, ..] if tail(a) => 2,
        [0xe0, 0xa0..=0xbf, a, ..] | [0xe1..=0xec | 0xee | 0xef, 0x80..=0xbf, a, ..] | [0xed, 0x80..=0x9f, a, ..]
            if tail(a) =>
        {
            3
        }
        [0xf0, 0x90..=0xbf, a, b, ..] | [0xf1..=0xf3, 0x80..=0xbf, a, b, ..] | [0xf4, 0x80..=0x8f, a, b, ..]
            if tail(a) && tail(b) =>
        {
            4
        }
        _ => return None,
    })
}

#[test]
fn txt_2() {
    rows("TXT-2");
    let telling = [0x61, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xc0, 0xc2, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5];
    for len in 0..=4 {
        small_inputs(&telling, len, |value| {
            let mut good = 0;
            while let Some(len) = utf8_sequence(&value[good..]) {
                good += len;
            }
            let read =
                with_value(value, |packet| packet.decode::<&str>().map(|text| text.as_bytes() == value).map_err(fault));
            let expected = if good == value.len() { Ok(true) } else { Err((ErrorKind::InvalidUtf8, 2 + good as u64)) };
            assert_eq!(read, expected, "{}", hex(value));
        });
    }
}

#[test]
fn txt_3() {
    rows("TXT-3");
    // A writer takes `&str` or `&[u8]`: bytes that are no text are written as bytes, unchanged, and never as text.
    for bytes in [&[0xed, 0xa0, 0x80][..], &[0xff], &[0x61, 0xc0, 0x80]] {
        assert!(std::str::from_utf8(bytes).is_err());
        assert_eq!(written_value(Value::Bytes(bytes.to_vec()), Dialect::NVar), bytes);
        assert_eq!(read_value("text", Dialect::NVar, bytes), Err(ErrorKind::InvalidUtf8));
    }
}

#[test]
fn txt_4() {
    rows("TXT-4");
    for text in ["\u{feff}", "\u{feff}\u{feff}a", "a\u{feff}b", "a"] {
        assert_eq!(written_value(Value::Text(text.into()), Dialect::NVar), text.as_bytes());
        assert_eq!(read_value("text", Dialect::NVar, text.as_bytes()), Ok(Value::Text(text.into())));
    }
}

#[test]
fn bin_1() {
    rows("BIN-1");
    let all: Vec<u8> = (0..=u8::MAX).collect();
    for value in [&all[..], &[0xff; 63], &[0x81, 0x7f], &[0x87, 0xff], b"\xed\xa0\x80", &[]] {
        with_value(value, |packet| assert!(std::ptr::eq(packet.decode::<&[u8]>().unwrap(), packet.value())));
        assert_eq!(written_value(Value::Bytes(value.to_vec()), Dialect::NVar), value);
    }
}
