//! Names files: paths with names, names in the output, JSON as output and input, and the effects of changes.

#[path = "../../../names/tests/support/cases.rs"]
mod cases;

use std::fmt::Write as _;
use std::fs;

use y3::Paths;
use y3_names::Names;

use crate::process::{File, folder, y3};
use crate::{NOISE, RECORDING};

pub const NAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../names/tests/noise.y3n");
const TEXT: &str = include_str!("../../../names/tests/noise.y3n");

fn names(name: &str, text: &str) -> File {
    File::new(name, text.as_bytes())
}

#[test]
fn the_recording_is_the_same_after_json_with_names_and_without() {
    for names in [&["--names", NAMES][..], &[]] {
        let json = y3(&[&["json", NOISE][..], names].concat(), b"");
        assert_eq!((json.code, json.lines().len(), &*json.errors), (0, 2003, ""));
        let back = y3(&[&["encode", "--json"][..], names].concat(), &json.bytes);
        assert!(back.code == 0 && back.bytes == RECORDING, "{}", back.errors);
    }
    let json = y3(&["json", "--names", NAMES, NOISE], b"");
    assert!(json.lines()[2].contains(r#""thing":{"noise":45.12,"time":"#), "{}", json.lines()[2]);
    assert!(json.lines()[2].contains(r#","device":"10.0.3.113"}"#));
    // The output to a pipe is valid base64, without padding in the middle.
    let back = y3(&["encode", "--json", "--names", NAMES, "--to", "base64"], &json.bytes);
    assert!(y3(&["edit", "--keep", "*", "--from", "base64"], &back.bytes).bytes == RECORDING);
}

#[test]
fn objects_need_no_lines_of_their_own() {
    let one = "{ \"frame\":\n {\"tag\":7, \"labels\":[\"}\\\"\"]}\n}";
    let expected = y3(&["encode"], b"3f{01=07 04[00=\"}\\\"\"]}").bytes;
    let run = y3(&["encode", "--json", "--names", NAMES], one.repeat(2).as_bytes());
    assert_eq!((run.code, run.bytes), (0, expected.repeat(2)), "{}", run.errors);
}

#[test]
fn json_that_is_wrong_is_named_by_its_line_and_names_and_what_was_before_it_is_written() {
    let encode = |json: &str, more: &[&str]| {
        let run = y3(&[&["encode", "--json", "--to", "hex", "--names", NAMES][..], more].concat(), json.as_bytes());
        (run.code, run.text().trim_end().to_owned(), run.errors)
    };
    let good = "{\"frame\":{\"tag\":7}}\n";
    for (json, wrong) in [
        ("\n{\"frame\":{\"tug\":7}}", "line 3, column 11: frame: no field is named `tug`; did you mean `tag`?"),
        (
            "{\"frame\":{\"payload\":{\"data\":{\"thing\":{\"noise\":\"loud\"}}}}}",
            "line 2, column 47: frame.payload.data.thing.noise: ",
        ),
        ("{\"frame\":\n {\"tag\":7,}}", "line 3, column 11: frame: expected text in quotation marks"),
        ("{\"frame\":{\"tag\":7}", "line 2, column 19: expected `,` or `}`, found the end of the JSON"),
        ("{\"\u{1b}[2J\":1}", "line 2, column "),
        ("{\"\\u001b[2J\":1}", "line 2, column 2: no field is named `\\u{1b}[2J`"),
    ] {
        let (code, bytes, errors) = encode(&format!("{good}{json}"), &[]);
        assert_eq!((code, &*bytes), (3, "bf03010107"), "{json}");
        assert!(errors.contains(wrong) && !errors.contains('\u{1b}'), "{json}: {errors}");
    }
    // The limit applies to each object, not to the whole input.
    assert_eq!(encode(&good.repeat(100), &["--max-object", "30"]).0, 0);
    let (code, bytes, errors) =
        encode(&format!("{good}{{\"frame\":{{\"labels\":[\"long\"]}}}}"), &["--max-object", "25"]);
    assert_eq!((code, &*bytes), (3, "bf03010107"));
    assert!(errors.contains("line 2: the object has more than 25 bytes"), "{errors}");
    assert_eq!(y3(&["encode", "--json"], b" \n").code, 1);
    assert_eq!(y3(&["encode", "--names", NAMES], b"").code, 2);
}

#[test]
fn a_packet_that_is_not_what_the_file_says_is_named_with_the_file_s_type() {
    let file = names("wrong", &TEXT.replace("device  text", "device  bool"));
    for subcommand in ["json", "check"] {
        let run = y3(&[subcommand, "--names", file.name(), NOISE], b"");
        assert_eq!(run.code, 3);
        assert!(
            run.errors.contains("frame/payload:data/thing/device: expected bool (0 to 5 bytes), found 10 bytes"),
            "{}",
            run.errors
        );
        assert!(run.errors.ends_with(" at byte 113\n"), "{}", run.errors);
    }
    assert_eq!(y3(&["check", "--quiet", "--names", NAMES, NOISE], b"").code, 0);
    // Lines before the fault are printed, and the message is the same as in other subcommands.
    let input = [0xbf, 0x03, 0x01, 0x01, 0x07, 0xbf, 0x02, 0x01, 0x05];
    let run = y3(&["json", "--names", NAMES], &input);
    assert_eq!((run.code, run.lines()), (3, vec![r#"{"frame":{"tag":7}}"#]));
    assert!(run.errors.contains("in 0x3f, packet 0x01 at byte 7 declares 5 bytes but has 0"), "{}", run.errors);
}

#[test]
fn paths_may_be_names_and_their_types_are_those_of_the_file() {
    let watch = |arguments: &[&str]| y3(&[&["watch", "--names", NAMES], arguments, &[NOISE]].concat(), b"");
    let run = watch(&["frame/payload:data/thing/noise"]);
    assert_eq!((run.code, run.lines().len()), (0, 2000));
    assert_eq!(run.lines()[0], "      99  frame/payload:data/thing/noise  45.12");
    // Paths mix names and keys, types can differ from the file, and INPUT comes last.
    let run = watch(&["3f/02:data/0x10/device", "frame/tag=bytes", "*/02:*/10/11"]);
    assert_eq!(
        run.lines()[..3],
        [
            "      68  frame/tag=bytes  33",
            "      99  */02:*/10/11  42347ae1",
            "     113  3f/02:data/0x10/device  \"10.0.3.113\"",
        ]
    );
    let json = watch(&["--json", "frame/tag"]);
    assert!(
        json.lines()[0].starts_with(r#"{"offset":68,"path":"frame/tag","type":"u32","value":51,"#),
        "{}",
        json.lines()[0]
    );
    let bytes = [0x81, 0x05, 0x00, 0x03, 0x01, 0x01, 0x00, 0x02, 0x01, 0xff];
    let file = names("narrow", "01 parts [packets { 01 a u8 }]  02 b u8");
    let run = y3(&["watch", "parts/00:a", "b", "--names", file.name(), "-"], &bytes[..7]);
    assert_eq!((run.code, run.lines()), (0, vec!["       4  parts/00:a  0"]));
}

#[test]
fn a_name_that_is_not_there_says_which_is_near() {
    for (path, wrong) in [
        ("fram/tag", "no field is named `fram`; did you mean `frame`?"),
        ("frame/payload:data/thing/nois", "no field is named `nois` inside `thing`; did you mean `noise`?"),
        ("frame/payload/data", "`payload` contains packets in its bytes: write payload:data"),
        ("frame:tag", "`frame` is a node: write frame/tag"),
        ("frame/tag/none", "no field is named `none` inside `tag`; the names file has no names there"),
        ("*/tag", "no field is named `tag` inside `*`; the names file has no names there"),
        ("frame/99", "0x99 is above 0x3f"),
        ("frame/", "a key must follow each `/` and `:`"),
    ] {
        for arguments in [
            &["watch", path, NOISE][..],
            &["check", "--open", path, NOISE],
            &["edit", "--keep", path, NOISE],
            &["edit", "--rename", &format!("{path}=01"), NOISE],
        ] {
            let run = y3(&[arguments, &["--names", NAMES]].concat(), b"");
            assert!(run.code == 2 && run.errors.contains(wrong), "{arguments:?}: {}", run.errors);
        }
    }
    // A wrong path before the last argument is not taken for an INPUT.
    let run = y3(&["watch", "--names", NAMES, "frame", "fram/tag", NOISE], b"");
    assert!(run.code == 2 && run.errors.contains("did you mean `frame`?"), "{}", run.errors);
    assert!(y3(&["watch", "frame/tag", NOISE], b"").errors.contains("`frame` is not a hexadecimal key"));
}

#[test]
fn dump_and_stat_show_names_beside_numbers_and_open_what_holds_packets() {
    // docs/COMMAND.md has a dump without mismatches.
    let wrong = [0xbf, 0x0b, 0x01, 0x01, 0xff, 0x06, 0x01, 0x01, 0xc5, 0x03, 0x80, 0x01, 0x00];
    let run = y3(&["dump", "--names", NAMES], &wrong);
    assert!(run.text().contains("0x01 tag: 1 byte = u32 4294967295\n"), "{}", run.text());
    assert!(run.text().contains("0x06 state: 1 byte = \"started\"\n"), "{}", run.text());
    let fault = "0x00 node: 1 byte ! packet reaches past the end of its node: 0 bytes present";
    assert!(run.code == 3 && !run.text().contains(fault), "{}", run.text());
    let wrong = [0xbf, 0x07, 0x01, 0x01, 0xff, 0xc5, 0x02, 0x80, 0x00];
    let run = y3(&["dump", "--names", NAMES], &wrong);
    assert!(run.text().ends_with("0x00 node: empty ! field `id` (01) is missing\n"), "{}", run.text());
    assert!(
        run.code == 3 && run.errors.ends_with("field `id` (01) is missing, in the packet at byte 7\n"),
        "{}",
        run.errors
    );
    let stat = y3(&["stat", "--names", NAMES, NOISE], b"");
    let opened = y3(&["stat", "--open", "3f/02", NOISE], b"");
    let line = |path: &str| *stat.lines().iter().find(|line| line.starts_with(&format!("{path} "))).unwrap();
    assert!(line("3f/02:01/10/11").ends_with("  primitive  frame/payload:data/thing/noise"));
    assert!(line("3f/03").ends_with("  primitive  frame/03"));
    assert!(line("31").ends_with("  node"));
    assert!(opened.lines().iter().zip(stat.lines()).all(|(plain, named)| named.starts_with(plain)));
    // A fault in a primitive that the names file opens is reported with its offset.
    let cut = [0xbf, 0x04, 0x02, 0x02, 0x01, 0x05];
    for subcommand in ["dump", "stat", "check", "json"] {
        assert_eq!(y3(&[subcommand, "--names", NAMES], &cut).code, 3, "{subcommand}");
    }
}

#[test]
fn edits_take_names_and_write_what_keys_write() {
    for (named, numbered) in [
        (&["--remove", "frame/payload:data/thing/device"][..], &["--remove", "3f/02:01/10/13"][..]),
        (&["--keep", "frame/tag", "--keep", "frame/*"], &["--keep", "3f/01", "--keep", "3f/*"]),
        (&["--set", "frame/tag=7"], &["--set", "3f/01=u32(7)"]),
        (&["--set", "frame/payload:data/thing/device=lab"], &["--set", "3f/02:01/10/13=\"lab\""]),
        (&["--set", "frame/payload:data/thing{11=f32(1) 12=00 13=}"], &["--set", "3f/02:01/10{11=f32(1) 12=00 13=}"]),
        (&["--rename", "frame/tag=labels"], &["--rename", "3f/01=04"]),
        (&["--rename", "frame=0x20"], &["--rename", "3f=20"]),
        (
            &["--append", "frame=20=\"a\"", "--insert", "frame/tag=21=00"],
            &["--append", "3f=20=\"a\"", "--insert", "3f/01=21=00"],
        ),
    ] {
        let run = y3(&[&["edit", "--names", NAMES, NOISE][..], named].concat(), b"");
        assert!(run.code == 0 && run.bytes != RECORDING, "{named:?}: {}", run.errors);
        assert!(run.bytes == y3(&[&["edit", NOISE][..], numbered].concat(), b"").bytes, "{named:?}");
    }
    for (edit, wrong) in [
        (
            ["--rename", "frame/tag=label"],
            "'label' is not a key: no field is named `label` inside `frame`; did you mean `labels`?",
        ),
        (["--rename", "frame/tag=frame/tag"], "it is not one key"),
        (["--rename", "frame/tag=*"], "it is not one key"),
        (["--set", "frame/tog=00"], "for '--set <PATH=VALUE>': 'frame/tog' is not a path"),
        (["--set", "frame/tag"], "expected PATH=VALUE"),
    ] {
        let run = y3(&[&["edit", "--names", NAMES, NOISE][..], &edit].concat(), b"");
        assert!(run.code == 2 && run.errors.contains(wrong), "{edit:?}: {}", run.errors);
    }
}

#[test]
fn an_error_in_a_names_file_has_a_caret_under_its_place() {
    let file = names("faulty", "01 a u32\n02 b { 40 c u8 }\n");
    let run = y3(&["json", "--names", file.name(), NOISE], b"");
    assert_eq!(run.code, 2);
    assert!(run.errors.contains(" is not a names file: expected a key, or }\n"), "{}", run.errors);
    assert!(run.errors.ends_with(":2:8\n  |\n2 | 02 b { 40 c u8 }\n  |        ^^\n"), "{}", run.errors);
    let file = names("twice", "t = u8  t = u8");
    assert!(y3(&["json", "--names", file.name()], b"").errors.contains(": duplicate type `t`\n"));
    // A file can contain control characters.
    let odd = "\u{1b}[2J\u{9b}\u{85}\u{200b}\u{2028}\u{202e}\u{e0041}";
    let file = names("hostile", &format!("# {odd}\n01 a {odd} u33 # {odd}"));
    let run = y3(&["json", "--names", file.name()], b"");
    let is_odd = |c: char| c != '\n' && odd.contains(c) && !c.is_ascii_graphic();
    assert!(run.code == 2 && !run.errors.contains(is_odd), "{}", run.errors);
    assert_eq!(y3(&["json", "--names", "none.y3n"], b"").code, 2);
}

#[test]
fn a_change_of_a_names_file_is_said_with_its_row_and_is_1_unless_it_is_safe() {
    let check = |from: &str, to: &str| {
        let new = names("changed", &TEXT.replace(from, to));
        assert!(from.is_empty() || TEXT.contains(from));
        y3(&["names", "check", NAMES, new.name()], b"")
    };
    let same = check("", "");
    assert_eq!((same.code, same.text()), (0, ""));
    let run = check("noise   f32", "noise   f64");
    assert_eq!(run.code, 1);
    assert_eq!(
        run.lines()[..2],
        [
            "silently wrong: 3f/02:01/10/11 changes from f32 to f64  (frame/payload:data/thing/noise)",
            "  the type changes between `f32` and `f64`"
        ]
    );
    assert!(run.lines()[2].starts_with("  old reader, new packet: another number"), "{}", run.text());
    let run = check("thing {", "item {");
    assert!(run.code == 0 && run.text().starts_with("safe: 3f/02:01/10 `thing` is named `item` now"), "{}", run.text());
    let faulty = names("faulty-change", "01 a");
    assert_eq!(y3(&["names", "check", NAMES, faulty.name()], b"").code, 2);
    assert_eq!(y3(&["names"], b"").code, 2);
}

#[test]
fn a_value_that_is_set_by_a_names_file_has_its_type() {
    let input = [0xbf, 0x05, 0x01, 0x01, 0x07, 0x20, 0x00];
    let edit = |arguments: &[&str]| y3(&[&["edit", "--to", "hex", "--names", NAMES][..], arguments].concat(), &input);
    for (arguments, bytes) in [
        (&["--set", "frame/tag=30"][..], "bf0501011e2000"),
        (&["--set", "3f/01=30"], "bf0501011e2000"),
        (&["--set", "frame/20=30"], "bf06010107200130"),
        (&["--append", "frame=state=started"], "bf080101072000060101"),
        (&["--append", "frame=labels=[\"a\"]"], "bf0a0101072000c403000161"),
        (&["--append", "frame=state={\"stopped\":{\"after\":7}}"], "bf0c01010720008605820301 0107"),
        (&["--insert", "frame/tag=04[00=\"a\"]"], "bf0ac4030001610101072000"),
    ] {
        let run = edit(arguments);
        assert_eq!((run.code, run.text().trim_end()), (0, &*bytes.replace(' ', "")), "{arguments:?} {}", run.errors);
    }
    for (set, wrong) in [
        ("frame/tag=zz", "'frame/tag=zz' for '--set <PATH=VALUE>': 'zz' is not a value for u32: "),
        ("frame/tag=-1", "'-1' is not a value for u32: -1 is out of the range of u32"),
        ("frame/tag=u32(7)", "'u32(7)' is not a value for u32: "),
        ("frame/tag{01=05}", "'{01=05}' is not a value for u32: expected u32, found a node"),
        ("frame={}", "'{}' is not a value for a node: field `tag` (01) is missing"),
        (
            "frame/state=stoped",
            "'stoped' is not a value for one of started, stopped: no variant is named `stoped`; did you mean `stopped`?",
        ),
    ] {
        let run = edit(&["--set", set]);
        assert!(run.code == 2 && run.errors.contains(wrong) && !run.errors.contains("at byte"), "{}", run.errors);
    }
    // Without a names file, the value is in the text form. The message has no offset, since the user did not type the
    // text that is parsed.
    let run = y3(&["edit", "--set", "01=zz"], &input);
    assert!(
        run.code == 2 && run.errors.contains("'zz' is not a value: ") && !run.errors.contains("byte 3"),
        "{}",
        run.errors
    );
}

#[test]
fn a_dump_as_text_has_literals_of_the_types_and_names_and_reads_back() {
    let text = y3(&["dump", "--text", "--names", NAMES, NOISE], b"");
    assert!(text.text().contains("        11=f32(45.12) # noise\n        12=pi64(1604920320000) # time\n"));
    assert!(y3(&["encode"], &text.bytes).bytes == RECORDING);
    // Values that do not match their type keep their bytes.
    let all = "01 a [u8] 02 b { 01 c text? 02 d f32? 03 e bool? 04 f (i8 text)? 05 g packets { 01 h u64 }? }";
    let file = names("literals", all);
    let mut bytes = Vec::new();
    for at in 0..2000_u32 {
        let byte = at.wrapping_mul(2_654_435_761).to_be_bytes()[0];
        bytes.push(if at % 3 == 0 { byte & 0x87 } else { byte % 12 });
    }
    for bytes in [
        &bytes[..],
        &y3(&["encode"], b"!02_3=<<01=u64(7)>> 02{01_2=61 02=3e80 03=01 04[00=ff,00=\"\"] !05=<<01=07>>}").bytes,
    ] {
        let text = y3(&["dump", "--text", "--from", "raw", "--names", file.name()], bytes);
        assert!(y3(&["encode"], &text.bytes).bytes == bytes, "{}", text.text());
    }
}

/// Returns the expected lines of `y3 watch` and of `y3 json`. Each `bool` is true if a packet is faulty.
fn expected(bytes: &[u8], names: &Names, path: &str, label: &str) -> ((String, bool), (String, bool)) {
    let (mut lines, mut is_faulty) = (String::new(), false);
    let (watched, schema) = names.path(path).unwrap();
    for hit in Paths::new([watched]).watch(bytes) {
        let Ok(hit) = hit else {
            is_faulty = true;
            continue;
        };
        let packet = hit.packet();
        let _ = write!(lines, "{label}: {:>8}  {path}  ", packet.offset());
        let _ = match schema.decode(packet) {
            _ if schema.kind().is_none() && packet.is_node() => {
                writeln!(lines, "{}", y3::show::text(packet.as_bytes()))
            }
            Ok(value) => writeln!(lines, "{value}"),
            Err(error) => writeln!(lines, "({error})"),
        };
    }
    let mut json = String::new();
    let shown = y3::packets(bytes).try_for_each(|packet| {
        let start = json.len();
        let shown = packet.ok().and_then(|packet| names.show_json(packet, &mut json).ok());
        json.truncate(if shown.is_some() { json.len() } else { start });
        shown.map(|()| json.push('\n'))
    });
    ((lines, is_faulty), (json, shown.is_none()))
}

/// `Y3_CASES` sets the number of cases, and `Y3_SEED` the seed.
#[test]
fn random_packets_under_random_names_files_have_the_answer_of_the_library() {
    const PACKETS: u64 = 50;
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let (cases, seed) = (number("Y3_CASES").unwrap_or(10_000_u64), number("Y3_SEED").unwrap_or(41));
    let (mut random, folder) = (cases::Random(seed), folder());
    let (inputs, file) = (folder.path().join("in"), folder.path().join("names.y3n"));
    fs::create_dir_all(&inputs).unwrap();
    let [inputs_text, file_text] = [&inputs, &file].map(|path| path.to_str().unwrap());
    let (mut values, mut refused) = (0, 0);
    for case in 0..cases.div_ceil(PACKETS) {
        let (text, path) = (random.names(), random.path());
        fs::write(&file, &text).unwrap();
        let packets: Vec<Vec<u8>> = (0..PACKETS).map(|_| random.packets(4)).collect();
        for (index, bytes) in packets.iter().enumerate() {
            fs::write(inputs.join(format!("{index:02}.y3")), bytes).unwrap();
        }
        let watch = y3(&["watch", "--from", "raw", "--names", file_text, path, "--", inputs_text], b"");
        let json = y3(&["json", "--from", "raw", "--names", file_text, inputs_text], b"");
        let names: Names = match text.parse() {
            Ok(names) => names,
            Err(error) => {
                assert!(
                    watch.code == 2 && watch.errors.contains(&y3_names::ParseError::to_string(&error)),
                    "{}",
                    watch.errors
                );
                refused += 1;
                continue;
            }
        };
        let about = format!("seed {seed}, group {case}: {path}\n{text}");
        let is_path = names.path(path).is_ok();
        let (mut lines, mut jsons, mut is_faulty, mut is_unshown) = (String::new(), String::new(), false, false);
        for (index, bytes) in packets.iter().enumerate() {
            let label = inputs.join(format!("{index:02}.y3")).display().to_string();
            let path = if is_path { path } else { "*" };
            let ((line, faulty), (json, unshown)) = expected(bytes, &names, path, &label);
            lines += &line;
            jsons += &json;
            (is_faulty, is_unshown) = (is_faulty || faulty, is_unshown || unshown);
        }
        if is_path {
            assert_eq!(watch.text(), lines, "{about}");
            let code = if is_faulty { 3 } else { u8::from(lines.is_empty()).into() };
            assert_eq!(watch.code, code, "{about}");
        } else {
            assert_eq!(watch.code, 2, "{about}");
        }
        assert_eq!((json.text(), json.code == 3), (&*jsons, is_unshown), "{about}");
        values += lines.lines().filter(|line| !line.ends_with(')')).count();
    }
    assert!(values as u64 > cases / 20 && refused * PACKETS < cases, "{values} values, {refused} files refused");
}
