//! `y3 check`: whether an input is packets without a fault.

use clap::Args;

use crate::failure::{Failure, Found, Result};
use crate::input::InputArguments;
use crate::outermost::{Outermost, describe};
use crate::output::write_all;
use crate::progress::Progress;

/// Check every header of every packet, at any depth
///
/// Prints how many outermost packets there are. A fault is printed with its offset, the keys that lead to it and the lengths
/// involved, and the exit code is 3. Values are not checked, so neither are packets inside the value of a primitive.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  y3 check session.y3\n  echo 8103020105 | y3 check")]
pub struct Arguments {
    #[command(flatten)]
    input: InputArguments,
    /// Print nothing if there is no fault
    #[arg(short, long)]
    quiet: bool,
    /// Also refuse what a conforming writer does not write: padded lengths, flagged primitives, items of slices with keys
    #[arg(long)]
    canonical: bool,
}

pub fn run(arguments: &Arguments) -> Result {
    let mut input = arguments.input.open()?;
    let (name, len) = (input.name.clone(), input.len());
    let progress = Progress::start(len, "packets");
    let mut packets = Outermost::new(&mut input);
    let mut offset = 0;
    while let Some((bytes, packet)) = packets.next()? {
        let checked = packet.and_then(|_| y3::check(bytes));
        if let Err(error) = checked {
            return Err(Failure::Fault(format!("{name}: {}", describe(bytes, offset, error))));
        }
        if arguments.canonical {
            if let Ok(Some(deviation)) = y3::edit::first_deviation(bytes) {
                let at = offset + deviation.offset();
                return Err(Failure::Fault(format!("{name}: not canonical at byte {at}: {:?}", deviation.kind())));
            }
        }
        progress.found();
        offset = packets.offset();
        progress.read(offset)?;
    }
    progress.read(offset)?;
    progress.end();
    if !arguments.quiet {
        let text = format!("{} packets, {offset} bytes, no fault\n", progress.count());
        progress.while_writing(|| write_all(text.as_bytes()))?;
    }
    Ok(Found::Something)
}
