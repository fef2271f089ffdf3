//! The ways in which a command can end, and their exit codes.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Command;
use clap::error::ErrorKind;
use y3::show::escape;

use crate::paint;

/// The result of a command that ended without a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    Something,
    Nothing,
}

/// The reason why a command ended early.
#[derive(Debug)]
pub enum Failure {
    /// Wrong arguments for a subcommand. The members are the name of the subcommand and the message.
    Usage(&'static str, String),
    /// A file or connection that cannot be read or written.
    Io(String),
    /// Faulty input.
    Fault(String),
    /// Faulty input whose message has already been printed.
    Told,
    /// One of several inputs cannot be read. The message has already been printed.
    Unread,
    /// The program that reads the output has closed the pipe.
    Closed,
    /// The user pressed Ctrl-C.
    Interrupted,
}

pub type Result = std::result::Result<Found, Failure>;

impl Failure {
    /// Creates a failure for an error while writing the output.
    pub fn writing(error: &io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::Io(format!("standard output: {error}")),
        }
    }
}

/// Prints the failure, if any, and returns the exit code. `y3` is clap's description of the command, with the usage
/// texts.
pub fn exit_code(result: Result, mut y3: Command) -> ExitCode {
    let (code, text) = match result {
        Ok(Found::Something) | Err(Failure::Closed) => return ExitCode::SUCCESS,
        Ok(Found::Nothing) => return ExitCode::from(1),
        Err(Failure::Told) => return ExitCode::from(3),
        Err(Failure::Unread) => return ExitCode::from(2),
        Err(Failure::Interrupted) => return ExitCode::from(INTERRUPTED),
        Err(Failure::Usage(subcommand, text)) => {
            // `build` creates the usage texts of subcommands.
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

/// Prints help, or an error about the arguments, and returns the exit code.
///
/// The message is escaped, because in a call such as `y3 check *` an argument can be a file name that another person
/// chose.
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

/// True if a terminal can interpret this character instead of showing it.
fn is_unsafe(character: char) -> bool {
    let mut text = [0; 4];
    !character.is_ascii_graphic() && escape(character.encode_utf8(&mut text)).to_string().len() > character.len_utf8()
}

/// The exit code after Ctrl-C. As in shells, it is 128 plus the number of the signal SIGINT.
pub const INTERRUPTED: u8 = 130;

/// Prints a line to standard error. A closed standard error is not a failure.
pub fn tell(text: fmt::Arguments<'_>) {
    let fault = paint::of(&io::stderr()).fault;
    let _ = writeln!(io::stderr(), "{fault}y3:{fault:#} {text}");
}
