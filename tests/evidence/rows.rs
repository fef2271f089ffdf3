//! The rows of SPEC.md. Their only source is docs/spec/vectors/*.json; the tables in the documents show them. A test
//! compares the tables with the files; `Y3_WRITE_TABLES=1 cargo test --test evidence rows` writes the tables again.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde_json::Value;

/// The files in the order of the tables.
const FILES: [(&str, &str); 8] = [
    ("core", include_str!("../../docs/spec/vectors/core.json")),
    ("numbers", include_str!("../../docs/spec/vectors/numbers.json")),
    ("watch", include_str!("../../docs/spec/vectors/watch.json")),
    ("stream", include_str!("../../docs/spec/vectors/stream.json")),
    ("limits", include_str!("../../docs/spec/vectors/limits.json")),
    ("edit", include_str!("../../docs/spec/vectors/edit.json")),
    ("text", include_str!("../../docs/spec/vectors/text.json")),
    ("types", include_str!("../../docs/spec/vectors/types.json")),
];

/// The documents with tables of rows.
const DOCUMENTS: [(&str, &str); 4] = [
    ("vectors.md", include_str!("../../docs/spec/vectors.md")),
    ("editing.md", include_str!("../../docs/spec/editing.md")),
    ("text.md", include_str!("../../docs/spec/text.md")),
    ("serde.md", include_str!("../../docs/spec/serde.md")),
];

pub struct Row {
    /// The number of the table: `A.1` to `A.8`, `E.1` and so on.
    pub table: &'static str,
    pub id: String,
    pub rules: Vec<String>,
    /// The cells as in the table, but without backticks and with `empty` as an empty cell.
    pub cells: Vec<String>,
    /// The row as in the file.
    pub json: Value,
}

impl Row {
    pub fn shows(&self, rule: &str) -> bool {
        self.rules.iter().any(|shown| shown == rule)
    }
}

pub static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let rows = FILES.iter().flat_map(|(profile, text)| {
        let rows: Vec<Value> = serde_json::from_str(text).unwrap_or_else(|error| panic!("{profile}.json: {error}"));
        rows.into_iter().map(|json| {
            let (table, cells) = shown(profile, &json);
            let rules = json["rules"].as_array().unwrap().iter().map(|rule| rule.as_str().unwrap().to_owned());
            Row { table, id: text_of(&json, "id"), rules: rules.collect(), cells, json }
        })
    });
    rows.collect()
});

fn text_of(row: &Value, name: &str) -> String {
    row[name].as_str().unwrap_or_else(|| panic!("no text {name} in {row}")).to_owned()
}

/// An error as `Kind@offset`, and the number of missing bytes if it is known.
fn fault(error: &Value) -> String {
    let error = error.as_array().unwrap();
    let kind = error[0].as_str().unwrap().to_owned();
    ["@", ":"].iter().zip(&error[1..]).fold(kind, |text, (between, number)| text + between + &number.to_string())
}

/// A result (text or number) or an error.
fn outcome(row: &Value) -> String {
    match (&row["result"], &row["error"]) {
        (Value::String(text), Value::Null) => text.clone(),
        (Value::Number(number), Value::Null) => number.to_string(),
        (Value::Null, error) => fault(error),
        _ => panic!("no outcome of {row}"),
    }
}

/// Hits as `number@offset:value` and errors as `Kind@offset`.
fn events(row: &Value) -> String {
    let Value::Array(events) = &row["result"] else { return outcome(row) };
    let event = |event: &Value| match &event[0] {
        Value::Number(path) => format!("{path}@{}:{}", event[1], event[2].as_str().unwrap()),
        _ => fault(event),
    };
    let mut text = events.iter().map(event).collect::<Vec<_>>().join(" ");
    if text.is_empty() {
        text = "none".into();
    }
    match &row["or"] {
        Value::Null => text,
        other => format!("{text}, or {}", other.as_str().unwrap()),
    }
}

fn paths(row: &Value) -> String {
    let paths = row["paths"].as_array().unwrap().iter().map(|path| path.as_str().unwrap());
    let paths: Vec<_> = paths.map(|path| if path.is_empty() { "/" } else { path }).collect();
    if paths.is_empty() { "none".into() } else { paths.join(" ") }
}

fn limits(row: &Value) -> String {
    let limit = |name: &str| row["limits"][name].as_u64().map(|number| format!("{name} {number}"));
    let mut limits: Vec<_> = ["packet", "value", "depth"].iter().filter_map(|name| limit(name)).collect();
    limits.extend((row["goes_on"] == true).then(|| "goes on".to_owned()));
    if limits.is_empty() { "none".into() } else { limits.join(" ") }
}

/// The table of a row and the cells of the row in it.
fn shown(profile: &str, row: &Value) -> (&'static str, Vec<String>) {
    let text = |name| text_of(row, name);
    let key = || format!("{:02x}", row["key"].as_u64().unwrap());
    let dialect = || row["dialect"].as_str().unwrap_or("-").to_owned();
    // A text is shown in the quotes of JSON, so that its ends are visible.
    let value =
        |value: &Value| if row["type"] == "text" { value.to_string() } else { value.as_str().unwrap().to_owned() };
    match (profile, row["op"].as_str().unwrap()) {
        ("core", "length") => ("A.1", vec![text("hex"), outcome(row)]),
        ("core", "read") if row["error"].is_null() => ("A.2", vec![text("hex"), outcome(row)]),
        ("core", "read") => {
            ("A.3", vec![text("hex"), row["error"][0].as_str().unwrap().into(), row["error"][1].to_string()])
        }
        ("numbers", "decode") => {
            let read = if row["error"].is_null() { value(&row["result"]) } else { outcome(row) };
            ("A.4", vec![text("type"), dialect(), text("hex"), read])
        }
        ("core", "write_length") => ("A.5", vec![format!("length {}", row["length"]), outcome(row)]),
        ("core", "write") => ("A.5", vec![format!("packets {}", text("packets")), outcome(row)]),
        ("numbers", "encode") => {
            ("A.5", vec![format!("{} {} {}", text("type"), dialect(), value(&row["value"])), outcome(row)])
        }
        ("watch", "watch") => ("A.6", vec![text("hex"), paths(row), events(row)]),
        ("numbers", "value") => {
            let read = if row["error"].is_null() { value(&row["result"]) } else { outcome(row) };
            ("A.7", vec![format!("value {} {}", text("type"), dialect()), text("hex"), read])
        }
        ("core", "find") => ("A.7", vec![format!("find {}", key()), text("hex"), outcome(row)]),
        ("core", call @ ("one" | "children" | "embedded")) => ("A.7", vec![call.into(), text("hex"), outcome(row)]),
        ("stream" | "limits", reader) => {
            let reader = match reader {
                "watch" => format!("watch {}", paths(row)),
                "search" => format!("search {}", key()),
                other => other.to_owned(),
            };
            ("A.8", vec![reader, limits(row), text("hex"), events(row)])
        }
        ("edit", call @ ("project" | "remove")) => ("E.1", vec![call.into(), text("hex"), paths(row), outcome(row)]),
        ("edit", "patch") => {
            let (call, kind) = (if row["pad"] == true { "patch padded" } else { "patch" }, text("type"));
            let number = match kind.as_str() {
                // Written as a number, which has only one form for these bits.
                "f64" => {
                    let bits = u64::from_str_radix(text("value").strip_prefix("0x").unwrap(), 16).unwrap();
                    f64::from_bits(bits).to_string()
                }
                _ => text("value"),
            };
            let prefix = if row["dialect"] == "pvar" { "pvar-" } else { "" };
            ("E.2", vec![call.into(), text("hex"), text("path"), format!("{prefix}{kind} {number}"), outcome(row)])
        }
        ("edit", call @ ("replace" | "insert" | "append")) => {
            ("E.2", vec![call.into(), text("hex"), text("path"), text("packet"), outcome(row)])
        }
        ("edit", "edit") => {
            let edits = row["edits"].as_array().unwrap().iter().map(|edit| edit.as_str().unwrap());
            ("E.5", vec![text("hex"), edits.collect::<Vec<_>>().join("; "), outcome(row)])
        }
        ("edit", "canonical") => (
            "E.3",
            vec![text("hex"), row["result"][0].as_str().unwrap().into(), row["result"][1].as_str().unwrap().into()],
        ),
        ("edit", "rewrite") => {
            let call = row["as"].as_u64().map_or_else(|| text("as"), |key| format!("as {key:02x}"));
            ("E.4", vec![call, text("hex"), outcome(row)])
        }
        ("text", "from_text") => ("T.1", vec![Value::from(text("text")).to_string(), outcome(row)]),
        ("text", "to_text") => ("T.2", vec![text("hex"), Value::from(outcome(row)).to_string()]),
        ("types", "read_as") => {
            let read = if row["error"].is_null() { row["result"].to_string() } else { outcome(row) };
            ("Y.1", vec!["read".into(), row["type"].to_string(), text("hex"), read])
        }
        ("types", "write_as") => {
            ("Y.1", vec!["write".into(), row["type"].to_string(), row["value"].to_string(), outcome(row)])
        }
        (profile, op) => panic!("no operation {op} in {profile}.json"),
    }
}

/// A row as a line of its table. A vertical bar is escaped because it would end the cell.
fn line(row: &Row) -> String {
    let number = row.id.split_once('/').unwrap().1;
    let others: Vec<_> = row.rules.iter().skip(1).map(|rule| format!(" [{rule}]")).collect();
    let mut line = format!("| [{}]/{number}{}", row.rules[0], others.concat());
    for (place, cell) in row.cells.iter().enumerate() {
        let is_plain = match row.table {
            "A.1" | "A.7" if place + 1 == row.cells.len() => {
                cell.parse::<u64>().is_ok() || ["cut", "none"].contains(&&cell[..])
            }
            "A.3" => place > 0,
            "A.4" => place < 2,
            "A.6" | "A.8" => cell == "none" || cell == "refused",
            _ => false,
        };
        let shown = match cell.as_str() {
            "" => "empty".to_owned(),
            plain if is_plain => plain.to_owned(),
            cell => ["`", &cell.replace('|', "\\|"), "`"].concat(),
        };
        line = [&line, " | ", &shown].concat();
    }
    line + " |\n"
}

/// The document with the rows of its tables filled in.
fn with_rows(document: &str) -> String {
    let (mut out, mut table, mut is_done) = (String::new(), None, false);
    for text in document.split_inclusive('\n') {
        if let Some(heading) = text.strip_prefix("### ") {
            (table, is_done) = (heading.get(..3), false);
        }
        let is_row = table.is_some() && text.starts_with("| [");
        if !is_row {
            out += text;
        }
        if let (Some(table), false, true) = (table, is_done, text.starts_with("|---")) {
            is_done = true;
            ROWS.iter().filter(|row| row.table == table).for_each(|row| out += &line(row));
        }
    }
    out
}

#[test]
fn tables_show_the_rows_of_the_files() {
    for (name, document) in DOCUMENTS {
        let expected = with_rows(document);
        if std::env::var_os("Y3_WRITE_TABLES").is_some() {
            let path = format!("{}/../docs/spec/{name}", env!("CARGO_MANIFEST_DIR"));
            std::fs::write(path, expected).unwrap();
        } else {
            let differs = document.lines().zip(expected.lines()).find(|(old, new)| old != new);
            assert!(
                document == expected,
                "docs/spec/{name} is not what the rows say: {differs:?}; see this file's first lines"
            );
        }
    }
}

#[test]
fn every_row_is_in_one_table() {
    for table in ROWS.iter().map(|row| row.table).collect::<BTreeSet<_>>() {
        let heading = format!("### {table} ");
        assert_eq!(DOCUMENTS.iter().filter(|(_, text)| text.contains(&heading)).count(), 1, "{table}");
    }
}

#[test]
fn ids_begin_with_the_first_rule_and_are_there_once() {
    let mut ids = BTreeSet::new();
    for row in ROWS.iter() {
        let (rule, number) = row.id.split_once('/').unwrap();
        assert!(rule == row.rules[0] && number.parse::<u32>().is_ok_and(|number| number > 0), "{}", row.id);
        assert!(ids.insert(&row.id), "{} occurs twice", row.id);
    }
}
