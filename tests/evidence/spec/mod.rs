//! Tests of SPEC.md: every row of appendix A, and for every rule a test with its name.
//!
//! The test of a rule runs the rows that name the rule, then asserts what no row can show. The rows are read from
//! docs/spec/vectors, so a row that is added there runs here.

mod inputs;
mod rules;
mod streams;

use std::collections::BTreeSet;

use y3::parser::{Parser, header, nom};
use y3::{Encoder, Error, ErrorKind, Limits, MAX_DEPTH, Packet, Path, PathSet, check, encoded_len, packets, walk};

use crate::head::Head;
use crate::rows::{ROWS, Row};
use testkit::hex::{hex, unhex};
use testkit::oracle::trees::{DIALECTS, Dialect, Tree, Value};
use testkit::oracle::{self, Length, fault, length_field, read_length};
use testkit::typed::{encode, shape, untyped};

const SPEC: &str = include_str!("../../../SPEC.md");
const VECTORS: &str = include_str!("../../../docs/spec/vectors.md");
/// The other texts that cite rules.
const CITING: [&str; 7] = [
    include_str!("../../../docs/spec/conformance.md"),
    include_str!("../../../docs/spec/editing.md"),
    include_str!("../../../docs/spec/implementations.md"),
    include_str!("../../../docs/spec/notes.md"),
    include_str!("../../../docs/spec/serde.md"),
    include_str!("../../../docs/spec/text.md"),
    include_str!("../../../docs/spec/yomo.md"),
];

// ---------------------------------------------------------------------------------------------------------------------
// The rows.

/// Runs the rows that name a rule, and asserts that there is at least one.
fn rows(rule: &str) {
    let rows: Vec<_> = ROWS.iter().filter(|row| row.shows(rule)).collect();
    assert!(!rows.is_empty(), "no row names [{rule}]");
    rows.into_iter().for_each(run);
}

fn run(row: &Row) {
    // The test harness prints this if the row fails.
    println!("{}, {}: {}", row.id, row.table, row.cells.join(" | "));
    let cells: Vec<_> = row.cells.iter().map(String::as_str).collect();
    match (row.table, &cells[..]) {
        ("A.1", [field, expected]) => run_length(&unhex(field), expected),
        ("A.2", [bytes, expected]) => run_accepted(&unhex(bytes), expected, row),
        ("A.3", [bytes, kind, offset]) => run_rejected(&unhex(bytes), (kind_of(kind), offset.parse().unwrap())),
        ("A.4", [kind, dialect, value, expected]) => run_value(kind, dialect, &unhex(value), expected),
        ("A.5", [what, expected]) => run_encode(what, expected),
        ("A.6", [bytes, paths, events]) => run_watch(&unhex(bytes), paths, events),
        ("A.7", [call, bytes, expected]) => run_call(call, &unhex(bytes), expected),
        ("A.8", [reader, limits, bytes, events]) => streams::run(reader, limits, &unhex(bytes), events),
        // tests/edit and the other files in tests/evidence run these tables.
        ("E.1" | "E.2" | "E.3" | "E.4" | "E.5" | "T.1" | "T.2" | "Y.1", _) => {}
        _ => panic!("a row of {} cells in {}", row.cells.len(), row.table),
    }
}

fn kind_of(name: &str) -> ErrorKind {
    use ErrorKind::{
        DepthLimit, InvalidKey, InvalidUtf8, InvalidValue, LengthOverflow, NegativeLength, NotANode, NotAPrimitive,
        Overrun, SizeLimit, TrailingBytes, UnexpectedEnd,
    };
    let kinds = [
        UnexpectedEnd,
        Overrun,
        NegativeLength,
        LengthOverflow,
        DepthLimit,
        TrailingBytes,
        NotANode,
        NotAPrimitive,
        InvalidValue,
        InvalidUtf8,
        InvalidKey,
        SizeLimit,
    ];
    kinds.into_iter().find(|kind| format!("{kind:?}") == name).unwrap_or_else(|| panic!("no kind {name}"))
}

/// Parses `Kind@offset`; `None` if the text is something else.
fn fault_of(text: &str) -> Option<(ErrorKind, u64)> {
    let (kind, offset) = text.split_once('@')?;
    Some((kind_of(kind), offset.parse().unwrap()))
}

fn leaf_of(kind: &str, text: &str) -> Value {
    match kind {
        "text" => Value::Text(serde_json::from_str(text).unwrap()),
        "f32" | "f64" => Value::parse(kind, text.strip_prefix("0x").unwrap()),
        _ => Value::parse(kind, text),
    }
}

fn dialects_of(text: &str) -> &'static [Dialect] {
    match text {
        "nvar" => &[Dialect::NVar],
        "pvar" => &[Dialect::PVar],
        "-" => &DIALECTS,
        _ => panic!("no dialect {text}"),
    }
}

fn run_length(field: &[u8], expected: &str) {
    for tag in [0x05, 0x45, 0x85, 0xc5] {
        let bytes = [&[tag], field].concat();
        let read = header::<ErrorKind>().parse(&bytes);
        let first = packets(&bytes).next();
        match expected {
            "cut" => {
                assert!(read.unwrap_err().is_incomplete());
                assert_eq!(first.map(|packet| packet.map_err(fault)), Some(Err((ErrorKind::UnexpectedEnd, 0))));
                assert_eq!(read_length(field), Length::Cut);
            }
            _ if fault_of(expected).is_some() => {
                let (kind, 0) = fault_of(expected).unwrap() else { panic!("the row's offset is not 0") };
                assert_eq!(read, Err(nom::Err::Failure(kind)));
                assert_eq!(first.map(|packet| packet.map_err(fault)), Some(Err((kind, 1))));
                assert_eq!(read_length(field), Length::Fault(kind));
            }
            length => {
                let length = length.parse().unwrap();
                let (rest, read) = read.unwrap();
                assert_eq!((rest, read.tag().get(), read.size()), (&[][..], tag, bytes.len()));
                assert_eq!(read.value_len() as u64, length);
                assert_eq!(read_length(field), Length::Is { length, size: field.len() });
            }
        }
    }
}

/// Tests a packet against [LEN-1] [TAG-3] [SLICE-1], without looking at values.
fn is_canonical(bytes: &[u8]) -> bool {
    oracle::edited::first_deviation(bytes) == Ok(None)
}

fn run_accepted(bytes: &[u8], expected: &str, row: &Row) {
    let expected = shape(expected);
    assert_eq!(check(bytes), Ok(()));
    assert_eq!(oracle::check(bytes, MAX_DEPTH), Ok(()));
    assert_eq!(untyped(bytes).as_ref(), Ok(&expected));
    // Writing a packet again changes it only if it is not canonical.
    let canonical = is_canonical(bytes);
    assert_eq!(encode(&expected, Dialect::NVar).unwrap() == bytes, canonical);
    assert!(!(canonical && row.shows("CAN-3")), "canonical, so no example for [CAN-3]");
}

fn run_rejected(bytes: &[u8], expected: (ErrorKind, u64)) {
    assert_eq!(check(bytes).map_err(fault), Err(expected));
    assert_eq!(oracle::check(bytes, MAX_DEPTH), Err(expected));
    // The walk yields the packets before the error, then the error, then nothing more [DEC-3].
    let mut walk = walk(bytes);
    let last = walk.by_ref().find_map(Result::err);
    assert_eq!(last.map(fault), Some(expected));
    assert!((0..3).all(|_| walk.next().is_none()));
}

fn run_value(kind: &str, dialect: &str, value: &[u8], expected: &str) {
    for &dialect in dialects_of(dialect) {
        // In the second iteration, bytes precede the packet; offsets count them [DEC-1].
        for before in [&[][..], &[0x00, 0x00]] {
            let head = [before, &[0x05], &length_field(value.len() as u64)].concat();
            let bytes = [&head, value].concat();
            let packet = packets(&bytes).last().unwrap().unwrap();
            let read = Value::read(kind, dialect, &packet);
            match fault_of(expected) {
                Some((kind, offset)) => assert_eq!(read.map_err(fault), Err((kind, offset + head.len() as u64))),
                None => assert_eq!(read, Ok(leaf_of(kind, expected))),
            }
        }
    }
}

fn run_encode(what: &str, expected: &str) {
    let expected = fault_of(expected).map_or_else(|| Ok(unhex(expected)), Err);
    let (form, rest) = what.split_once(' ').unwrap();
    match form {
        "length" => {
            let field = written_length(rest.parse().unwrap());
            assert_eq!(field, expected);
        }
        "packets" => {
            let trees = shape(rest);
            assert_eq!(encode(&trees, Dialect::NVar).map_err(fault), expected);
            assert!(expected.is_err() || is_canonical(&expected.unwrap()));
        }
        kind => {
            let (dialect, value) = rest.split_once(' ').unwrap();
            if let Err((error, _)) = expected {
                assert_eq!(error, if kind == "utf16" { ErrorKind::InvalidUtf8 } else { ErrorKind::InvalidValue });
                return assert!(!can_hold(kind, value), "{kind} can hold {value}");
            }
            for &dialect in dialects_of(dialect) {
                let written = encode(&[Tree::leaf(0x05, leaf_of(kind, value))], dialect).unwrap();
                assert_eq!(Packet::from_slice(&written).unwrap().value(), expected.as_ref().unwrap());
            }
        }
    }
}

/// True if the Rust type can hold the value; other values cannot be passed to a writer.
fn can_hold(kind: &str, value: &str) -> bool {
    match kind {
        "i32" => value.parse::<i32>().is_ok(),
        "i64" => value.parse::<i64>().is_ok(),
        "u32" => value.parse::<u32>().is_ok(),
        "u64" => value.parse::<u64>().is_ok(),
        "utf16" => {
            let bytes = unhex(value);
            let units = bytes.chunks(2).map(|unit| u16::from_be_bytes(unit.try_into().unwrap()));
            char::decode_utf16(units).all(|unit| unit.is_ok())
        }
        _ => panic!("no type {kind}"),
    }
}

/// The length field that a writer puts before a primitive of this length. The value bytes are never accessed.
fn written_length(length: u64) -> Result<Vec<u8>, (ErrorKind, u64)> {
    // On 32 bits no slice is longer than 2^31-1, so no call can exceed the limit.
    let Ok(length) = isize::try_from(length) else { return Err((ErrorKind::SizeLimit, 0)) };
    let value = vec![0u8; length.unsigned_abs()];
    let mut head = Head::default();
    let counted = encoded_len(|encoder| encoder.put(0x05, &value[..]));
    let written = Encoder::new(&mut head).put(0x05, &value[..]);
    assert_eq!(counted.map(drop), written);
    if let Err(error) = written {
        assert_eq!(head.len(), 0);
        return Err(fault(error));
    }
    assert_eq!(counted, Ok(head.len()));
    Ok(head.first()[1..head.len() - value.len()].to_vec())
}

fn path_set(paths: &[Vec<u8>]) -> PathSet<8> {
    try_path_set(paths).unwrap()
}

/// `None` if a path or the number of paths is refused.
fn try_path_set(paths: &[Vec<u8>]) -> Option<PathSet<8>> {
    // A last step that enters a primitive is written as a key above 63.
    let is_refused =
        |steps: &Vec<u8>| steps.len() > Path::MAX_LEN || steps.last().is_none_or(|last| last & oracle::ENTERS != 0);
    let path = |steps: &Vec<u8>| if is_refused(steps) { Path::new(steps) } else { Some(oracle::same::path(steps)) };
    let paths: Option<Vec<_>> = paths.iter().map(path).collect();
    PathSet::from_slice(&paths?)
}

/// Parses paths as appendix A writes them: `none`, or paths separated by spaces; `/` has no keys.
fn paths_of(text: &str) -> Vec<Vec<u8>> {
    let step = |text: &str| {
        let (key, enters) = text.strip_suffix(':').map_or((text, 0), |key| (key, oracle::ENTERS));
        enters | if key == "*" { oracle::ANY } else { u8::from_str_radix(key, 16).unwrap() }
    };
    let keys = |path: &str| path.replace(':', ":/").split('/').filter(|key| !key.is_empty()).map(step).collect();
    text.split(' ').filter(|path| *path != "none").map(keys).collect()
}

/// What a reader reports: hits and errors in their order.
type Reported = Result<Found, oracle::Fault>;

/// Index of the path, offset of the tag, value.
type Found = (usize, u64, Vec<u8>);

fn events_of(text: &str) -> Vec<Reported> {
    let is_hit = |event: &str| event.starts_with(|first: char| first.is_ascii_digit());
    let event = |event: &str| if is_hit(event) { Ok(hit_of(event)) } else { Err(fault_of(event).unwrap()) };
    text.split(' ').filter(|event| *event != "none").map(event).collect()
}

fn run_watch(bytes: &[u8], paths: &str, events: &str) {
    let paths = paths_of(paths);
    let Some(set) = try_path_set(&paths) else { return assert!(events.ends_with("refused"), "{paths:02x?}") };
    let expected = events_of(events.split_once(", or ").map_or(events, |(events, _)| events));
    assert_eq!(watch_events(bytes, &set), expected);
    // Cuts the input at every byte: a hit is reported once it is complete and never changes.
    for cut in 0..=bytes.len() {
        let held = watch_events(&bytes[..cut], &set);
        assert_eq!(held, found_events(&bytes[..cut], &paths), "the first {cut} bytes");
        // If one path leads through another, an outer hit that completes later precedes its inner hits.
        let mut later = expected.iter();
        assert!(
            held.iter().filter(|event| event.is_ok()).all(|hit| later.any(|other| other == hit)),
            "the first {cut} bytes"
        );
    }
    // Chunks of any size give the same report: [STRM-1], [STRM-2].
    let in_pieces = |sizes: &[usize]| streams::reported(bytes, sizes, &set, Limits::NONE, false);
    assert_eq!(in_pieces(&[1]), expected);
    for cut in 0..=bytes.len() {
        assert_eq!(in_pieces(&[cut, bytes.len()]), expected, "cut at {cut}");
    }
    // Two packets in front change the offsets and nothing else.
    let moved = [&[0x3e, 0x00, 0x3d, 0x01, 0xff], bytes].concat();
    let after = |event: Reported| match event {
        Ok((path, offset, value)) => Ok((path, offset + 5, value)),
        Err((kind, offset)) => Err((kind, offset + 5)),
    };
    assert_eq!(watch_events(&moved, &set), expected.into_iter().map(after).collect::<Vec<_>>());
}

fn watch_events(bytes: &[u8], paths: &PathSet<8>) -> Vec<Reported> {
    let hit = |hit: y3::Hit<'_>| (hit.path_index(), hit.offset(), hit.value().to_vec());
    paths.watch(bytes).map(|found| found.map(hit).map_err(fault)).collect()
}

/// The report of the naive reader.
fn found_events(bytes: &[u8], paths: &[Vec<u8>]) -> Vec<Reported> {
    let (items, then) = oracle::watch_items(bytes, oracle::TOP, paths, Limits::NONE);
    let hit = |(path, seen): (usize, oracle::Seen)| (path, seen.offset as u64, bytes[seen.value].to_vec());
    let items = items.into_iter().map(|item| item.map(hit).map_err(fault));
    items.chain(then.map(|error| Err(fault(error)))).collect()
}

/// Parses `number@offset:value`.
fn hit_of(text: &str) -> Found {
    let (number, rest) = text.split_once('@').unwrap();
    let (offset, value) = rest.split_once(':').unwrap();
    (number.parse().unwrap(), offset.parse().unwrap(), unhex(value))
}

fn run_call(call: &str, bytes: &[u8], expected: &str) {
    let found = |packet: Packet<'_>| format!("{}:{}", packet.offset(), hex(packet.value()));
    let trees = |packets: y3::iter::Packets<'_>| {
        packets.clone().check()?;
        packets.map(|packet| Tree::read(&packet?, None, Dialect::NVar)).collect::<Result<Vec<_>, Error>>()
    };
    if call == "one" {
        let read = Packet::from_slice(bytes).and_then(|packet| {
            packet.check()?;
            Tree::read(&packet, None, Dialect::NVar)
        });
        let expected = fault_of(expected).map_or_else(|| Ok(shape(expected)), Err);
        assert_eq!(read.map(|tree| vec![tree]).map_err(fault), expected);
        return;
    }
    if let Some((kind, dialect)) = call.strip_prefix("value ").and_then(|of| of.split_once(' ')) {
        let expected = fault_of(expected).map_or_else(|| Ok(leaf_of(kind, expected)), Err);
        for &dialect in dialects_of(dialect) {
            assert_eq!(
                packets(bytes).next().unwrap().and_then(|first| Value::read(kind, dialect, &first)).map_err(fault),
                expected
            );
        }
        return;
    }
    let first = packets(bytes).next().unwrap().unwrap();
    if let Some(key) = call.strip_prefix("find ") {
        let read = first.find(u8::from_str_radix(key, 16).unwrap());
        let expected = fault_of(expected).map_or_else(|| Ok(expected.to_owned()), Err);
        assert_eq!(read.map(|packet| packet.map_or("none".to_owned(), found)).map_err(fault), expected);
        return;
    }
    if let Some(kind) = call.strip_prefix("value ") {
        let read = Value::read(kind, Dialect::NVar, &first).map_err(fault);
        assert_eq!(read.err(), fault_of(expected));
        return;
    }
    let read = match call {
        "children" => trees(first.children()),
        "embedded" => trees(first.embedded()),
        _ => panic!("no call {call}"),
    };
    assert_eq!(read.map_err(fault), fault_of(expected).map_or_else(|| Ok(shape(expected)), Err));
}

// ---------------------------------------------------------------------------------------------------------------------
// The appendix and these files compared with the rules.

/// The ids in bold, with which a document defines its rules.
fn defined(document: &str) -> Vec<&str> {
    document.split("**[").skip(1).map(|text| text.split_once("]**").unwrap().0).collect()
}

#[test]
fn every_rule_is_defined_once_and_has_a_test_of_its_name() {
    let defined = defined(SPEC);
    let once: BTreeSet<_> = defined.iter().copied().collect();
    assert_eq!(once.len(), defined.len(), "a rule is defined twice");

    let source = include_str!("rules.rs");
    let mut tested: BTreeSet<_> = rules::BY_ROWS.iter().map(|(_, rule)| *rule).collect();
    assert_eq!(tested.len(), rules::BY_ROWS.len());
    let named = |name: &str, rule: &str| assert_eq!(name, rule.to_lowercase().replace('-', "_"));
    for (name, rule) in rules::BY_ROWS {
        named(name, rule);
    }
    // Every other test of a rule begins by running the rule's rows, so the source tells which tests exist.
    for test in source.split("#[test]\nfn ").skip(1) {
        let Some((name, body)) = test.split_once("() {\n    rows(\"") else { continue };
        let (rule, _) = body.split_once("\");\n").unwrap();
        named(name, rule);
        assert!(tested.insert(rule), "{name} occurs twice");
    }
    assert_eq!(tested, once);
}

#[test]
fn every_row_names_rules_that_are_defined() {
    let texts = || [SPEC, VECTORS].into_iter().chain(CITING);
    let defined: Vec<_> = texts().flat_map(defined).collect();
    for row in ROWS.iter() {
        for rule in &row.rules {
            assert!(defined.contains(&&rule[..]), "{} names [{rule}]", row.id);
        }
    }
    for rule in &defined {
        assert!(ROWS.iter().any(|row| row.shows(rule)), "no row names [{rule}]");
    }
    // Texts may cite only rules that exist.
    let texts = texts();
    let ids = texts.flat_map(|text| text.split('[').skip(1)).filter_map(|text| text.split_once(']')).map(|(id, _)| id);
    let looks_like_a_rule = |id: &&str| {
        id.split_once('-').is_some_and(|(name, number)| {
            name.chars().all(|c| c.is_ascii_uppercase()) && number.chars().all(|c| c.is_ascii_digit())
        })
    };
    for id in ids.filter(looks_like_a_rule) {
        assert!(defined.contains(&id), "[{id}] is not defined");
    }
}

#[test]
fn every_table_of_appendix_a_has_rows() {
    for table in ["A.1", "A.2", "A.3", "A.4", "A.5", "A.6", "A.7", "A.8"] {
        assert!(ROWS.iter().filter(|row| row.table == table).count() >= 20, "{table} has few rows");
    }
}

#[test]
fn rows_all_hold() {
    ROWS.iter().for_each(run);
}
