//! `y3 dump`: packets as a tree, faults where they are.

use std::fmt::{self, Write};

use clap::Args;
use y3::show::Dump;
use y3::{Path, packets};

use crate::failure::{Failure, Found, Result};
use crate::input::{Input, OneInput};
use crate::names::{Known, Place};
use crate::opened::{self, Open, Opened};
use crate::output::Output;

/// Show packets as a tree, with faults where they are
///
/// Each line has an offset, the bytes, the key, the length, and what the value may be. Input that is faulty or cut short is shown
/// as far as it can be read, and the exit code is 3. The whole input is read first; with --max-lines no more than these lines show.
/// With --names a name stands after each key, and primitives that hold packets are opened.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  y3 dump session.y3 --open 3f/02 | less
  echo 84 07 01 01 05 83 04 02 01 ff 02 | y3 dump
  y3 dump --text session.y3 | y3 encode > same.y3")]
pub struct Arguments {
    #[command(flatten)]
    input: OneInput,
    #[command(flatten)]
    opened: Opened,
    /// Read the values of all primitives as packets that are packets without a fault
    #[arg(long, conflicts_with = "open")]
    open_all: bool,
    /// One line for each packet, with at most eight of its bytes
    #[arg(short, long)]
    short: bool,
    /// The text form, which `y3 encode` reads back
    #[arg(short, long, conflicts_with_all = ["short", "max_value", "max_lines"])]
    text: bool,
    /// Show at most so many bytes of a value
    #[arg(long, value_name = "BYTES", value_parser = crate::quantity::size)]
    max_value: Option<usize>,
    /// Show at most so many lines
    #[arg(long, value_name = "LINES")]
    max_lines: Option<usize>,
}

impl Arguments {
    fn dump<'a>(&self, bytes: &'a [u8], open: &'a [Path]) -> Dump<'a> {
        let dump = y3::dump(bytes);
        let dump = if self.open_all { dump.open_all() } else { dump.open(open) };
        let dump = if self.short { dump.short() } else { dump };
        let dump = self.max_value.map_or(dump, |most| dump.max_value(most));
        self.max_lines.map_or(dump, |most| dump.max_lines(most))
    }
}

pub fn run(arguments: &Arguments) -> Result {
    let (known, open) = arguments.opened.load("dump")?;
    let mut input = arguments.input.open()?;
    let origin = input.origin.clone();
    let mut out = Output::open();
    let fault = if let Some(most) = arguments.max_lines {
        let (bytes, is_all) = read_for_lines(&mut input, arguments, &open, most)?;
        if bytes.is_empty() {
            return Ok(Found::Nothing);
        }
        let dump = arguments.dump(&bytes, &open);
        show(if is_all { dump } else { dump.prefix_of(input.len()) }, &known, &mut out)
    } else {
        let bytes = input.read_all()?;
        if bytes.is_empty() {
            return Ok(Found::Nothing);
        }
        let walked = opened::walk(packets(&bytes), &Open::at(&open), (), &mut opened::Check);
        let first = walked.err().map(|error| y3::show::explain(&bytes, error).to_string());
        if arguments.text {
            // The output knows what it could not write.
            let _ = writeln!(out, "{:#}", arguments.dump(&bytes, &open).as_text());
            first
        } else {
            let shown = show(arguments.dump(&bytes, &open), &known, &mut out);
            first.or(shown)
        }
    };
    out.finish()?;
    fault.map_or(Ok(Found::Something), |fault| Err(origin.fault(fault)))
}

/// Reads what so many lines show, or all there is, which it returns too.
fn read_for_lines(
    input: &mut Input,
    arguments: &Arguments,
    open: &[Path],
    most: usize,
) -> std::result::Result<(Vec<u8>, bool), Failure> {
    let (mut bytes, mut piece, mut tried) = (Vec::new(), vec![0; PIECE], 0);
    loop {
        let read = input.read(&mut piece)?;
        if read == 0 {
            return Ok((bytes, true));
        }
        bytes.extend_from_slice(piece.get(..read).unwrap_or_default());
        // Not after each piece of a long value.
        if bytes.len() >= tried + if tried < PIECE { 0 } else { tried / 8 } {
            tried = bytes.len();
            if arguments.dump(&bytes, open).prefix_of(None).to_string().lines().count() > most {
                return Ok((bytes, false));
            }
        }
    }
}

/// The bytes that are read at a time.
const PIECE: usize = 64 << 10;

/// Writes a dump. Returns the first fault in it, with its place.
fn show(dump: Dump<'_>, known: &Known, out: &mut Output) -> Option<String> {
    let mut lines = Lines { out, line: String::new(), fault: None, known, around: Vec::new() };
    let _ = writeln!(lines, "{dump}");
    lines.fault
}

/// Writes line by line, the fault of a line in red, names beside the keys.
struct Lines<'o> {
    out: &'o mut Output,
    line: String,
    fault: Option<String>,
    known: &'o Known,
    /// What the packets around are, the outermost first, and whether their values are packets.
    around: Vec<(Place<'o>, bool)>,
}

impl Lines<'_> {
    /// Writes the name of the packet of a line after its key.
    fn name(&mut self) {
        // An offset, two spaces, a column for eight bytes, two spaces, two more for each level, then the key.
        let digits = self.line.len() - self.line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let column = digits + 2 + COLUMN + 2;
        let Some(packet) = self.line.get(column..) else { return };
        let depth = (packet.len() - packet.trim_start().len()) / 2;
        let Some(key) = packet.trim_start().strip_prefix("0x").and_then(|packet| packet.get(..2)) else { return };
        self.around.truncate(depth);
        let (around, is_embedded) = self.around.last().copied().unwrap_or((Place::Top, false));
        let (name, place) = self.known.inside(around, u8::from_str_radix(key, 16).ok(), is_embedded);
        let after = column + 2 * depth + "0x00".len();
        let is_embedded = self.line.get(after..).is_some_and(|rest| rest.starts_with(" embedded"));
        self.around.push((place, is_embedded));
        if let Some(name) = name {
            self.line.insert_str(after, &format!(" {name}"));
        }
    }
}

/// The characters of eight bytes in hexadecimal.
const COLUMN: usize = 8 * 3 - 1;

impl Write for Lines<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for piece in text.split_inclusive('\n') {
            self.line.push_str(piece);
            if self.known.is_given && self.line.ends_with('\n') {
                self.name();
            }
            if let Some(line) = self.line.strip_suffix('\n') {
                // A value that holds the mark of a fault is in quotation marks, which end after it.
                match line.rsplit_once(" ! ") {
                    Some((packet, fault)) if !fault.contains('"') => {
                        let offset = packet.split_whitespace().next().unwrap_or_default();
                        self.fault.get_or_insert_with(|| format!("{fault}, in the packet at byte {offset}"));
                        let (red, plain) = if self.out.is_colored { ("\x1b[1;31m", "\x1b[0m") } else { ("", "") };
                        writeln!(self.out, "{packet} {red}! {fault}{plain}")
                    }
                    _ => writeln!(self.out, "{line}"),
                }?;
                self.line.clear();
            }
        }
        Ok(())
    }
}
