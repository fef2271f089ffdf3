//! Selects the primitives that are read as packets.

use clap::Args;
use y3::show::Dump;
use y3::{Error, Path};
use y3_names::Names;

use crate::failure::Failure;
use crate::names::{self, NamesArgument};

/// The primitives whose values a command reads as packets.
#[derive(Args, Debug, Default)]
pub struct Opened {
    /// Read the values of primitives at this path as packets, and report their faults; may be given more than once
    #[arg(long, value_name = "PATH")]
    open: Vec<String>,
    /// Read the value of every primitive as packets if they are without a fault
    #[arg(long, conflicts_with = "open")]
    open_all: bool,
    #[command(flatten)]
    names: NamesArgument,
}

impl Opened {
    /// Returns the names file, and the primitives to open: those given, and those that hold packets according to the names file.
    pub fn load(&self, subcommand: &'static str) -> Result<(Names, Open), Failure> {
        let names = self.names.load()?;
        let mut paths = names::paths(&names, &self.open, subcommand, "--open <PATH>")?;
        paths.extend(names.embedded());
        Ok((names, if self.open_all { Open::All } else { Open::At(paths) }))
    }
}

/// The primitives that are read as packets.
pub enum Open {
    /// The primitives on these paths, even if they are faulty.
    At(Vec<Path>),
    /// Every primitive that holds packets without a fault.
    All,
}

impl Open {
    pub fn is_none(&self) -> bool {
        matches!(self, Open::At(paths) if paths.is_empty())
    }

    pub fn dump<'a>(&'a self, bytes: &'a [u8]) -> Dump<'a> {
        match self {
            Open::At(paths) => y3::dump(bytes).open(paths),
            Open::All => y3::dump(bytes).open_all(),
        }
    }

    /// Returns the first fault, including faults in opened primitives.
    pub fn check(&self, bytes: &[u8]) -> Result<(), Error> {
        if self.is_none() {
            return y3::check(bytes);
        }
        self.dump(bytes).rows().find_map(|row| row.fault()).map_or(Ok(()), Err)
    }
}
