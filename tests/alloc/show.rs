//! Dumps, the text form in both directions, the context of an error and escaped text allocate nothing.

use std::fmt::{self, Write};

use crate::counting::allocations;
use y3::show::{encode_text, escape, escape_json, explain};
use y3::{Path, SliceSink, check, dump, path};

const PATHS: [Path; 2] = [path!(0x01), path!(0x3f, 0x02)];

/// Counts the bytes that are written.
struct Length(usize);

impl Write for Length {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}

#[test]
fn showing_allocates_nothing() {
    let inputs: [&[u8]; 6] = [
        &[],
        &[0x81, 0x07, 0x11, 0x02, 0x3e, 0x80, 0x13, 0x01, 0x61],
        &[0xbf, 0x05, 0x02, 0x03, 0x11, 0x01, 0x07],
        &[0x81, 0x08, 0x11, 0x04, 0x42, 0x34],
        &[0x81, 0x02, 0x01, 0x7f, 0x01, 0x87, 0xff, 0xff, 0xff, 0x7f, 0x05],
        &[0x81; 200],
    ];
    for input in inputs {
        let (mut buffer, mut written) = ([0; 256], String::with_capacity(4096));
        let mut length = Length(0);
        let count = allocations(|| {
            for dump in
                [dump(input), dump(input).open(&PATHS).short(), dump(input).open_all().max_lines(3).max_value(2)]
            {
                write!(length, "{dump}").unwrap();
            }
            for shown in [dump(input), dump(input).open(&PATHS), dump(input).open_all()].map(y3::show::Dump::as_text) {
                write!(length, "{shown:#}").unwrap();
                written.clear();
                write!(written, "{shown}").unwrap();
                let mut sink = SliceSink::new(&mut buffer);
                assert_eq!(encode_text(&written, &mut sink), Ok(input.len()));
                assert_eq!(sink.written(), input);
            }
            let error = encode_text("01{02=i32(-1)_4 03=f64(0.1)", &mut SliceSink::new(&mut buffer)).unwrap_err();
            write!(length, "{error} {} {}", escape("a\u{202e}"), escape_json("\u{e0041}")).unwrap();
            if let Err(error) = check(input) {
                write!(length, "{}", explain(input, error)).unwrap();
            }
        });
        assert_eq!(count, 0, "{input:02x?}");
        assert!(length.0 > 0);
    }
}
