//! Text: writes packets in a notation that [`encode_text`](super::encode_text) turns into the same bytes.

use core::fmt;

use super::escape::escape;
use super::hex::hex;
use super::meaning::text_of;
use super::row::{Inside, Row};
use super::steps::{Embedded, Step, Steps};

/// Formats packets as text that can be encoded to the same bytes again. Use the text in tests, documents and bug
/// reports.
///
/// The result implements `Display`. `{}` writes one line. `{:#}` writes one line per packet, with comments on faults.
/// docs/spec/text.md defines the notation:
///
/// - The text of a packet begins with the key. For a primitive, `=` and the value follow. For a node, `{ }` with the
///   packets inside follow. For a slice, `[ ]` with the items follow.
/// - A value is shown as escaped `"text"` if it is UTF-8 of at least three bytes without control characters. Any other
///   value is hexadecimal.
/// - If the length field is longer than necessary, its size follows after the key (`01_2=ff`).
/// - A primitive with the reserved bit has `!` before the key (`!01=ff`).
///
/// [`Dump::as_text`](super::Dump::as_text) also shows embedded packets.
///
/// **Every** input, even a faulty one, can be restored from its text. A faulty or incomplete packet is written as `?`
/// and hexadecimal bytes. These bytes are the packet and everything after it in the same node. A node that is nested
/// deeper than [`MAX_DEPTH`](crate::MAX_DEPTH) is written in the same way, but without the bytes after it.
///
/// Cost: O(n). Never allocates. Uses 2.5 KiB of stack.
///
/// # Examples
/// ```
/// use y3::show::text;
///
/// let bytes = [0x81, 0x09, 0x11, 0x02, 0x3e, 0x80, 0x13, 0x03, 0x61, 0x62, 0x63];
/// assert_eq!(text(&bytes).to_string(), r#"01{11=3e80,13="abc"}"#);
/// assert_eq!(format!("{:#}", text(&bytes)), "01{\n  11=3e80\n  13=\"abc\"\n}");
///
/// let faulty = [0x81, 0x05, 0x01, 0x01, 0x05, 0x02, 0x7f];
/// assert_eq!(text(&faulty).to_string(), "01{01=05,?027f}");
/// ```
#[must_use]
pub const fn text(bytes: &[u8]) -> impl fmt::Display + Copy + fmt::Debug {
    Text { bytes, embedded: Embedded::Closed }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) embedded: Embedded<'a>,
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_with(f, f.alternate(), |f, _, after| write!(f, "{after}"))
    }
}

impl<'a> Text<'a> {
    /// Writes the text. For each packet, `say` writes the part after the key: the value or the opening bracket.
    pub(super) fn write_with<W: fmt::Write>(
        self,
        to: &mut W,
        has_lines: bool,
        mut say: impl FnMut(&mut W, Row<'a>, After<'a>) -> fmt::Result,
    ) -> fmt::Result {
        let mut steps = Steps::new(self.bytes, self.embedded).whole_only();
        // True if the next packet is the first of its level, and true if the text ends with an opening bracket.
        let (mut is_first, mut is_inside) = (true, false);
        loop {
            let depth = steps.depth();
            let Some(step) = steps.next() else { return Ok(()) };
            let is_empty = is_inside && matches!(step, Step::Leave(_));
            if has_lines {
                let indent = 2 * if matches!(step, Step::Leave(_)) { depth.saturating_sub(1) } else { depth };
                if !is_empty && (depth > 0 || !is_first) {
                    to.write_str("\n")?;
                    spaces(to, indent)?;
                }
            } else if !is_first && !matches!(step, Step::Leave(_)) {
                to.write_str(",")?;
            }
            (is_first, is_inside) = (false, false);
            match step {
                // An empty node or slice already has both brackets after its key.
                Step::Leave(_) if is_empty => {}
                Step::Leave(inside) => to.write_str(brackets(inside).1)?,
                Step::Packet(Row { header: None, value, fault, .. }) => {
                    write!(to, "?{}", hex(value))?;
                    if let Some(fault) = fault.filter(|_| has_lines) {
                        write!(to, " # {fault}")?;
                    }
                }
                Step::Packet(row) => {
                    write_start(to, &row)?;
                    say(to, row, After(row))?;
                    (is_first, is_inside) = (row.inside != Inside::Value, row.inside != Inside::Value);
                }
            }
        }
    }
}

/// The part of a packet after the key: the value, or the opening bracket before inner packets. If there are no inner
/// packets, both brackets.
pub(super) struct After<'a>(Row<'a>);

impl fmt::Display for After<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (open, close) = brackets(self.0.inside);
        f.write_str(open)?;
        match self.0.inside {
            Inside::Value => write_value(f, self.0.value),
            _ if self.0.value.is_empty() => f.write_str(close),
            _ => Ok(()),
        }
    }
}

/// Returns the brackets around the packets inside a packet. For a value, returns the `=` before the value.
pub(super) fn brackets(inside: Inside) -> (&'static str, &'static str) {
    match inside {
        Inside::Value => ("=", ""),
        Inside::Node => ("{", "}"),
        Inside::Slice => ("[", "]"),
        Inside::Embedded => ("=<<", ">>"),
    }
}

fn write_start(to: &mut impl fmt::Write, row: &Row<'_>) -> fmt::Result {
    write!(to, "{}{:02x}", if row.tag.is_flagged() { "!" } else { "" }, row.tag.key().get())?;
    if row.is_padded() { write!(to, "_{}", row.header_len() - 1) } else { Ok(()) }
}

/// The minimum length of a value that is written as text. Shorter values are too often numbers.
const TEXT: usize = 3;

fn write_value(f: &mut fmt::Formatter<'_>, value: &[u8]) -> fmt::Result {
    match text_of(value).filter(|_| value.len() >= TEXT) {
        Some(text) => write!(f, "\"{}\"", escape(text)),
        None if value.is_empty() => f.write_str("\"\""),
        None => write!(f, "{}", hex(value)),
    }
}

/// Writes `count` spaces. The padding of the standard library contains a check that can panic.
pub(super) fn spaces(to: &mut impl fmt::Write, count: usize) -> fmt::Result {
    (0..count).try_for_each(|_| to.write_str(" "))
}
