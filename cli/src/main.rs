//! The command `y3`: applies the library to files, pipes and connections.
//!
//! Each subcommand has its own file. The subcommands share the other files, which do not import subcommands.
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
    /// Show keys, names, values and faults in colours; auto means only on terminals
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    color: ColorChoice,
    #[command(subcommand)]
    command: Command,
}

impl Command {
    /// The noun for what the command counts, used in the summary after Ctrl-C.
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
    "BYTES are written as 4096, 10k or 1.5MB (powers of 1000), or as 10MiB (powers of 1024). TIME is written as 10s, 500ms or 2m.

Exit codes: 0 found or done, 1 nothing found, 2 wrong use or unreadable file, 3 faulty input, 130 Ctrl-C";

const EXAMPLES: &str = "\
Examples:
  y3 watch 3f/02:01/10/11=f32 session.y3      the noise readings of a YoMo session
  y3 watch 3f/01 tcp://localhost:6142 --json  a connection, one line of JSON for each hit
  echo 8103020105 | y3 dump                   a packet in hexadecimal
  y3 check session.y3 && y3 stat session.y3   check for faults, then summarize
  echo '01{11=f32(45.12)}' | y3 encode        bytes from text
  y3 json --names noise.y3n session.y3        lines of JSON, with names

INPUT is a file, - for standard input (the default), or tcp://HOST:PORT. Its content is raw bytes, hexadecimal, base64, or the text form of
packets. --from selects one of these encodings. Without --from, y3 detects raw bytes, hexadecimal and base64. An INPUT with a byte that
does not occur in text is raw. Otherwise y3 examines its lines, up to 4096 bytes, until they are hexadecimal or base64. If they are neither,
INPUT is raw. Hexadecimal can be written as 81 03, 8103, 0x81, 0x03, \"\\x81\\x03\" or [81:03], or in lines with offsets, as xxd, hexdump -C
and Wireshark print them. Text that is nearly hexadecimal is rejected, and the message names the wrong byte. Text is nearly hexadecimal if
it begins with two hexadecimal bytes (four if it is also valid base64), or if nearly all of its letters and digits are hexadecimal.

BYTES are written as 4096, 10k or 1.5MB (powers of 1000), or as 10MiB (powers of 1024). TIME is written as 10s, 500ms or 2m.

watch, dump, check, stat and json accept several INPUTs, and folders. The files in a folder are read in the order of their names, except hidden
files. With several INPUTs, each output line begins with the name of its file. In the output of watch --json, the name is the member \"file\".
The lines of json and dump --text have no file name, so that y3 encode can read them. If an INPUT fails, the command continues with the next.

Exit codes:
  0    found something, or done
  1    found nothing
  2    wrong use, or a file or connection that cannot be read or written
  3    faulty input: packets, hexadecimal, base64 or text
       with several inputs: 2 if any input cannot be read, otherwise 3 if any is faulty, otherwise 0 if anything was found
  130  ended by Ctrl-C, after a summary on standard error

Colours and progress appear only on terminals. The option --color and the variables NO_COLOR and CLICOLOR_FORCE turn colours on or off.";

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
    // The output found so far is written even if the command failed.
    failure::exit_code(output::finish().and(result), Cli::command())
}
