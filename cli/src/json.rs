//! `y3 json`: prints packets as lines of JSON.

use clap::Args;
use y3::Packet;
use y3_names::Names;

use crate::failure::{Found, Result};
use crate::input::Input;
use crate::inputs::Inputs;
use crate::names::NamesArgument;
use crate::output::{Output, put};
use crate::progress::Progress;
use crate::top_level::{TopLevel, describe};

/// Print packets as JSON, one line for each top-level packet
///
/// Each packet is printed as a member of a JSON object. With --names, the member has the name and the type from the
/// names file. If a packet has no name there, the key is the member's name, and the value of a primitive is
/// hexadecimal. If a key is repeated, the second member is named "name#2". Integers are exact. NaN and infinity are
/// strings.
///
/// `y3 encode --json` converts the lines back to packets in canonical form. At a packet that is faulty or does not
/// match the names file, the command ends with exit code 3. Names files and the JSON of each type are defined in
/// docs/spec/names.md.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  y3 json --names noise.y3n session.y3 | jq '.frame.payload.data.thing.noise'
  y3 json session.y3 | head -1
  y3 json --names noise.y3n session.y3 | y3 encode --json --names noise.y3n > same.y3")]
pub struct Arguments {
    #[command(flatten)]
    input: Inputs,
    #[command(flatten)]
    names: NamesArgument,
}

/// Packets of more than this many bytes are checked first, and then printed in parts.
const LONG: usize = 64 << 10;

pub fn run(arguments: &Arguments) -> Result {
    let names = arguments.names.load()?;
    arguments.input.each(false, |input| show(&names, input))
}

fn show(names: &Names, mut input: Input) -> Result {
    let (origin, len) = (input.origin.clone(), input.len());
    let progress = Progress::start(len, "packets");
    let mut packets = TopLevel::new(&mut input, &progress);
    let (mut line, mut out) = (String::new(), Output::open());
    while let Some((offset, bytes, header)) = packets.next()? {
        let packet = header.and_then(|()| Packet::from_slice(bytes));
        let packet = packet.map_err(|error| origin.fault(describe(bytes, offset, error)))?;
        let is_long = bytes.len() > LONG;
        line.clear();
        let shown = if is_long { names.check(packet) } else { names.show_json(packet, &mut line) };
        shown.map_err(|error| match y3::check(bytes) {
            Err(fault) => origin.fault(describe(bytes, offset, fault)),
            Ok(()) => origin.fault(error.moved(offset)),
        })?;
        if is_long {
            // `Output::finish` returns the error if a write fails.
            let _ = names.show_json(packet, &mut out);
            out.finish()?;
        }
        line.push('\n');
        put(&line)?;
    }
    progress.end();
    Ok(if packets.offset() == 0 { Found::Nothing } else { Found::Something })
}
