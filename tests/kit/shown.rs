//! Tests what is shown of any bytes or any text: a dump shows each byte once and errors where `check` finds them, and
//! the text form can be read back.

use std::fmt::Write;

use y3::show::{Dump, encode_text, explain, text};
use y3::{Error, ErrorKind, MAX_DEPTH, Path, PathSet, SliceSink, path};

/// The primitives that a dump opens.
const PATHS: [Path; 4] = [path!(0x01), path!(0x01, 0x02), path!(0x3f, 0x02), path!(0x3f, 0x02, 0x02)];

/// The bytes of a dump: at most 23 characters in each line, after the offset and two spaces.
pub fn column(dump: &str) -> Vec<u8> {
    let row = |line: &str| -> Vec<u8> {
        let line = line.trim_start();
        let (_, line) = line.split_once("  ").unwrap();
        let pairs = line.get(..23).unwrap_or(line).split(' ').take_while(|pair| pair.len() == 2 && *pair != "..");
        pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
    };
    dump.lines().flat_map(row).collect()
}

/// The number of bytes that a dump says it leaves out.
fn hidden(dump: &str) -> usize {
    let number = |line: &str| {
        let (_, mark) = line.rsplit_once(".. ")?;
        mark.strip_suffix(" not shown")?.split(' ').next()?.parse::<usize>().ok()
    };
    dump.lines().filter_map(number).sum()
}

/// Asserts that the rows contain each byte once, the words of the dump, and its errors.
fn rows_hold(bytes: &[u8]) {
    for dump in [y3::dump(bytes), y3::dump(bytes).open_all()] {
        let (shown, mut rows, mut end) = (dump.short().to_string(), dump.rows(), 0);
        let mut lines = shown.lines();
        for row in rows.by_ref() {
            let line = lines.next().unwrap();
            assert!(line.contains(&format!("  {}{row}", "  ".repeat(row.depth()))), "{line}: {row}");
            assert_eq!((row.offset(), bytes[end]), (end, row.tag().get()));
            assert!(row.own_end() > end && row.value().len() <= row.len() && bytes[row.range()].ends_with(row.value()));
            end = row.own_end();
        }
        assert_eq!((rows.offset(), end, lines.next()), (bytes.len(), bytes.len(), None));
    }
    assert_eq!(y3::dump(bytes).rows().find_map(|row| row.fault()), y3::check(bytes).err());
}

/// Tests dumps of any bytes.
pub fn dump(bytes: &[u8]) {
    for dump in [y3::dump(bytes), y3::dump(bytes).open(&PATHS), y3::dump(bytes).open_all()] {
        let whole = dump.to_string();
        assert_eq!(column(&whole), bytes, "\n{whole}");
        assert!(whole.is_empty() == bytes.is_empty() && !whole.ends_with('\n'), "{whole:?}");
        assert!(!whole.chars().any(|character| character.is_control() && character != '\n'), "{whole:?}");
        bounded(bytes, dump, &whole);
    }
    rows_hold(bytes);
    faults(bytes);
    watched(bytes);
}

fn bounded(bytes: &[u8], dump: Dump<'_>, whole: &str) {
    let lines = |shown: &str| shown.lines().count();
    for (shown, most) in [
        (dump.short().to_string(), lines(whole)),
        (dump.max_value(0).to_string(), lines(whole)),
        (dump.max_value(3).to_string(), lines(whole)),
        (dump.max_lines(0).to_string(), 1),
        (dump.max_lines(2).to_string(), 3),
        (dump.max_value(9).max_lines(3).short().to_string(), 4),
    ] {
        assert_eq!(column(&shown).len() + hidden(&shown), bytes.len(), "\n{shown}");
        assert!(lines(&shown) <= most, "\n{shown}");
    }
    assert_eq!(dump.max_lines(lines(whole)).to_string(), *whole);
    assert_eq!(dump.max_value(bytes.len()).to_string(), *whole);
}

/// Asserts that the first mark in a dump is the error of `check`, and that `explain` explains it.
fn faults(bytes: &[u8]) {
    let shown = y3::dump(bytes).to_string();
    // After " = " comes a possible value, which can be text with this mark.
    let is_marked = |line: &&str| line.split(" = ").next().is_some_and(|line| line.contains(" ! "));
    let first = shown.lines().find(is_marked);
    let Err(error) = y3::check(bytes) else {
        assert_eq!(first, None);
        return;
    };
    let first = first.unwrap_or_else(|| panic!("{error} is not marked\n{shown}"));
    assert!(first.contains(&format!(" ! {}: ", error.kind())), "{error}\n{first}");
    let in_length = matches!(error.kind(), ErrorKind::NegativeLength | ErrorKind::LengthOverflow);
    let tag = error.offset() - u64::from(in_length);
    assert_eq!(first.trim_start().split(' ').next().unwrap().parse(), Ok(tag), "{error}\n{first}");

    let fault = explain(bytes, error);
    let offset = fault.offset().unwrap_or_else(|| panic!("{error} is not explained\n{shown}"));
    assert!(offset == tag || error.kind() == ErrorKind::UnexpectedEnd && offset > tag, "{fault}");
    let last = fault.keys().last().unwrap();
    assert_eq!(bytes[usize::try_from(offset).unwrap()] & 0x3f, last.get());
    assert!(fault.keys().len() <= MAX_DEPTH + 1);
    match (fault.declared(), fault.available()) {
        (Some(declared), Some(available)) => assert!(available < declared, "{fault}"),
        lengths => assert_eq!(lengths, (None, None)),
    }
    assert!(fault.to_string().starts_with(&error.to_string()), "{fault}");
}

/// Asserts that errors of a watch can be explained, including errors in embedded packets.
fn watched(bytes: &[u8]) {
    const WATCHED: PathSet<4> = PathSet::new(PATHS);
    let mut errors: Vec<Error> = WATCHED.watch(bytes).filter_map(Result::err).collect();
    for hit in WATCHED.watch(bytes).map_while(Result::ok) {
        let packet = hit.packet();
        errors.extend(WATCHED.watch_packets(packet.embedded()).filter_map(Result::err));
        errors.extend(y3::iter::Walk::new(packet.embedded()).filter_map(Result::err));
        errors.extend(packet.find(1).err().filter(|_| !packet.is_node()));
        errors.extend(packet.decode::<&str>().err().filter(|_| !packet.is_node()));
        errors.extend(packet.decode::<i32>().err().filter(|_| !packet.is_node()));
    }
    for error in errors {
        let fault = explain(bytes, error);
        assert!(fault.offset().is_some(), "{error} has no place");
        assert!(fault.to_string().len() > error.to_string().len());
    }
}

/// The bytes of a text that must be valid.
pub fn read_back(text: &str, room: usize) -> Vec<u8> {
    let mut buffer = vec![0; room];
    let mut sink = SliceSink::new(&mut buffer);
    let written = encode_text(text, &mut sink).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(sink.written().len(), written);
    sink.written().to_vec()
}

/// Asserts that the text of any bytes is read back as the bytes.
pub fn text_of(bytes: &[u8]) {
    let dump = y3::dump(bytes);
    assert_eq!(text(bytes).to_string(), dump.as_text().to_string());
    for dump in [dump, dump.open(&PATHS), dump.open_all()] {
        let (shown, mut said) = (dump.as_text(), String::new());
        // A comment after each packet is not part of the packet.
        dump.write_text_with(&mut said, |to, _, after| write!(to, "{after} # said")).unwrap();
        for text in [shown.to_string(), format!("{shown:#}"), said] {
            assert_eq!(read_back(&text, bytes.len()), bytes, "\n{text}");
            assert!(!text.chars().any(|character| character.is_control() && character != '\n'), "{text:?}");
        }
    }
    let is_whole = y3::check(bytes).is_ok();
    let shown = format!("{:#}", text(bytes));
    assert_eq!(shown.lines().any(|line| line.trim_start().starts_with('?')), !is_whole, "\n{shown}");
}

/// Reads a text. Returns true if it gives bytes; after an error the sink must be unchanged.
pub fn bytes_of(text: &str) -> bool {
    let mut buffer = vec![0; 2 * text.len() + 16];
    let mut sink = SliceSink::new(&mut buffer);
    encode_text("3f=", &mut sink).unwrap();
    let result = encode_text(text, &mut sink);
    let (before, bytes) = sink.written().split_at(2);
    assert_eq!(before, [0x3f, 0x00]);
    match result {
        Ok(written) => {
            assert_eq!(bytes.len(), written);
            text_of(bytes);
            assert!(text.contains('?') || y3::check(bytes).is_ok(), "{text:?} is {bytes:02x?}");
            true
        }
        Err(error) => {
            assert!(bytes.is_empty());
            assert!(text.is_char_boundary(usize::try_from(error.offset()).unwrap()), "{error}: {text:?}");
            assert!(error.to_string().ends_with(&format!(" at byte {} of the text", error.offset())), "{error}");
            false
        }
    }
}
