//! `y3 completions` and `y3 man`: completions for shells, and manual pages.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, Command, ValueEnum};
use clap_complete::Shell;

use crate::failure::{Failure, Found, Result};
use crate::input::shown;
use crate::output::put;

/// Print completions for a shell
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  y3 completions bash > ~/.local/share/bash-completion/completions/y3
  y3 completions --to completions")]
pub struct Completions {
    #[arg(value_enum, required_unless_present = "folder")]
    shell: Option<Shell>,
    /// Write the completions of all shells to files in this folder, with the names that the shells expect
    #[arg(long = "to", value_name = "FOLDER", conflicts_with = "shell")]
    folder: Option<PathBuf>,
}

/// Print a manual page
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  y3 man | man -l -\n  y3 man watch > y3-watch.1\n  y3 man --to man/man1")]
pub struct Man {
    /// The subcommand to describe. Without a subcommand, the page describes y3 itself
    subcommand: Option<String>,
    /// Write the pages of y3 and of all subcommands to files in this folder
    #[arg(long = "to", value_name = "FOLDER", conflicts_with = "subcommand")]
    folder: Option<PathBuf>,
}

pub fn completions(arguments: &Completions, mut y3: Command) -> Result {
    if let Some(folder) = &arguments.folder {
        let all = |folder: &Path| {
            Shell::value_variants()
                .iter()
                .try_for_each(|shell| clap_complete::generate_to(*shell, &mut y3, "y3", folder).map(drop))
        };
        in_folder(folder, all)?;
    }
    if let Some(shell) = arguments.shell {
        let mut text = Vec::new();
        clap_complete::generate(shell, &mut y3, "y3", &mut text);
        put(&text)?;
    }
    Ok(Found::Something)
}

pub fn man(arguments: &Man, y3: Command) -> Result {
    let mut y3 = y3.disable_help_subcommand(true);
    if let Some(folder) = &arguments.folder {
        in_folder(folder, |folder| clap_mangen::generate_to(y3, folder))?;
        return Ok(Found::Something);
    }
    y3.build();
    let page = match &arguments.subcommand {
        None => y3,
        Some(name) => {
            let unknown = || Failure::Usage("man", format!("there is no subcommand '{name}'"));
            y3.find_subcommand(name).cloned().ok_or_else(unknown)?
        }
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text).map_err(|error| Failure::writing(&error))?;
    put(&text)?;
    Ok(Found::Something)
}

/// Creates the folder if it does not exist, and writes files to it.
fn in_folder(folder: &Path, write: impl FnOnce(&Path) -> io::Result<()>) -> std::result::Result<(), Failure> {
    let written = fs::create_dir_all(folder).and_then(|()| write(folder));
    written.map_err(|error| Failure::Io(format!("{}: {error}", shown(folder.as_os_str()))))
}
