//! Compares the reader with `serde_json`: both accept or reject the same text, and decode the same
//! values.

use proptest::prelude::*;
use serde_json::Value;

use super::{Reader, Token};

fn ours(text: &str) -> Option<Value> {
    let mut json = Reader::new(text);
    let read = value(&mut json).and_then(|value| if json.is_end() { Ok(value) } else { json.expected("the end") });
    read.map_err(|error| assert!(text.is_char_boundary(error.offset()), "{text:?}: {error}")).ok()
}

fn value(json: &mut Reader<'_>) -> super::Result<Value> {
    Ok(match json.token()? {
        Token::Null => Value::Null,
        Token::Bool(value) => value.into(),
        // The reader accepts every number, since it keeps the digits. serde_json rejects numbers that are too large for
        // a float.
        Token::Number(digits) => {
            serde_json::from_str(digits).map_err(|_| json.expected::<()>("a float").unwrap_err())?
        }
        Token::Text(text) => text.into(),
        Token::List => {
            let mut items = Vec::new();
            json.items(|json, _| value(json).map(|item| items.push(item)))?;
            items.into()
        }
        Token::Object => {
            let mut members = serde_json::Map::new();
            json.members(|json, name, _| value(json).map(|member| drop(members.insert(name.to_owned(), member))))?;
            members.into()
        }
    })
}

fn theirs(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}

fn text() -> impl Strategy<Value = String> {
    r#""([^"\\\x00-\x1f]|[ a-z]|\\["\\/bfnrt]|\\u[0-9a-cA-C][0-9a-fA-F]{3}|\\u[dD][89abAB][0-9a-f]{2}\\u[dD][c-fC-F][0-9a-f]{2}){0,6}""#
}

fn json() -> impl Strategy<Value = String> {
    let number = r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,2})?";
    let leaf = prop_oneof!["null|true|false", number, text()];
    leaf.prop_recursive(6, 40, 5, |value| {
        let blank = || "[ \t\r\n]{0,2}";
        let item = (blank(), value, blank()).prop_map(|(before, value, after)| before + &value + &after);
        let member =
            (blank(), text(), blank(), item.clone()).prop_map(|(a, name, b, value)| a + &name + &b + ":" + &value);
        let between = |[open, close]: [&str; 2], all: &[String]| format!("{open}{}{close}", all.join(","));
        prop_oneof![
            proptest::collection::vec(item, 0..5).prop_map(move |items| between(["[ ", "]"], &items)),
            proptest::collection::vec(member, 0..5).prop_map(move |members| between(["{", " }"], &members)),
        ]
    })
}

/// Pieces of valid and invalid JSON.
fn piece() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "", "", "", "[", "]", "{", "}", ",", ":", "\"", "\\", "\\u", "\\ud800", "\\udc00", "\\x", "0", "1", "-", "+",
        ".", "e", "E", "null", "true", "false", "nul", "NaN", " ", "\n", "\t", "\0", "\u{b}", "\u{c}", "\u{1f}",
        "\u{7f}", "\u{a0}", "é", "\u{2028}", "\u{feff}", "😀", "/*x*/", "'",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(15_000))]

    #[test]
    fn json_with_any_pieces_changed_is_taken_or_refused_as_by_serde_json(
        mut text in json(), changes in proptest::collection::vec((any::<prop::sample::Index>(), 0_usize..3, piece()), 0..4),
    ) {
        for (place, len, piece) in changes {
            let mut ends: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
            ends.push(text.len());
            let first = place.index(ends.len());
            text.replace_range(ends[first]..ends[(first + len).min(ends.len() - 1)], piece);
        }
        prop_assert_eq!(ours(&text), theirs(&text));
    }
}

/// The text before the fault is valid, so the offset must be the position of the fault.
#[test]
fn text_that_is_wrong_is_named_with_its_place() {
    let said = |text: &str| value(&mut Reader::new(text)).map_err(|error| format!("{}: {error}", error.offset()));
    for (text, wrong) in [
        ("", "0: expected a value, found the end of the JSON"),
        (" nul", "1: expected `null`, `true` or `false`"),
        ("[true,fals]", "6: expected `null`, `true` or `false`"),
        ("[1,-]", "3: expected a number"),
        ("[01]", "1: expected a number"),
        ("[1.]", "1: expected a number"),
        ("[\"ab\n\"]", "4: a control character in text is written as \\u and four digits"),
        ("[\"ab", "4: the JSON ends inside text"),
        ("[\"a\\xb\"]", "3: expected \\\" \\\\ \\/ \\b \\f \\n \\r \\t, or \\u and four digits"),
        ("[\"a\\u12éb\"]", "3: expected \\\" \\\\ \\/ \\b \\f \\n \\r \\t, or \\u and four digits"),
        ("[1 2]", "3: expected `,` or `]`"),
        ("{\"a\":1", "6: expected `,` or `}`, found the end of the JSON"),
        ("{\"a\" 1}", "5: expected `:`"),
        ("{\"a\":1,}", "7: expected text in quotation marks"),
        ("[?]", "1: expected a value"),
    ] {
        assert_eq!(said(text), Err(wrong.into()), "{text:?}");
    }
    let deep = "[".repeat(100_000);
    assert_eq!(said(&deep), Err("127: objects and arrays are nested more than 127 deep".into()));
}
