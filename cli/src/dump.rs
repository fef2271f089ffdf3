//! `y3 dump`: packets as a tree, faults where they are.

use std::io::{self, Write};

use clap::Args;
use y3::Path;

use crate::failure::{Failure, Found, Result};
use crate::input::InputArguments;

/// Show packets as a tree, with faults where they are
///
/// Each line has an offset, the bytes, the key, the length, and what the value may be. Input that is faulty or cut short is shown
/// as far as it can be read, and the exit code is 3. The whole input is read first.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  y3 dump session.y3 --open 3f/02 | less
  echo 84 07 01 01 05 83 04 02 01 ff 02 | y3 dump
  y3 dump --text session.y3 | y3 encode > same.y3")]
pub struct Arguments {
    #[command(flatten)]
    input: InputArguments,
    /// Read the values of primitives at this path as packets; may be given more than once
    #[arg(long, value_name = "PATH")]
    open: Vec<Path>,
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
    #[arg(long, value_name = "BYTES")]
    max_value: Option<usize>,
    /// Show at most so many lines
    #[arg(long, value_name = "LINES")]
    max_lines: Option<usize>,
}

pub fn run(arguments: &Arguments) -> Result {
    let input = arguments.input.open()?;
    let name = input.name.clone();
    let bytes = input.read_all()?;
    if bytes.is_empty() {
        return Ok(Found::Nothing);
    }
    let mut out = anstream::stdout().lock();
    let shown = if arguments.text {
        let text = y3::show::text(&bytes);
        let text = if arguments.open_all { text.open_all() } else { text.open(&arguments.open) };
        writeln!(out, "{text:#}")
    } else {
        let dump = y3::dump(&bytes);
        let dump = if arguments.open_all { dump.open_all() } else { dump.open(&arguments.open) };
        let dump = if arguments.short { dump.short() } else { dump };
        let dump = arguments.max_value.map_or(dump, |most| dump.max_value(most));
        let dump = arguments.max_lines.map_or(dump, |most| dump.max_lines(most));
        let mut lines = Lines { out: &mut out, line: String::new(), error: None };
        let _ = std::fmt::write(&mut lines, format_args!("{dump}\n"));
        lines.error.map_or(Ok(()), Err)
    };
    shown.and_then(|()| out.flush()).map_err(|error| Failure::writing(&error))?;
    match y3::check(&bytes) {
        Ok(()) => Ok(Found::Something),
        Err(error) => Err(Failure::Fault(format!("{name}: {}", y3::show::explain(&bytes, error)))),
    }
}

/// Writes line by line, the fault of a line in red.
struct Lines<'o, W> {
    out: &'o mut W,
    line: String,
    error: Option<io::Error>,
}

impl<W: Write> std::fmt::Write for Lines<'_, W> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        for piece in text.split_inclusive('\n') {
            self.line.push_str(piece);
            if let Some(line) = self.line.strip_suffix('\n') {
                // A value that holds the mark of a fault is in quotation marks, which end after it.
                let written = match line.rsplit_once(" ! ") {
                    Some((packet, fault)) if !fault.contains('"') => {
                        writeln!(self.out, "{packet} \x1b[1;31m! {fault}\x1b[0m")
                    }
                    _ => writeln!(self.out, "{line}"),
                };
                self.line.clear();
                if let Err(error) = written {
                    self.error = Some(error);
                    return Err(std::fmt::Error);
                }
            }
        }
        Ok(())
    }
}
