//! `y3 edit`: packets kept, removed or set by path.

use std::borrow::Cow;

use clap::Args;
use y3::edit::{self, EditError, Filter};
use y3::show::escape;
use y3::{Packet, Path, Paths};

use crate::encoding::Encoding;
use crate::failure::{Failure, Found, Result, tell};
use crate::input::{InputArguments, shown};
use crate::output::{OutputArguments, write_all};
use crate::path;
use crate::progress::Progress;
use crate::replace::Replacement;
use crate::top_level::{TopLevel, describe};

/// Keep, remove or set packets by path
///
/// Each top-level packet is edited by itself: first --keep, then --remove, then each --set in its order. Packets that stay are copied
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
  y3 edit --set '01/10{11=f32(1.5),13=\"lab\"}' in.y3 > out.y3
  y3 edit --in-place --remove 3f/02 session.y3"
)]
pub struct Arguments {
    #[command(flatten)]
    input: InputArguments,
    /// Keep the packets at this path and the nodes around them, drop all others; may be given more than once
    #[arg(long, value_name = "PATH", value_parser = path::parse, group = "edits")]
    keep: Vec<Path>,
    /// Remove all packets at this path; may be given more than once
    #[arg(long, value_name = "PATH", value_parser = path::parse, group = "edits")]
    remove: Vec<Path>,
    /// Replace the first packet at this path: its path, then its value as `y3 dump --text` writes it
    #[arg(long, value_name = "PATH=VALUE", group = "edits", value_parser = Set::parse)]
    set: Vec<Set>,
    /// Give INPUT, a file of raw bytes, what would be written: it is written beside it and takes its name once all of it is there
    #[arg(short, long, conflicts_with = "to")]
    in_place: bool,
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
        let path = path::parse(path).map_err(|error| format!("'{}' is not a path: {error}", escape(path)))?;
        let packet = y3::show::text_to_vec(&format!("{key:0>2}{value}")).map_err(|error| error.to_string())?;
        Packet::from_slice(&packet).map_err(|_| format!("'{}' is more than one packet", escape(value)))?;
        Ok(Set { path, packet })
    }
}

pub fn run(arguments: &Arguments) -> Result {
    let name = &arguments.input.input;
    let usage = |text: &str| Failure::Usage("edit", format!("--in-place: '{}' is {text}", shown(name)));
    let mut replacement = None;
    if arguments.in_place {
        if name == "-" || name.as_encoded_bytes().starts_with(b"tcp://") {
            return Err(usage("no file"));
        }
        replacement = Some(Replacement::of(name)?);
    }
    let mut input = arguments.input.open()?;
    if arguments.in_place && !input.is_file() {
        return Err(usage("text for bytes; --from raw reads its bytes as they are"));
    }
    let (origin, len) = (input.origin.clone(), input.len());
    let progress = Progress::start(len, "packets");
    let mut out = Out { to: arguments.to.encoding(), bytes: Vec::new(), replacement, progress: &progress };
    let (keep, remove) = (Paths::new(arguments.keep.iter().copied()), Paths::new(arguments.remove.iter().copied()));
    let mut missing: Vec<&Set> = arguments.set.iter().collect();
    let (mut packets, mut offset, mut is_changed) = (TopLevel::new(&mut input), 0, false);
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
                    Ok(_) => {
                        (bytes, is_changed) = (edited.into(), true);
                        missing.retain(|missing| missing.path != set.path);
                    }
                    Err(EditError::NotFound) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(bytes)
        });
        match edited {
            Ok(edited) => out.bytes.extend_from_slice(&edited),
            Err(error) => {
                out.write(true)?;
                return Err(origin.fault(match error {
                    EditError::Failed(error) => describe(bytes, offset, error),
                    error => format!("{error}, in the packet at byte {offset}"),
                }));
            }
        }
        progress.found();
        offset = packets.offset();
        progress.read(offset)?;
        if out.bytes.len() >= CHUNK || packets.is_drained() {
            out.write(false)?;
        }
    }
    out.write(true)?;
    progress.read(offset)?;
    if let Some(replacement) = out.replacement.filter(|_| is_changed) {
        replacement.finish()?;
    }
    progress.end();
    for set in missing {
        tell(format_args!("{}: no packet at {} to set", origin.name, set.path));
    }
    Ok(if is_changed { Found::Something } else { Found::Nothing })
}

/// The bytes that are written at a time where there are more.
const CHUNK: usize = 64 << 10;

fn filtered(filter: &Filter<&Paths>, bytes: &[u8]) -> std::result::Result<Vec<u8>, y3::Error> {
    let mut out = Vec::new();
    filter.write(bytes, &mut out)?;
    Ok(out)
}

/// What was edited, on its way to the output.
struct Out<'p> {
    to: Encoding,
    bytes: Vec<u8>,
    replacement: Option<Replacement>,
    progress: &'p Progress,
}

impl Out<'_> {
    /// Writes what was edited; each piece of text is a line. Groups of base64 have three bytes, and only the last may have fewer.
    fn write(&mut self, is_last: bool) -> std::result::Result<(), Failure> {
        if let Some(replacement) = &mut self.replacement {
            replacement.write(&self.bytes)?;
            self.bytes.clear();
            return Ok(());
        }
        let held = if self.to == Encoding::Base64 && !is_last { self.bytes.len() % 3 } else { 0 };
        let rest = self.bytes.split_off(self.bytes.len() - held);
        let piece = std::mem::replace(&mut self.bytes, rest);
        if piece.is_empty() { Ok(()) } else { self.progress.while_writing(|| write_all(&self.to.encode(&piece))) }
    }
}
