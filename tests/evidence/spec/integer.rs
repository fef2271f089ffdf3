//! SPEC §4: integers in both dialects.

use super::*;

#[test]
fn int_1() {
    rows("INT-1");
    // The same bytes, asked for as every type: the answer depends on nothing else.
    for value in integer_values() {
        for (kind, width) in INTEGERS {
            let nvar = oracle::nvar(&value, width).map(|number| integer(kind, number));
            assert_eq!(read_value(kind, Dialect::NVar, &value).ok(), nvar, "{kind} {}", hex(&value));
            let pvar = oracle::pvar(&value, width).map(|number| integer(kind, number));
            assert_eq!(read_value(kind, Dialect::PVar, &value).ok(), pvar, "{kind} {}", hex(&value));
        }
    }
}

#[test]
fn int_2() {
    rows("INT-2");
    for dialect in DIALECTS {
        for number in edges(32) {
            let same = i32::try_from(number).unwrap();
            let unsigned = Value::U32(same.cast_unsigned());
            let value = written_value(Value::I32(same), dialect);
            assert_eq!(written_value(unsigned.clone(), dialect), value);
            assert_eq!(read_value("u32", dialect, &value), Ok(unsigned));
        }
        for number in edges(64) {
            let same = i64::try_from(number).unwrap();
            let unsigned = Value::U64(same.cast_unsigned());
            let value = written_value(Value::I64(same), dialect);
            assert_eq!(written_value(unsigned.clone(), dialect), value);
            assert_eq!(read_value("u64", dialect, &value), Ok(unsigned));
        }
    }
}

#[test]
fn int_3() {
    rows("INT-3");
    // What 64 bits hold and 32 do not, in the shortest form.
    for number in edges(64).filter(|number| i32::try_from(*number).is_err()) {
        for (dialect, value) in
            [(Dialect::NVar, oracle::encode_nvar(number)), (Dialect::PVar, oracle::encode_pvar(number))]
        {
            for kind in ["i32", "u32"] {
                assert_eq!(read_value(kind, dialect, &value), Err(ErrorKind::InvalidValue), "{number}");
            }
            assert_eq!(read_value("i64", dialect, &value), Ok(integer("i64", number)));
        }
    }
}

#[test]
fn int_4() {
    rows("INT-4");
    for dialect in DIALECTS {
        for (kind, _) in INTEGERS {
            assert_eq!(read_value(kind, dialect, &[]), Err(ErrorKind::InvalidValue));
        }
    }
    assert_eq!(y3::decode::<i32>(&[0x01, 0x00]), Err(Error::new(ErrorKind::InvalidValue, 2)));
    assert_eq!(y3::decode::<PVarInt<u64>>(&[0x01, 0x00]), Err(Error::new(ErrorKind::InvalidValue, 2)));
}

#[test]
fn int_5() {
    rows("INT-5");
    // Where a writer can be given a wider number than it can write, it refuses it and writes nothing.
    #[cfg(feature = "serde")]
    {
        for wide in [0, i128::MAX, i128::MIN] {
            assert!(y3::serde::to_vec(&wide).is_err());
        }
        assert!(y3::serde::to_vec(&u128::MAX).is_err());
    }
}

/// The shortest form of every number near a power of two, in all types that hold it.
fn written_shortest(dialect: Dialect, shortest: fn(i128) -> Vec<u8>) {
    for number in edges(65) {
        for (leaf, width) in integers(number) {
            // Unsigned numbers go as the signed ones with the same bits.
            let signed = if number >= 1 << (width - 1) { number - (1 << width) } else { number };
            let value = written_value(leaf.clone(), dialect);
            assert_eq!(hex(&value), hex(&shortest(signed)), "{leaf:?}");
            assert_eq!(read_value(leaf.kind(), dialect, &value), Ok(leaf));
        }
    }
}

#[test]
fn nvar_1() {
    rows("NVAR-1");
    written_shortest(Dialect::NVar, oracle::encode_nvar);
}

#[test]
fn nvar_2() {
    rows("NVAR-2");
    for number in edges(64) {
        let mut value = oracle::encode_nvar(number);
        while value.len() <= 8 {
            for (kind, width) in INTEGERS {
                if value.len() <= width / 8 {
                    assert_eq!(read_value(kind, Dialect::NVar, &value), Ok(integer(kind, number)), "{}", hex(&value));
                }
            }
            value.insert(0, if number < 0 { 0xff } else { 0x00 });
        }
    }
}

#[test]
fn nvar_3() {
    rows("NVAR-3");
    for (kind, width) in INTEGERS {
        for len in width / 8 + 1..=12 {
            for fill in [0x00, 0xff, 0x80] {
                assert_eq!(read_value(kind, Dialect::NVar, &vec![fill; len]), Err(ErrorKind::InvalidValue));
            }
        }
    }
}

#[test]
fn pvar_1() {
    rows("PVAR-1");
    written_shortest(Dialect::PVar, oracle::encode_pvar);
}

#[test]
fn pvar_2() {
    rows("PVAR-2");
    for number in edges(64) {
        let mut value = oracle::encode_pvar(number);
        while value.len() <= 10 {
            for (kind, width) in INTEGERS {
                if value.len() <= width.div_ceil(7) && oracle::pvar(&value, width).is_some() {
                    assert_eq!(read_value(kind, Dialect::PVar, &value), Ok(integer(kind, number)), "{}", hex(&value));
                }
            }
            value.insert(0, if number < 0 { 0xff } else { 0x80 });
        }
    }
}

#[test]
fn pvar_3() {
    rows("PVAR-3");
    for (kind, longest) in [("i32", 5), ("u32", 5), ("i64", 10), ("u64", 10)] {
        for (fill, number) in [(0x80, 1), (0xff, -127)] {
            // The same number in as many bytes as there may be, and in more.
            let value = |len: usize| [vec![fill; len - 1], vec![0x01]].concat();
            assert_eq!(read_value(kind, Dialect::PVar, &value(longest)), Ok(integer(kind, number)));
            for len in longest + 1..14 {
                assert_eq!(read_value(kind, Dialect::PVar, &value(len)), Err(ErrorKind::InvalidValue));
            }
        }
    }
}

#[test]
fn pvar_4() {
    rows("PVAR-4");
    // Everything the first of the most bytes can be: few leave the bits above the width equal to the sign below them.
    for byte in 0x80..=u8::MAX {
        let (narrow, wide) = (matches!(byte, 0x80..=0x87 | 0xf8..), matches!(byte, 0x80 | 0xff));
        for (kind, len, fits) in [("i32", 5, narrow), ("u32", 5, narrow), ("i64", 10, wide), ("u64", 10, wide)] {
            let value = [&[byte], &vec![0x80; len - 2][..], &[0x00]].concat();
            let number = oracle::pvar(&value, if len == 5 { 32 } else { 64 });
            assert_eq!(number.is_some(), fits, "{byte:02x}");
            let expected = number.map(|number| integer(kind, number)).ok_or(ErrorKind::InvalidValue);
            assert_eq!(read_value(kind, Dialect::PVar, &value), expected, "{}", hex(&value));
        }
    }
}

#[test]
fn pvar_5() {
    rows("PVAR-5");
    for number in edges(64) {
        let value = oracle::encode_pvar(number);
        let mut open = value.clone();
        *open.last_mut().unwrap() |= 0x80;
        for (kind, _) in INTEGERS {
            assert_eq!(read_value(kind, Dialect::PVar, &open), Err(ErrorKind::InvalidValue), "{}", hex(&open));
            for after in [0x00, 0x7f, 0x80] {
                let value = [&value[..], &[after]].concat();
                assert_eq!(read_value(kind, Dialect::PVar, &value), Err(ErrorKind::InvalidValue), "{}", hex(&value));
            }
        }
    }
}
