//! `y3 edit`: packets kept, removed or set by path.

use clap::Args;
use y3::edit::{Edit, Rule};
use y3::show::{escape, text_to_vec};
use y3::{Key, Packet, Path, Paths};

use crate::encoding::Encoding;
use crate::failure::{Failure, Found, Result, tell};
use crate::input::{InputArguments, shown};
use crate::names::{self, Known, NamesArgument};
use crate::output::{self, OutputArguments, write_all};
use crate::progress::Progress;
use crate::replace::Replacement;
use crate::top_level::{TopLevel, describe};

/// Keep, remove, rename or write packets by path
///
/// Each top-level packet is edited by itself, in one pass: what is not kept goes, and the other edits see what stays. All paths are those
/// of the input, so no edit sees what another one writes. Packets that stay are copied byte for byte; only the lengths of the nodes
/// around a change are written anew. PACKET and VALUE are written as `y3 dump --text` writes them. A packet that cannot be edited for a
/// fault ends the command before anything of it is written, and the exit code is 3. It is 1 if no packet was changed or kept.
#[derive(Args, Debug)]
#[command(
    group = clap::ArgGroup::new("edits").required(true).multiple(true),
    after_help = "\
Examples:
  y3 edit --remove 3f/02 session.y3 > redacted.y3
  y3 edit --keep 3f/01 session.y3 | y3 dump --short
  echo 8103020105 | y3 edit --set '01/02=i32(300)' --to hex
  y3 edit --set '01/10{11=f32(1.5),13=\"lab\"}' in.y3 > out.y3
  y3 edit --insert '01/10=0f=\"first\"' --append '01=20=bool(true)' --rename 01/11=12 in.y3 > out.y3
  y3 edit --in-place --remove 3f/02 session.y3
  y3 edit --names noise.y3n --remove frame/payload:data/thing/device session.y3 > redacted.y3"
)]
pub struct Arguments {
    #[command(flatten)]
    input: InputArguments,
    /// Keep the packets at this path and the nodes around them, drop all others; may be given more than once
    #[arg(long, value_name = "PATH", group = "edits")]
    keep: Vec<String>,
    /// Remove all packets at this path; may be given more than once
    #[arg(long, value_name = "PATH", group = "edits")]
    remove: Vec<String>,
    /// Replace the first packet at this path
    #[arg(long, value_name = "PATH=VALUE", group = "edits")]
    set: Vec<String>,
    /// Write a packet before the first one at this path
    #[arg(long, value_name = "PATH=PACKET", group = "edits")]
    insert: Vec<String>,
    /// Write a packet at the end of the first node at this path
    #[arg(long, value_name = "PATH=PACKET", group = "edits")]
    append: Vec<String>,
    /// Give all packets at this path another key
    #[arg(long, value_name = "PATH=KEY", group = "edits")]
    rename: Vec<String>,
    #[command(flatten)]
    names: NamesArgument,
    /// Give INPUT, a file of raw bytes, what would be written: it is written beside it and takes its name once all of it is there
    #[arg(short, long, conflicts_with = "to")]
    in_place: bool,
    #[command(flatten)]
    to: OutputArguments,
}

/// A packet to be written at a path.
#[derive(Debug)]
struct Written {
    path: Path,
    packet: Vec<u8>,
}

impl Written {
    fn set(text: &str, known: &Known) -> std::result::Result<Written, String> {
        let end = text.find(['=', '{', '[']).ok_or("expected PATH=VALUE, PATH{...} or PATH[...]")?;
        let (path, value) = text.split_at(end);
        let path = parse_path(path, known)?;
        // A path that ends in any key names no key: its text is then no packet.
        let key = path.keys().last().flatten().map_or("*".into(), |key| format!("{:02x}", key.get()));
        Written::new(path, &format!("{key}{value}"))
    }

    fn packet(text: &str, known: &Known) -> std::result::Result<Written, String> {
        let (path, packet) = text.split_once('=').ok_or("expected PATH=PACKET, as 01/10=11=\"a\"")?;
        Written::new(parse_path(path, known)?, packet)
    }

    fn new(path: Path, packet: &str) -> std::result::Result<Written, String> {
        let bytes = text_to_vec(packet).map_err(|error| error.to_string())?;
        Packet::from_slice(&bytes).map_err(|_| format!("'{}' is not one packet", escape(packet)))?;
        Ok(Written { path, packet: bytes })
    }
}

fn parse_path(text: &str, known: &Known) -> std::result::Result<Path, String> {
    Ok(known.path(text).map_err(|error| format!("'{}' is not a path: {error}", escape(text)))?.0)
}

fn rename(text: &str, known: &Known) -> std::result::Result<(Path, Key), String> {
    let (path, key) = text.split_once('=').ok_or("expected PATH=KEY")?;
    let named = |error: String| format!("'{}' is not a key: {error}", escape(key));
    Ok((parse_path(path, known)?, known.key_beside(path, key).map_err(named)?))
}

/// The edits of the arguments, their names read.
struct Edits {
    keep: Vec<Path>,
    remove: Vec<Path>,
    rename: Vec<(Path, Key)>,
    set: Vec<Written>,
    insert: Vec<Written>,
    append: Vec<Written>,
}

impl Arguments {
    fn edits(&self) -> std::result::Result<Edits, Failure> {
        let known = &self.names.load()?;
        Ok(Edits {
            keep: known.paths(&self.keep, "edit", "--keep <PATH>")?,
            remove: known.paths(&self.remove, "edit", "--remove <PATH>")?,
            rename: parsed(&self.rename, "--rename <PATH=KEY>", |text| rename(text, known))?,
            set: parsed(&self.set, "--set <PATH=VALUE>", |text| Written::set(text, known))?,
            insert: parsed(&self.insert, "--insert <PATH=PACKET>", |text| Written::packet(text, known))?,
            append: parsed(&self.append, "--append <PATH=PACKET>", |text| Written::packet(text, known))?,
        })
    }
}

fn parsed<T>(
    texts: &[String],
    argument: &str,
    parse: impl Fn(&str) -> std::result::Result<T, String>,
) -> std::result::Result<Vec<T>, Failure> {
    texts.iter().map(|text| parse(text).map_err(|error| names::wrong("edit", argument, text, &error))).collect()
}

impl Edits {
    /// The rules, and the paths at which one of them writes.
    fn rules(&self) -> std::result::Result<(Vec<Rule<'_>>, Vec<Path>), y3::Error> {
        let keep = self.keep.iter().map(|path| Rule::keep(*path));
        let remove = self.remove.iter().map(|path| Rule::remove(*path));
        let rename = self.rename.iter().map(|(path, key)| Rule::rename(*path, key.get()));
        let mut rules: Vec<_> = keep.chain(remove).chain(rename).collect();
        for written in &self.set {
            rules.push(Rule::replace(written.path, Packet::from_slice(&written.packet)?));
        }
        for written in &self.insert {
            rules.push(Rule::insert(written.path, Packet::from_slice(&written.packet)?));
        }
        for written in &self.append {
            rules.push(Rule::append(written.path, Packet::from_slice(&written.packet)?));
        }
        let written = self.set.iter().chain(&self.insert).chain(&self.append);
        Ok((rules, written.map(|written| written.path).collect()))
    }
}

pub fn run(arguments: &Arguments) -> Result {
    let name = &arguments.input.input;
    let usage = |text: &str| Failure::Usage("edit", format!("--in-place: '{}' is {text}", shown(name)));
    let edits = arguments.edits()?;
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
    let (rules, mut absent) = edits.rules().map_err(|error| Failure::Usage("edit", error.to_string()))?;
    if absent.len() > MAX_WRITTEN {
        return Err(Failure::Usage("edit", format!("at most {MAX_WRITTEN} of --set, --insert and --append")));
    }
    let edit = Edit::from_rules(&rules).skip_absent();
    let (mut packets, mut offset, mut is_changed) = (TopLevel::new(&mut input), 0, false);
    while let Some((bytes, packet)) = packets.next()? {
        let start = out.bytes.len();
        if let Err(error) = packet.and_then(|_| edit.apply(bytes, &mut out.bytes)) {
            out.write(true)?;
            return Err(origin.fault(describe(bytes, offset, error)));
        }
        let edited = out.bytes.get(start..).unwrap_or_default();
        is_changed |= if arguments.keep.is_empty() { edited != bytes } else { !edited.is_empty() };
        absent.retain(|path| Paths::new([*path]).watch(bytes).next().is_none());
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
    for path in absent {
        tell(format_args!("{}: there is no packet at {path}", origin.name));
    }
    Ok(if is_changed { Found::Something } else { Found::Nothing })
}

/// The packets that an `Edit` can write.
const MAX_WRITTEN: usize = 64;
/// The bytes that are written at a time where there are more.
const CHUNK: usize = 64 << 10;

/// What was edited, on its way to the output.
struct Out<'p> {
    to: Encoding,
    bytes: Vec<u8>,
    replacement: Option<Replacement>,
    progress: &'p Progress,
}

impl Out<'_> {
    /// Writes what was edited; each piece of text is a line.
    fn write(&mut self, is_last: bool) -> std::result::Result<(), Failure> {
        if let Some(replacement) = &mut self.replacement {
            replacement.write(&self.bytes)?;
            self.bytes.clear();
            return Ok(());
        }
        let piece = output::piece(&mut self.bytes, self.to, is_last);
        if piece.is_empty() { Ok(()) } else { self.progress.while_writing(|| write_all(&self.to.encode(&piece))) }
    }
}
