//! The text form, both ways: each sentence of docs/spec/text.md.

use y3::show::{encode_text, text};
use y3::{ErrorKind, MAX_DEPTH, SliceSink};

use testkit::hex::{hex, unhex};
use testkit::shown::read_back;

fn bytes_of(text: &str) -> String {
    hex(&read_back(text, 4096))
}

fn error_of(text: &str) -> (ErrorKind, usize) {
    let mut buffer = [0; 4096];
    let mut sink = SliceSink::new(&mut buffer);
    let error = encode_text(text, &mut sink).expect_err(text);
    assert!(sink.written().is_empty());
    (error.kind(), usize::try_from(error.offset()).unwrap())
}

#[test]
fn a_text_is_exactly_these_bytes() {
    for (text, expected) in [
        ("", ""),
        (" ,\t\r\n, # nothing", ""),
        ("01=", "0100"),
        ("01=\"\"", "0100"),
        ("1=ff", "0101ff"),
        ("0x3f=00FF", "3f0200ff"),
        ("01=05,02=02", "010105020102"),
        ("01=05 02=02", "010105020102"),
        ("01=\"\"02{}", "01008200"),
        ("01= 3f=00", "01003f0100"),
        ("01{02=ff,03{04=43}}", "81080201ff8303040143"),
        ("13[00{36{},20{}}]", "d3068004b600a000"),
        ("!01=05", "410105"),
        ("!3f=", "7f00"),
        ("01_2=05", "01800105"),
        ("01_5{}", "818080808000"),
        ("01_1[]", "c100"),
        ("!01_3=<<02=07>>", "41808003020107"),
        ("02=<<01{10=ff}>>", "02058103 1001ff"),
        ("02=<<>>", "0200"),
        ("01{?027f}", "8102027f"),
        ("?ff 01=05 ?01", "ff01010501"),
        ("01=\"größer\"", "01086772c3b6c39f6572"),
        (r#"01="\"\\\n\r\t\u{1f600}\u{0}""#, "010a225c0a0d09f09f988000"),
        ("01=i32(-1) 01=u32(4294967295)", "0101ff0101ff"),
        ("01=i64(128) 01=u64(18446744073709551615)", "010200800101ff"),
        ("01=pi32(-65) 01=pu32(4294967295) 01=pi64(128) 01=pu64(300)", "0102ff3f01017f010281000102822c"),
        ("01=f32(0.25) 01=f64(-0) 01=f32(1e3) 01=f32( 45.12 )", "01023e800101800102447a010442347ae1"),
        ("01=f32(inf) 01=f64(-Infinity) 01=f32(nan)", "01027f800102fff001027fc0"),
        ("01=bool(true) 01=bool(false)", "010101010100"),
        (
            "01=i32(5)_4 01=pi32(-1)_3 01=f32(0.25)_4 01=bool(true)_5",
            "010400000005 0103ffff7f 01043e800000 01058080808001",
        ),
        ("01=ff # a comment, } and all\n02=00", "0101ff020100"),
    ] {
        assert_eq!(bytes_of(text), expected.replace(' ', ""), "{text}");
    }
}

#[test]
fn bytes_are_exactly_this_text() {
    for (bytes, expected) in [
        ("", ""),
        ("0100", "01=\"\""),
        ("01026162", "01=6162"),
        ("0103616263", "01=\"abc\""),
        ("0103610063", "01=610063"),
        ("0104610a2209", r#"01="a\n\"\t""#),
        ("0103e280ae", r#"01="\u{202e}""#),
        ("4100", "!01=\"\""),
        ("01800105", "01_2=05"),
        ("84808003010105", "04_3{01=05}"),
        ("c40600010500016a", "04[00=05,00=6a]"),
        ("c400840001010583", "04[],04{},01=05,?83"),
        ("840701010583040201ff02", "04{01=05,?83040201},?ff02"),
        ("8405027f0101050101ff", "04{?027f010105},01=ff"),
        ("81099006020003008400", "?81099006020003008400"),
    ] {
        assert_eq!(text(&unhex(bytes)).to_string(), expected);
        assert_eq!(bytes_of(expected), bytes);
    }
}

#[test]
fn lines_have_a_packet_each_and_comments_say_what_is_faulty() {
    let bytes = unhex("84050101058200c20003");
    let expected = "04{\n  01=05\n  02{}\n}\n02[]\n?03 # input ends inside the packet at byte 9";
    assert_eq!(format!("{:#}", text(&bytes)), expected);
}

#[test]
fn every_wrong_text_has_its_error() {
    use ErrorKind as Kind;
    for (text, expected) in [
        ("40=00", (Kind::ExpectedPacket, 0)),
        ("011=00", (Kind::ExpectedPacket, 0)),
        ("=00", (Kind::ExpectedPacket, 0)),
        ("14[\"a\",\"b\"]", (Kind::ExpectedItem, 3)),
        ("14[00=ff,01{\"b\"}]", (Kind::ExpectedPacket, 12)),
        ("01=00 !", (Kind::ExpectedPacket, 7)),
        ("01=00 ü", (Kind::ExpectedPacket, 6)),
        ("01=ü", (Kind::ExpectedPacket, 3)),
        ("01= ff", (Kind::ExpectedPacket, 4)),
        ("01", (Kind::ExpectedContent, 2)),
        ("01 =00", (Kind::ExpectedContent, 2)),
        ("!01{}", (Kind::ExpectedContent, 3)),
        ("!01[]", (Kind::ExpectedContent, 3)),
        ("01=f", (Kind::InvalidHex, 3)),
        ("01=0g", (Kind::InvalidHex, 3)),
        ("01=ff02=00", (Kind::ExpectedPacket, 7)),
        ("01{?}", (Kind::InvalidHex, 4)),
        ("?0", (Kind::InvalidHex, 1)),
        ("01=i16(5)", (Kind::UnknownType, 3)),
        ("01=(5)", (Kind::UnknownType, 3)),
        ("01=i32(2147483648)", (Kind::InvalidLiteral, 7)),
        ("01=u32(-1)", (Kind::InvalidLiteral, 7)),
        ("01=i32(5", (Kind::InvalidLiteral, 7)),
        ("01=i32(5\n)", (Kind::InvalidLiteral, 7)),
        ("01=i32()", (Kind::InvalidLiteral, 7)),
        ("01=f32(1e39)", (Kind::InvalidLiteral, 7)),
        ("01=f64(1e999)", (Kind::InvalidLiteral, 7)),
        ("01=bool(1)", (Kind::InvalidLiteral, 8)),
        ("01=i32(5)_5", (Kind::InvalidWidth, 9)),
        ("01=i32(300)_1", (Kind::InvalidWidth, 11)),
        ("01=i32(5)_0", (Kind::InvalidWidth, 9)),
        ("01=i64(5)_99999999999999999999", (Kind::InvalidWidth, 9)),
        ("01_0=00", (Kind::InvalidWidth, 2)),
        ("01_6=00", (Kind::InvalidWidth, 2)),
        ("01_=00", (Kind::InvalidWidth, 2)),
        ("01=\"abc", (Kind::UnclosedText, 3)),
        ("01=\"a\\x\"", (Kind::InvalidEscape, 5)),
        ("01=\"a\\u{d800}\"", (Kind::InvalidEscape, 5)),
        ("01=\"a\\u{110000}\"", (Kind::InvalidEscape, 5)),
        ("01=\"a\\u{}\"", (Kind::InvalidEscape, 5)),
        ("01=\"a\\u{0000041}\"", (Kind::InvalidEscape, 5)),
        ("01=\"a\\u{41\"", (Kind::InvalidEscape, 5)),
        ("01=\"a\n\"", (Kind::InvalidEscape, 5)),
        ("01=\"a\u{7f}\"", (Kind::InvalidEscape, 5)),
        ("01=\"a\\", (Kind::InvalidEscape, 5)),
        ("02{} 01{ 02=<<", (Kind::Unclosed, 9)),
        ("!02=<<", (Kind::Unclosed, 0)),
        ("}", (Kind::Unopened, 0)),
        ("01{]", (Kind::Unopened, 3)),
        ("01=<<>", (Kind::Unopened, 5)),
        ("01=<<}", (Kind::Unopened, 5)),
    ] {
        assert_eq!(error_of(text), expected, "{text}");
    }
}

#[test]
fn a_length_of_one_byte_reaches_sixty_three() {
    let packet = |bytes: usize| format!("01_1={}", "ab".repeat(bytes));
    assert_eq!(bytes_of(&packet(63)).len(), 2 * 65);
    assert_eq!(error_of(&packet(64)), (ErrorKind::InvalidWidth, 2));
    assert_eq!(error_of(&format!("02{{01_1{{02={}}}}}", "ab".repeat(64))), (ErrorKind::InvalidWidth, 5));
}

#[test]
fn sixty_four_levels_are_read_and_no_more() {
    let nested = |levels: usize| format!("{}{}", "01{".repeat(levels), "}".repeat(levels));
    assert_eq!(y3::check(&read_back(&nested(MAX_DEPTH), 4096)), Ok(()));
    assert_eq!(error_of(&nested(MAX_DEPTH + 1)), (ErrorKind::DepthLimit, 3 * MAX_DEPTH));
    let embedded = |levels: usize| format!("{}{}", "01=<<".repeat(levels), ">>".repeat(levels));
    read_back(&embedded(MAX_DEPTH), 4096);
    assert_eq!(error_of(&embedded(MAX_DEPTH + 1)), (ErrorKind::DepthLimit, 5 * MAX_DEPTH));
    // A primitive on the last level is no level.
    read_back(&format!("{}02=05{}", "01{".repeat(MAX_DEPTH), "}".repeat(MAX_DEPTH)), 4096);
}

/// Below the last level the text has bytes, so that what is written can be read.
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
    assert_eq!(error.to_string(), "no room left in the sink at byte 9 of the text");
    assert_eq!(sink.written(), [0x01, 0x01, 0x05]);
    assert_eq!(encode_text("02=060708", &mut sink).map_err(|error| error.kind()), Err(ErrorKind::BufferTooSmall));
    assert_eq!(encode_text("02=0607", &mut sink), Ok(4));
}

/// The shapes of appendix A are texts.
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
        // A shape shows neither padded lengths nor the reserved bit; the text of the bytes does.
        let is_plain = !text(&bytes).to_string().contains(['_', '!']);
        if encode_text(&shape, &mut sink).is_ok() {
            assert_eq!(sink.written() == bytes, is_plain, "{row}");
            rows += 1;
        }
    }
    assert!(rows > 30, "{rows} rows");
}

/// The first block of docs/spec/text.md is a document, and its rows of bytes are what they say.
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
