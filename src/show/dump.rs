//! Dump: shows bytes as an indented tree in which faults are marked where they occur.

use core::fmt;

use super::row::Row;
use super::steps::{Embedded, Rows};
use super::text::{Text, spaces};
use crate::error::Bytes;
use crate::read::path::Path;

/// Formats bytes as a tree of packets for people. For each packet, the tree shows an offset, bytes, a key, a length,
/// and the possible meanings of the value.
///
/// The result implements `Display`. A line begins with an offset and up to eight bytes in hexadecimal. Then comes the
/// packet that begins at this offset, indented by its depth. If the packet has more than eight bytes, the next lines
/// show the other bytes.
///
/// The wire carries no types. The dump therefore lists all possible meanings of a value after `=`: text, numbers, a
/// bool, floats of usual magnitude, and packets. If a value is a different number in NVarInt and in PVarInt, the dump
/// shows both numbers, as `nvar` and as `pvar`. Text is escaped.
///
/// **Faults** are marked with `!` where they occur. If the input ends inside a packet, the dump shows the part that is
/// present. If a header is unreadable, the dump shows the remaining bytes of the node as plain bytes and continues
/// after the node. The first mark shows the error that [`check`](crate::check) returns, unless the first fault is in an
/// opened primitive. The column of bytes contains every byte of the input exactly once, unless [`short`](Dump::short)
/// or a limit hides bytes. A line that hides bytes says how many.
///
/// **Embedded packets.** A dump reads the value of a primitive as packets only if you call [`Dump::open`] or
/// [`Dump::open_all`].
///
/// Cost: O(n), or O(n × nesting levels) with `open_all`. Never allocates. Uses 2.5 KiB of stack. A dump goes at most
/// [`MAX_DEPTH`](crate::MAX_DEPTH) levels deep into nodes and opened primitives. A deeper node is marked as
/// [`DepthLimit`](crate::ErrorKind::DepthLimit) and shown as plain bytes.
///
/// # Examples
/// ```
/// let bytes = [0x84, 0x07, 0x01, 0x01, 0x05, 0x83, 0x04, 0x02, 0x01, 0x13, 0x02, 0x68, 0x69];
/// let shown = y3::dump(&bytes).to_string();
/// assert_eq!(shown.lines().collect::<Vec<_>>(), [
///     "   0  84 07                    0x04 node: 7 bytes",
///     "   2  01 01 05                   0x01: 1 byte = 5",
///     "   5  83 04                      0x03 node: 4 bytes ! packet reaches past the end of its node: 2 bytes present",
///     "   7  02 01                        0x02: 1 byte ! packet reaches past the end of its node: 0 bytes present",
///     r#"   9  13 02 68 69              0x13: 2 bytes = "hi", nvar 26729"#,
/// ]);
/// ```
/// Source: [SPEC §8](crate::spec#8-decoder-duties-and-limits)
#[must_use]
pub const fn dump(bytes: &[u8]) -> Dump<'_> {
    Dump {
        bytes,
        embedded: Embedded::Closed,
        is_short: false,
        max_value: usize::MAX,
        max_lines: usize::MAX,
        is_prefix: false,
        len: None,
    }
}

/// A dump of bytes as a tree of packets. Made by [`dump`].
#[derive(Clone, Copy, Debug)]
pub struct Dump<'a> {
    bytes: &'a [u8],
    embedded: Embedded<'a>,
    is_short: bool,
    max_value: usize,
    max_lines: usize,
    is_prefix: bool,
    /// The length of the whole input if the bytes are only its beginning. `None` if this length is unknown.
    len: Option<u64>,
}

impl<'a> Dump<'a> {
    /// Reads the value of each primitive at these paths as packets, even if the value contains faulty packets.
    ///
    /// A `/` in a path enters a node. A `:` in a path enters the embedded packets of a primitive, and the dump reads
    /// the value of this primitive as packets too.
    ///
    /// # Examples
    /// ```
    /// let frame = [0xbf, 0x05, 0x02, 0x03, 0x11, 0x01, 0x07];
    /// let shown = y3::dump(&frame).open(&[y3::path!(0x3f, 0x02)]).to_string();
    /// assert_eq!(shown.lines().collect::<Vec<_>>(), [
    ///     "   0  bf 05                    0x3f node: 5 bytes",
    ///     "   2  02 03                      0x02 embedded: 3 bytes",
    ///     "   4  11 01 07                     0x11: 1 byte = 7",
    /// ]);
    /// ```
    #[must_use]
    pub const fn open(self, paths: &'a [Path]) -> Self {
        Self { embedded: Embedded::At(paths), ..self }
    }

    /// Reads the value of a primitive as packets if the value looks like packets. A value looks like packets if it
    /// consists of packets without a fault, and at least one of these packets is not empty.
    ///
    /// The dump can be wrong, because some values look like packets by chance. For example, `01 01 05` is also the
    /// number 65,797.
    ///
    /// # Examples
    /// ```
    /// let frame = [0xbf, 0x05, 0x02, 0x03, 0x11, 0x01, 0x07];
    /// assert_eq!(y3::dump(&frame).open_all().to_string().lines().count(), 3);
    /// ```
    #[must_use]
    pub const fn open_all(self) -> Self {
        Self { embedded: Embedded::All, ..self }
    }

    /// Returns the rows of this dump as values of the type [`Row`], in the order of the input. The rows ignore the
    /// limits on lines and bytes.
    ///
    /// # Examples
    /// ```
    /// let bytes = [0x84, 0x07, 0x01, 0x01, 0x05, 0x83, 0x04, 0x02, 0x01, 0x13, 0x02, 0x68, 0x69];
    /// let row = y3::dump(&bytes).rows().nth(1).unwrap();
    /// assert_eq!((row.offset(), row.depth(), row.value(), row.fault()), (2, 1, &[0x05][..], None));
    /// assert_eq!(row.to_string(), "0x01: 1 byte = 5");
    /// ```
    #[must_use]
    pub fn rows(self) -> Rows<'a> {
        Rows::new(self.bytes, self.embedded, self.is_prefix)
    }

    /// Formats the packets of this dump in the notation of [`text`](super::text()). Packets in opened primitives are
    /// shown in `<< >>`. The text ignores the limits on lines and bytes.
    ///
    /// # Examples
    /// ```
    /// let frame = [0xbf, 0x05, 0x02, 0x03, 0x11, 0x01, 0x07];
    /// let shown = y3::dump(&frame).open(&[y3::path!(0x3f, 0x02)]).as_text().to_string();
    /// assert_eq!(shown, "3f{02=<<11=07>>}");
    /// ```
    #[must_use]
    pub const fn as_text(self) -> impl fmt::Display + Copy + fmt::Debug + use<'a> {
        Text { bytes: self.bytes, embedded: self.embedded }
    }

    /// Shows only one line for each packet, with at most eight bytes.
    ///
    /// # Examples
    /// ```
    /// let text = [0x13, 0x0a, 0x31, 0x30, 0x2e, 0x30, 0x2e, 0x33, 0x2e, 0x37, 0x37, 0x37];
    /// let shown = y3::dump(&text).short().to_string();
    /// assert_eq!(shown, r#"   0  13 0a 31 30 2e 30 2e 33  0x13: 10 bytes = "10.0.3.777" .. 4 bytes not shown"#);
    /// ```
    #[must_use]
    pub const fn short(self) -> Self {
        Self { is_short: true, ..self }
    }

    /// Limits how many bytes of each value the dump shows. The limit also applies to each run of unreadable bytes.
    ///
    /// # Examples
    /// ```
    /// let shown = y3::dump(&[0x13, 0x04, 0xff, 0xff, 0xff, 0xff]).max_value(2).to_string();
    /// assert_eq!(shown, "   0  13 04 ff ff              0x13: 4 bytes = nvar -1 .. 2 bytes not shown");
    /// ```
    #[must_use]
    pub const fn max_value(self, bytes: usize) -> Self {
        Self { max_value: bytes, ..self }
    }

    /// Limits the number of lines. If the limit is reached, a last line says how many bytes are not shown. The dump
    /// then stops reading, so this limit also bounds the cost.
    ///
    /// # Examples
    /// ```
    /// let shown = y3::dump(&[0x01, 0x00, 0x02, 0x00, 0x03, 0x00]).max_lines(1).to_string();
    /// assert_eq!(shown, "   0  01 00                    0x01: empty\n   2  .. 4 bytes not shown");
    /// ```
    #[must_use]
    pub const fn max_lines(self, lines: usize) -> Self {
        Self { max_lines: lines, ..self }
    }

    /// Treats the bytes as the beginning of a longer input. `len` is the length of that input, or `None` if the length
    /// is unknown.
    ///
    /// A packet that continues after the last byte is then not a fault. The dump does not show this packet, with two
    /// exceptions. If the packet is a node, the dump shows those packets in it that have arrived. If the packet has a
    /// value of more than 64 KiB, the dump shows the part of the value that has arrived. It does not show meanings of
    /// this value or the number of its bytes.
    ///
    /// A last line says how many bytes of the input are not shown. If [`max_lines`](Self::max_lines) limits the tree,
    /// the shown lines stay the same when more bytes arrive.
    ///
    /// # Examples
    /// ```
    /// let shown = y3::dump(&[0x81, 0x06, 0x02, 0x01, 0x05, 0x03]).prefix_of(Some(8)).to_string();
    /// assert_eq!(shown.lines().collect::<Vec<_>>(), [
    ///     "   0  81 06                    0x01 node: 6 bytes",
    ///     "   2  02 01 05                   0x02: 1 byte = 5",
    ///     "   5  .. 3 bytes not shown",
    /// ]);
    /// ```
    #[must_use]
    pub const fn prefix_of(self, len: Option<u64>) -> Self {
        Self { is_prefix: true, len, ..self }
    }

    /// Writes the lines of this dump, with your own text after the column of bytes. `say` writes this text for each
    /// row. The `Display` implementation of `Dump` writes the [`Row`] itself in this place.
    ///
    /// # Errors
    /// Returns the errors of `to` and of `say`.
    ///
    /// # Examples
    /// ```
    /// use core::fmt::Write;
    ///
    /// let (bytes, mut shown) = ([0x81, 0x03, 0x11, 0x01, 0x07], String::new());
    /// y3::dump(&bytes).write_with(&mut shown, |to, row| to.write_str(if row.depth() == 0 { "reading" } else { "noise" })).unwrap();
    /// assert_eq!(shown, "   0  81 03                    reading\n   2  11 01 07                   noise");
    /// ```
    pub fn write_with<W: fmt::Write>(
        self,
        to: &mut W,
        mut say: impl FnMut(&mut W, Row<'a>) -> fmt::Result,
    ) -> fmt::Result {
        let len = self.len.map(|len| usize::try_from(len).unwrap_or(usize::MAX));
        let len = if self.is_prefix { len } else { Some(self.bytes.len()) };
        let mut lines = Lines { to, width: len.map_or(0, digits).max(4), shown: 0, max: self.max_lines };
        let mut rows = self.rows();
        for row in rows.by_ref() {
            if let Some(end) = self.show(&mut lines, row, &mut say)? {
                return lines.end(end, len);
            }
        }
        if self.is_prefix { lines.end(rows.offset(), len) } else { Ok(()) }
    }

    /// Writes the text form with one line per packet. After each key, `say` receives the value or the opening bracket
    /// as text, and must write it. `say` can write the value in another notation, and can add a comment.
    ///
    /// Unreadable bytes after `?` are written without a call of `say`.
    ///
    /// # Errors
    /// Returns the errors of `to` and of `say`.
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "alloc")] {
    /// use core::fmt::Write;
    ///
    /// let (bytes, mut shown) = ([0x81, 0x05, 0x11, 0x01, 0x07, 0x92, 0x00], String::new());
    /// y3::dump(&bytes).write_text_with(&mut shown, |to, row, after| write!(to, "{after} # at {}", row.offset())).unwrap();
    /// assert_eq!(shown, "01{ # at 0\n  11=07 # at 2\n  12{} # at 5\n}");
    /// assert_eq!(y3::show::parse_text(&shown).unwrap(), bytes);
    /// # }
    /// ```
    pub fn write_text_with<W: fmt::Write>(
        self,
        to: &mut W,
        mut say: impl FnMut(&mut W, Row<'a>, &dyn fmt::Display) -> fmt::Result,
    ) -> fmt::Result {
        let text = Text { bytes: self.bytes, embedded: self.embedded };
        text.write_with(to, true, |to, row, after| say(to, row, &after))
    }
}

/// The number of bytes in one line.
const LINE: usize = 8;

impl fmt::Display for Dump<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_with(f, |f, row| write!(f, "{row}"))
    }
}

impl<'a> Dump<'a> {
    /// Shows the header of a packet. Also shows the value, unless the rows of inner packets follow. If the line limit
    /// is reached, returns the offset of the first byte that is not shown.
    fn show<W: fmt::Write>(
        &self,
        lines: &mut Lines<'_, W>,
        row: Row<'a>,
        say: &mut impl FnMut(&mut W, Row<'a>) -> fmt::Result,
    ) -> Result<Option<usize>, fmt::Error> {
        let (mut offset, header) = (row.offset, row.header_len());
        let bytes = self.bytes.get(offset..row.own_end()).unwrap_or_default();
        let is_whole = row.header.is_some() && row.value.len() == row.len();
        // `is_cut` is true if the prefix ends inside the packet. `missing` is the number of missing bytes.
        let is_cut = self.is_prefix && row.own_end() == self.bytes.len() && !is_whole;
        let missing = if is_cut { row.len() - row.value.len() } else { 0 };
        let most = header.saturating_add(self.max_value).min(if self.is_short { LINE } else { usize::MAX });
        let shown = bytes.get(..most).unwrap_or(bytes);
        let hidden = (bytes.len() + missing).saturating_sub(most);
        // If a prefix ends inside a value, later input can complete the last line. The incomplete line is therefore not
        // shown.
        let is_part = |line: &[u8]| is_cut && line.len() < LINE && shown.len() < most;
        // The row has one line even if all its bytes are hidden.
        let (first, mut rest) = shown.split_at_checked(LINE).unwrap_or((shown, &[]));
        if is_part(first) || !lines.begin(offset, first)? {
            return Ok(Some(offset));
        }
        let to = &mut *lines.to;
        spaces(to, 2 + 2 * row.depth)?;
        say(to, row)?;
        if hidden > 0 {
            write!(to, " .. {} not shown", Bytes(hidden as u64))?;
        }
        offset += first.len();
        while !rest.is_empty() {
            let (line, after) = rest.split_at_checked(LINE).unwrap_or((rest, &[]));
            if is_part(line) || !lines.begin_short(offset, line)? {
                return Ok(Some(offset));
            }
            (offset, rest) = (offset + line.len(), after);
        }
        Ok(None)
    }
}

struct Lines<'t, W> {
    to: &'t mut W,
    /// The number of digits of the greatest offset.
    width: usize,
    shown: usize,
    max: usize,
}

impl<W: fmt::Write> Lines<'_, W> {
    /// Begins a line and pads the column of bytes for the text after it. Returns `false` if the line limit is reached.
    fn begin(&mut self, offset: usize, bytes: &[u8]) -> Result<bool, fmt::Error> {
        let begun = self.begin_short(offset, bytes)?;
        if begun {
            let column = (3 * bytes.len()).saturating_sub(1);
            spaces(self.to, (3 * LINE - 1).saturating_sub(column))?;
        }
        Ok(begun)
    }

    /// Begins a line that consists of the offset and the bytes. Returns `false` if the line limit is reached.
    fn begin_short(&mut self, offset: usize, bytes: &[u8]) -> Result<bool, fmt::Error> {
        if self.shown == self.max {
            return Ok(false);
        }
        self.offset(offset)?;
        let mut separator = "";
        for byte in bytes {
            write!(self.to, "{separator}{byte:02x}")?;
            separator = " ";
        }
        self.shown += 1;
        Ok(true)
    }

    fn offset(&mut self, offset: usize) -> fmt::Result {
        if self.shown > 0 {
            self.to.write_str("\n")?;
        }
        spaces(self.to, self.width.saturating_sub(digits(offset)))?;
        write!(self.to, "{offset}  ")
    }

    /// Writes a last line with the number of bytes that are not shown. `len` is the length of the input, if it is
    /// known.
    fn end(&mut self, offset: usize, len: Option<usize>) -> fmt::Result {
        self.offset(offset)?;
        match len {
            Some(len) => write!(self.to, ".. {} not shown", Bytes(len.saturating_sub(offset) as u64)),
            None => self.to.write_str(".. the rest is not shown"),
        }
    }
}

fn digits(number: usize) -> usize {
    number.checked_ilog10().map_or(1, |power| power as usize + 1)
}
