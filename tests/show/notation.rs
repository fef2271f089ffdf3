//! The text form in both directions: cases beyond the rows of docs/spec/text.md, which `evidence` runs.

use y3::show::{encode_text, text};
use y3::{ErrorKind, MAX_DEPTH, SliceSink};

use testkit::hex::{hex, unhex};
use testkit::shown::read_back;

#[test]
fn lines_have_a_packet_each_and_comments_say_what_is_faulty() {
    let bytes = unhex("84050101058200c20003");
    let expected = "04{\n  01=05\n  02{}\n}\n02[]\n?03 # input ends inside the packet at byte 9";
    assert_eq!(format!("{:#}", text(&bytes)), expected);
}

/// Below the last level the text shows bytes, so that it can be read back.
#[test]
fn deeper_bytes_are_written_and_read_back() {
    let bytes = (0..MAX_DEPTH + 9).fold(vec![], |inside, _| testkit::oracle::packed(0x81, &inside));
    let shown = text(&bytes).to_string();
    assert_eq!(shown.matches('{').count(), MAX_DEPTH);
    assert_eq!(read_back(&shown, bytes.len()), bytes);
}

#[test]
fn a_full_sink_is_an_error_and_keeps_what_it_had() {
    let mut buffer = [0; 7];
    let mut sink = SliceSink::new(&mut buffer);
    encode_text("01=05", &mut sink).unwrap();
    let error = encode_text("02=06 01{01=05}", &mut sink).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BufferTooSmall);
    assert_eq!(error.to_string(), "no space left in the sink at byte 9 of the text");
    assert_eq!(sink.written(), [0x01, 0x01, 0x05]);
    assert_eq!(encode_text("02=060708", &mut sink).map_err(|error| error.kind()), Err(ErrorKind::BufferTooSmall));
    assert_eq!(encode_text("02=0607", &mut sink), Ok(4));
}

/// The shapes of appendix A are valid texts.
#[test]
fn the_shapes_of_the_vectors_are_texts() {
    let vectors = include_str!("../../docs/spec/vectors.md");
    let (_, section) = vectors.split_once("### A.2").unwrap();
    let (section, _) = section.split_once("### A.3").unwrap();
    let cell = |cell: &str| cell.trim().trim_matches('`').replace("empty", "");
    let mut rows = 0;
    for row in section.lines().filter(|line| line.starts_with("| [")) {
        let cells: Vec<_> = row.split('|').collect();
        let (bytes, shape) = (unhex(&cell(cells[2])), cell(cells[3]));
        let mut canonical = [0; 4096];
        let mut sink = SliceSink::new(&mut canonical);
        // A shape does not show padded lengths or the reserved bit; the text of the bytes does.
        let is_plain = !text(&bytes).to_string().contains(['_', '!']);
        if encode_text(&shape, &mut sink).is_ok() {
            assert_eq!(sink.written() == bytes, is_plain, "{row}");
            rows += 1;
        }
    }
    assert!(rows > 30, "{rows} rows");
}

/// The first block of docs/spec/text.md is a valid document, and its rows of bytes are correct.
#[test]
fn the_examples_of_the_document_are_right() {
    let document = include_str!("../../docs/spec/text.md");
    let blocks: Vec<_> = document.split("```text\n").skip(1).map(|rest| rest.split_once("```").unwrap().0).collect();
    assert_eq!(blocks.len(), 2);
    let bytes = read_back(blocks[0], 256);
    assert_eq!(
        hex(&bytes),
        "b111010c6e6f6973652d736f7572636502015fbf0f010133020a810890061104 42347ae1 c406000105 00016a 4501ff 068001ff 027f"
            .replace(' ', "")
    );
    let (faulty, shown) = blocks[1].trim().split_once("     ").unwrap();
    assert_eq!(text(&unhex(&faulty.replace(' ', ""))).to_string(), shown.trim());
}

#[test]
fn an_empty_value_is_not_opened() {
    assert_eq!(y3::dump(&[0x02, 0x00]).open(&[y3::path!(0x02)]).as_text().to_string(), "02=\"\"");
}

#[test]
fn a_text_is_nested_at_most_64_deep() {
    let mut packets = [0; 256];
    let mut encoded = |nodes: usize| {
        let text = format!("{}02=07{}", "01{".repeat(nodes), "}".repeat(nodes));
        encode_text(&text, &mut SliceSink::new(&mut packets)).map_err(|error| error.to_string())
    };
    assert!(encoded(64).is_ok());
    assert_eq!(encoded(65), Err("packet nested deeper than 64 at byte 192 of the text".into()));
}
