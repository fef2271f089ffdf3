//! The arguments that select primitives whose values are read as packets.

use clap::Args;
use y3::show::Dump;
use y3::{Error, Path};
use y3_names::Names;

use crate::failure::Failure;
use crate::names::{self, NamesArgument};

/// Selects the primitives whose values a command reads as packets.
#[derive(Args, Debug, Default)]
pub struct Opened {
    /// Read the values of primitives at this path as packets, and report faults in them; can be repeated
    #[arg(long, value_name = "PATH")]
    open: Vec<String>,
    /// Read the values of all primitives as packets, except values that are not packets without a fault
    #[arg(long, conflicts_with = "open")]
    open_all: bool,
    #[command(flatten)]
    names: NamesArgument,
}

impl Opened {
    /// Returns the names file and the primitives to open. The user selects primitives by path, and the names file adds those of
    /// type `packets`.
    pub fn load(&self, subcommand: &'static str) -> Result<(Names, Open), Failure> {
        let names = self.names.load()?;
        let mut paths = names::paths(&names, &self.open, subcommand, "--open <PATH>")?;
        paths.extend(names.embedded());
        Ok((names, if self.open_all { Open::All } else { Open::At(paths) }))
    }
}

/// The primitives whose values are read as packets.
pub enum Open {
    /// The primitives at these paths, even if their values are faulty.
    At(Vec<Path>),
    /// All primitives whose values consist of packets without a fault.
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

    /// Checks packets and opened primitives, and returns the first fault.
    pub fn check(&self, bytes: &[u8]) -> Result<(), Error> {
        if self.is_none() {
            return y3::check(bytes);
        }
        self.dump(bytes).rows().find_map(|row| row.fault()).map_or(Ok(()), Err)
    }
}
