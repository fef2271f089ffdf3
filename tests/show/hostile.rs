//! Inputs that try to exhaust the machine: deep nesting on a small stack, embedded packets, long output for few bytes.

use std::fmt::{self, Write};
use std::thread;

use y3::show::{encode_text, explain};
use y3::{ErrorKind, MAX_DEPTH, SliceSink};

use testkit::oracle::packed;

/// Counts the bytes that are written.
#[derive(Default)]
struct Length(usize);

impl Write for Length {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}

fn length(shown: impl fmt::Display) -> usize {
    let mut length = Length::default();
    write!(length, "{shown}").unwrap();
    length.0
}

#[test]
fn deep_nesting_is_shown_and_read_on_a_small_stack() {
    let nodes = if cfg!(miri) { 100 } else { 3_000 };
    let nested = |tag: u8| (0..nodes).fold(vec![], |inside, _| packed(tag, &inside));
    let (deep_nodes, deep_embedded) = (nested(0x81), nested(0x01));
    let run = move || {
        for bytes in [&deep_nodes, &deep_embedded] {
            assert!(length(y3::dump(bytes).open_all()) > bytes.len());
            let shown = y3::dump(bytes).open_all().as_text().to_string();
            let mut buffer = vec![0; bytes.len()];
            let mut sink = SliceSink::new(&mut buffer);
            encode_text(&shown, &mut sink).unwrap();
            assert_eq!(sink.written(), bytes);
        }
        let error = y3::check(&deep_nodes).unwrap_err();
        assert_eq!((error.kind(), explain(&deep_nodes, error).keys().len()), (ErrorKind::DepthLimit, MAX_DEPTH + 1));
        let open = "01{".repeat(1 << 12);
        assert!(encode_text(&open, &mut SliceSink::new(&mut [0; 256])).is_err());
    };
    thread::Builder::new().stack_size(64 << 10).spawn(run).unwrap().join().unwrap();
}

/// The longest lines come from packets of two bytes that are 64 levels deep.
#[test]
fn a_dump_is_bounded_by_its_input_and_by_its_limits() {
    let inside = [0x02, 0x00].repeat(if cfg!(miri) { 8 } else { 2_000 });
    let bytes = (0..MAX_DEPTH).fold(inside, |inside, _| packed(0x81, &inside));
    let whole = length(y3::dump(&bytes));
    assert!(whole < 100 * bytes.len(), "{whole} characters for {} bytes", bytes.len());
    assert!(length(y3::dump(&bytes).max_lines(10)) < 1_000);
    let bytes = packed(0x02, &[0xee; 5_000]);
    assert!(length(y3::dump(&bytes).max_value(16)) < 200);
    assert!(length(y3::dump(&bytes).short()) < 100);
}

/// A length in the input allocates nothing.
#[test]
fn a_length_of_two_gigabytes_is_only_shown() {
    let bytes = [0x81, 0x87, 0xff, 0xff, 0xff, 0x7f, 0x01, 0x87, 0xff, 0xff, 0xff, 0x7f, 0x05];
    let shown = y3::dump(&bytes).to_string();
    assert!(shown.contains("0x01 node: 2147483647 bytes ! input ends inside the packet: 7 bytes present"), "{shown}");
    assert!(
        shown.contains("0x01: 2147483647 bytes ! packet reaches past the end of its node: 1 byte present"),
        "{shown}"
    );
}
