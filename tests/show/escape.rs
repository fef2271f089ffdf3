//! Characters that control a terminal or are invisible are escaped.

use y3::show::{escape, escape_json};

fn is_escaped(character: char) -> bool {
    let text = character.to_string();
    let shown = escape(&text).to_string();
    assert_eq!(shown == text, !shown.starts_with('\\'), "{shown:?}");
    shown != text
}

#[test]
fn control_characters_and_marks_are_escaped() {
    let hidden = "\0\u{7}\u{8}\n\r\t\u{1b}\u{7f}\u{80}\u{9b}\u{9f}\u{a0}\u{ad}\u{34f}\u{61c}\u{115f}\u{180e}\u{200b}\
        \u{200d}\u{200e}\u{200f}\u{2003}\u{2028}\u{2029}\u{202a}\u{202e}\u{202f}\u{2060}\u{2066}\u{2069}\u{2800}\
        \u{3000}\u{3164}\u{e000}\u{fe0f}\u{feff}\u{ffa0}\u{fff9}\u{fffe}\u{1d173}\u{1ffff}\u{e0001}\u{e0041}\
        \u{e0100}\u{f0000}\u{10ffff}\"\\";
    for character in hidden.chars() {
        assert!(is_escaped(character), "U+{:04X}", u32::from(character));
    }
}

#[test]
fn what_people_write_is_not_escaped() {
    for text in [
        "plain text, 1+1=2 ~!@#$%^&*()'`",
        "größer 45 °C",
        "Привет",
        "你好，世界",
        "नमस्ते",
        "مرحبا",
        "שלום",
        "👍🏽",
        "e\u{301}",
        "\u{fffd}",
    ] {
        assert_eq!(escape(text).to_string(), text);
    }
}

/// Every character that `char` calls a control or white space is escaped, and none is lost.
#[test]
fn every_character_is_itself_or_an_escape_of_it() {
    let step = if cfg!(miri) { 997 } else { 1 };
    for character in (0..=0x10_ffff).step_by(step).filter_map(char::from_u32) {
        let text = character.to_string();
        if character.is_control() || character.is_whitespace() && character != ' ' {
            assert!(is_escaped(character), "U+{:04X}", u32::from(character));
        }
        let json = format!("\"{}\"", escape_json(&text));
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text, "{json}");
    }
}
