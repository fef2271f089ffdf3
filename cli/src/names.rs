//! The names file of a command, and arguments that contain names.

use std::path::PathBuf;

use clap::Args;
use y3::Path;
use y3::show::escape;
use y3_names::{Names, ParseError};

use crate::failure::Failure;
use crate::input::shown;

/// The argument for a names file.
#[derive(Args, Debug, Default)]
pub struct NamesArgument {
    /// Use the names and types in this names file, for example in paths such as frame/payload:data/thing/noise
    #[arg(long, value_name = "FILE")]
    pub names: Option<PathBuf>,
}

impl NamesArgument {
    /// Reads the names file. Returns empty names if no file was given.
    pub fn load(&self) -> Result<Names, Failure> {
        self.names.as_ref().map_or_else(|| Ok(Names::default()), load)
    }
}

/// Reads a names file. An error shows its position in the file.
pub fn load(file: &PathBuf) -> Result<Names, Failure> {
    let name = shown(file.as_os_str());
    let text = std::fs::read_to_string(file).map_err(|error| Failure::Io(format!("{name}: {error}")))?;
    text.parse().map_err(|error: ParseError| {
        Failure::Io(format!("{name} is not a names file: {error}\n --> {name}:{}", error.in_text(&text)))
    })
}

/// Parses all values of an argument as paths. An error names the argument.
pub fn paths(
    names: &Names,
    texts: &[String],
    subcommand: &'static str,
    argument: &'static str,
) -> Result<Vec<Path>, Failure> {
    let path = |text: &str| names.path(text).map(|(path, _)| path).map_err(|error| error.to_string());
    parsed(texts, subcommand, argument, path)
}

/// Parses all values of an argument. Errors look like clap's own errors. clap cannot parse these values itself, because
/// parsing needs the names file.
pub fn parsed<T>(
    texts: &[String],
    subcommand: &'static str,
    argument: &str,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, Failure> {
    let wrong = |text: &str, error| format!("invalid value '{}' for '{argument}': {error}", escape(text));
    texts.iter().map(|text| parse(text).map_err(|error| Failure::Usage(subcommand, wrong(text, error)))).collect()
}
