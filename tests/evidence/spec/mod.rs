//! SPEC.md as a test: every row of appendix A, and for every rule a test of its name.
//!
//! A rule's test runs the rows that name it, then asserts what no row can show. The rows are read from
//! docs/spec/vectors.md, so a row that is added there is run here.

mod paths;
mod streams;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use y3::parser::{Fault, Parser, header, nom, packet};
use y3::{
    Decode, Encoder, Error, ErrorKind, Event, Key, KeySet, Limits, MAX_DEPTH, PVarInt, Packet, Path, PathSet,
    SliceSink, Tag, Walk, Watcher, check, encoded_len, packets, walk,
};

use crate::head::Head;
use crate::kit::hex::{hex, unhex};
use crate::kit::oracle::trees::{DIALECTS, Dialect, Tree, Value};
use crate::kit::oracle::written::write;
use crate::kit::oracle::{self, Length, fault, length_field, read_length};
use crate::kit::typed::{encode, shape, walked};

const SPEC: &str = include_str!("../../../SPEC.md");
const VECTORS: &str = include_str!("../../../docs/spec/vectors.md");
/// The other texts that cite rules.
const CITING: [&str; 4] = [
    include_str!("../../../docs/spec/implementations.md"),
    include_str!("../../../docs/spec/notes.md"),
    include_str!("../../../docs/spec/serde.md"),
    include_str!("../../../docs/spec/yomo.md"),
];

// ---------------------------------------------------------------------------------------------------------------------
// The rows of appendix A.

struct Row {
    /// Which table: `A.1` to `A.8`.
    table: &'static str,
    line: usize,
    rules: Vec<&'static str>,
    /// Without the rules, without backticks, with `empty` turned into nothing.
    cells: Vec<&'static str>,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let mut rows = Vec::new();
    let mut table = None;
    for (line, text) in VECTORS.lines().enumerate() {
        if text.starts_with("### A.") {
            table = Some(&text[4..7]);
        }
        let (Some(table), Some(cells)) = (table, text.strip_prefix("| [")) else { continue };
        let mut cells = cells.strip_suffix(" |").unwrap().split(" | ");
        let rules = cells.next().unwrap().trim_end_matches(']').split("] [").collect();
        let cells = cells.map(|cell| cell.trim_matches('`')).map(|cell| if cell == "empty" { "" } else { cell });
        rows.push(Row { table, line: line + 1, rules, cells: cells.collect() });
    }
    rows
});

/// Runs the rows that name a rule, and asserts that there are some.
fn rows(rule: &str) {
    let rows: Vec<_> = ROWS.iter().filter(|row| row.rules.contains(&rule)).collect();
    assert!(!rows.is_empty(), "no row of appendix A names [{rule}]");
    rows.into_iter().for_each(run);
}

fn run(row: &Row) {
    // Shown when the row fails.
    println!("vectors.md line {}, {}: {}", row.line, row.table, row.cells.join(" | "));
    match (row.table, &row.cells[..]) {
        ("A.1", [field, expected]) => run_length(&unhex(field), expected),
        ("A.2", [bytes, expected]) => run_accepted(&unhex(bytes), expected, row),
        ("A.3", [bytes, kind, offset]) => run_rejected(&unhex(bytes), (kind_of(kind), offset.parse().unwrap())),
        ("A.4", [kind, dialect, value, expected]) => run_value(kind, dialect, &unhex(value), expected),
        ("A.5", [what, expected]) => run_encode(what, expected),
        ("A.6", [bytes, paths, hits, then]) => run_watch(&unhex(bytes), paths, hits, then),
        ("A.7", [call, bytes, expected]) => run_call(call, &unhex(bytes), expected),
        ("A.8", [reader, limits, bytes, hits, then]) => streams::run(reader, limits, &unhex(bytes), hits, then),
        _ => panic!("a row of {} cells in {}", row.cells.len(), row.table),
    }
}

fn kind_of(name: &str) -> ErrorKind {
    use ErrorKind::{
        DepthLimit, InvalidKey, InvalidUtf8, InvalidValue, LengthOverflow, NegativeLength, NotANode, Overrun,
        SizeLimit, TrailingBytes, UnexpectedEnd,
    };
    let kinds = [
        UnexpectedEnd,
        Overrun,
        NegativeLength,
        LengthOverflow,
        DepthLimit,
        TrailingBytes,
        NotANode,
        InvalidValue,
        InvalidUtf8,
        InvalidKey,
        SizeLimit,
    ];
    kinds.into_iter().find(|kind| format!("{kind:?}") == name).unwrap_or_else(|| panic!("no kind {name}"))
}

/// `Kind@offset`, if it is that.
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
        let read = header::<Fault>().parse(&bytes);
        let first = packets(&bytes).next();
        match expected {
            "cut" => {
                assert!(read.unwrap_err().is_incomplete());
                assert_eq!(first.map(|packet| packet.map_err(fault)), Some(Err((ErrorKind::UnexpectedEnd, 0))));
                assert_eq!(read_length(field), Length::Cut);
            }
            "NegativeLength" | "LengthOverflow" => {
                let kind = kind_of(expected);
                assert_eq!(read, Err(nom::Err::Failure(Fault(kind))));
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

/// What [LEN-1] [TAG-3] [SLICE-1] ask of packets; the values are left aside.
fn is_canonical(bytes: &[u8]) -> bool {
    fn level(packets: y3::Packets<'_>, items: bool) -> bool {
        packets.map(Result::unwrap).all(|packet| {
            let minimal = 1 + length_field(packet.value().len() as u64).len() + packet.value().len();
            packet.as_bytes().len() == minimal
                && (packet.is_node() || packet.tag().get() < 0x40)
                && (!items || packet.key() == 0)
                && (!packet.is_node() || level(packet.children(), packet.is_slice()))
        })
    }
    level(packets(bytes), false)
}

fn run_accepted(bytes: &[u8], expected: &str, row: &Row) {
    let expected = shape(expected);
    assert_eq!(check(bytes), Ok(()));
    assert_eq!(oracle::check(bytes, MAX_DEPTH), Ok(()));
    assert_eq!(walked(bytes).as_ref(), Ok(&expected));
    let read = packets(bytes).map(|packet| Tree::read(&packet?, None, Dialect::NVar));
    assert_eq!(read.collect::<Result<Vec<_>, _>>().as_ref(), Ok(&expected));
    // Canonical packets come back byte for byte, all others do not.
    let canonical = is_canonical(bytes);
    assert_eq!(encode(&expected, Dialect::NVar).unwrap() == bytes, canonical);
    assert!(!(canonical && row.rules.contains(&"CAN-3")), "canonical, so no example for [CAN-3]");
}

fn run_rejected(bytes: &[u8], expected: (ErrorKind, u64)) {
    assert_eq!(check(bytes).map_err(fault), Err(expected));
    assert_eq!(oracle::check(bytes, MAX_DEPTH), Err(expected));
    // Packets before the fault come out, then the fault, then nothing for ever [DEC-3].
    let mut walk = walk(bytes);
    let last = walk.by_ref().find_map(Result::err);
    assert_eq!(last.map(fault), Some(expected));
    assert!((0..3).all(|_| walk.next().is_none()));
}

fn run_value(kind: &str, dialect: &str, value: &[u8], expected: &str) {
    for &dialect in dialects_of(dialect) {
        // The second time with something before the packet, which offsets count [DEC-1].
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
            assert!(is_canonical(&expected.unwrap()));
        }
        "key" => {
            let written = encode(&[Tree::bytes(rest.parse().unwrap(), &[])], Dialect::NVar);
            assert_eq!(written.map_err(fault), expected);
        }
        kind => {
            let (dialect, value) = rest.split_once(' ').unwrap();
            if let Err((error, _)) = expected {
                assert_eq!(error, if kind == "text" { ErrorKind::InvalidUtf8 } else { ErrorKind::InvalidValue });
                return assert!(!can_hold(kind, value), "{kind} can hold {value}");
            }
            for &dialect in dialects_of(dialect) {
                let written = encode(&[Tree::leaf(0x05, leaf_of(kind, value))], dialect).unwrap();
                assert_eq!(Packet::from_slice(&written).unwrap().value(), expected.as_ref().unwrap());
            }
        }
    }
}

/// Whether the Rust type can hold the value at all: a writer cannot be given what it cannot hold.
fn can_hold(kind: &str, value: &str) -> bool {
    match kind {
        "i32" => value.parse::<i32>().is_ok(),
        "i64" => value.parse::<i64>().is_ok(),
        "u32" => value.parse::<u32>().is_ok(),
        "u64" => value.parse::<u64>().is_ok(),
        "text" => serde_json::from_str::<String>(value).is_ok(),
        _ => panic!("no type {kind}"),
    }
}

/// The length field that is written for so many bytes, in a primitive's header. The bytes are never touched.
fn written_length(length: u64) -> Result<Vec<u8>, (ErrorKind, u64)> {
    // On 32 bits no slice is longer than 2^31-1, so there is nothing to refuse.
    let Ok(length) = isize::try_from(length) else { return Err((ErrorKind::SizeLimit, 0)) };
    let value = vec![0; length.unsigned_abs()];
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

fn watched(bytes: &[u8], paths: &PathSet<8>) -> (Vec<oracle::Found>, Option<oracle::Fault>) {
    collected(paths.watch(bytes))
}

/// The hits, and what came behind them; then it has to be over for ever.
fn collected(mut watch: y3::Watch<'_, '_, 8>) -> (Vec<oracle::Found>, Option<oracle::Fault>) {
    let mut hits = Vec::new();
    let mut end = None;
    for hit in watch.by_ref() {
        match hit {
            Ok(hit) => hits.push((hit.path_index(), hit.offset(), hit.value().to_vec())),
            Err(error) => end = Some(fault(error)),
        }
    }
    assert!((0..3).all(|_| watch.next().is_none()));
    (hits, end)
}

fn path_set(paths: &[Vec<u8>]) -> PathSet<8> {
    try_path_set(paths).unwrap()
}

/// `None` if a path, or their number, is refused.
fn try_path_set(paths: &[Vec<u8>]) -> Option<PathSet<8>> {
    let paths: Option<Vec<_>> = paths.iter().map(|keys| Path::new(keys)).collect();
    PathSet::from_slice(&paths?)
}

/// Paths as appendix A writes them: `none`, or separated by spaces; `/` has no keys.
fn paths_of(text: &str) -> Vec<Vec<u8>> {
    let keys = |path: &str| {
        path.split('/').filter(|key| !key.is_empty()).map(|key| u8::from_str_radix(key, 16).unwrap()).collect()
    };
    text.split(' ').filter(|path| *path != "none").map(keys).collect()
}

fn hits_of(text: &str) -> Vec<oracle::Found> {
    text.split(' ').filter(|hit| *hit != "none").map(hit_of).collect()
}

fn run_watch(bytes: &[u8], paths: &str, hits: &str, then: &str) {
    let paths = paths_of(paths);
    let Some(set) = try_path_set(&paths) else { return assert!(then.ends_with("refused"), "{paths:02x?}") };
    let then = if then.starts_with("end") { None } else { Some(fault_of(then).unwrap()) };
    let expected = (hits_of(hits), then);
    assert_eq!(watched(bytes, &set), expected);
    // The input as it arrives: hits come when they are whole and never change, and only the end of the input may turn
    // into something else.
    for cut in 0..=bytes.len() {
        let held = watched(&bytes[..cut], &set);
        assert_eq!(held, oracle::found(&bytes[..cut], &paths), "the first {cut} bytes");
        // Where one path leads through another, an outer hit that is whole later comes before them.
        let mut later = expected.0.iter();
        assert!(held.0.iter().all(|hit| later.any(|other| other == hit)), "the first {cut} bytes");
        assert!(matches!(held.1, None | Some((ErrorKind::UnexpectedEnd, _))) || held.1 == expected.1);
    }
    // The same in pieces, however they are cut: [STRM-1], [STRM-2].
    assert_eq!(streamed(bytes.chunks(1), &set), expected);
    for cut in 0..=bytes.len() {
        let (first, second) = bytes.split_at(cut);
        assert_eq!(streamed([first, second].into_iter(), &set), expected, "cut at {cut}");
    }
    // In two packets' worth of front the offsets move and nothing else does.
    let moved = [&[0x3e, 0x00, 0x3d, 0x01, 0xff], bytes].concat();
    let behind = |offset: u64| offset + 5;
    let (hits, then) = expected;
    let hits = hits.into_iter().map(|(path, offset, value)| (path, behind(offset), value)).collect();
    assert_eq!(watched(&moved, &set), (hits, then.map(|(kind, offset)| (kind, behind(offset)))));
}

/// What a `Watcher` makes of pieces: the hits, put together from their parts, and the fault.
fn streamed<'b>(
    pieces: impl Iterator<Item = &'b [u8]>,
    paths: &PathSet<8>,
) -> (Vec<oracle::Found>, Option<oracle::Fault>) {
    let mut watcher = Watcher::new(paths, Limits::NONE);
    // Parts of an outer hit come before the inner ones: a place for each hit, in the order of the wire, and whether it is whole.
    let mut hits: Vec<(oracle::Found, bool)> = Vec::new();
    let open =
        |hits: &[(oracle::Found, bool)], path| hits.iter().rposition(|((number, ..), whole)| *number == path && !whole);
    for piece in pieces {
        for event in watcher.feed(piece) {
            match event {
                Ok(Event::Hit(hit)) => hits.push(((hit.path_index(), hit.offset(), hit.value().to_vec()), true)),
                Ok(Event::Start(start)) => hits.push(((start.path_index(), start.offset(), Vec::new()), false)),
                Ok(Event::Data { path_index, bytes }) => {
                    let place = open(&hits, path_index).unwrap();
                    hits[place].0.2.extend_from_slice(bytes);
                }
                Ok(Event::End { path_index }) => {
                    let place = open(&hits, path_index).unwrap();
                    hits[place].1 = true;
                }
                Ok(other) => panic!("{other:?}"),
                Err(_) => break,
            }
        }
    }
    let whole = hits.into_iter().filter(|(_, whole)| *whole).map(|(hit, _)| hit).collect();
    (whole, watcher.finish().err().map(fault))
}

/// `number@offset:value`
fn hit_of(text: &str) -> oracle::Found {
    let (number, rest) = text.split_once('@').unwrap();
    let (offset, value) = rest.split_once(':').unwrap();
    (number.parse().unwrap(), offset.parse().unwrap(), unhex(value))
}

fn run_call(call: &str, bytes: &[u8], expected: &str) {
    let found = |packet: Packet<'_>| format!("{}:{}", packet.offset(), hex(packet.value()));
    let trees = |packets: y3::Packets<'_>| {
        packets.map(|packet| Tree::read(&packet?, None, Dialect::NVar)).collect::<Result<Vec<_>, Error>>()
    };
    if call == "one" {
        let read = Packet::from_slice(bytes).and_then(|packet| Tree::read(&packet, None, Dialect::NVar));
        let expected = fault_of(expected).map_or_else(|| Ok(shape(expected)), Err);
        assert_eq!(read.map(|tree| vec![tree]).map_err(fault), expected);
        return;
    }
    let first = packets(bytes).next().unwrap().unwrap();
    if let Some(key) = call.strip_prefix("find ") {
        let read = first.find(u8::from_str_radix(key, 16).unwrap());
        let expected = fault_of(expected).map_or_else(|| Ok(expected.to_owned()), Err);
        assert_eq!(read.map(|packet| packet.map_or("none".to_owned(), found)).map_err(fault), expected);
        return;
    }
    let read = match call {
        "children" => trees(first.children()),
        "payload" => trees(first.embedded()),
        _ => panic!("no call {call}"),
    };
    assert_eq!(read.map_err(fault), fault_of(expected).map_or_else(|| Ok(shape(expected)), Err));
}

// ---------------------------------------------------------------------------------------------------------------------
// The appendix and this file against the rules.

/// Ids in bold, where SPEC.md defines the rules.
fn defined() -> Vec<&'static str> {
    SPEC.split("**[").skip(1).map(|text| text.split_once("]**").unwrap().0).collect()
}

#[test]
fn every_rule_is_defined_once_and_has_a_test_of_its_name() {
    let defined = defined();
    let once: BTreeSet<_> = defined.iter().copied().collect();
    assert_eq!(once.len(), defined.len(), "a rule is defined twice");

    // A test of a rule begins with running the rule's rows, so the sources say themselves which there are.
    let sources = [include_str!("mod.rs"), include_str!("paths.rs"), include_str!("streams.rs")];
    let mut tested = BTreeSet::new();
    for test in sources.iter().flat_map(|source| source.split("#[test]\nfn ").skip(1)) {
        let (name, body) = test.split_once("() {\n").unwrap();
        let Some((rule, _)) = body.strip_prefix("    rows(\"").and_then(|body| body.split_once("\");\n")) else {
            continue;
        };
        assert_eq!(name, rule.to_lowercase().replace('-', "_"));
        assert!(tested.insert(rule), "{name} is there twice");
    }
    assert_eq!(tested, once);
}

#[test]
fn every_row_names_rules_that_are_defined() {
    let defined = defined();
    for row in ROWS.iter() {
        for rule in &row.rules {
            assert!(defined.contains(rule), "line {} names [{rule}]", row.line);
        }
    }
    // References in the texts too.
    let texts = [SPEC, VECTORS].into_iter().chain(CITING);
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
fn no_row_is_overlooked() {
    let lines = VECTORS.lines().filter(|line| line.starts_with('|')).count();
    let heads = VECTORS.lines().filter(|line| line.starts_with("|---")).count();
    // Two lines of each table are its head. The table of `fault` texts in A.3 has no rules; `malformed.rs` runs it.
    let texts =
        VECTORS.split_once("| `fault` | kind |\n").unwrap().1.lines().skip(1).take_while(|line| line.starts_with('|'));
    assert_eq!(ROWS.len(), lines - 2 * heads - texts.count());
    for table in ["A.1", "A.2", "A.3", "A.4", "A.5", "A.6", "A.7", "A.8"] {
        assert!(ROWS.iter().filter(|row| row.table == table).count() >= 20, "{table} has few rows");
    }
}

#[test]
fn rows_all_hold() {
    ROWS.iter().for_each(run);
}

// ---------------------------------------------------------------------------------------------------------------------
// Inputs that the rules below try.

/// Where every input or number of some kind is tried, Miri, which is a thousand times slower, tries one in so many.
const MIRI_STEP: usize = if cfg!(miri) { 499 } else { 1 };

/// Every string over these bytes that is so long: all the small inputs there are, as far as headers go.
fn small_inputs(bytes: &[u8], len: u32, mut try_one: impl FnMut(&[u8])) {
    let mut input = Vec::new();
    for number in (0..bytes.len().pow(len)).step_by(MIRI_STEP) {
        input.clear();
        let mut rest = number;
        for _ in 0..len {
            input.push(bytes[rest % bytes.len()]);
            rest /= bytes.len();
        }
        try_one(&input);
    }
}

/// Tags of each kind that are lengths too, lengths of each kind that are tags too.
const TELLING: [u8; 12] = [0x00, 0x01, 0x02, 0x03, 0x41, 0x7f, 0x80, 0x81, 0x82, 0x87, 0x88, 0xc1];

fn every_small_input(mut try_one: impl FnMut(&[u8])) {
    (0..=4).for_each(|len| small_inputs(&TELLING, len, &mut try_one));
    small_inputs(&[0x00, 0x01, 0x02, 0x03, 0x40, 0x80, 0x81, 0xc1], 5, &mut try_one);
    small_inputs(&[0x00, 0x01, 0x03, 0x80, 0x81], 6, &mut try_one);
    small_inputs(&[0x00, 0x01, 0x80, 0x88], 7, &mut try_one);
}

/// Numbers around every power of two, as far as a type of that width holds them.
fn edges(width: u32) -> impl Iterator<Item = i128> {
    let near = move |power: u32| (-2..=2).flat_map(move |off| [(1i128 << power) + off, -(1i128 << power) + off]);
    let held = move |number: &i128| (-(1 << (width - 1))..1 << (width - 1)).contains(number);
    (0..width).flat_map(near).filter(held).step_by(MIRI_STEP.div_ceil(16))
}

/// Lengths around every edge of the field's size.
fn length_edges() -> impl Iterator<Item = u64> {
    let powers =
        [0u32, 6, 7, 13, 20, 27].into_iter().flat_map(|power| [(1u64 << power) - 1, 1 << power, (1 << power) + 1]);
    powers.chain([0x7fff_fffe, 0x7fff_ffff])
}

fn read_header(bytes: &[u8]) -> Result<(usize, usize), nom::Err<Fault>> {
    header::<Fault>().parse(bytes).map(|(_, header)| (header.size(), header.value_len()))
}

/// A primitive with this value, and what comes of asking for it.
fn with_value<T>(value: &[u8], ask: impl FnOnce(Packet<'_>) -> T) -> T {
    let bytes = [&[0x05], &length_field(value.len() as u64)[..], value].concat();
    ask(Packet::from_slice(&bytes).unwrap())
}

fn read_value(kind: &str, dialect: Dialect, value: &[u8]) -> Result<Value, ErrorKind> {
    with_value(value, |packet| Value::read(kind, dialect, &packet).map_err(|error| error.kind()))
}

fn written_value(leaf: Value, dialect: Dialect) -> Vec<u8> {
    let bytes = encode(&[Tree::leaf(0x05, leaf)], dialect).unwrap();
    Packet::from_slice(&bytes).unwrap().value().to_vec()
}

/// The four integer types of a number, where they hold it, and their width.
fn integers(number: i128) -> Vec<(Value, usize)> {
    let mut leaves = Vec::new();
    leaves.extend(number.try_into().map(|number| (Value::I32(number), 32)));
    leaves.extend(number.try_into().map(|number| (Value::I64(number), 64)));
    leaves.extend(number.try_into().map(|number| (Value::U32(number), 32)));
    leaves.extend(number.try_into().map(|number| (Value::U64(number), 64)));
    leaves
}

/// The number of an integer type that has the same bits as a signed one of its width.
fn integer(kind: &str, number: i128) -> Value {
    let width = if kind.ends_with("32") { 32 } else { 64 };
    let number = if kind.starts_with('u') { oracle::unsigned(number, width) } else { number };
    Value::parse(kind, &number.to_string())
}

const INTEGERS: [(&str, usize); 4] = [("i32", 32), ("i64", 64), ("u32", 32), ("u64", 64)];

/// Values of both dialects: all of one and two bytes, some of every width up to twelve, padded, cut and with more behind.
fn integer_values() -> Vec<Vec<u8>> {
    let mut values: Vec<_> = (0..=u8::MAX).map(|byte| vec![byte]).collect();
    values.extend((0..=u16::MAX).step_by(MIRI_STEP).map(|pair| pair.to_be_bytes().to_vec()));
    for first in [0x00, 0x01, 0x3f, 0x40, 0x7f, 0x80, 0x81, 0x87, 0x88, 0xbf, 0xc0, 0xf7, 0xf8, 0xfe, 0xff] {
        for others in [0x00, 0x7f, 0x80, 0xff] {
            for last in [0x00, 0x01, 0x40, 0x7f, 0x80, 0xff] {
                values.extend((1..11).map(|len| [&[first], &vec![others; len][..], &[last]].concat()));
            }
        }
    }
    values.into_iter().step_by(MIRI_STEP.div_ceil(16)).collect()
}

// ---------------------------------------------------------------------------------------------------------------------
// 3 Packet

#[test]
fn tag_1() {
    rows("TAG-1");
    for byte in 0..=u8::MAX {
        let bytes = [byte, 0x00];
        assert_eq!(check(&bytes), Ok(()));
        let packet = Packet::from_slice(&bytes).unwrap();
        assert_eq!((packet.tag().get(), packet.is_node(), packet.key().get()), (byte, byte >= 0x80, byte % 64));
    }
}

#[test]
fn tag_2() {
    rows("TAG-2");
    for byte in 0x40..=0x7f {
        // Its value would be a packet if it were a node.
        let bytes = [byte, 0x02, 0x01, 0x00];
        let packet = Packet::from_slice(&bytes).unwrap();
        assert!(!packet.is_node() && !packet.is_slice() && !Tag::from(byte).is_slice());
        assert_eq!(packet.children().next().map(|child| child.map_err(fault)), Some(Err((ErrorKind::NotANode, 0))));
        assert_eq!(walk(&bytes).count(), 1);
    }
    assert!((0x80..=u8::MAX).all(|byte| Tag::from(byte).is_slice() == (byte >= 0xc0)));
}

#[test]
fn tag_3() {
    rows("TAG-3");
    for key in 0..64 {
        let trees = [Tree::bytes(key, &[]), Tree::node(key, vec![]), Tree::slice(key, vec![])];
        assert_eq!(encode(&trees, Dialect::NVar), Ok(vec![key, 0, 0x80 | key, 0, 0xc0 | key, 0]));
    }
}

#[test]
fn tag_4() {
    rows("TAG-4");
    let bytes = [0x00, 0x00, 0x84, 0x02, 0x00, 0x00];
    let node = packets(&bytes).last().unwrap().unwrap();
    for key in 64..=u8::MAX {
        let written = [Tree::bytes(0x01, &[]), Tree::node(0x02, vec![Tree::bytes(key, &[])])];
        assert_eq!(encode(&written, Dialect::NVar).map_err(fault), Err((ErrorKind::InvalidKey, 4)));
        for tree in [Tree::bytes(key, &[]), Tree::node(key, vec![]), Tree::slice(key, vec![])] {
            assert_eq!(encode(&[tree], Dialect::NVar).map_err(fault), Err((ErrorKind::InvalidKey, 0)));
        }
        assert_eq!(node.find(key).map_err(fault), Err((ErrorKind::InvalidKey, 2)));
        assert_eq!((Key::new(key), KeySet::new(&[1, key]), Path::new(&[1, key])), (None, None, None));
        assert_eq!(format!("1/{key:x}").parse::<Path>().map_err(fault), Err((ErrorKind::InvalidKey, 2)));
    }
    assert!((0..64).all(|key| node.find(key).is_ok()));
}

#[test]
fn len_1() {
    rows("LEN-1");
    for length in length_edges() {
        let field = written_length(length).unwrap();
        assert_eq!(field, length_field(length), "{length}");
        assert_eq!(read_length(&field), Length::Is { length, size: field.len() });
        // One group less cannot hold it.
        assert!(length >> (7 * (field.len() - 1)).saturating_sub(1) > 0 || field.len() == 1, "{length}");
    }
    // Bodies of nodes, whose length is known only when they are done, at each edge that memory allows.
    for body in [0, 2, 62, 63, 64, 65, 66, 8190, 8191, 8192, 8193, 1_048_575, 1_048_576] {
        let value = (2..=5)
            .map(|head| vec![0; body - head.min(body)])
            .find(|value| 1 + length_field(value.len() as u64).len() + value.len() == body);
        let Some(value) = value else { continue };
        let bytes = encode(&[Tree::node(0x01, vec![Tree::bytes(0x02, &value)])], Dialect::NVar).unwrap();
        assert_eq!(bytes[1..bytes.len() - body], length_field(body as u64), "{body}");
    }
}

#[test]
fn len_2() {
    rows("LEN-2");
    for length in length_edges() {
        let mut field = length_field(length);
        while field.len() <= 5 {
            let bytes = [&[0x05], &field[..]].concat();
            assert_eq!(read_header(&bytes), Ok((1 + field.len(), usize::try_from(length).unwrap())));
            field.insert(0, 0x80);
        }
    }
    let bytes = [&[0x05, 0x80, 0x80, 0x80, 0x80, 0x01], &[0xaa][..]].concat();
    assert_eq!(Packet::from_slice(&bytes).unwrap().value(), [0xaa]);
}

#[test]
fn len_3() {
    rows("LEN-3");
    for first in (0..=u8::MAX).filter(|first| first & 0x40 != 0) {
        for behind in [&[][..], &[0x00], &[0x80, 0x80, 0x80, 0x80, 0x80], &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x05]] {
            for before in [&[][..], &[0x01, 0x00]] {
                let bytes = [before, &[0x84, first], behind].concat();
                let expected = (ErrorKind::NegativeLength, before.len() as u64 + 1);
                assert_eq!(check(&bytes).map_err(fault), Err(expected));
            }
        }
    }
}

#[test]
fn len_4() {
    rows("LEN-4");
    for first in 0x80..=0xbf {
        for fifth in [0x80, 0x81, 0xff] {
            for sixth in [&[][..], &[0x00], &[0x80], &[0x05, 0xaa]] {
                let bytes = [&[0x05, first, 0x80, 0xff, 0x80, fifth], sixth].concat();
                let overflow = Err((ErrorKind::LengthOverflow, 1));
                assert_eq!(check(&bytes).map_err(fault), overflow);
            }
        }
        assert!(read_header(&[0x05, first, 0x80, 0xff, 0x80]).unwrap_err().is_incomplete());
    }
}

#[test]
fn len_5() {
    rows("LEN-5");
    for first in 0x80..=0xbf {
        let bytes = [0x05, first, 0x80, 0x80, 0x80, 0x01];
        let expected = if first > 0x87 {
            Err(nom::Err::Failure(Fault(ErrorKind::LengthOverflow)))
        } else {
            Ok((6, usize::from(first & 0x7f) << 28 | 1))
        };
        assert_eq!(read_header(&bytes), expected, "{first:02x}");
    }
}

#[test]
fn len_6() {
    rows("LEN-6");
    // A node can grow beyond the limit too, of packets that are within it.
    let half = vec![0; 0x4000_0000];
    for (second, fits) in [(0x3fff_fff3, true), (0x3fff_fff4, false)] {
        let mut head = Head::default();
        let node = |node: &mut Encoder<'_, Head>| {
            node.put(0x02, &half[..])?;
            node.put(0x03, &half[..second])
        };
        Encoder::new(&mut head).put(0x01, "").unwrap();
        let done = Encoder::new(&mut head).node(0x01, node);
        if fits {
            assert_eq!((done, &head.first()[..8]), (Ok(()), &[0x01, 0, 0x81, 0x87, 0xff, 0xff, 0xff, 0x7f][..]));
            assert_eq!(head.len(), 2 + 6 + 0x7fff_ffff);
        } else {
            assert_eq!((done.map_err(fault), head.len()), (Err((ErrorKind::SizeLimit, 2)), 2));
        }
    }
}

#[test]
fn len_7() {
    rows("LEN-7");
    // Whatever the size of the field, the value begins after it and has as many bytes as it says.
    for padding in 0..5 {
        let head = [&[0x05][..], &[0x80; 4][..padding], &[0x03]].concat();
        let bytes = [&head[..], &[0xaa, 0xbb, 0xcc, 0x06, 0x00]].concat();
        let read: Vec<_> = packets(&bytes).map(Result::unwrap).collect();
        assert_eq!((read[0].value(), read[1].offset()), (&[0xaa, 0xbb, 0xcc][..], head.len() as u64 + 3));
    }
}

#[test]
fn pkt_1() {
    rows("PKT-1");
    // A child that is one byte too long for its parent, though the input has that byte, at every depth.
    let mut bytes = vec![0x01, 0x02, 0xaa];
    for depth in 1..10 {
        bytes.splice(0..0, [0x81, u8::try_from(bytes.len()).unwrap()]);
        let short = [&bytes[..], &[0xbb, 0xcc]].concat();
        assert_eq!(check(&short).map_err(fault), Err((ErrorKind::Overrun, 2 * depth)));
    }
}

#[test]
fn pkt_2() {
    rows("PKT-2");
    let bytes = unhex("81080201ff8303040143");
    for cut in 1..bytes.len() {
        for before in [&[][..], &[0x01, 0x01, 0x05]] {
            let input = [before, &bytes[..cut]].concat();
            assert_eq!(check(&input).map_err(fault), Err((ErrorKind::UnexpectedEnd, before.len() as u64)));
        }
    }
}

#[test]
fn pkt_3() {
    rows("PKT-3");
    let one = unhex("81080201ff8303040143");
    for count in [0, 1, 2, 1000] {
        let bytes = one.repeat(count);
        assert_eq!((packets(&bytes).count(), check(&bytes)), (count, Ok(())));
        assert!(packets(&bytes).all(|packet| packet.unwrap().as_bytes() == one));
    }
}

#[test]
fn pkt_4() {
    rows("PKT-4");
    every_small_input(|bytes| {
        let mut read = packets(bytes);
        let expected = match read.next() {
            None => Err((ErrorKind::UnexpectedEnd, 0)),
            Some(Err(error)) => Err(fault(error)),
            Some(Ok(packet)) if packet.as_bytes().len() == bytes.len() => Ok(packet),
            Some(Ok(packet)) => Err((ErrorKind::TrailingBytes, packet.as_bytes().len() as u64)),
        };
        assert_eq!(Packet::from_slice(bytes).map_err(fault), expected);
    });
}

#[test]
fn pkt_5() {
    rows("PKT-5");
    // Whatever stands in the packet, bytes after it are reported.
    every_small_input(|value| {
        let bytes = [&[0x84, u8::try_from(value.len()).unwrap()], value, &[0x00]].concat();
        let expected = Err((ErrorKind::TrailingBytes, bytes.len() as u64 - 1));
        assert_eq!(Packet::from_slice(&bytes).map_err(fault), expected, "{}", hex(&bytes));
    });
}

// ---------------------------------------------------------------------------------------------------------------------
// 4 Integers

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
    assert_eq!(i32::decode(&[]), Err(Error::new(ErrorKind::InvalidValue, 0)));
    assert_eq!(PVarInt::<u64>::decode(&[]), Err(Error::new(ErrorKind::InvalidValue, 0)));
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
            for behind in [0x00, 0x7f, 0x80] {
                let value = [&value[..], &[behind]].concat();
                assert_eq!(read_value(kind, Dialect::PVar, &value), Err(ErrorKind::InvalidValue), "{}", hex(&value));
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// 5 Floats, bool, text, bytes

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

// ---------------------------------------------------------------------------------------------------------------------
// 6 Nodes, slices, duplicate keys, order

#[test]
fn node_1() {
    rows("NODE-1");
    // Nothing around its packets: a node's value read as an input gives the same packets.
    let bytes = unhex("81080201ff8303040143");
    let node = Packet::from_slice(&bytes).unwrap();
    let inside: Vec<_> = node.children().map(|child| child.unwrap().as_bytes()).collect();
    assert_eq!(inside.concat(), node.value());
    assert!(packets(node.value()).map(|packet| packet.unwrap().as_bytes()).eq(inside));
    for tag in 0x80..=u8::MAX {
        let bytes = [tag, 0x00];
        let mut children = Packet::from_slice(&bytes).unwrap().children();
        assert_eq!((children.next(), children.next()), (None, None));
    }
}

#[test]
fn node_2() {
    rows("NODE-2");
    // Every order of a primitive, a node, a slice and a duplicate.
    let four = [&[0x02, 0x00][..], &[0x82, 0x00], &[0xc2, 0x00], &[0x02, 0x01, 0xff]];
    for a in 0..4 {
        for b in (0..4).filter(|b| *b != a) {
            for c in (0..4).filter(|c| ![a, b].contains(c)) {
                let order = [four[a], four[b], four[c], four[6 - a - b - c]];
                let body = order.concat();
                let bytes = [&[0x81, u8::try_from(body.len()).unwrap()], &body[..]].concat();
                let node = Packet::from_slice(&bytes).unwrap();
                assert!(node.children().map(|child| child.unwrap().as_bytes()).eq(order));
            }
        }
    }
}

#[test]
fn node_3() {
    rows("NODE-3");
    for tag in [0x02, 0x42, 0x82, 0xc2] {
        let bytes = [0x81, 0x08, 0x03, 0x00, tag, 0x00, 0x02, 0x00, 0x82, 0x00];
        let found = Packet::from_slice(&bytes).unwrap().find(0x02).unwrap().unwrap();
        assert_eq!((found.tag().get(), found.offset()), (tag, 4));
    }
}

#[test]
fn node_4() {
    rows("NODE-4");
    for tag in 0x00..=0x7f {
        let bytes = [0x00, 0x00, tag, 0x02, 0x01, 0x00];
        let primitive = packets(&bytes).last().unwrap().unwrap();
        let not_a_node = (ErrorKind::NotANode, 2);
        assert_eq!(primitive.children().map(|child| child.map_err(fault)).collect::<Vec<_>>(), [Err(not_a_node)]);
        assert_eq!(primitive.find(0x01).map_err(fault), Err(not_a_node));
        assert_eq!(primitive.children().check().map_err(fault), Err(not_a_node));
    }
}

#[test]
fn node_5() {
    rows("NODE-5");
    // A fault inside goes unnoticed, and packets inside are no hits, until a caller opens it.
    let bytes = [0x01, 0x04, 0x02, 0x00, 0x03, 0x7f];
    assert_eq!(check(&bytes), Ok(()));
    assert_eq!(walk(&bytes).count(), 1);
    assert_eq!(KeySet::new(&[0x02]).unwrap().search(&bytes).count(), 0);
    assert_eq!(PathSet::new([y3::path!(0x01, 0x02)]).watch(&bytes).count(), 0);
    let mut payload = packets(&bytes).next().unwrap().unwrap().embedded();
    assert_eq!(payload.next().unwrap().unwrap().key(), 0x02);
    assert_eq!(payload.next().unwrap().map_err(fault), Err((ErrorKind::NegativeLength, 5)));
}

#[test]
fn node_6() {
    rows("NODE-6");
    // Any input as a payload gives what it gives alone, with the offsets moved.
    every_small_input(|input| {
        let bytes = [&[0x01, 0x00, 0x02, u8::try_from(input.len()).unwrap()], input].concat();
        let carrier = packets(&bytes).last().unwrap().unwrap();
        let moved = oracle::check(input, MAX_DEPTH).map_err(|(kind, offset)| (kind, offset + 4));
        assert_eq!(carrier.embedded().check().map_err(fault), moved, "{}", hex(input));
    });
}

#[test]
fn slice_1() {
    rows("SLICE-1");
    // Whatever keys the items were read with.
    let items = shape("10[05=aa,06{05=01},07[05=02]]");
    assert_eq!(encode(&items, Dialect::NVar), Ok(unhex("d00d0001aa8003050101c003000102")));
}

#[test]
fn slice_2() {
    rows("SLICE-2");
    for tag in 0..=u8::MAX {
        let bytes = [0xd0, 0x04, tag, 0x00, 0x00, 0x00];
        let slice = Packet::from_slice(&bytes).unwrap();
        assert_eq!((check(&bytes), slice.is_slice()), (Ok(()), true));
        let first = slice.children().next().unwrap().unwrap();
        assert_eq!((first.tag().get(), first.key().get()), (tag, tag & 0x3f));
    }
}

#[test]
fn slice_3() {
    rows("SLICE-3");
    // Packets as items, of every kind and with any key.
    #[cfg(feature = "serde")]
    for tag in [0x00, 0x05, 0x3f, 0x85, 0xc5] {
        let bytes = [tag, 0x02, 0x07, 0x00];
        let written = y3::serde::to_vec(&[Packet::from_slice(&bytes).unwrap()]).unwrap();
        assert_eq!(written, [0xc1, 0x04, tag & 0xc0, 0x02, 0x07, 0x00], "{tag:02x}");
    }
}

#[test]
fn key_1() {
    rows("KEY-1");
    for outer in 0..=u8::MAX {
        for inner in [0x00, 0x01, 0x0f, 0x10, 0x3f, 0x81, 0xc0] {
            let bytes = [outer, 0x02, inner, 0x00];
            assert_eq!(check(&bytes), Ok(()));
            let path = Path::new(&[outer & 0x3f, inner & 0x3f]).unwrap();
            let hits = PathSet::<1>::from_slice(&[path]).unwrap().watch(&bytes).count();
            assert_eq!(hits, usize::from(outer >= 0x80));
        }
    }
}

#[test]
fn key_2() {
    rows("KEY-2");
    // The conventions have names.
    assert_eq!((Tag::node(Key::ROOT).get(), Key::ITEM.get(), Key::MAX.get()), (0x81, 0x00, 0x3f));
    assert_eq!((Key::RESERVED, Key::USER), (0x01..=0x0f, 0x10..=0x3f));
    let message =
        Tree::node(Key::ROOT.get(), vec![Tree::bytes(*Key::USER.start(), &[]), Tree::bytes(*Key::USER.end(), &[])]);
    assert_eq!(encode(&[message], Dialect::NVar), Ok(unhex("810410003f00")));
}

// ---------------------------------------------------------------------------------------------------------------------
// 7 Canonical form

#[test]
fn can_1() {
    rows("CAN-1");
    // Whatever was accepted, and is canonical, is what comes out when it is written again; if not, something canonical does.
    let mut canonical = 0;
    every_small_input(|bytes| {
        let Ok(trees) = walked(bytes) else { return };
        let again = encode(&trees, Dialect::NVar).unwrap();
        assert!(is_canonical(&again));
        assert_eq!(again == bytes, is_canonical(bytes), "{}", hex(bytes));
        canonical += usize::from(again == bytes);
    });
    assert!(canonical > 500, "only {canonical} canonical inputs");
}

#[test]
fn can_2() {
    rows("CAN-2");
    let mut trees = shape("05=,04=01,04=01,03{},04=,3f=,00[],04=01");
    for _ in 0..trees.len() {
        let bytes = encode(&[Tree::node(0x01, trees.clone())], Dialect::NVar).unwrap();
        assert_eq!(walked(&bytes), Ok(vec![Tree::node(0x01, trees.clone())]));
        trees.rotate_left(1);
    }
}

#[test]
fn can_3() {
    rows("CAN-3");
    // One row at least for each rule that allows a form which is not canonical.
    for rule in ["LEN-2", "TAG-2", "NVAR-2", "PVAR-2", "FLT-2", "BOOL-2", "SLICE-2"] {
        assert!(ROWS.iter().any(|row| row.rules.contains(&rule) && row.rules.contains(&"CAN-3")), "{rule}");
    }
    // Such values are not what is written for them.
    for row in ROWS.iter().filter(|row| row.table == "A.4" && row.rules.contains(&"CAN-3")) {
        let [kind, dialect, value, expected] = row.cells[..] else { panic!("line {}", row.line) };
        for &dialect in dialects_of(dialect) {
            assert_ne!(written_value(leaf_of(kind, expected), dialect), unhex(value), "line {}", row.line);
        }
    }
}

#[test]
fn can_4() {
    rows("CAN-4");
    // A packet that fails halfway: for want of room at every byte, for a key deep inside, for an error of the caller.
    let before = Tree::bytes(0x01, &[0xaa]);
    let long = Tree::node(0x02, vec![Tree::bytes(0x03, &[0x55; 70]), Tree::slice(0x04, shape("00=01,00{05=}"))]);
    let whole = encode(&[before.clone(), long.clone()], Dialect::NVar).unwrap();
    for room in 3..whole.len() {
        let mut room = vec![0; room];
        let mut sink = SliceSink::new(&mut room);
        let mut encoder = Encoder::new(&mut sink);
        write(&mut encoder, std::slice::from_ref(&before)).unwrap();
        let error = write(&mut encoder, std::slice::from_ref(&long)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BufferTooSmall);
        assert_eq!(sink.written(), &whole[..3]);
    }
    // And the sink goes on where it was.
    let deep = Tree::node(0x02, vec![Tree::bytes(0x03, &[0x55; 70]), Tree::node(0x04, vec![Tree::bytes(64, &[])])]);
    let mut room = [0; 200];
    let mut sink = SliceSink::new(&mut room);
    let mut encoder = Encoder::new(&mut sink);
    write(&mut encoder, std::slice::from_ref(&before)).unwrap();
    let refused = write(&mut encoder, &[deep]).map_err(|error| error.kind());
    assert_eq!(refused, Err(ErrorKind::InvalidKey));
    let own = Error::new(ErrorKind::InvalidValue, 7);
    let failed = encoder.node(0x02, |node| node.put(0x03, "lost").and(Err(own)));
    assert_eq!(failed, Err(own));
    encoder.put(0x06, "").unwrap();
    assert_eq!(sink.written(), [0x01, 0x01, 0xaa, 0x06, 0x00]);
}

// ---------------------------------------------------------------------------------------------------------------------
// 8 Decoder duties and limits

#[test]
fn dec_1() {
    rows("DEC-1");
    // Behind packets that are fine a fault is where it is without them, so much further on.
    let before = unhex("81080201ff83030401430105aabbccddee");
    every_small_input(|input| {
        let moved = oracle::check(input, MAX_DEPTH).map_err(|(kind, offset)| (kind, offset + before.len() as u64));
        let bytes = [&before[..], input].concat();
        assert_eq!(check(&bytes).map_err(fault), moved, "{}", hex(input));
    });
}

#[test]
fn dec_2() {
    rows("DEC-2");
    // Every small input gives what the words of the rule give, so the first check that fails is the one reported.
    let mut kinds = BTreeSet::new();
    every_small_input(|input| {
        let expected = oracle::check(input, MAX_DEPTH);
        assert_eq!(check(input).map_err(fault), expected, "{}", hex(input));
        kinds.extend(expected.err().map(|(kind, _)| format!("{kind:?}")));
    });
    assert!(kinds.iter().eq(["LengthOverflow", "NegativeLength", "Overrun", "UnexpectedEnd"]), "{kinds:?}");
}

#[test]
fn dec_3() {
    rows("DEC-3");
    // What stands behind a fault changes nothing, and nothing comes after it.
    every_small_input(|input| {
        let mut siblings = packets(input);
        let Some(error) = siblings.by_ref().find_map(Result::err) else { return };
        assert!((0..3).all(|_| siblings.next().is_none()));
        assert_eq!(siblings.remainder(), [0; 0]);
        if matches!(error.kind(), ErrorKind::NegativeLength | ErrorKind::LengthOverflow) {
            let bytes = [input, &[0x01, 0x00]].concat();
            let given: Vec<_> = packets(&bytes).map(|packet| packet.map_err(fault)).collect();
            assert!(given.into_iter().eq(packets(input).map(|packet| packet.map_err(fault))));
        }
    });
}

#[test]
fn dec_4() {
    rows("DEC-4");
    // Six bytes that announce 2 GiB: what a reader says of the packets to come depends on the bytes that are there.
    let bytes = unhex("8187ffffff7f");
    assert_eq!(packets(&bytes).size_hint(), (1, Some(3)));
    let read: Vec<_> = packets(&bytes).collect();
    assert!(read.capacity() <= 4);
    // Readers are a few words, whatever they read.
    assert!(size_of::<y3::Packets<'_>>() <= 64 && size_of::<Walk<'_>>() <= 1024);
    // The parser names the number and reserves nothing.
    let missing = packet::<Fault>().parse(&bytes).unwrap_err();
    assert_eq!(missing, nom::Err::Incomplete(nom::Needed::new(0x7fff_ffff)));
}

/// A node in a node, so deep, with canonical lengths; in the innermost a primitive.
fn nested(depth: usize) -> Vec<u8> {
    let mut bytes = vec![0xff, 0x01, 0x02];
    for _ in 0..depth {
        let len = bytes.len() as u64;
        bytes.extend(length_field(len).into_iter().rev());
        bytes.push(0x81);
    }
    bytes.reverse();
    bytes
}

#[test]
fn dec_5() {
    rows("DEC-5");
    let many = if cfg!(miri) { 2_000 } else { 100_000 };
    let bytes = nested(many);
    let wide = [0x01, 0x00].repeat(many);
    // A stack that would not hold a call for each node, nor for each packet.
    let small_stack = std::thread::Builder::new().stack_size(128 * 1024);
    let done = small_stack.spawn(move || {
        assert_eq!(check(&bytes).map_err(|error| error.kind()), Err(ErrorKind::DepthLimit));
        assert_eq!(walk(&bytes).count(), MAX_DEPTH + 1);
        // Each packet is passed once, so what comes out is no more than the headers that fit in.
        assert_eq!(walk(&wide).count(), wide.len() / 2);
        assert_eq!(PathSet::new([y3::path!(0x02)]).watch(&bytes).count(), 0);
        assert_eq!(PathSet::new([y3::path!(1, 1, 1, 1, 1, 1, 1, 1)]).watch(&bytes).count(), 1);
        assert_eq!(KeySet::new(&[0x02]).unwrap().search(&bytes).count(), 1);
        assert_eq!(y3::keys![0x02].watch(&wide).count(), 0);
    });
    done.unwrap().join().unwrap();
}

#[test]
fn dec_6() {
    rows("DEC-6");
    for (depth, offset) in [(63, None), (64, None), (65, Some(64)), (66, Some(64)), (200, Some(64))] {
        let bytes = nested(depth);
        // The tag of the node at that depth: of each node outside of it, tag and length.
        let headers = |count: usize| -> u64 {
            let lens = (depth - count..depth).map(|inside| nested(inside).len());
            lens.map(|len| 1 + length_field(len as u64).len() as u64).sum()
        };
        let expected = offset.map_or(Ok(()), |count| Err((ErrorKind::DepthLimit, headers(count))));
        assert_eq!(check(&bytes).map_err(fault), expected, "{depth}");
        assert_eq!(oracle::check(&bytes, 64), expected, "{depth}");
    }
    // Another limit, set by the caller.
    let bytes = nested(3);
    let limited = |result: Option<Error>| result.map(fault);
    assert_eq!(limited(walk(&bytes).with_max_depth(3).find_map(Result::err)), None);
    assert_eq!(limited(walk(&bytes).with_max_depth(2).find_map(Result::err)), Some((ErrorKind::DepthLimit, 4)));
    assert_eq!(limited(walk(&bytes).with_max_depth(0).find_map(Result::err)), Some((ErrorKind::DepthLimit, 0)));
    // The node's own checks come first; nodes side by side do not add up.
    assert_eq!(
        limited(walk(&[0x81, 0x40]).with_max_depth(0).find_map(Result::err)),
        Some((ErrorKind::NegativeLength, 1))
    );
    assert_eq!(
        limited(walk(&[0x81, 0x01]).with_max_depth(0).find_map(Result::err)),
        Some((ErrorKind::UnexpectedEnd, 0))
    );
    assert_eq!(check(&nested(64).repeat(3)), Ok(()));
    assert_eq!(MAX_DEPTH, 64);
}

#[test]
fn dec_7() {
    rows("DEC-7");
    // Two faults: the packet that begins first has its reported first, whichever they are.
    let bytes = unhex("84068302017f0509");
    assert_eq!(check(&bytes).map_err(fault), Err((ErrorKind::NegativeLength, 5)));
    // Without the inner one, the outer one shows.
    let bytes = unhex("8406830201000509");
    assert_eq!(check(&bytes).map_err(fault), Err((ErrorKind::Overrun, 6)));
    // A walk gives a node, what is inside it, then what follows it.
    let bytes = unhex("81060202030004008400");
    let mut walk = walk(&bytes);
    let mut seen = Vec::new();
    while let Some(packet) = walk.next() {
        seen.push((walk.depth(), packet.unwrap().offset()));
    }
    assert_eq!(seen, [(0, 0), (1, 2), (1, 6), (0, 8)]);
}

#[test]
fn dec_8() {
    rows("DEC-8");
    // In front of every value, and inside of it, things that are no structure: all accepted.
    for value in [&[0xff; 4][..], &[0x81, 0x7f], &[0x40], &[0xc0, 0x80], &[]] {
        for tag in 0x00..=0x7f {
            let len = u8::try_from(value.len()).unwrap();
            let primitive = [&[tag, 0x80, 0x80, len], value].concat();
            let slice = [&[0xc5, 0x80, u8::try_from(primitive.len()).unwrap()], &primitive[..]].concat();
            assert_eq!((check(&primitive), check(&slice)), (Ok(()), Ok(())));
            let packet = Packet::from_slice(&slice).unwrap();
            assert_eq!((packet.check(), packet.children().check()), (Ok(()), Ok(())));
        }
    }
}

#[test]
fn dec_10() {
    rows("DEC-10");
    // Of whatever is read, only the kinds of the table; a packet's typed values included.
    let mut kinds = BTreeSet::new();
    every_small_input(|input| {
        for packet in walk(input) {
            let values = packet.map_or_else(
                |error| vec![error],
                |packet| {
                    let inside = packet.children().find_map(Result::err).into_iter();
                    let types =
                        ["i32", "u64", "f32", "bool", "text"].map(|kind| Value::read(kind, Dialect::PVar, &packet));
                    inside.chain(types.into_iter().filter_map(Result::err)).collect()
                },
            );
            kinds.extend(values.iter().map(|error| format!("{:?}", error.kind())));
        }
    });
    let of_the_input: BTreeSet<_> =
        ["UnexpectedEnd", "Overrun", "NegativeLength", "LengthOverflow", "NotANode", "InvalidValue", "InvalidUtf8"]
            .map(str::to_owned)
            .into();
    assert_eq!(kinds, of_the_input);
}

#[test]
fn dec_11() {
    rows("DEC-11");
    // Whatever packet is looked into, a key above 63 is refused before its bytes are read.
    every_small_input(|value| {
        for tag in [0x01, 0x41, 0x81, 0xc1] {
            let bytes = [&[tag, u8::try_from(value.len()).unwrap()], value].concat();
            let found = Packet::from_slice(&bytes).unwrap().find(64);
            assert_eq!(found.map_err(fault), Err((ErrorKind::InvalidKey, 0)), "{}", hex(&bytes));
        }
    });
}

// ---------------------------------------------------------------------------------------------------------------------
// 9 Streaming and skipping

/// Sets of paths that meet the small inputs at every depth.
fn small_paths() -> Vec<Vec<Vec<u8>>> {
    vec![
        vec![vec![0x01]],
        vec![vec![0x01, 0x01]],
        vec![vec![0x01, 0x00], vec![0x02, 0x01]],
        vec![vec![0x01, 0x01, 0x00], vec![0x01, 0x02], vec![0x00]],
        // One path through another: the outer packet comes first.
        vec![vec![0x01], vec![0x01, 0x01], vec![0x01, 0x01, 0x01]],
        vec![vec![0x01, 0x01, 0x01, 0x01]],
    ]
}

#[test]
fn skip_1() {
    rows("SKIP-1");
    // Anything at all in a value that is jumped over, with a hit behind it.
    every_small_input(|value| {
        for tag in [0x05, 0x85, 0xc5, 0x45] {
            let len = u8::try_from(value.len()).unwrap();
            let node = [&[0x81, len + 5, tag, len], value, &[0x02, 0x01, 0xaa]].concat();
            let found = Packet::from_slice(&node).unwrap().find(0x02).unwrap().unwrap();
            assert_eq!((found.offset(), found.value()), (4 + u64::from(len), &[0xaa][..]));
            let hits: Vec<_> = PathSet::new([y3::path!(0x01, 0x02)]).watch(&node).collect();
            assert_eq!(hits.iter().map(|hit| hit.unwrap().packet()).collect::<Vec<_>>(), [found]);
            assert_eq!(y3::keys![0x02].watch(&node[2..]).count(), 1);
        }
    });
}

#[test]
fn skip_2() {
    rows("SKIP-2");
    // Nothing is wanted, everything on the level is checked: the fault is the one that reading all siblings gives.
    every_small_input(|input| {
        let siblings = packets(input).find_map(Result::err);
        assert_eq!(y3::keys![0x3e].watch(input).find_map(Result::err), siblings);
        assert_eq!(PathSet::new([y3::path!(0x3e)]).watch(input).find_map(Result::err), siblings, "{}", hex(input));
        assert_eq!(PathSet::new([y3::path!(0x3e)]).watch(input).count(), usize::from(siblings.is_some()));
    });
}

#[test]
fn skip_3() {
    rows("SKIP-3");
    // In nodes on no path, and in primitives on one, anything may stand.
    every_small_input(|value| {
        let len = u8::try_from(value.len()).unwrap();
        for tag in [0x02, 0x82, 0xc2, 0x01, 0x41] {
            let bytes = [&[tag, len], value].concat();
            assert_eq!(PathSet::new([y3::path!(0x01, 0x00)]).watch(&bytes).count(), 0, "{}", hex(&bytes));
        }
    });
}

#[test]
fn skip_4() {
    rows("SKIP-4");
    // Every small input and every set of paths gives the hits, and the fault behind them, that the rules say.
    let mut hits = 0;
    for paths in small_paths() {
        let set = path_set(&paths);
        every_small_input(|input| {
            let expected = oracle::found(input, &paths);
            hits += expected.0.len();
            assert_eq!(watched(input, &set), expected, "{} {paths:02x?}", hex(input));
        });
    }
    assert!(hits > 10_000, "only {hits} hits");
}

#[test]
fn watching_inside_a_node_or_a_payload_follows_the_same_rules() {
    let paths = [vec![0x01], vec![0x01, 0x01], vec![0x02, 0x00]];
    let set = path_set(&paths);
    // The same inside a node, where its end is no end of the input, and inside a payload, where it is one.
    let below: Vec<_> = paths.iter().map(|path| [&[0x01], &path[..]].concat()).collect();
    every_small_input(|input| {
        let node = [&[0x02, 0x00, 0x81, u8::try_from(input.len()).unwrap()], input].concat();
        let packet = packets(&node).last().unwrap().unwrap();
        let expected = oracle::found(&node, &below);
        assert_eq!(collected(set.watch_packets(packet.children())), expected, "{} {paths:02x?}", hex(input));
        let (hits, fault) = oracle::found(input, &paths);
        let hits = hits.into_iter().map(|(path, offset, value)| (path, offset + 4, value)).collect();
        let expected = (hits, fault.map(|(kind, offset)| (kind, offset + 4)));
        assert_eq!(collected(set.watch_packets(packet.embedded())), expected, "{} {paths:02x?}", hex(input));
    });
}

#[test]
fn skip_5() {
    rows("SKIP-5");
    // Every cut of three levels, with a hit at each of them before and behind each other.
    let bytes = unhex("810f020101810603010281010402010302010481020203");
    let paths = [vec![0x01, 0x02], vec![0x01, 0x01, 0x03], vec![0x01, 0x01, 0x01, 0x04]];
    let set = path_set(&paths);
    let mut counts = BTreeSet::new();
    for cut in 0..=bytes.len() {
        let expected = oracle::found(&bytes[..cut], &paths);
        counts.insert(expected.0.len());
        assert_eq!(watched(&bytes[..cut], &set), expected, "the first {cut} bytes");
    }
    assert!(counts.len() > 2, "{counts:?}");
}

#[test]
fn skip_6() {
    rows("SKIP-6");
    // Deeper than a walk may go, as deep as the path leads.
    let bytes = nested(200);
    let path = Path::new(&[0x01; Path::MAX_LEN]).unwrap();
    let set = PathSet::<1>::from_slice(&[path]).unwrap();
    let hit = set.watch(&bytes).next().unwrap().unwrap();
    assert!(check(&bytes).is_err());
    // From there on, deeper still: a hit's packets can be watched in turn, to the innermost.
    let mut node = hit.packet();
    for _ in 0..(200 - Path::MAX_LEN) / Path::MAX_LEN {
        node = set.watch_packets(node.children()).next().unwrap().unwrap().packet();
    }
    let inner = PathSet::new([y3::path!(0x02)]).watch_packets(node.children()).next().unwrap().unwrap();
    assert_eq!((inner.value(), inner.offset()), (&[0xff][..], bytes.len() as u64 - 3));
}

/// A reader of outermost packets from pieces: it keeps what the parser could not use yet, and asks again with more.
fn in_pieces<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<Vec<u8>>, Option<oracle::Fault>) {
    let (mut read, mut held, mut place) = (Vec::new(), Vec::new(), 0);
    for piece in pieces {
        held.extend_from_slice(piece);
        loop {
            let parsed = packet::<Fault>().parse(&held).map(|(_, packet)| packet.as_bytes().to_vec());
            match parsed {
                Ok(packet) => {
                    held.drain(..packet.len());
                    place += packet.len() as u64;
                    read.push(packet);
                }
                // No fault while more may come [STRM-2].
                Err(nom::Err::Incomplete(_)) => break,
                Err(nom::Err::Error(Fault(kind)) | nom::Err::Failure(Fault(kind))) => {
                    return (read, Some((kind, place + 1)));
                }
            }
        }
    }
    (read, (!held.is_empty()).then_some((ErrorKind::UnexpectedEnd, place)))
}

fn in_one(input: &[u8]) -> (Vec<Vec<u8>>, Option<oracle::Fault>) {
    let read = packets(input).map_while(Result::ok).map(|packet| packet.as_bytes().to_vec()).collect();
    (read, packets(input).find_map(Result::err).map(fault))
}

#[test]
fn strm_1() {
    rows("STRM-1");
    // Every way to cut every input of the table in three, and byte by byte.
    for row in ROWS.iter().filter(|row| row.table == "A.6") {
        let input = unhex(row.cells[0]);
        let expected = in_one(&input);
        assert_eq!(in_pieces(input.chunks(1)), expected, "line {}", row.line);
        if input.len() > 40 {
            continue;
        }
        for second in 0..=input.len() {
            for first in 0..=second {
                let pieces = [&input[..first], &input[first..second], &input[second..]];
                assert_eq!(in_pieces(pieces.into_iter()), expected, "line {}, {first}, {second}", row.line);
            }
        }
    }
    every_small_input(|input| assert_eq!(in_pieces(input.chunks(1)), in_one(input), "{}", hex(input)));
}

#[test]
fn strm_2() {
    rows("STRM-2");
    // The streaming parsers give no fault for want of bytes, the readers of whole inputs do, and between packets nobody.
    every_small_input(|input| {
        let Some(Err(error)) = packets(input).next() else { return };
        let stop = packet::<Fault>().parse(input).unwrap_err();
        assert_eq!(stop.is_incomplete(), error.kind() == ErrorKind::UnexpectedEnd, "{}", hex(input));
    });
    assert!(packet::<Fault>().parse(&[]).unwrap_err().is_incomplete());
    assert_eq!((packets(&[]).next(), check(&[])), (None, Ok(())));
    // In nom's complete mode no more can come.
    let ended = packet::<Fault>().parse_complete(&[0x01, 0x01]);
    assert_eq!(ended, Err(nom::Err::Error(Fault(ErrorKind::UnexpectedEnd))));
}

#[test]
fn strm_3() {
    rows("STRM-3");
    // To pass over packets, whatever their size, a header held is all a reader needs, and six bytes hold every header.
    every_small_input(|input| {
        let whole = packets(input).map_while(Result::ok).map(|packet| packet.offset());
        let (mut seen, mut held, mut left) = (Vec::new(), Vec::new(), 0);
        for (place, byte) in input.iter().enumerate() {
            if left > 0 {
                left -= 1;
                continue;
            }
            held.push(*byte);
            match read_header(&held) {
                Ok((size, value_len)) => {
                    seen.push((place + 1 - size, place + 1 + value_len));
                    left = value_len;
                    held.clear();
                }
                Err(nom::Err::Incomplete(_)) => assert!(held.len() < 6),
                Err(_) => break,
            }
        }
        let ended = seen.iter().filter(|(_, end)| *end <= input.len()).map(|(start, _)| *start as u64);
        assert!(whole.eq(ended), "{}", hex(input));
    });
}
