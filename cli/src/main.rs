//! The command `y3`: offers the library for files, pipes and connections.
//!
//! Each subcommand has its own file. Shared files do not import subcommands. In: arguments and bytes. Out: text or bytes, and an
//! exit code.
#![forbid(unsafe_code)]
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation
)]

mod any_depth;
mod check;
mod conform;
mod decode;
mod dump;
mod edit;
mod encode;
mod failure;
mod input;
mod inputs;
mod json;
mod label;
mod lint;
mod look;
mod names;
mod objects;
mod opened;
mod output;
mod pages;
mod paint;
mod progress;
mod quantity;
mod replace;
mod stat;
mod top_level;
mod watch;

use std::process::ExitCode;

use clap::{ColorChoice, CommandFactory, Parser, Subcommand};

/// Shows, watches, checks and writes Y3 packets
#[derive(Parser)]
#[command(name = "y3", version, arg_required_else_help = true, after_help = CODES, after_long_help = EXAMPLES)]
struct Cli {
    /// When to show keys, names, values and faults in colours. The value auto means on terminals
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    color: ColorChoice,
    #[command(subcommand)]
    command: Command,
}

impl Command {
    /// The noun for what the command counts. If Ctrl-C ends the command, the summary uses this noun.
    fn finds(&self) -> Option<&'static str> {
        match self {
            Command::Watch(_) => Some("hits"),
            Command::Check(_) | Command::Stat(_) | Command::Edit(_) | Command::Json(_) => Some("packets"),
            _ => None,
        }
    }
}

#[derive(Subcommand)]
enum Command {
    Watch(watch::Arguments),
    Dump(dump::Arguments),
    Check(check::Arguments),
    Stat(stat::Arguments),
    Encode(encode::Arguments),
    Edit(edit::Arguments),
    Json(json::Arguments),
    Names(lint::Arguments),
    Conform(conform::Arguments),
    Completions(pages::Completions),
    Man(pages::Man),
}

const CODES: &str =
    "BYTES are written as 4096, 10k, 1.5MB (powers of 1000) or 10MiB (of 1024), times as 10s, 500ms or 2m.

Exit codes: 0 found or done, 1 nothing found, 2 wrong use or unreadable file, 3 faulty input, 130 Ctrl-C";

const EXAMPLES: &str = "\
Examples:
  y3 watch 3f/02:01/10/11=f32 session.y3      the noise readings of a YoMo session
  y3 watch 3f/01 tcp://localhost:6142 --json  a connection, one line of JSON for each hit
  echo 8103020105 | y3 dump                   a packet in hexadecimal
  y3 check session.y3 && y3 stat session.y3   a check for faults, then a summary
  echo '01{11=f32(45.12)}' | y3 encode        bytes from text
  y3 json --names noise.y3n session.y3        lines of JSON, with names

INPUT is a file, - for standard input (the default), or tcp://HOST:PORT. It is raw bytes, hexadecimal, base64 or the text form of
packets; --from chooses one. Without --from, the content decides between the first three, however fast it arrives. A byte that does not
occur in text makes it raw. Otherwise its lines are examined, up to 4096 bytes, until they are hexadecimal (81 03, 8103, 0x81, 0x03,
\"\\x81\\x03\", [81:03], or with an offset in each line as xxd, hexdump -C and Wireshark print them) or base64. Text that is nearly
hexadecimal is rejected, and the message names the wrong byte. Such text begins with two bytes of hexadecimal (four if it is base64
too), or nearly all of its letters and digits are hexadecimal.

BYTES are written as 4096, 10k, 1.5MB (powers of 1000) or 10MiB (of 1024), times as 10s, 500ms or 2m.

watch, dump, check, stat and json read several INPUTs, and the files in folders in the order of their names, except hidden files. Lines
then begin with the name of their file. The lines of json and dump --text do not, since they can be read back; JSON of watch has the
member \"file\". An INPUT that fails does not stop the others.

Exit codes:
  0    found something, or done
  1    found nothing
  2    wrong use, or a file or connection that cannot be read or written
  3    faulty input: packets, hexadecimal, base64 or text
       with several inputs: 2 if one cannot be read, else 3 if one is faulty, else 0 if something was found in one
  130  ended by Ctrl-C; a summary is on standard error

Colours and progress appear on terminals only. --color, NO_COLOR and CLICOLOR_FORCE turn colours off or on.";

fn main() -> ExitCode {
    let command = match Cli::try_parse() {
        Ok(cli) => {
            paint::choose(cli.color);
            cli.command
        }
        Err(error) => return failure::wrong_use(&error),
    };
    if let Some(what) = command.finds() {
        progress::listen(what);
    }
    let result = match command {
        Command::Watch(arguments) => watch::run(&arguments),
        Command::Dump(arguments) => dump::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Stat(arguments) => stat::run(&arguments),
        Command::Encode(arguments) => encode::run(&arguments),
        Command::Edit(arguments) => edit::run(&arguments),
        Command::Json(arguments) => json::run(&arguments),
        Command::Names(arguments) => lint::run(&arguments),
        Command::Conform(arguments) => conform::run(&arguments),
        Command::Completions(arguments) => pages::completions(&arguments, Cli::command()),
        Command::Man(arguments) => pages::man(&arguments, Cli::command()),
    };
    // What was found is there, whatever ended the command.
    failure::exit_code(output::finish().and(result), Cli::command())
}
