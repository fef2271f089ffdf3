//! Escape: makes text from a packet safe to print.

use core::fmt::{self, Write};

/// Escapes the control characters and the invisible characters of a text, which makes the text safe to print.
///
/// The text of a packet comes from its sender, who can be hostile. A terminal escape sequence can clear the screen or
/// change an earlier line. A bidirectional mark can reverse the text after it. An invisible character can make two
/// different texts look the same.
///
/// These characters are escaped:
///
/// - control characters, line separators and paragraph separators
/// - bidirectional marks and all other format characters
/// - variation selectors and other invisible characters
/// - spaces other than U+0020, private-use characters and noncharacters
/// - `"` and `\`, so the result can be put in quotation marks
///
/// Escapes have the form of Rust: `\n`, `\r`, `\t`, `\"`, `\\`, `\u{202e}`. [`escape_json`] writes escapes as in JSON.
///
/// Cost: O(n). Never allocates.
///
/// # Examples
/// ```
/// use y3::show::escape;
///
/// assert_eq!(escape("10.0.3.113, größer").to_string(), "10.0.3.113, größer");
/// assert_eq!(escape("\x1b[2J\u{202e}\"").to_string(), r#"\u{1b}[2J\u{202e}\""#);
/// ```
/// Source: [SPEC §10](crate::spec#10-security)
#[must_use]
pub const fn escape(text: &str) -> impl fmt::Display + Copy + fmt::Debug {
    Escape { text, is_json: false }
}

/// Escapes the same characters as [`escape`] in the form of JSON strings: `\u202e`. A character above U+FFFF becomes a
/// pair of surrogates.
///
/// # Examples
/// ```
/// assert_eq!(y3::show::escape_json("\x1b[2J\u{e0041}").to_string(), r"\u001b[2J\udb40\udc41");
/// ```
#[must_use]
pub const fn escape_json(text: &str) -> impl fmt::Display + Copy + fmt::Debug {
    Escape { text, is_json: true }
}

#[derive(Clone, Copy, Debug)]
struct Escape<'a> {
    text: &'a str,
    is_json: bool,
}

impl fmt::Display for Escape<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.chars().try_for_each(|character| match character {
            '\n' => f.write_str("\\n"),
            '\r' => f.write_str("\\r"),
            '\t' => f.write_str("\\t"),
            '"' => f.write_str("\\\""),
            '\\' => f.write_str("\\\\"),
            _ if !is_hidden(character) => f.write_char(character),
            _ if self.is_json => {
                character.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(f, "\\u{unit:04x}"))
            }
            _ => write!(f, "\\u{{{:x}}}", u32::from(character)),
        })
    }
}

/// True if a character is invisible, is a space other than U+0020, changes the order of other characters, or controls a
/// terminal.
///
/// The ranges come from Unicode 16. They contain the categories Cc, Cf, Zl, Zp, Co, and Zs without U+0020. They also
/// contain the property `Default_Ignorable_Code_Point`, the blank Braille pattern, and noncharacters.
fn is_hidden(character: char) -> bool {
    matches!(u32::from(character),
        0..=0x1f | 0x7f..=0xa0 | 0xad
        | 0x34f | 0x600..=0x605 | 0x61c | 0x6dd | 0x70f | 0x890..=0x891 | 0x8e2
        | 0x115f..=0x1160 | 0x1680 | 0x17b4..=0x17b5 | 0x180b..=0x180f
        | 0x2000..=0x200f | 0x2028..=0x202f | 0x205f..=0x206f | 0x2800
        | 0x3000 | 0x3164 | 0xe000..=0xf8ff | 0xfdd0..=0xfdef | 0xfe00..=0xfe0f | 0xfeff | 0xffa0 | 0xfff0..=0xfffb
        | 0x110bd | 0x110cd | 0x13430..=0x1343f | 0x1bca0..=0x1bca3 | 0x1d173..=0x1d17a
        | 0xe0000..=0xe0fff | 0xf0000..)
        || u32::from(character) & 0xfffe == 0xfffe
}
