//! The grammar of names files: parsing, formatting and error messages.

use y3_names::{Names, Type};

const NOISE: &str = include_str!("noise.y3n");

#[test]
fn the_example_is_written_as_it_is_read() {
    let names: Names = NOISE.parse().unwrap();
    let written = names.to_string();
    assert_eq!(written.parse::<Names>().unwrap(), names);
    assert_eq!(written.parse::<Names>().unwrap().to_string(), written);
    assert_eq!(names.fields()[0].name, "frame");
}

/// Cases that are not in the tables of docs/spec/names.md: wrong words, named types, and depth.
#[test]
fn errors_say_what_was_expected_and_where() {
    let error = |text: &str| {
        let error = text.parse::<Names>().unwrap_err();
        (error.to_string(), text.get(error.span()).unwrap_or_default().to_owned())
    };
    let said = |text: &str| error(text).0;
    assert_eq!(error("40 a u32"), ("expected a key of two hexadecimal digits, 00 to 3f".into(), "40".into()));
    assert_eq!(error("1 a u32").1, "1");
    assert_eq!(error("01 a u33"), ("there is no type `u33`; did you mean `u32`?".into(), "u33".into()));
    assert_eq!(error("01 a [pi64]"), ("there is no type `pi64`: write `pvar i64`".into(), "pi64".into()));
    assert_eq!(said("t = u32  01 a tt"), "there is no type `tt`; did you mean `t`?");
    assert_eq!(said("u32 = i32"), "`u32` is a reserved word and cannot be the name of a type");
    assert_eq!(said(&format!("01 a {}", "[".repeat(100_000))), "expected at most 64 levels");
    assert_eq!(said(&format!("01 a {}u32{}", "[".repeat(65), "]".repeat(65))), "expected at most 64 levels");
    assert!(format!("01 a {}u32{}", "[".repeat(64), "]".repeat(64)).parse::<Names>().is_ok());
    assert!("".parse::<Names>().unwrap().fields().is_empty());
}

/// Tests the rows of docs/spec/names.md.
#[test]
fn the_rows_of_the_document_hold() {
    let document = include_str!("../../docs/spec/names.md");
    let rows = document.split("\n## Rows").nth(1).unwrap().lines().filter_map(|line| line.strip_prefix("| `"));
    let mut count = 0;
    for row in rows {
        let (text, says) = row.strip_suffix("|").unwrap().split_once("` |").unwrap();
        let (text, says) = (text.replace("\\|", "|"), says.trim());
        let want = match text.parse::<Names>() {
            Ok(names) => match names.to_string().split_whitespace().collect::<Vec<_>>().join(" ") {
                said if said.is_empty() => said,
                said => format!("`{said}`"),
            },
            Err(error) => format!("error at {}: {error}", error.span().start),
        };
        assert_eq!(says, want, "{text}");
        count += 1;
    }
    assert_eq!(count, 19);
    assert!(document.contains(NOISE.split_once('\n').unwrap().1.trim_end()), "the example is the file of the tests");
}

/// Tests the JSON rows of docs/spec/names.md, and that the JSON of each packet is encoded as the same packet.
#[test]
fn the_rows_of_json_hold() {
    let document = include_str!("../../docs/spec/names.md");
    let rows = document.split("| packet with key 01 |").nth(1).unwrap().split("\n## ").next().unwrap();
    let mut count = 0;
    for row in rows.lines().filter_map(|line| line.strip_prefix("| `")) {
        let (kind, row) = row.split_once("` | `").unwrap();
        let (json, says) = row.strip_suffix(" |").unwrap().split_once("` | ").unwrap();
        let (names, kind) = (Names::default(), kind.parse::<Type>().unwrap());
        let schema = names.schema(&kind);
        let said = match schema.encode(0x01, json) {
            Ok(bytes) => {
                let value = schema.decode(y3::Packet::from_slice(&bytes).unwrap()).unwrap();
                assert_eq!(schema.encode(0x01, &value.json().to_string()).unwrap(), bytes, "{json} {value}");
                assert_eq!(schema.encode(0x01, &value.to_string()).unwrap(), bytes, "{json} {value}");
                format!("`{}`", y3_names::Value::Bytes(&bytes))
            }
            Err(error) => format!("error: {error}"),
        };
        assert_eq!(says, said, "{kind} {json}");
        count += 1;
    }
    assert_eq!(count, 41);
}
