//! `y3 names check`: compares two names files.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use y3_names::lint::{Verdict, changes};

use crate::failure::{Found, Result};
use crate::names::load;
use crate::output::put;

/// Compare names files
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  y3 names check noise-v1.y3n noise-v2.y3n")]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Check(Check),
}

/// Show which changes between two names files are safe for existing programs
///
/// Each change is safe, breaking or silently wrong. After a breaking change, programs with the old file reject some
/// packets of programs with the new file, or the reverse. After a silently wrong change, a program can read a wrong
/// value without an error. For each change, the command also prints the matching row of the table of changes in
/// docs/GUIDE.md. The exit code is 1 if any change is not safe.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  y3 names check noise-v1.y3n noise-v2.y3n
  git show HEAD:noise.y3n | y3 names check /dev/stdin noise.y3n

Exit codes: 0 all changes are safe, 1 a change is not safe, 2 wrong use, or a file that is unreadable or not a names file")]
struct Check {
    /// The old names file
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// The new names file
    #[arg(value_name = "NEW")]
    new: PathBuf,
}

pub fn run(arguments: &Arguments) -> Result {
    let Command::Check(files) = &arguments.command;
    let (old, new) = (load(&files.old)?, load(&files.new)?);
    let (mut text, mut found) = (String::new(), Found::Something);
    for change in changes(&old, &new) {
        let rule = change.rule;
        if rule.verdict > Verdict::Safe {
            found = Found::Nothing;
        }
        let name = new.label(&change.path).or_else(|| old.label(&change.path));
        let name = name.map_or(String::new(), |name| format!("  ({name})"));
        let _ = writeln!(
            text,
            "{change}{name}\n  {}\n  old reader, new packet: {}\n  new reader, old packet: {}",
            rule.change, rule.old_reader, rule.new_reader
        );
    }
    put(text)?;
    Ok(found)
}
