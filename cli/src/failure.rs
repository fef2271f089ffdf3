//! The reasons why a command ends, and its exit codes.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Command;
use clap::error::ErrorKind;
use y3::show::escape;

use crate::paint;

/// Whether a command found what it looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    Something,
    Nothing,
}

/// The reason why a command ended early.
#[derive(Debug)]
pub enum Failure {
    /// Wrong arguments of a subcommand. The text names the wrong argument.
    Usage(&'static str, String),
    /// A file or connection that cannot be read or written.
    Io(String),
    /// Faulty input.
    Fault(String),
    /// Faulty input, already reported.
    Told,
    /// One of several inputs cannot be read. This was already reported.
    Unread,
    /// The reader of the output has closed it.
    Closed,
    /// Ctrl-C.
    Interrupted,
}

pub type Result = std::result::Result<Found, Failure>;

impl Failure {
    /// An error while writing the output.
    pub fn writing(error: &io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::Io(format!("standard output: {error}")),
        }
    }
}

/// Prints errors and returns the exit code of a command. `y3` provides the usage of each subcommand.
pub fn exit_code(result: Result, mut y3: Command) -> ExitCode {
    let (code, text) = match result {
        Ok(Found::Something) | Err(Failure::Closed) => return ExitCode::SUCCESS,
        Ok(Found::Nothing) => return ExitCode::from(1),
        Err(Failure::Told) => return ExitCode::from(3),
        Err(Failure::Unread) => return ExitCode::from(2),
        Err(Failure::Interrupted) => return ExitCode::from(INTERRUPTED),
        Err(Failure::Usage(subcommand, text)) => {
            // Subcommands know their usage once the command is built.
            y3.build();
            let subcommand = y3.find_subcommand(subcommand).cloned();
            return wrong_use(&subcommand.unwrap_or(y3).error(ErrorKind::ValueValidation, text));
        }
        Err(Failure::Io(text)) => (2, text),
        Err(Failure::Fault(text)) => (3, text),
    };
    tell(format_args!("{text}"));
    ExitCode::from(code)
}

/// Prints help, or the fault in the arguments, and returns the exit code.
///
/// The message is escaped: an argument in it may be the name of a file that somebody else created, as in `y3 check *`.
pub fn wrong_use(error: &clap::Error) -> ExitCode {
    if error.use_stderr() && std::env::args_os().any(|argument| argument.to_string_lossy().chars().any(is_unsafe)) {
        let text = error.render().to_string();
        for line in text.lines() {
            let _ = writeln!(io::stderr(), "{}", escape(line));
        }
    } else {
        let _ = error.print();
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Whether a terminal may do anything other than show this character.
fn is_unsafe(character: char) -> bool {
    let mut text = [0; 4];
    !character.is_ascii_graphic() && escape(character.encode_utf8(&mut text)).to_string().len() > character.len_utf8()
}

/// 128 plus the number of SIGINT, by the convention of shells.
pub const INTERRUPTED: u8 = 130;

/// Prints a line on standard error. A closed standard error is ignored.
pub fn tell(text: fmt::Arguments<'_>) {
    let fault = paint::of(&io::stderr()).fault;
    let _ = writeln!(io::stderr(), "{fault}y3:{fault:#} {text}");
}
