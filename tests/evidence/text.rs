//! Runs every row of the tables in docs/spec/text.md, in both directions.

use y3::SliceSink;
use y3::show::{encode_text, text};

use crate::rows::ROWS;
use testkit::hex::{hex, unhex};

/// The bytes of a text, or `Kind@offset`.
fn bytes_of(text: &str) -> String {
    let mut buffer = [0; 4096];
    let mut sink = SliceSink::new(&mut buffer);
    match encode_text(text, &mut sink) {
        Ok(_) => hex(sink.written()),
        Err(error) => {
            assert!(sink.written().is_empty());
            format!("{:?}@{}", error.kind(), error.offset())
        }
    }
}

#[test]
fn texts_are_read_as_the_rows_say() {
    for row in ROWS.iter().filter(|row| row.table == "T.1") {
        assert_eq!(bytes_of(row.json["text"].as_str().unwrap()), row.cells[1], "{}", row.id);
    }
}

#[test]
fn bytes_are_written_as_the_rows_say_and_read_back() {
    for row in ROWS.iter().filter(|row| row.table == "T.2") {
        let shown = text(&unhex(&row.cells[0])).to_string();
        assert_eq!(shown, row.json["result"].as_str().unwrap(), "{}", row.id);
        assert_eq!(bytes_of(&shown), row.cells[0], "{}", row.id);
    }
}
