//! `y3 edit`: packets kept, removed or set by path.

use std::borrow::Cow;

use clap::Args;
use y3::edit::{self, EditError, Filter};
use y3::{Packet, Path, Paths};

use crate::encoding::Encoding;
use crate::failure::{Failure, Found, Result};
use crate::input::InputArguments;
use crate::outermost::{Outermost, describe};
use crate::output::{OutputArguments, write_all};
use crate::progress::Progress;

/// Keep, remove or set packets by path
///
/// Each outermost packet is edited by itself: first --keep, then --remove, then each --set in its order. Packets that stay are copied
/// byte for byte; only the lengths of the nodes around a change are written anew. A packet that cannot be edited for a fault
/// ends the command before anything of it is written, and the exit code is 3. It is 1 if no packet was changed or kept.
#[derive(Args, Debug)]
#[command(
    group = clap::ArgGroup::new("edits").required(true).multiple(true),
    after_help = "\
Examples:
  y3 edit --remove 3f/02 session.y3 > redacted.y3
  y3 edit --keep 3f/01 session.y3 | y3 dump --short
  echo 8103020105 | y3 edit --set '01/02=i32(300)' --to hex
  y3 edit --set '01/10{11=f32(1.5),13=\"lab\"}' in.y3 > out.y3"
)]
pub struct Arguments {
    #[command(flatten)]
    input: InputArguments,
    /// Keep the packets at this path and the nodes around them, drop all others; may be given more than once
    #[arg(long, value_name = "PATH", group = "edits")]
    keep: Vec<Path>,
    /// Remove all packets at this path; may be given more than once
    #[arg(long, value_name = "PATH", group = "edits")]
    remove: Vec<Path>,
    /// Replace the first packet at this path: its path, then its value as `y3 dump --text` writes it
    #[arg(long, value_name = "PATH=VALUE", group = "edits", value_parser = Set::parse)]
    set: Vec<Set>,
    #[command(flatten)]
    to: OutputArguments,
}

/// A packet to be written at a path.
#[derive(Clone, Debug)]
struct Set {
    path: Path,
    packet: Vec<u8>,
}

impl Set {
    fn parse(text: &str) -> std::result::Result<Set, String> {
        let end = text.find(['=', '{', '[']).ok_or("expected PATH=VALUE, PATH{...} or PATH[...]")?;
        let (path, value) = text.split_at(end);
        let key = path.rsplit(['/', ':']).next().unwrap_or_default();
        let key = key.strip_prefix("0x").unwrap_or(key);
        let path = path.parse().map_err(|error| format!("'{path}' is not a path: {error}"))?;
        let packet = y3::show::text_to_vec(&format!("{key:0>2}{value}")).map_err(|error| error.to_string())?;
        Packet::from_slice(&packet).map_err(|_| format!("'{value}' is more than one packet"))?;
        Ok(Set { path, packet })
    }
}

pub fn run(arguments: &Arguments) -> Result {
    let mut input = arguments.input.open()?;
    let (name, len) = (input.name.clone(), input.len());
    let progress = Progress::start(len, "packets");
    let to = arguments.to.encoding();
    let (keep, remove) = (Paths::new(arguments.keep.iter().copied()), Paths::new(arguments.remove.iter().copied()));
    let (mut packets, mut offset, mut out, mut is_changed) = (Outermost::new(&mut input), 0, Vec::new(), false);
    while let Some((bytes, packet)) = packets.next()? {
        let edited = packet.map_err(EditError::from).and_then(|_| {
            let mut bytes = Cow::Borrowed(bytes);
            if !keep.is_empty() {
                bytes = filtered(&Filter::project(&keep), &bytes)?.into();
                is_changed |= !bytes.is_empty();
            }
            if !remove.is_empty() {
                let rest = filtered(&Filter::remove(&remove), &bytes)?;
                is_changed |= rest.len() < bytes.len();
                bytes = rest.into();
            }
            for set in &arguments.set {
                let mut edited = Vec::new();
                match edit::replace(&bytes, set.path, Packet::from_slice(&set.packet)?, &mut edited) {
                    Ok(_) => (bytes, is_changed) = (edited.into(), true),
                    Err(EditError::NotFound) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(bytes)
        });
        match edited {
            Ok(edited) => out.extend_from_slice(&edited),
            Err(error) => {
                write(to, &mut out, true, &progress)?;
                let text = match error {
                    EditError::Failed(error) => describe(bytes, offset, error),
                    error => format!("{error}, in the packet at byte {offset}"),
                };
                return Err(Failure::Fault(format!("{name}: {text}")));
            }
        }
        progress.found();
        offset = packets.offset();
        progress.read(offset)?;
        if out.len() >= CHUNK || packets.is_drained() {
            write(to, &mut out, false, &progress)?;
        }
    }
    write(to, &mut out, true, &progress)?;
    progress.read(offset)?;
    Ok(if is_changed { Found::Something } else { Found::Nothing })
}

/// The bytes that are written at a time where there are more.
const CHUNK: usize = 64 << 10;

fn filtered(filter: &Filter<&Paths>, bytes: &[u8]) -> std::result::Result<Vec<u8>, y3::Error> {
    let mut out = Vec::new();
    filter.write(bytes, &mut out)?;
    Ok(out)
}

/// Writes what was edited; each piece of text is a line. Groups of base64 have three bytes, and only the last may have fewer.
fn write(to: Encoding, out: &mut Vec<u8>, is_last: bool, progress: &Progress) -> std::result::Result<(), Failure> {
    let held = if to == Encoding::Base64 && !is_last { out.len() % 3 } else { 0 };
    let rest = out.split_off(out.len() - held);
    let piece = std::mem::replace(out, rest);
    if piece.is_empty() { Ok(()) } else { progress.while_writing(|| write_all(&to.encode(&piece))) }
}
