//! `y3 completions` and `y3 man`: what shells and man(1) want to know about the arguments.

use clap::{Args, Command};
use clap_complete::Shell;

use crate::failure::{Failure, Found, Result};
use crate::output::write_all;

/// Print completions for a shell
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  y3 completions bash > ~/.local/share/bash-completion/completions/y3")]
pub struct Completions {
    #[arg(value_enum)]
    shell: Shell,
}

/// Print a manual page
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  y3 man | man -l -\n  y3 man watch > y3-watch.1")]
pub struct Man {
    /// The subcommand it is about; the whole command if left out
    subcommand: Option<String>,
}

pub fn completions(arguments: &Completions, mut y3: Command) -> Result {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut y3, "y3", &mut text);
    write_all(&text)?;
    Ok(Found::Something)
}

pub fn man(arguments: &Man, mut y3: Command) -> Result {
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
    write_all(&text)?;
    Ok(Found::Something)
}
