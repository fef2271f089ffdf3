//! `y3 json`: packets as lines of JSON.

use clap::Args;
use y3_names::Names;

use crate::failure::{Failure, Found, Result};
use crate::input::InputArguments;
use crate::names::NamesArgument;
use crate::output::write_all;
use crate::progress::Progress;
use crate::top_level::{TopLevel, describe};

/// Print packets as JSON, a line for each top-level packet
///
/// With --names fields have their names and types; what the file does not name is there by number, its value in hexadecimal. Nothing is
/// left out: integers are exact, the second packet with a key is "name#2", a float that is no number is text. `y3 encode --json` reads
/// the lines back to the same packets in canonical form. A packet that is faulty, or not what the names file says, ends the command, and
/// the exit code is 3. docs/spec/names.md has the grammar of names files and a row for each kind of packet.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  y3 json --names noise.y3n session.y3 | jq '.frame.payload.data.thing.noise'
  y3 json session.y3 | head -1
  y3 json --names noise.y3n session.y3 | y3 encode --json --names noise.y3n > same.y3")]
pub struct Arguments {
    #[command(flatten)]
    input: InputArguments,
    #[command(flatten)]
    names: NamesArgument,
}

/// The characters that are written at a time where there are more.
const CHUNK: usize = 64 << 10;

pub fn run(arguments: &Arguments) -> Result {
    let names = arguments.names.load()?;
    let mut input = arguments.input.open()?;
    let (origin, len) = (input.origin.clone(), input.len());
    let progress = Progress::start(len, "packets");
    let mut packets = TopLevel::new(&mut input);
    let (mut lines, mut offset) = (String::new(), 0);
    while let Some((bytes, packet)) = packets.next()? {
        let start = lines.len();
        let shown = packet.map_err(|error| describe(bytes, offset, error));
        if let Err(fault) = shown.and_then(|packet| line(&names, bytes, packet, offset, &mut lines)) {
            lines.truncate(start);
            write(&mut lines, &progress)?;
            return Err(origin.fault(fault));
        }
        progress.found();
        offset = packets.offset();
        progress.read(offset)?;
        if lines.len() >= CHUNK || packets.is_drained() {
            write(&mut lines, &progress)?;
        }
    }
    write(&mut lines, &progress)?;
    progress.end();
    Ok(if offset == 0 { Found::Nothing } else { Found::Something })
}

/// Adds the line of a top-level packet, or says where it is faulty or not what the file says.
fn line(
    names: &Names,
    bytes: &[u8],
    packet: y3::Packet<'_>,
    offset: u64,
    lines: &mut String,
) -> std::result::Result<(), String> {
    let shown = names.show_json(packet, lines);
    lines.push('\n');
    shown.map_err(|error| match y3::check(bytes) {
        Err(fault) => describe(bytes, offset, fault),
        Ok(()) => error.moved(offset).to_string(),
    })
}

fn write(lines: &mut String, progress: &Progress) -> std::result::Result<(), Failure> {
    if !lines.is_empty() {
        progress.while_writing(|| write_all(lines.as_bytes()))?;
        lines.clear();
    }
    Ok(())
}
