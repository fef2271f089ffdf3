//! `y3 check`: checks all headers of an input.

use clap::Args;
use y3_names::Names;

use crate::failure::{Found, Result};
use crate::input::Input;
use crate::inputs::Inputs;
use crate::opened::{Open, Opened};
use crate::output::{counted, put};
use crate::progress::Progress;
use crate::top_level::{TopLevel, describe};

/// Check every header of every packet, at any depth
///
/// The command prints the number of top-level packets. At the first fault, it prints what is wrong, the offset, and the
/// path of the faulty packet, and the exit code is 3. Packets inside a primitive are checked only if --open, --open-all
/// or the names file selects the primitive. With --names, the command also checks the values: every value must match
/// its type, and every required field must be present.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  y3 check session.y3
  y3 check session.y3 --open 3f/02   also check the embedded packets
  echo 8103020105 | y3 check")]
pub struct Arguments {
    #[command(flatten)]
    input: Inputs,
    #[command(flatten)]
    opened: Opened,
    /// Print nothing if there is no fault
    #[arg(short, long)]
    quiet: bool,
    /// Also reject packets that are not canonical: padded lengths, primitives with the slice flag, and slice items with
    /// a key other than 0
    #[arg(long)]
    canonical: bool,
}

pub fn run(arguments: &Arguments) -> Result {
    let (names, open) = arguments.opened.load("check")?;
    arguments.input.each(true, |input| check(arguments, &names, &open, input))
}

fn check(arguments: &Arguments, names: &Names, open: &Open, mut input: Input) -> Result {
    let (origin, len) = (input.origin.clone(), input.len());
    let progress = Progress::start(len, "packets");
    let mut packets = TopLevel::new(&mut input, &progress);
    while let Some((offset, bytes, header)) = packets.next()? {
        let checked = header.and_then(|()| open.check(bytes));
        checked.map_err(|error| origin.fault(describe(bytes, offset, error)))?;
        if !names.fields().is_empty() {
            let mut packets = y3::packets(bytes).flatten();
            packets.try_for_each(|packet| names.check(packet)).map_err(|error| origin.fault(error.moved(offset)))?;
        }
        if arguments.canonical {
            if let Ok(Some(deviation)) = y3::edit::first_deviation(bytes) {
                let (at, what) = (offset + deviation.offset(), deviation.kind());
                let place = keys_around(bytes, deviation.offset());
                return Err(origin.fault(format!("not canonical at byte {at}: {what}{place}")));
            }
        }
    }
    progress.end();
    if !arguments.quiet {
        let text =
            format!("{}, {}, no fault\n", counted(progress.count(), "packet"), counted(packets.offset(), "byte"));
        put(text)?;
    }
    Ok(Found::Something)
}

/// Returns the path of the packet whose header contains the byte at offset `at`, as text for the message.
fn keys_around(bytes: &[u8], at: u64) -> String {
    let (mut keys, mut walk) = (Vec::new(), y3::walk(bytes));
    while let Some(Ok(packet)) = walk.next() {
        keys.truncate(walk.depth());
        keys.push(packet.key().to_string());
        if (packet.offset()..packet.value_offset()).contains(&at) {
            return format!(", of packet {}", keys.join("/"));
        }
    }
    String::new()
}
