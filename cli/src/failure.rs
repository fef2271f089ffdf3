//! Why a command ends, and its exit code.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Command;
use clap::error::ErrorKind;

/// Whether a command found what it looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    Something,
    Nothing,
}

/// What ended a command early.
#[derive(Debug)]
pub enum Failure {
    /// Wrong arguments of a subcommand; the text blames the one at fault.
    Usage(&'static str, String),
    /// A file or connection that cannot be read or written.
    Io(String),
    /// Input that is not what it should be.
    Fault(String),
    /// The same, and it was printed where it was found.
    Told,
    /// Whoever read the output has closed it.
    Closed,
    /// Ctrl-C.
    Interrupted,
}

pub type Result = std::result::Result<Found, Failure>;

impl Failure {
    /// An error while reading `name`.
    pub fn reading(name: &str, error: &io::Error) -> Failure {
        let text = format!("{name}: {error}");
        if error.kind() == io::ErrorKind::InvalidData { Failure::Fault(text) } else { Failure::Io(text) }
    }

    /// An error while writing the output.
    pub fn writing(error: &io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::Io(format!("standard output: {error}")),
        }
    }
}

/// The exit code of a command; errors are printed. `y3` has the usage of each subcommand.
pub fn exit_code(result: Result, mut y3: Command) -> ExitCode {
    let (code, text) = match result {
        Ok(Found::Something) | Err(Failure::Closed) => return ExitCode::SUCCESS,
        Ok(Found::Nothing) => return ExitCode::from(1),
        Err(Failure::Told) => return ExitCode::from(3),
        Err(Failure::Interrupted) => return ExitCode::from(INTERRUPTED),
        Err(Failure::Usage(subcommand, text)) => {
            // Subcommands know their usage once the command is built.
            y3.build();
            y3.find_subcommand(subcommand).cloned().unwrap_or(y3).error(ErrorKind::ValueValidation, text).exit()
        }
        Err(Failure::Io(text)) => (2, text),
        Err(Failure::Fault(text)) => (3, text),
    };
    tell(format_args!("{text}"));
    ExitCode::from(code)
}

/// 128 and the number of SIGINT, as shells count.
pub const INTERRUPTED: u8 = 130;

/// Prints a line on standard error; whoever does not read it does not miss it.
pub fn tell(text: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "y3: {text}");
}
