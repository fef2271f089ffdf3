//! `y3 dump`: shows packets as a tree, including faults.

use std::fmt::Write;

use clap::Args;
use y3::Packet;
use y3::show::{Dump, Inside, parse_text};
use y3_names::{NamedRow, Names, Scalar, Type, Value};

use crate::failure::{Failure, Found, Result};
use crate::input::Input;
use crate::inputs::Inputs;
use crate::opened::{Open, Opened};
use crate::output::Output;
use crate::paint::Paint;

/// Show packets as a tree, including faults
///
/// Each packet is shown with its offset, its bytes, its key, its length, and the possible meanings of its value. If the
/// input has a fault, the command shows everything that can be read, and the exit code is 3. The command reads the
/// whole input before it prints. With --max-lines, it reads only as much input as these lines need.
///
/// With --names, each key is followed by its name, and each value is shown in its type. A packet that does not match
/// the names file is marked with '!' and the reason. If a primitive has the type `packets` in the names file, the
/// packets in its value are shown too. With --text, names are printed as comments.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  y3 dump session.y3 --open 3f/02 | less
  echo 84 07 01 01 05 83 04 02 01 ff 02 | y3 dump
  y3 dump --text session.y3 | y3 encode > same.y3")]
pub struct Arguments {
    #[command(flatten)]
    input: Inputs,
    #[command(flatten)]
    opened: Opened,
    /// Show one line for each packet, with at most eight bytes of the packet
    #[arg(short, long)]
    short: bool,
    /// Print the text form, which `y3 encode` converts back to bytes
    #[arg(short, long, conflicts_with_all = ["short", "max_value", "max_lines"])]
    text: bool,
    /// Show at most this many bytes of each value
    #[arg(long, value_name = "BYTES", value_parser = crate::quantity::size)]
    max_value: Option<usize>,
    /// Show at most this many lines
    #[arg(long, value_name = "LINES")]
    max_lines: Option<usize>,
}

impl Arguments {
    fn dump<'a>(&self, bytes: &'a [u8], open: &'a Open) -> Dump<'a> {
        let dump = open.dump(bytes);
        let dump = if self.short { dump.short() } else { dump };
        let dump = self.max_value.map_or(dump, |most| dump.max_value(most));
        self.max_lines.map_or(dump, |most| dump.max_lines(most))
    }
}

pub fn run(arguments: &Arguments) -> Result {
    let (names, open) = arguments.opened.load("dump")?;
    // With --text, lines have no file names, so that `y3 encode` can read them.
    arguments.input.each(!arguments.text, |input| dump(arguments, &names, &open, input))
}

fn dump(arguments: &Arguments, names: &Names, open: &Open, mut input: Input) -> Result {
    let origin = input.origin.clone();
    let mut out = Output::open();
    let (bytes, is_all) = match arguments.max_lines {
        Some(most) => read_for_lines(&mut input, arguments, open, most)?,
        None => (input.read_all()?, true),
    };
    if bytes.is_empty() {
        return Ok(Found::Nothing);
    }
    // With --max-lines, only faults in the shown lines are reported.
    let first = if arguments.max_lines.is_none() { open.check(&bytes).err() } else { None };
    let dump = arguments.dump(&bytes, open);
    let shown = if arguments.text {
        show_text(&bytes, dump, names, &mut out);
        None
    } else {
        show(&bytes, if is_all { dump } else { dump.prefix_of(input.len()) }, names, &mut out)
    };
    let fault = first.map(|error| y3::show::explain(&bytes, error).to_string()).or(shown);
    out.finish()?;
    fault.map_or(Ok(Found::Something), |fault| Err(origin.fault(fault)))
}

/// Returns enough input to show `most` lines. The `bool` is true if this is the whole input.
fn read_for_lines(
    input: &mut Input,
    arguments: &Arguments,
    open: &Open,
    most: usize,
) -> std::result::Result<(Vec<u8>, bool), Failure> {
    let (mut bytes, mut piece, mut tried) = (Vec::new(), vec![0; PIECE], 0);
    loop {
        let read = input.read(&mut piece)?;
        if read == 0 {
            return Ok((bytes, true));
        }
        bytes.extend_from_slice(piece.get(..read).unwrap_or_default());
        // While a long value arrives, the lines are counted only after the input has grown by an eighth.
        if bytes.len() >= tried + if tried < PIECE { 0 } else { tried / 8 } {
            tried = bytes.len();
            if arguments.dump(&bytes, open).prefix_of(None).to_string().lines().count() > most {
                return Ok((bytes, false));
            }
        }
    }
}

/// The number of bytes to read at a time.
const PIECE: usize = 64 << 10;

/// Writes a dump with names and typed values. Returns the first fault, with its position.
fn show(bytes: &[u8], dump: Dump<'_>, names: &Names, out: &mut Output) -> Option<String> {
    let (mut name_row, mut first, paint) = (names.name_rows(bytes), None, out.paint);
    let written = dump.write_with(out, |out, row| {
        let packet = name_row(row);
        out.write_str(&described(&packet, paint))?;
        let fault = row.fault_summary().map(|fault| fault.to_string());
        if let Some(fault) = fault.or_else(|| packet.problem.map(|problem| problem.message().to_string())) {
            write!(out, " {red}! {fault}{red:#}", red = paint.fault)?;
            first.get_or_insert_with(|| format!("{fault}, in the packet at byte {}", row.offset()));
        }
        Ok(())
    });
    // `Output::finish` returns the error if a write fails.
    let _ = written.and_then(|()| out.write_str("\n"));
    first
}

/// The maximum number of characters to show of a text value.
const TEXT: usize = 64;

/// Formats the key, the name and the typed value of a packet. If the packet has no type, the possible meanings of its
/// value are shown.
fn described(named: &NamedRow<'_, '_>, Paint { key: bright, name: called, value: green, .. }: Paint) -> String {
    let summary = named.row.summary().to_string();
    let (what, guess) = summary.split_once(" = ").map_or((&*summary, None), |(what, guess)| (what, Some(guess)));
    let (key, what) = what.split_at_checked("0x00".len()).unwrap_or((what, ""));
    let name = named.name.map_or(String::new(), |name| format!(" {called}{name}{called:#}"));
    let value = match (named.kind, &named.value) {
        // The line already shows the bytes.
        (Some(_), Some(Value::Bytes(_)) | None) => String::new(),
        (Some(kind), Some(Value::Text(text))) => {
            match text.char_indices().nth(TEXT).and_then(|(end, _)| text.get(..end)) {
                Some(start) => format!("{} {}..", kind.short(), Value::Text(start)),
                None => format!("{} {}", kind.short(), Value::Text(text)),
            }
        }
        (Some(Type::OneOf(_)), Some(value)) => value.to_string(),
        (Some(kind), Some(value)) => format!("{} {value}", kind.short()),
        (None, _) => guess.unwrap_or_default().into(),
    };
    let value = if value.is_empty() { value } else { format!(" = {green}{value}{green:#}") };
    format!("{bright}{key}{bright:#}{name}{what}{value}")
}

/// Writes the text form, with values as typed literals and names as comments. `y3 encode` converts this text back to
/// the original bytes.
fn show_text(bytes: &[u8], dump: Dump<'_>, names: &Names, out: &mut Output) {
    let mut name_row = names.name_rows(bytes);
    let written = dump.write_text_with(out, |out, row, after| {
        let packet = name_row(row);
        match literal(&packet) {
            Some(literal) => write!(out, "={literal}")?,
            None => write!(out, "{after}")?,
        }
        packet.name.map_or(Ok(()), |name| write!(out, " # {name}"))
    });
    // `Output::finish` returns the error if a write fails.
    let _ = written.and_then(|()| out.write_str("\n"));
}

/// Formats a value as a literal of its type. Returns `None` unless the literal encodes to the original bytes.
fn literal(named: &NamedRow<'_, '_>) -> Option<String> {
    let (Some(Type::Scalar(scalar)), Some(value)) = (named.kind, &named.value) else { return None };
    let literal = match scalar {
        Scalar::Bytes => return None,
        Scalar::Text => value.to_string(),
        Scalar::I8 | Scalar::I16 => format!("i32({value})"),
        Scalar::U8 | Scalar::U16 => format!("u32({value})"),
        scalar => format!("{}({value})", scalar.word().replace("pvar ", "p")),
    };
    let bytes = parse_text(&format!("00={literal}")).ok()?;
    let is_same = Packet::from_slice(&bytes).ok()?.value() == named.row.value();
    (is_same && named.row.inside() == Inside::Value).then_some(literal)
}
