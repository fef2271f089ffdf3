//! Hostile names files and packets: printed files can be parsed, required fields are checked, and time is linear in the
//! length of a file.

use std::time::{Duration, Instant};

use y3::Packet;
use y3_names::{Names, Type, lint};

/// The limit is ten times the time without optimisation. An earlier parser, which compared all pairs of types, took
/// minutes. benches/counts measures the growth.
const PATIENCE: Duration = Duration::from_secs(20);

fn nodes(levels: usize) -> Vec<u8> {
    (0..levels).fold(vec![0x05, 0x00], |inside, _| {
        let (high, low) = (inside.len() >> 7, inside.len() & 0x7f);
        [&[0x81, 0x80 | u8::try_from(high).unwrap(), u8::try_from(low).unwrap()][..], &inside].concat()
    })
}

#[test]
fn nodes_nested_deeper_than_packets_may_be_are_an_error_where_they_are() {
    let names = Names::default();
    for (levels, is_shown) in [(64, true), (65, false), (66, false)] {
        let (bytes, mut json, mut again) = (nodes(levels), String::new(), Vec::new());
        let shown = names.show_json(Packet::from_slice(&bytes).unwrap(), &mut json);
        assert_eq!(names.check(Packet::from_slice(&bytes).unwrap()), shown);
        match shown {
            Ok(()) => names.encode_json(&json, &mut again).unwrap(),
            // The fault is after 64 headers of three bytes.
            Err(error) => assert_eq!((error.offset(), error.message()), (192, "node nested deeper than the limit")),
        }
        assert_eq!((again.is_empty(), y3::check(&bytes).is_ok()), (!is_shown, is_shown), "{levels}");
    }
}

#[test]
fn a_field_without_a_question_mark_has_to_be_there_in_packets_and_in_json() {
    let names: Names = "01 a { 02 b u8  03 c packets { 04 d u8  05 e [{ 06 f u8 }]? }? }".parse().unwrap();
    let said = |bytes: &[u8]| {
        let packet = Packet::from_slice(bytes).unwrap();
        let (checked, shown) = (names.check(packet), names.show_json(packet, &mut String::new()));
        assert_eq!(checked, shown);
        checked.map_err(|error| error.to_string())
    };
    assert_eq!(said(&[0x81, 0x03, 0x02, 0x01, 0x07]), Ok(()));
    assert_eq!(said(&[0x81, 0x00]), Err("a: field `b` (02) is missing at byte 0".into()));
    let inside = [0x81, 0x08, 0x02, 0x01, 0x07, 0x03, 0x03, 0x0f, 0x01, 0x00];
    assert_eq!(said(&inside), Err("a/c: field `d` (04) is missing at byte 5".into()));
    let item = [0x81, 0x0c, 0x02, 0x01, 0x07, 0x03, 0x07, 0x04, 0x01, 0x00, 0xc5, 0x02, 0x80, 0x00];
    assert_eq!(said(&item), Err("a/c:e/00: field `f` (06) is missing at byte 12".into()));
    let encoded = |json: &str| {
        names.encode_json(json, &mut Vec::new()).map_err(|error| format!("{error} at byte {}", error.offset()))
    };
    assert_eq!(encoded(r#"{"a":{"b":7}}"#), Ok(()));
    assert_eq!(encoded(r#"{"a":{"0x02":7}}"#), Ok(()));
    assert_eq!(encoded(r#" {"a":{"c":{"d":1}}}"#), Err("a: field `b` (02) is missing at byte 6".into()));
    assert_eq!(encoded(r#"{"a":{"b":7,"c":{}}}"#), Err("a.c: field `d` (04) is missing at byte 16".into()));
    assert_eq!(
        encoded(r#"{"a":{"b":7,"c":{"d":1,"e":[{"f":1},{}]}}}"#),
        Err("a.c.e.1: field `f` (06) is missing at byte 36".into())
    );
}

/// The files include those of the growth table, and files that once froze the web page.
#[test]
fn hostile_names_files_take_no_longer_than_their_length() {
    let begun = Instant::now();
    let fields = (0..64).map(|key| format!("{key:02x} n{key} t?")).collect::<Vec<_>>().join(" ");
    let chain = (0..8_000).map(|place| format!("t{place} = t{} ", place + 1)).collect::<Vec<_>>().concat();
    let nodes = (0..8_000).map(|place| format!("t{place} = {{ 01 a t{}? }} ", place + 1)).collect::<Vec<_>>().concat();
    let cycle = |len: usize| -> String {
        let line = |place: usize| format!("t{place} = {{ 01 a t{}? }} ", (place + 1) % len);
        (0..len).map(line).collect::<String>() + "01 a t0"
    };
    let all = [
        format!("{chain} t8000 = u8 01 a t0"),
        format!("{nodes} t8000 = u8 01 a t0"),
        (0..8_000).map(|place| format!("t{place} = u8 ")).collect::<Vec<_>>().concat(),
        "t = [t] 01 a t".into(),
        "t = map t 01 a t".into(),
        "t = packets { 01 a t? } 01 a t".into(),
        format!("t = {{ {fields} }} 01 a t"),
        format!("t = packets {{ {fields} }} 01 a t"),
        format!("01 a ({})", "u8 ".repeat(100_000)),
        format!("01 a map {{ 01 b ({}) }}", "u8 ".repeat(100_000)),
        cycle(1_000),
        cycle(1_001),
    ];
    let parsed: Vec<Names> = all.iter().map(|text| text.parse().unwrap()).collect();
    for names in &parsed {
        assert!(names.embedded().len() <= 256);
        assert_eq!(lint::changes(names, names), []);
        let path = "a/".repeat(1_000) + "a";
        assert!(names.path(&path).is_err());
        let _ = names.label(&path);
        let many = "{\"a\":".repeat(200) + "[[],{\"x\":1}]";
        assert!(names.encode_json(&many, &mut Vec::new()).is_err());
        let bytes = [0x01, 0x3f].repeat(30_000);
        for packet in y3::packets(&bytes).flatten() {
            let _ = names.check(packet);
        }
    }
    // The shortest paths are found, even if there are very many paths.
    let first = |place: usize| parsed[place].embedded()[0].to_string();
    assert_eq!([first(5), first(7)], ["0x01", "0x01"]);
    // Each type of one file is compared with each type of the other, but never twice.
    let changes = lint::changes(&parsed[10], &parsed[11]);
    assert!(changes.is_empty(), "{changes:?}");
    for text in [
        format!("{chain} 01 a t0"),
        format!("{chain} t8000 = t0 01 a t0"),
        format!("{} 01 a {}", "long".repeat(50_000) + " = u8", "lang".repeat(50_000)),
        format!("01 a {}", "[".repeat(200_000)),
        "01 a { ".repeat(100_000),
    ] {
        let error = text.parse::<Names>().unwrap_err();
        assert!(error.in_text(&text).len() < 2_000, "{error}");
    }
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
}

/// Text from a file or an argument is escaped in messages.
#[test]
fn errors_have_no_character_that_a_terminal_obeys_or_nobody_sees() {
    let odd = "\u{1b}[2J\u{9b}\u{85}\u{200b}\u{2028}\u{202e}\u{e0041}";
    let names: Names = "01 a one of { 02 b }  03 c f32".parse().unwrap();
    let text = format!("01 a {odd} u32 # {odd}\n");
    let mut said = vec![text.parse::<Names>().unwrap_err().in_text(&text)];
    said.extend([odd.parse::<Type>().unwrap_err().to_string(), text.parse::<Names>().unwrap_err().to_string()]);
    for path in [format!("a/{odd}"), format!("a:{odd}b"), format!("{odd}/*"), format!("x{odd}")] {
        said.extend([names.path(&path), Names::default().path(&path)].map(|path| path.unwrap_err().to_string()));
    }
    for json in
        [format!("{{\"{odd}\":1}}"), format!("{{\"a\":{{\"{odd}\":1}}}}"), format!("{{\"a\":\"{odd}\"}}"), odd.into()]
    {
        let json = json.replace('\u{1b}', "\\u001b");
        said.push(names.encode_json(&json, &mut Vec::new()).unwrap_err().to_string());
    }
    said.push(
        names
            .encode_json(&format!("{{\"c\":\"{}\"}}", odd.replace('\u{1b}', "")), &mut Vec::new())
            .unwrap_err()
            .to_string(),
    );
    for said in said {
        let is_odd = |c: char| c != '\n' && c != ' ' && y3::show::escape(&c.to_string()).to_string().starts_with("\\u");
        assert!(!said.contains(is_odd), "{said:?}");
    }
}
