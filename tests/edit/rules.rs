//! Runs every row of the tables in docs/spec/editing.md, read from the document itself. The crate and the naive editor
//! must give the result of the row, and every rule must have a row.

use testkit::hex::{hex, unhex};
use testkit::oracle::edited::{self, Act, Ruled};
use y3::edit::{self, Edit, Piece, Rule};
use y3::{Encoder, Error, ErrorKind, PVarInt, Packet, Path, SliceSink};

const EDITING: &str = include_str!("../../docs/spec/editing.md");

/// The cells of a table's rows, without backticks. `empty` becomes an empty cell.
fn rows(table: &str) -> Vec<Vec<&'static str>> {
    let (_, text) = EDITING.split_once(&format!("### {table}")).unwrap();
    let text = text.split("### ").next().unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| [")).map(|line| {
        let cells = line.trim_matches(['|', ' ']).split(" | ").map(|cell| cell.trim_matches('`'));
        cells.map(|cell| if cell == "empty" { "" } else { cell }).collect()
    });
    let rows: Vec<Vec<_>> = rows.collect();
    assert!(!rows.is_empty(), "no rows in {table}");
    rows
}

/// The steps of a path in the notation of the oracle.
fn keys(path: &str) -> Vec<u8> {
    path.split_inclusive(['/', ':'])
        .map(|part| {
            let enters = if part.ends_with(':') { 0x40 } else { 0 };
            let key = part.trim_end_matches(['/', ':']);
            enters | if key == "*" { 0x80 } else { u8::from_str_radix(key, 16).unwrap() }
        })
        .collect()
}

fn fault(error: Error) -> String {
    format!("{:?}@{}", error.kind(), error.offset())
}

/// What the call appends to a sink, or its error. After an error the sink must be unchanged.
fn written<E>(room: usize, write: impl FnOnce(&mut SliceSink<'_>) -> Result<usize, E>) -> Result<String, E> {
    let mut buffer = vec![0; room + 2];
    let mut sink = SliceSink::new(&mut buffer);
    Encoder::new(&mut sink).put(0x3f, "").unwrap();
    let done = write(&mut sink);
    assert_eq!(sink.written().get(..2), Some(&[0x3f, 0x00][..]));
    assert_eq!(sink.written().len() - 2, *done.as_ref().unwrap_or(&0), "the number of bytes written");
    done.map(|_| hex(&sink.written()[2..]))
}

fn text(result: Result<String, Error>) -> String {
    result.unwrap_or_else(fault)
}

#[test]
fn what_filters_keep() {
    for row in rows("E.1") {
        let [_, call, input, paths, expected] = row[..] else { panic!("{row:?}") };
        println!("{row:?}");
        let (input, keeps) = (unhex(input), call == "project");
        let paths: Vec<Vec<u8>> = paths.split(' ').map(keys).collect();
        let rules = edited::filter_rules(&paths, keeps);
        let edit = Edit::from_rules(&rules);
        assert_eq!(text(written(input.len(), |sink| edit.apply(&input, sink))), expected);
        assert_eq!(text(edited::filtered(&input, &paths, keeps).map(|bytes| hex(&bytes))), expected);
        let mut storage = [Piece::EMPTY; 32];
        let pieces = edit.pieces_in(&input, &mut storage);
        assert_eq!(text(pieces.map(|pieces| pieces.iter().map(|piece| hex(piece.as_bytes())).collect())), expected);
    }
}

fn show(error: Error) -> String {
    let text = error.to_string();
    match error.kind() {
        // This error has no offset in the input.
        ErrorKind::NotFound => "NotFound".into(),
        ErrorKind::WrongWidth => {
            let needs = text.split("needs ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
            format!("Width@{}:{needs}", error.offset())
        }
        _ => fault(error),
    }
}

fn patched(input: &[u8], path: Path, new: &str, pads: bool) -> String {
    let (kind, value) = new.split_once(' ').unwrap();
    let mut bytes = input.to_vec();
    macro_rules! patch {
        ($value:expr) => {
            if pads { edit::patch_padded(&mut bytes, path, $value) } else { edit::patch(&mut bytes, path, $value) }
        };
    }
    let done = match kind {
        "i32" => patch!(value.parse::<i32>().unwrap()),
        "i64" => patch!(value.parse::<i64>().unwrap()),
        "pvar-i64" => patch!(PVarInt(value.parse::<i64>().unwrap())),
        "f64" => patch!(value.parse::<f64>().unwrap()),
        "bool" => patch!(value.parse::<bool>().unwrap()),
        "text" => patch!(value),
        _ => panic!("no type {kind}"),
    };
    if done.is_err() {
        assert_eq!(bytes, input, "an error changes nothing");
    }
    done.map_or_else(show, |()| hex(&bytes))
}

#[test]
fn what_patch_and_splice_change() {
    for row in rows("E.2") {
        let [_, call, input, path, new, expected] = row[..] else { panic!("{row:?}") };
        println!("{row:?}");
        let (input, path) = (unhex(input), path.parse::<Path>().unwrap());
        if call.starts_with("patch") {
            assert_eq!(patched(&input, path, new, call == "patch padded"), expected);
            continue;
        }
        let new = unhex(new);
        let new = Packet::from_slice(&new).unwrap();
        let rule = match call {
            "replace" => Rule::replace(path, new),
            "insert" => Rule::insert(path, new),
            "append" => Rule::append(path, new),
            _ => panic!("no call {call}"),
        };
        let result = written(256, |sink| Edit::from_rules(&[rule]).apply(&input, sink));
        assert_eq!(result.unwrap_or_else(show), expected);
    }
}

#[test]
fn what_edits_come_to_together() {
    for row in rows("E.5") {
        let [_, input, edits, expected] = row[..] else { panic!("{row:?}") };
        println!("{row:?}");
        let input = unhex(input);
        let ruled: Vec<Ruled> = edits.split("; ").map(ruled).collect();
        let made: Vec<Rule<'_>> = ruled.iter().map(Ruled::rule).collect();
        let result = written(256, |sink| Edit::from_rules(&made).apply(&input, sink));
        assert_eq!(result.unwrap_or_else(show), expected);
        // The naive editor reads the whole input, and a row may have an error after the last packet that changes.
        let Some(naive) = edited::ruled(&input, &ruled, false) else { continue };
        assert_eq!(naive.map_or_else(|kinds| format!("{:?}", kinds[0]), |bytes| hex(&bytes)), expected);
    }
}

/// Parses the edit of a row: the operation, the path, and the packet or the new key.
fn ruled(edit: &str) -> Ruled {
    let parts: Vec<&str> = edit.split(' ').collect();
    let last = parts.get(2).map_or(Vec::new(), |last| unhex(last));
    let act = match parts[0] {
        "remove" => Act::Remove,
        "rename" => Act::Rename(last[0]),
        "set" => Act::Set,
        "replace" => Act::Replace,
        "insert" => Act::Insert,
        "append" => Act::Append,
        _ => panic!("no edit {edit}"),
    };
    Ruled { path: keys(parts[1]), act, packet: if last.len() > 1 { last } else { vec![0, 0] } }
}

#[test]
fn what_canonical_form_is() {
    for row in rows("E.3") {
        let [_, input, first, expected] = row[..] else { panic!("{row:?}") };
        println!("{row:?}");
        let input = unhex(input);
        let deviation = edited::first_deviation(&input);
        let shown = |(kind, offset)| format!("{kind:?}@{offset}");
        assert_eq!(text(deviation.map(|first| first.map_or("none".to_owned(), shown))), first);
        assert_eq!(edited::kind_and_offset(edit::first_deviation(&input)), deviation);
        let result = text(written(input.len() + 8, |sink| edit::canonicalize(&input, sink)));
        assert_eq!(result, expected);
        assert_eq!(text(edited::canonical(&input).map(|bytes| hex(&bytes))), expected);
        if !expected.contains('@') {
            let canonical = unhex(expected);
            assert_eq!(edit::first_deviation(&canonical), Ok(None));
            assert_eq!(text(written(canonical.len(), |sink| edit::canonicalize(&canonical, sink))), expected);
        }
    }
}

#[test]
fn what_a_packet_is_when_written_again() {
    for row in rows("E.4") {
        let [_, call, input, expected] = row[..] else { panic!("{row:?}") };
        println!("{row:?}");
        let input = unhex(input);
        let packet = Packet::from_slice(&input).unwrap();
        let mut buffer = [0; 128];
        let mut sink = SliceSink::new(&mut buffer);
        let mut encoder = Encoder::new(&mut sink);
        match call.split_once(' ') {
            None if call == "own" => encoder.put(packet.key().get(), packet).unwrap(),
            None => encoder.slice(0x01, |items| items.put(0, packet)).unwrap(),
            Some((_, key)) => encoder.put(keys(key)[0], packet).unwrap(),
        }
        let written = sink.written();
        let again = if call == "item" { Packet::from_slice(written).unwrap().value() } else { written };
        assert_eq!(hex(again), expected);
    }
}

/// `evidence` tests that each rule has a row.
#[test]
fn rules_are_numbered_and_every_must_is_in_one() {
    let (rules, _) = EDITING.split_once("## 7 Rows").unwrap();
    let defined = rules.split("- **[").skip(1).filter_map(|part| part.split_once("]**")).map(|(id, _)| id);
    assert!(defined.eq((1..=rules.matches("- **[").count()).map(|number| format!("EDIT-{number}"))));
    for line in rules.lines().filter(|line| line.contains("MUST")) {
        assert!(line.starts_with("- **[EDIT-") || line.starts_with("  "), "outside of a rule: {line}");
    }
}

#[cfg(feature = "alloc")]
#[test]
fn a_full_sink_of_a_stream_is_an_error_at_its_place_in_the_sink() {
    let input = [0x01, 0x01, 0x05, 0x02, 0x01, 0x06, 0x03, 0x02, 0x07, 0x07];
    let mut buffer = [0; 5];
    let mut sink = y3::SliceSink::new(&mut buffer);
    let mut stream = y3::edit::Edit::new().remove(y3::path!(0x01)).stream(y3::Limits::DEFAULT);
    let error = stream.feed(&input, &mut sink).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (y3::ErrorKind::BufferTooSmall, 3));
    assert_eq!(sink.written(), &input[3..6]);
}
