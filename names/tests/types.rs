//! Names files that `y3::value::names_file` generates from types. They can be parsed, and packets of the types match
//! them.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::rc::Rc;

use y3::value::{UnknownFields, names_file};
use y3::{Encode, PVarInt, Packet};
use y3_names::Names;

mod millis {
    use std::time::Duration;

    pub fn encode(time: &Duration) -> u64 {
        u64::try_from(time.as_millis()).unwrap()
    }
}

mod word {
    // The result has another type than the field, and a lifetime.
    pub fn encode(text: &str) -> Option<&str> {
        text.split(' ').next()
    }
}

/// The types of the committed file `types.y3n`.
#[derive(Encode)]
struct Reading<'a> {
    #[y3(0x10)]
    device: &'a str,
    #[y3(0x11)]
    noise: f32,
    #[y3(0x12)]
    at: Option<i64>,
    #[y3(0x13, pvar)]
    count: u32,
    #[y3(0x14, default)]
    labels: Vec<String>,
    #[y3(0x15)]
    parts: Vec<Part>,
    #[y3(0x16)]
    state: State,
    #[y3(0x17, with = millis)]
    lasted: std::time::Duration,
    #[y3(0x18)]
    limits: (u8, Celsius),
    #[y3(0x19)]
    by_channel: BTreeMap<u8, Part>,
    #[y3(0x1a)]
    raw: [u8; 3],
    #[y3(skip)]
    _cached: u8,
    #[y3(rest)]
    newer: UnknownFields<'a>,
}

#[derive(Encode)]
struct Part {
    #[y3(0x01)]
    id: u16,
    #[y3(0x02, skip_if = Vec::is_empty)]
    parts: Vec<Part>,
}

#[derive(Encode)]
struct Celsius(f64);

#[derive(Encode)]
enum State {
    #[y3(0x01)]
    Started,
    #[y3(0x02)]
    Stopped {
        #[y3(0x01)]
        after: u64,
    },
    #[y3(0x03)]
    Failed(String),
    #[y3(400)]
    Lost,
}

/// Reviewers see the committed file, and this test fails if the types have changed.
#[test]
fn the_file_of_the_types_is_the_one_that_is_checked_in() {
    assert_eq!(names_file::<Reading>(0x01, "reading").unwrap(), include_str!("types.y3n"));
}

fn reading() -> Reading<'static> {
    let part = |id, parts| Part { id, parts };
    Reading {
        device: "lab",
        noise: 45.12,
        at: Some(-1),
        count: 70_000,
        labels: vec!["a".into(), "b".into()],
        parts: vec![part(7, vec![part(8, vec![])])],
        state: State::Stopped { after: u64::MAX },
        lasted: std::time::Duration::from_millis(1500),
        limits: (3, Celsius(-0.5)),
        by_channel: BTreeMap::from([(0x3f, part(9, vec![]))]),
        raw: [1, 2, 255],
        _cached: 0,
        newer: UnknownFields::new(&[0x30, 0x01, 0x2a]).unwrap(),
    }
}

/// Converts a value to JSON with the names file of its type, and checks that the JSON is encoded as the same bytes.
fn json<T: Encode>(value: &T) -> String {
    let file = names_file::<T>(0x01, "it").unwrap();
    let names: Names = file.parse().unwrap_or_else(|error| panic!("{error} in {file}"));
    assert_eq!(names.to_string(), file, "the form in which files are written");
    let (bytes, mut json, mut again) = (y3::to_vec(0x01, value).unwrap(), String::new(), Vec::new());
    names.show_json(Packet::from_slice(&bytes).unwrap(), &mut json).unwrap_or_else(|error| panic!("{error}: {file}"));
    names.encode_json(&json, &mut again).unwrap();
    assert_eq!(again, bytes, "{json}");
    json
}

#[test]
fn a_value_has_the_names_and_types_of_its_fields() {
    let expected = r#"{"it":{"device":"lab","noise":45.12,"at":-1,"count":70000,"labels":["a","b"],"#.to_owned()
        + r#""parts":[{"id":7,"parts":[{"id":8}]}],"state":{"Stopped":{"after":18446744073709551615}},"#
        + r#""lasted":1500,"limits":[3,-0.5],"by_channel":{"0x3f":{"id":9}},"raw":"0102ff","0x30":"2a"}}"#;
    assert_eq!(json(&reading()), expected);
    assert_eq!(json(&State::Started), r#"{"it":"Started"}"#);
    assert_eq!(json(&State::Failed("oh".into())), r#"{"it":{"Failed":"oh"}}"#);
    assert_eq!(json(&State::Lost), r#"{"it":400}"#);
}

fn file<T: Encode + ?Sized>() -> String {
    names_file::<T>(0x01, "it").unwrap()
}

fn top<T: Encode + ?Sized>() -> String {
    file::<T>().trim_start_matches("01 it ").trim_end().to_owned()
}

#[test]
fn every_type_of_the_library_has_its_word() {
    assert_eq!([top::<bool>(), top::<f32>(), top::<f64>()], ["bool", "f32", "f64"]);
    assert_eq!(
        [top::<i8>(), top::<i16>(), top::<i32>(), top::<i64>(), top::<isize>()],
        ["i8", "i16", "i32", "i64", "i64"]
    );
    assert_eq!(
        [top::<u8>(), top::<u16>(), top::<u32>(), top::<u64>(), top::<usize>()],
        ["u8", "u16", "u32", "u64", "u64"]
    );
    assert_eq!([top::<str>(), top::<&String>(), top::<char>(), top::<std::borrow::Cow<str>>()], ["text"; 4]);
    assert_eq!([top::<[u8]>(), top::<Vec<u8>>(), top::<()>(), top::<IpAddr>(), top::<[u8; 4]>()], ["bytes"; 5]);
    assert_eq!([top::<Box<[u16]>>(), top::<Rc<Vec<Vec<u8>>>>(), top::<[i32; 2]>()], ["[u16]", "[bytes]", "[i32]"]);
    assert_eq!([top::<(u8, Vec<bool>)>(), top::<BTreeMap<u8, (f32, char)>>()], ["(u8 [bool])", "map (f32 text)"]);
    assert_eq!([top::<Option<u8>>(), top::<Option<Box<str>>>()], ["u8?", "text?"]);
    let pvar = [top::<PVarInt<u8>>(), top::<PVarInt<i64>>(), top::<PVarInt<Vec<(u32, f32, String)>>>()];
    assert_eq!(pvar, ["pvar i32", "pvar i64", "[(pvar u32 f32 text)]"]);
    assert_eq!(json(&PVarInt(vec![(7u32, 200u8), (u32::MAX, 0)])), r#"{"it":[[7,200],[4294967295,0]]}"#);
    // Names files have no type for any packet, so such a field has no line.
    assert_eq!([file::<Packet>(), file::<Vec<Packet>>(), file::<(u8, Packet)>()], [""; 3]);
}

mod other {
    #[derive(y3::Encode)]
    pub struct Part {
        #[y3(0x01)]
        pub r#type: u8,
        #[y3(0x02, with = super::word)]
        pub größe: String,
        #[y3(0x03)]
        pub any: Vec<u8>,
    }
}

#[derive(Encode)]
struct Page<T> {
    #[y3(0x01)]
    items: Vec<T>,
    #[y3(0x02)]
    next: Option<Box<Page<T>>>,
}

#[derive(Encode)]
#[allow(non_camel_case_types, reason = "a word of the grammar")]
struct text(#[y3(0x01)] u8, #[y3(0x02)] u8);

#[derive(Encode)]
struct Both {
    #[y3(0x01)]
    numbers: Page<i64>,
    #[y3(0x02)]
    parts: Page<Part>,
    #[y3(0x03)]
    others: Page<other::Part>,
    #[y3(0x04, pvar)]
    again: Page<i64>,
    #[y3(0x05)]
    text: text,
}

#[test]
fn types_with_one_name_and_one_type_in_two_dialects_are_definitions_of_their_own() {
    let page = |name, item: &str| format!("{name} = {{\n  01 items [{item}]\n  02 next {name}?\n}}\n");
    let both =
        "Both = {\n  01 numbers Page\n  02 parts Page-2\n  03 others Page-3\n  04 again Page-4\n  05 text Text\n}\n";
    let part = "Part = {\n  01 id u16\n  02 parts [Part]?\n}\n";
    let other = "Part-2 = {\n  01 type u8\n  02 gr__e text?\n  03 any bytes\n}\n";
    let text_type = "Text = {\n  01 _0 u8\n  02 _1 u8\n}\n";
    let pages = [page("Page", "i64"), page("Page-2", "Part"), page("Page-3", "Part-2"), page("Page-4", "pvar i64")];
    let expected = [both, &pages[0], &pages[1], part, &pages[2], other, &pages[3], text_type, "01 it Both\n"].concat();
    assert_eq!(file::<Both>(), expected);
    let page = |items: Vec<i64>, next| Page { items, next };
    let value = Both {
        numbers: page(vec![300], Some(page(vec![], None).into())),
        parts: Page { items: vec![Part { id: 1, parts: vec![] }], next: None },
        others: Page { items: vec![other::Part { r#type: 2, größe: "so so".into(), any: vec![3] }], next: None },
        again: page(vec![-300], None),
        text: text(1, 2),
    };
    let expected = r#"{"it":{"numbers":{"items":[300],"next":{"items":[]}},"parts":{"items":[{"id":1}]},"#.to_owned()
        + r#""others":{"items":[{"type":2,"gr__e":"so","any":"03"}]},"again":{"items":[-300]},"text":{"_0":1,"_1":2}}}"#;
    assert_eq!(json(&value), expected);
}

#[derive(Encode)]
struct List(Vec<List>);

#[derive(Encode)]
struct Unit;

#[derive(Encode)]
struct Empty {}

#[derive(Encode)]
#[y3(pvar)]
enum Level {
    #[y3(100)]
    High,
    #[y3(200, other)]
    Low,
}

#[derive(Encode)]
enum Open<'a> {
    #[y3(0x01)]
    Known,
    #[y3(0x02)]
    Raw(Packet<'a>),
    #[y3(other)]
    Unknown(Packet<'a>),
}

#[derive(Encode)]
struct Opaque<'a>(Vec<(Holder<'a>, Packet<'a>)>);

#[derive(Encode)]
struct Holder<'a> {
    #[y3(0x01)]
    inner: Option<Box<Opaque<'a>>>,
    #[y3(0x02)]
    byte: u8,
}

#[test]
fn types_that_hold_themselves_or_nothing_and_types_that_hold_anything() {
    assert_eq!(file::<List>(), "List = [List]\n01 it List\n");
    assert_eq!(json(&List(vec![List(vec![]), List(vec![List(vec![])])])), r#"{"it":[[],[[]]]}"#);
    assert_eq!((file::<Unit>(), json(&Unit)), ("Unit = bytes\n01 it Unit\n".into(), r#"{"it":""}"#.into()));
    assert_eq!((file::<Empty>(), json(&Empty {})), ("Empty = {}\n01 it Empty\n".into(), r#"{"it":{}}"#.into()));
    assert_eq!(file::<Level>(), "Level = pvar u32\n01 it Level\n");
    assert_eq!([json(&Level::High), json(&Level::Low)], [r#"{"it":100}"#, r#"{"it":200}"#]);
    assert_eq!(file::<Open>(), "Open = one of {\n  01 Known\n}\n01 it Open\n");
    let packet = Packet::from_slice(&[0x07, 0x01, 0x2a]).unwrap();
    assert_eq!(json(&Open::Known), r#"{"it":"Known"}"#);
    assert_eq!(json(&Open::Raw(packet)), r#"{"it":{"0x02":"2a"}}"#);
    assert_eq!(json(&Open::Unknown(packet)), r#"{"it":42}"#);
    // Types that are left out have no definition, since a definition could name a type that does not exist.
    assert_eq!(file::<Opaque>(), "");
    assert_eq!(file::<Holder>(), "Holder = {\n  02 byte u8\n}\n01 it Holder\n");
    let inner = Opaque(vec![(Holder { inner: None, byte: 1 }, packet)]);
    let shown = json(&Holder { inner: Some(inner.into()), byte: 7 });
    assert_eq!(shown, r#"{"it":{"0x01":[[{"0x02":"01"},"2a"]],"byte":7}}"#);
}

#[test]
fn a_name_is_in_the_letters_of_the_grammar_and_a_key_is_a_key() {
    assert_eq!(names_file::<u8>(0x3f, "1st größe, so").unwrap(), "3f _1st_gr__e__so u8\n");
    assert_eq!(names_file::<u8>(0x00, "").unwrap(), "00 _ u8\n");
    assert_eq!(names_file::<u8>(0x40, "a").unwrap_err().kind(), y3::ErrorKind::InvalidKey);
}
