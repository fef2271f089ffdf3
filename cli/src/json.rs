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
/// With --names, members have the names and types of the names file. For a packet without a name, the member has the key as its
/// name, and the value is hexadecimal. No packet is left out. If a key is repeated, the second member is "name#2". Integers are
/// exact. NaN and infinity are text. `y3 encode --json` converts the lines back to packets in canonical form. The command ends
/// at a packet that is faulty or does not match the names file, and the exit code is 3. The grammar of names files and the JSON
/// for each type are in docs/spec/names.md.
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

/// Packets longer than this number of bytes are checked first, and then printed in parts.
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
            // The output knows what it could not write.
            let _ = names.show_json(packet, &mut out);
            out.finish()?;
        }
        line.push('\n');
        put(&line)?;
    }
    progress.end();
    Ok(if packets.offset() == 0 { Found::Nothing } else { Found::Something })
}
