//! A names file in the dissector: its grammar agrees with the rows of `docs/spec/names.md`, and values of every type
//! agree with what the crate decodes.

use std::fs;
use std::path::PathBuf;

use y3::{Decode, PVarInt, Packet};

use super::{RECORDING, UDP, decoded, is_close};
use crate::capture::Capture;
use testkit::hex::unhex;
use testkit::oracle::packed;
use testkit::vectors;

/// The preference for a names file with this content. The name of the test becomes the name of the file.
fn preference(protocol: &str, test: &str, content: &str) -> String {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}-{}.y3n", std::process::id()));
    fs::write(&file, content).unwrap();
    format!("{protocol}.names:{}", file.display())
}

#[test]
fn the_rows_of_the_document_are_read_or_refused_as_it_says() {
    let Some(mut capture) = Capture::open() else { return };
    capture.datagram(&[0x3e, 0x00]);
    // The messages about the packet and about the file.
    let said = |test: &str, file: &str| {
        capture.fields(&["_ws.expert.message"], &[UDP, &preference("y3", test, file)]).remove(0).remove(0)
    };
    let document = include_str!("../../docs/spec/names.md");
    let rows = document.split("## Rows").nth(1).unwrap().lines().filter_map(|line| line.strip_prefix("| `"));
    let mut count = 0;
    for row in rows {
        let (file, says) = row.strip_suffix("|").unwrap().split_once("` |").unwrap();
        let (file, says) = (file.replace("\\|", "|"), says.trim());
        // The command also suggests a similar name or the syntax of this file; the dissector does not.
        let says = says.split("; did you mean `t`?").next().unwrap().split(": write `").next().unwrap();
        let expected: Vec<_> = says.starts_with("error").then(|| format!("Names file: {says}")).into_iter().collect();
        assert_eq!(said("rows", &file), expected, "{file}");
        count += 1;
    }
    assert_eq!(count, 19);
    let example = document.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    let nested = |brackets: usize| format!("01 a {}u32{}", "[".repeat(brackets), "]".repeat(brackets));
    for (file, says) in [
        (example, ""),
        (&*nested(64), ""),
        (&*nested(65), "error at 70: expected at most 64 levels"),
        ("u32 = i32", "error at 0: `u32` is a reserved word and cannot be the name of a type"),
        ("t = u8 t = u8", "error at 7: duplicate type `t`"),
        ("01 a one u8", "error at 9: expected of"),
        ("01 a packets u8", "error at 13: expected {"),
        ("01 a (u8 [u8] ]", "error at 14: expected a type, or )"),
        ("01 a pvar u64 # \u{e4}\n02 ofen [of]", "error at 28: expected a type"),
    ] {
        let expected: Vec<_> = (!says.is_empty()).then(|| format!("Names file: {says}")).into_iter().collect();
        assert_eq!(said("more-rows", file), expected, "{file}");
    }
}

#[test]
fn a_file_that_is_not_there_is_said() {
    let Some(mut capture) = Capture::open() else { return };
    capture.datagram(&[0x01, 0x00]);
    for file in ["/nowhere/noise.y3n", "/"] {
        let frames = capture.fields(&["_ws.expert.message", "y3.path"], &[UDP, &format!("y3.names:{file}")]);
        assert!(frames[0][0][0].starts_with("Names file: "), "{frames:?}");
        assert_eq!(frames[0][1], ["01"]);
    }
}

#[test]
fn the_recording_has_names_and_values_of_their_types() {
    let file = include_str!("../../names/tests/noise.y3n");
    let Some(mut capture) = Capture::open() else { return };
    RECORDING.chunks(1400).for_each(|segment| capture.segment(segment));
    let preferences = ["y3.tcp_ports:6142", &preference("y3", "recording", file)];
    let frames = capture.fields(&["y3.name", "y3.f32", "y3.unsigned", "y3.f64", "_ws.col.Info"], &preferences);
    let names: Vec<_> = frames.iter().flat_map(|cells| &cells[0]).collect();
    assert_eq!(names.iter().filter(|name| **name == "frame.payload.data.thing.noise").count(), 2000);
    assert_eq!(frames.iter().map(|cells| cells[2].len()).sum::<usize>(), 2000);
    assert!(frames.iter().any(|cells| cells[1].iter().any(|reading| reading == "45.12")));
    assert!(frames.iter().any(|cells| cells[4][0].starts_with("frame (")));
}

#[test]
fn names_lead_through_nodes_slices_maps_variants_and_packets_and_end_where_the_file_does() {
    let Some(_) = Capture::open() else { return };
    let file = "t = { 01 next t? 02 id u8 } \
        01 root { 02 list [u8] 03 pair (text t) 04 by_key map t 05 state one of { 07 on 08 off t } 06 inside packets { 00 a u8 } \
        07 tree t 09 raw bytes }";
    let preferences = [UDP, &preference("y3", "lead", file)];
    let shown = |packets: &[&str]| {
        let bytes = unhex(&packets.concat());
        let mut capture = Capture::new();
        capture.datagram(&packed(0x81, &bytes));
        let fields = ["y3.path", "y3.name", "y3.unsigned", "y3.variant", "y3.text", "_ws.expert.message"];
        let cells = capture.fields(&fields, &preferences).remove(0);
        assert_eq!(cells[1][0], "root");
        cells.into_iter().map(|cell| cell.join(" ").replace("root.", "").replace("root ", "")).collect::<Vec<_>>()
    };
    let row = |path: &str, name: &str, unsigned: &str, variant: &str, text: &str| {
        [path, name, unsigned, variant, text, ""].map(String::from).to_vec()
    };
    assert_eq!(
        shown(&["c207000107000200ff"]),
        row("01 01/02 01/02/00 01/02/00", "list list[] list[]", "7 255", "", "")
    );
    let path = "01 01/03 01/03/00 01/03/00 01/03/00/02";
    assert_eq!(shown(&["c308000161800302", "0109"]), row(path, "pair pair[] pair[] pair[].id", "9", "", "a"));
    let path = "01 01/04 01/04/3f 01/04/3f/01 01/04/3f/01/02";
    let name = "by_key by_key.0x3f by_key.0x3f.next by_key.0x3f.next.id";
    assert_eq!(shown(&["8407bf05810302010a"]), row(path, name, "10", "", ""));
    assert_eq!(shown(&["050107"]), row("01 01/05", "state", "", "on", ""));
    assert_eq!(shown(&["050109"]), row("01 01/05", "state", "", "9", ""));
    assert_eq!(
        shown(&["850588030201", "0b"]),
        row("01 01/05 01/05/08 01/05/08/02", "state state.off state.off.id", "11", "", "")
    );
    // Opened without a preference.
    assert_eq!(shown(&["0603000103"]), row("01 01/06 01/06:00", "inside inside.a", "3", "", ""));
    // The dissector guesses the value of a packet that the file does not name, but not if the file calls it bytes.
    assert_eq!(shown(&["090161"]), row("01 01/09", "raw", "", "", ""));
    assert_eq!(shown(&["0a0161"]), ["01 01/0a", "root", "", "", "a", ""]);
    // A type other than in the file is reported, and the packets inside have no names.
    let wrong = |packet: &str| shown(&[packet]).remove(5);
    assert_eq!(wrong("8200"), "The names file says a slice");
    assert_eq!(wrong("0200"), "The names file says a slice");
    assert_eq!(wrong("c400"), "The names file says a map");
    assert_eq!(wrong("c500"), "The names file says one of");
    assert_eq!(wrong("8600"), "The names file says packets");
    assert_eq!(wrong("8703020180"), "The names file says u8");
    assert_eq!(wrong("c703020105"), "The names file says a node");
    assert_eq!(shown(&["c703020105"])[1], "tree");
}

/// The preference for a names file with types at all depths, for the keys that hostile packets have.
pub fn endless() -> String {
    let fields = "00 a [t] 01 b t 02 c packets { 01 p t 02 q map t } 03 d (f64 t) 04 e one of { 01 x 02 y t } 05 f text 3f g pvar u64";
    preference("y3", "hostile", &format!("t = {{ {fields} }} {fields}"))
}

/// The name of a type, the field that shows it, and its value in the crate.
type Row = (&'static str, usize, fn(Packet<'_>) -> Option<String>);

fn text<T: for<'a> Decode<'a> + ToString>(packet: Packet<'_>) -> Option<String> {
    decoded::<T>(packet).map(|value| value.to_string())
}

#[test]
fn values_of_every_type_are_what_the_crate_decodes_and_others_are_said() {
    let types: [Row; 16] = [
        ("i8", 0, text::<i8>),
        ("i16", 0, text::<i16>),
        ("i32", 0, text::<i32>),
        ("i64", 0, text::<i64>),
        ("pvar i32", 1, |packet| decoded(packet).map(|PVarInt::<i32>(number)| number.to_string())),
        ("pvar i64", 1, |packet| decoded(packet).map(|PVarInt::<i64>(number)| number.to_string())),
        ("u8", 2, text::<u8>),
        ("u16", 2, text::<u16>),
        ("u32", 2, text::<u32>),
        ("u64", 2, text::<u64>),
        ("pvar u32", 2, |packet| decoded(packet).map(|PVarInt::<u32>(number)| number.to_string())),
        ("pvar u64", 2, |packet| decoded(packet).map(|PVarInt::<u64>(number)| number.to_string())),
        ("f32", 3, |packet| decoded(packet).map(|value: f32| f64::from(value).to_string())),
        ("f64", 4, text::<f64>),
        ("bool", 5, |packet| decoded(packet).map(|value: bool| if value { "1" } else { "0" }.into())),
        ("text", 6, |packet| decoded(packet).map(|value: &str| value.escape_unicode().to_string())),
    ];
    let lines = types.iter().enumerate().map(|(key, (word, ..))| format!("{key:02x} v{key} {word}"));
    let file = lines.collect::<Vec<_>>().join("\n");
    let values: Vec<_> = vectors::malformed().values.into_iter().map(|value| value.hex.0).collect();
    let Some(mut capture) = Capture::open() else { return };
    for value in &values {
        (0u8..16).for_each(|key| capture.datagram(&packed(key, value)));
    }
    let fields = [
        "y3.nvar",
        "y3.pvar",
        "y3.unsigned",
        "y3.f32",
        "y3.f64",
        "y3.bool",
        "y3.text",
        "y3.name",
        "_ws.expert.message",
    ];
    let frames = capture.fields(&fields, &[UDP, &preference("y3", "values", &file)]);
    assert_eq!(frames.len(), values.len() * types.len());
    let mut right = 0;
    for (number, cells) in frames.iter().enumerate() {
        let (value, key) = (&values[number / types.len()], number % types.len());
        let (word, field, decode) = types[key];
        let packet = packed(u8::try_from(key).unwrap(), value);
        let context = format!("{word} {value:02x?} {cells:?}");
        assert_eq!(cells[7], [format!("v{key}")]);
        let Some(expected) = decode(Packet::from_slice(&packet).unwrap()) else {
            assert_eq!(cells[8], [format!("The names file says {word}")], "{context}");
            continue;
        };
        right += 1;
        assert!(cells[8].is_empty(), "{context}");
        // Exactly one field has a value, and nothing is guessed.
        let filled: Vec<usize> = (0..7).filter(|place| !cells[*place].is_empty()).collect();
        match field {
            3 | 4 => assert!(is_close(&cells[field], expected.parse().ok(), 1e-5), "{context}"),
            5 => assert!(
                cells[5] == [&*expected] || cells[5] == [if expected == "1" { "True" } else { "False" }],
                "{context}"
            ),
            6 if value.is_empty() => {}
            6 => assert_eq!(filled, [6], "{context}"),
            _ => assert_eq!(cells[field], [expected], "{context}"),
        }
        assert!(filled == [field] || value.is_empty() && field == 6, "{context}");
    }
    assert!(right > 200, "{right}");
}

#[test]
fn the_tree_with_names_in_the_readme_is_real() {
    let readme = include_str!("../../docs/wireshark/README.md");
    let Some(mut capture) = Capture::open() else { return };
    capture.datagram(&unhex("8109110442347ae1120107"));
    let file = "01 reading { 11 noise f32  12 at i64 }";
    let tree = capture.tree("Y3", &[UDP, &preference("y3", "readme", file)]);
    assert!(readme.contains(file) && readme.contains(&tree), "{tree}");
}
