//! Packets are converted to JSON and back to the same canonical bytes. Nothing is lost without an error.

#[path = "support/cases.rs"]
mod cases;

use proptest::prelude::*;
use y3::{Encoder, Error, PVarInt};
use y3_names::{Field, Names, Scalar, Type};

use cases::Random;

fn shown(names: &Names, bytes: &[u8]) -> Result<String, String> {
    let mut json = String::new();
    for packet in y3::packets(bytes) {
        names.show_json(packet.map_err(|error| error.to_string())?, &mut json).map_err(|error| error.to_string())?;
        json.push('\n');
    }
    Ok(json)
}

fn encoded(names: &Names, json: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    names.encode_json(json, &mut bytes).map_err(|error| error.to_string())?;
    Ok(bytes)
}

#[test]
fn what_the_file_does_not_name_stays_visible_by_number() {
    let names: Names = "01 root { 10 name text? }".parse().unwrap();
    let bytes = [0x81, 0x0d, 0x10, 0x01, b'a', 0x10, 0x01, b'b', 0x11, 0x01, 0xff, 0x92, 0x02, 0x01, 0x00];
    let json = shown(&names, &bytes).unwrap();
    assert_eq!(json, "{\"root\":{\"name\":\"a\",\"name#2\":\"b\",\"0x11\":\"ff\",\"0x12\":{\"0x01\":\"\"}}}\n");
    assert_eq!(encoded(&names, &json).unwrap(), bytes);
    // A slice whose items have keys other than 0.
    let odd = [0x81, 0x05, 0xd2, 0x03, 0x05, 0x01, 0x07];
    let json = shown(&names, &odd).unwrap();
    assert_eq!(json, "{\"root\":{\"0x12\":\"y3:d203050107\"}}\n");
    assert_eq!(encoded(&names, &json).unwrap(), odd);
}

#[test]
fn floats_that_are_no_numbers_and_integers_of_64_bits_are_exact() {
    let names: Names = "01 f f32 02 d f64 03 u u64 04 p pvar i64".parse().unwrap();
    for json in [
        r#"{"f":"nan"}"#,
        r#"{"f":"nan:7f800001"}"#,
        r#"{"f":"-inf"}"#,
        r#"{"f":-0.0}"#,
        r#"{"f":1e-45}"#,
        r#"{"f":3.4028235e38}"#,
        r#"{"d":"nan:fff8000000000001"}"#,
        r#"{"d":5e-324}"#,
        r#"{"u":18446744073709551615}"#,
        r#"{"p":-9223372036854775808}"#,
    ] {
        let bytes = encoded(&names, json).unwrap();
        assert_eq!(shown(&names, &bytes).unwrap().trim_end(), json);
    }
}

#[test]
fn a_packet_that_is_not_what_the_file_says_is_named_with_both() {
    let names: Names = "01 root { 10 name text? 11 count u8? 12 parts [u8]? }".parse().unwrap();
    let said = |bytes: &[u8]| shown(&names, bytes).unwrap_err();
    assert_eq!(said(&[0x01, 0x00]), "root: expected a node, found a primitive at byte 0");
    assert_eq!(said(&[0x81, 0x02, 0x90, 0x00]), "root/name: expected text, found a node at byte 2");
    assert_eq!(
        said(&[0x81, 0x02, 0x92, 0x00]),
        "root/parts: expected [u8], found a node that is not a slice at byte 2"
    );
    // The message shows the bytes if words would only repeat the type.
    assert_eq!(said(&[0x81, 0x05, 0x11, 0x03, 1, 2, 3]), "root/count: expected u8, found 010203 at byte 2");
    let wide = said(&[0x81, 0x0b, 0x11, 0x09, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(wide, "root/count: expected u8 (1 to 4 bytes), found 9 bytes at byte 2");
    assert!(said(&[0x81, 0x05, 0xd2, 0x03, 0x05, 0x01, 0x07]).ends_with("found an item with another key at byte 4"));
    assert!(said(&[0x81, 0x05, 0x11]).contains("at byte 0"));
}

#[test]
fn rows_of_a_dump_have_names_values_and_what_is_wrong() {
    let names: Names =
        "t = { 01 a (u8 text) 02 b packets { 03 c [pvar i32] 04 d one of { 07 on } } } 01 top t 02 m map f32"
            .parse()
            .unwrap();
    let bytes = [
        0x81, 0x15, 0xc1, 0x06, 0x00, 0x01, 0x05, 0x00, 0x01, b'x', 0x02, 0x09, 0xc3, 0x04, 0x00, 0x02, 0xff, 0x3f,
        0x04, 0x01, 0x07, 0x30, 0x00, 0x82, 0x03, 0x3e, 0x01, 0xff, 0x81, 0x00, 0x01, 0x00, 0x82, 0x05, 0x01, 0x7f,
    ];
    let open = names.embedded();
    let rows = names.rows(&bytes, y3::dump(&bytes).open(&open).rows());
    let said: Vec<String> = rows
        .map(|row| {
            let problem = row.problem.map_or(String::new(), |problem| format!("! {problem}"));
            let value = row.value.map_or(String::new(), |value| value.to_string());
            format!("{} {} {value}{problem}", row.name.unwrap_or("-"), row.kind.map_or("-".into(), Type::short))
        })
        .collect();
    assert_eq!(
        said,
        [
            "top a node ",
            "a a slice of 2 items ",
            "- u8 5",
            "- text \"x\"",
            "b packets ",
            "c [pvar i32] ",
            "- pvar i32 -65",
            "d one of on \"on\"",
            "- - ",
            "m a map ",
            "- f32 -1.7014118e38",
            "top a node ! field `a` (01) is missing at byte 28",
            "top a node ! expected a node, found a primitive at byte 30",
            // An incomplete packet has no value.
            "m a map ",
            "- f32 ",
        ]
    );
}

#[test]
fn a_fault_is_a_problem_of_no_packet_around_it() {
    let names: Names =
        "01 a { 02 b u8 03 c { 04 d u8 }? 05 e [u8]? 06 f (u8 u8)? 07 g packets { 08 h u8 }? }".parse().unwrap();
    let open = names.embedded();
    for bytes in [
        &[0x81, 0x03, 0x02, 0x05, 0x00][..],
        &[0x81, 0x08, 0x02, 0x01, 0x07, 0x83, 0x03, 0x04, 0x05, 0x00],
        &[0x81, 0x09, 0x02, 0x01, 0x07, 0xc5, 0x04, 0x00, 0x01, 0x05, 0x00],
        &[0x81, 0x09, 0x02, 0x01, 0x07, 0xc6, 0x04, 0x00, 0x01, 0x05, 0x00],
        &[0x81, 0x08, 0x02, 0x01, 0x07, 0x07, 0x03, 0x08, 0x05, 0x00],
    ] {
        let rows: Vec<_> = names.rows(bytes, y3::dump(bytes).open(&open).rows()).collect();
        assert_eq!(rows.iter().filter(|row| row.row.fault().is_some()).count(), 1, "{bytes:02x?}");
        assert_eq!(rows.iter().filter_map(|row| row.problem.clone()).collect::<Vec<_>>(), [], "{bytes:02x?}");
    }
}

#[test]
fn packets_as_deep_as_they_are_shown_are_read_back() {
    let names: Names = "t = packets { 01 a t? } 01 a t".parse().unwrap();
    let nested = |levels| (1..levels).fold(vec![0x01, 0x00], |inside, _| y3::to_vec(1, &inside[..]).unwrap());
    let json = shown(&names, &nested(126)).unwrap();
    assert_eq!(encoded(&names, &json).unwrap(), nested(126));
    assert!(shown(&names, &nested(127)).unwrap_err().contains("more than 126 nested packets"));
}

#[test]
fn json_that_is_wrong_says_where_and_what_is_near() {
    let names: Names =
        "01 root { 10 name text? 11 count u8? 12 state one of { 01 started 02 said text }? }".parse().unwrap();
    let said = |json: &str| encoded(&names, json).unwrap_err();
    assert_eq!(said(r#"{"roots":{}}"#), "no field is named `roots`; did you mean `root`?");
    assert_eq!(said(r#"{"root":{"count":300}}"#), "root.count: 300 is out of the range of u8");
    assert_eq!(said(r#"{"root":{"name":7}}"#), "root.name: expected text, found 7");
    assert_eq!(
        said(r#"{"root":{"state":"startet"}}"#),
        "root.state: no variant is named `startet`; did you mean `started`?"
    );
    assert_eq!(said(r#"{"root":{"state":"said"}}"#), "root.state: variant `said` has content: write {\"said\": ..}");
    assert_eq!(said(r#"{"root":{"0x40":""}}"#), "root: `0x40` is above 0x3f, the highest key");
    assert_eq!(said(r#"{"root":{"0x20":"abc"}}"#), "root.0x20: expected hexadecimal with two digits per byte");
    assert_eq!(said("[]"), "expected an object with the packet's name as its key, found an array");
    assert!(
        said(&"{\"0x01\":".repeat(200)).ends_with("0x01: node nested deeper than the limit"),
        "{}",
        said(&"{\"0x01\":".repeat(200))
    );
    // Two members with the same name are two packets.
    let twice = encoded(&names, r#"{"root":{"name":"a","name":"b"}}"#).unwrap();
    assert_eq!(twice, [0x81, 0x06, 0x10, 0x01, b'a', 0x10, 0x01, b'b']);
}

/// Creates random packets that match a names file.
struct Fitting<'n>(Random, &'n Names);

impl Fitting<'_> {
    fn below(&mut self, end: usize) -> usize {
        self.0.below(end)
    }

    fn number(&mut self) -> u64 {
        let bytes = [(); 8].map(|()| u8::try_from(self.below(256)).unwrap());
        u64::from_be_bytes(bytes) >> (8 * self.below(8))
    }

    fn text(&mut self) -> String {
        (0..self.below(5))
            .map(|_| char::from_u32(u32::try_from(self.number() % 0x300).unwrap()).unwrap_or('"'))
            .collect()
    }

    /// Writes random packets, then the required fields that are still missing.
    fn packets(&mut self, fields: &[Field], to: &mut Encoder<'_, Vec<u8>>) -> Result<(), Error> {
        let mut is_missing: Vec<bool> = fields.iter().map(|field| !field.is_optional).collect();
        for _ in 0..self.below(5) {
            match self.below(8) {
                0 => to.put(0x3f, &self.text().into_bytes()[..])?,
                1 => to.node(0x3e, |node| node.put(0x01, "x"))?,
                2 => to.slice(0x3d, |slice| slice.put(0, 7u8))?,
                _ if fields.is_empty() => {}
                _ => {
                    let place = self.below(fields.len());
                    is_missing[place] = false;
                    self.packet(&fields[place].kind, fields[place].key, to)?;
                }
            }
        }
        for (field, _) in fields.iter().zip(is_missing).filter(|(_, is_missing)| *is_missing) {
            self.packet(&field.kind, field.key, to)?;
        }
        Ok(())
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "any number will do")]
    fn packet(&mut self, kind: &Type, key: u8, to: &mut Encoder<'_, Vec<u8>>) -> Result<(), Error> {
        let names = self.1;
        match names.resolve(kind) {
            Type::Scalar(Scalar::Bytes) => to.put(key, &self.text().into_bytes()[..]),
            Type::Scalar(Scalar::Text) => to.put(key, &*self.text()),
            Type::Scalar(Scalar::Bool) => to.put(key, self.below(2) == 0),
            Type::Scalar(Scalar::F32) => to.put(key, f32::from_bits(self.number() as u32)),
            Type::Scalar(Scalar::F64) => to.put(key, f64::from_bits(self.number())),
            Type::Scalar(Scalar::I8) => to.put(key, self.number() as i8),
            Type::Scalar(Scalar::I16) => to.put(key, self.number() as i16),
            Type::Scalar(Scalar::I32) => to.put(key, self.number() as i32),
            Type::Scalar(Scalar::I64) => to.put(key, self.number() as i64),
            Type::Scalar(Scalar::U8) => to.put(key, self.number() as u8),
            Type::Scalar(Scalar::U16) => to.put(key, self.number() as u16),
            Type::Scalar(Scalar::U32) => to.put(key, self.number() as u32),
            Type::Scalar(Scalar::U64) => to.put(key, self.number()),
            Type::Scalar(Scalar::PvarI32) => to.put(key, PVarInt(self.number() as i32)),
            Type::Scalar(Scalar::PvarI64) => to.put(key, PVarInt(self.number() as i64)),
            Type::Scalar(Scalar::PvarU32) => to.put(key, PVarInt(self.number() as u32)),
            Type::Scalar(Scalar::PvarU64) => to.put(key, PVarInt(self.number())),
            Type::Packets(fields) => {
                let mut bytes = Vec::new();
                Encoder::new(&mut bytes).packets(|inside| self.packets(fields, inside))?;
                to.put(key, &bytes[..])
            }
            Type::Node(fields) => to.node(key, |node| self.packets(fields, node)),
            Type::Map(value) => {
                to.node(key, |node| (0..self.below(4)).try_for_each(|key| self.packet(value, key as u8, node)))
            }
            Type::Slice(item) => {
                to.slice(key, |slice| (0..self.below(4)).try_for_each(|_| self.packet(item, 0, slice)))
            }
            Type::Tuple(items) => to.slice(key, |slice| items.iter().try_for_each(|item| self.packet(item, 0, slice))),
            Type::OneOf(variants) => {
                let variant = &variants[self.below(variants.len())];
                match variant.kind {
                    Type::Unit => to.put(key, u32::from(variant.key)),
                    _ => to.node(key, |node| self.packet(&variant.kind, variant.key, node)),
                }
            }
            Type::Unit | Type::Named(_) => unreachable!("not made here"),
        }
    }
}

/// Tests packets that match the file.
fn round(names: &Names, random: Random) {
    let mut bytes = Vec::new();
    Encoder::new(&mut bytes).packets(|to| Fitting(random, names).packets(names.fields(), to)).unwrap();
    let json = shown(names, &bytes).unwrap_or_else(|error| panic!("{error}\n{names}\n{bytes:02x?}"));
    assert_eq!(
        encoded(names, &json).unwrap_or_else(|error| panic!("{error}\n{names}\n{json}")),
        bytes,
        "{names}\n{json}"
    );
    // No row of a dump has a fault or a mismatch.
    for row in names.rows(&bytes, y3::dump(&bytes).open(&names.embedded()).rows()) {
        assert_eq!((row.row.fault(), row.problem), (None, None), "{names}\n{bytes:02x?}");
    }
    // Each packet gives the same result as JSON, as a value that is encoded again, and with its name as a path.
    for (packet, line) in y3::packets(&bytes).map(Result::unwrap).zip(json.lines()) {
        let member = names.top().inside(Some(packet.key()), false);
        let key = packet.key().get();
        let value = member.schema.decode(packet).unwrap();
        let name = member.name.map_or(format!("0x{key:02x}"), str::to_owned);
        // The value of a primitive without a name is also bytes.
        assert_eq!(line, format!("{{\"{name}\":{}}}", value.json()));
        if let Some(name) = member.name {
            assert_eq!(member.schema.encode(key, &value.json().to_string()).unwrap(), packet.as_bytes(), "{line}");
            let (path, schema) = names.path(name).unwrap();
            assert_eq!(names.label(&path.to_string()).unwrap(), name);
            assert_eq!(schema.decode(packet).unwrap().to_string(), value.to_string());
        }
    }
}

/// Tests packets that may not match the file: their JSON can be encoded again, or all functions return the same error.
fn any(names: &Names, bytes: &[u8]) {
    for packet in y3::packets(bytes).map_while(Result::ok) {
        let (mut json, key) = (String::new(), packet.key());
        let shown = names.show_json(packet, &mut json);
        assert_eq!(&names.check(packet), &shown);
        let decoded = names.top().inside(Some(key), false).schema.decode(packet);
        match (shown, decoded) {
            (Ok(()), decoded) => {
                assert!(json.ends_with(&format!(":{}}}", decoded.unwrap().json())), "{}", json);
                let canonical = encoded(names, &json).unwrap();
                assert_eq!(self::shown(names, &canonical).unwrap(), json + "\n");
            }
            (Err(shown), decoded) => {
                let decoded = decoded.unwrap_err();
                assert_eq!((shown.offset(), shown.message()), (decoded.offset(), decoded.message()));
            }
        }
    }
}

/// `Y3_CASES` sets the number of cases.
#[test]
fn random_packets_under_random_names_are_the_same_after_json() {
    let cases = std::env::var("Y3_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(10_000);
    let mut parsed = 0;
    for seed in 0..cases {
        let mut random = Random(seed);
        let text = random.names();
        let Ok(names) = text.parse::<Names>() else { continue };
        parsed += 1;
        assert_eq!(names.to_string().parse::<Names>().unwrap(), names, "{text}");
        if let Ok((keys, _)) = names.path(random.path()) {
            let label = names.label(&keys.to_string()).unwrap_or(keys.to_string());
            assert_eq!(names.path(&label).unwrap().0, keys, "{label}");
        }
        any(&names, &random.packets(4));
        round(&names, random);
    }
    assert!(parsed > cases / 2, "{parsed}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn any_text_is_a_names_file_or_an_error_inside_it(text in "(?s)[0-3a-f {}\\[\\]()=?#\n]{0,40}|.{0,40}") {
        match text.parse::<Names>() {
            Ok(names) => prop_assert_eq!(names.to_string().parse::<Names>().unwrap(), names),
            Err(error) => prop_assert!(text.get(error.span()).is_some()),
        }
    }
}
