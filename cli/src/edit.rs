//! `y3 edit`: keeps, removes or writes packets by path.

use clap::Args;
use y3::edit::{Edit, Rule};
use y3::show::{escape, parse_text};
use y3::{Key, Packet, Path, Paths, Pattern, Patterns};
use y3_names::{Names, Schema};

use crate::any_depth::{self, Which};
use crate::failure::{Failure, Found, Result, tell};
use crate::input::{OneInput, shown};
use crate::names::{self, NamesArgument};
use crate::output::{OutputArguments, finish, put};
use crate::progress::Progress;
use crate::replace::Replacement;
use crate::top_level::{TopLevel, describe};

/// Keep, remove, rename or write packets by path
///
/// The command edits one top-level packet after the other. --keep is applied first, and the other edits change only the
/// packets that are kept. Paths always refer to the input, never to the result of another edit. Unchanged packets are
/// copied byte for byte. In the nodes around a changed packet, only the length is rewritten.
///
/// PACKET and VALUE use the notation of `y3 dump --text`. If the names file has a type for the packet, VALUE is JSON,
/// and a string needs no quotation marks. PACKET is then NAME=VALUE.
///
/// In a path, '*' matches any key, and '**' matches zero or more keys of nested nodes. --set, --insert and --append use
/// only the first match in each top-level packet.
///
/// If a fault in a top-level packet prevents an edit, the command ends with exit code 3 and writes no byte of this
/// packet. If no packet was changed or kept, the exit code is 1.
#[derive(Args, Debug)]
#[command(
    group = clap::ArgGroup::new("edits").required(true).multiple(true),
    after_help = "\
Examples:
  y3 edit --remove 3f/02 session.y3 > redacted.y3
  y3 edit --keep 3f/01 session.y3 | y3 dump --short
  y3 edit --remove '**/13' in.y3 > out.y3       key 13 at any depth
  echo 8103020105 | y3 edit --set '01/02=i32(300)' --to hex
  y3 edit --set '01/10{11=f32(1.5),13=\"lab\"}' in.y3 > out.y3
  y3 edit --insert '01/10=0f=\"first\"' --append '01=20=bool(true)' --rename 01/11=12 in.y3 > out.y3
  y3 edit --in-place --remove 3f/02 session.y3
  y3 edit --names noise.y3n --set frame/tag=30 --set frame/payload:data/thing/device=lab session.y3 > out.y3
  y3 edit --names noise.y3n --remove frame/payload:data/thing/device session.y3 > redacted.y3"
)]
pub struct Arguments {
    #[command(flatten)]
    input: OneInput,
    #[command(flatten)]
    rules: Rules,
    #[command(flatten)]
    names: NamesArgument,
    /// Replace INPUT, a file of raw bytes, with the output
    ///
    /// The command writes the output to a file .y3-XXXXXX in the same folder. When this file is complete, it replaces
    /// INPUT. The new file gets the permissions and the extended attributes of INPUT, and also the owner if the system
    /// permits this. INPUT is not replaced if its permissions or attributes cannot be copied, or if another program
    /// changes INPUT during the edit.
    ///
    /// After SIGKILL or a power failure, the file .y3-XXXXXX can remain. Later runs ignore it, and you can remove it.
    #[arg(short, long, conflicts_with = "to")]
    in_place: bool,
    #[command(flatten)]
    to: OutputArguments,
}

/// The edits as the user wrote them.
#[derive(Args, Clone, Debug)]
struct Rules {
    /// Keep only the packets at this path and the nodes around them; can be repeated
    #[arg(long, value_name = "PATH", group = "edits")]
    keep: Vec<String>,
    /// Remove all packets at this path; can be repeated
    #[arg(long, value_name = "PATH", group = "edits")]
    remove: Vec<String>,
    /// Replace the first packet at this path with a new value
    #[arg(long, value_name = "PATH=VALUE", group = "edits")]
    set: Vec<String>,
    /// Insert a packet before the first packet at this path
    #[arg(long, value_name = "PATH=PACKET", group = "edits")]
    insert: Vec<String>,
    /// Add a packet at the end of the first node at this path
    #[arg(long, value_name = "PATH=PACKET", group = "edits")]
    append: Vec<String>,
    /// Change the key of all packets at this path
    #[arg(long, value_name = "PATH=KEY", group = "edits")]
    rename: Vec<String>,
}

/// A packet to write at a path.
#[derive(Debug)]
struct Written {
    path: Path,
    packet: Vec<u8>,
}

type Parsed<T> = std::result::Result<T, String>;
type Searched<T> = std::result::Result<T, y3::Error>;

/// The characters that can follow the key of a packet.
const CONTENT: [char; 3] = ['=', '{', '['];

impl Written {
    fn set(text: &str, names: &Names) -> Parsed<Written> {
        let end = text.find(CONTENT).ok_or("expected PATH=VALUE, PATH{...} or PATH[...]")?;
        let (path, content) = text.split_at(end);
        let (path, schema) = parse_path(path, names)?;
        // A path that ends in `*` has no key to write, so `packet` returns an error.
        let key = path.keys().last().flatten();
        Ok(Written {
            path,
            packet: packet(key.map_or("*".into(), |key| format!("{:02x}", key.get())), content, schema)?,
        })
    }

    fn insert(text: &str, names: &Names) -> Parsed<Written> {
        Written::packet(text, names, |path| path.get(..=path.rfind(['/', ':'])?).map(Into::into))
    }

    fn append(text: &str, names: &Names) -> Parsed<Written> {
        Written::packet(text, names, |path| Some(format!("{path}/")))
    }

    /// Parses PATH=PACKET. The key of PACKET can be a field name from the names file. `around` converts PATH to the
    /// path of the node that contains this field, with a separator at the end.
    fn packet(text: &str, names: &Names, around: impl Fn(&str) -> Option<String>) -> Parsed<Written> {
        let (path, text) = text.split_once('=').ok_or("expected PATH=PACKET, such as 01/10=11=\"a\"")?;
        let (key, content) = text.split_at(text.find(CONTENT).unwrap_or(text.len()));
        let inside = format!("{}{key}", around(path).unwrap_or_default());
        let (path, top) = (parse_path(path, names)?.0, (String::from(key), names.top()));
        let (key, schema) = match names.path(&inside) {
            Ok((path, schema)) => match path.keys().last().flatten() {
                Some(key) => (format!("{:02x}", key.get()), schema),
                None => top,
            },
            Err(error) if !names.fields().is_empty() && key.starts_with(char::is_alphabetic) => {
                return Err(format!("'{}' is not a key: {error}", escape(key)));
            }
            // The path is too long, or the key is in the notation of the text form.
            Err(_) => top,
        };
        Ok(Written { path, packet: packet(key, content, schema)? })
    }
}

/// Encodes a packet from its key and its content. The content is a value of the type in the names file. If the names
/// file has no type for the packet, the content is in the text form.
fn packet(key: String, content: &str, schema: Schema<'_>) -> Parsed<Vec<u8>> {
    let value = content.strip_prefix('=').unwrap_or(content);
    let number = u8::from_str_radix(&key, 16).ok();
    let written = match (number, schema.kind(), content.starts_with('=')) {
        (Some(key), Some(_), true) => schema.encode(key, value).map_err(|error| error.to_string()),
        _ => parse_text(&(key + content)).map_err(|error| error.kind().to_string()),
    };
    let checked = written.and_then(|bytes| {
        let packet = Packet::from_slice(&bytes).map_err(|_| "it is not one packet".to_string())?;
        let checked = schema.kind().map(|_| schema.decode(packet).map_err(|error| error.message().to_string()));
        checked.transpose().map(|_| ())?;
        Ok(bytes)
    });
    checked.map_err(|error| {
        let kind = schema.kind().map_or(String::new(), |kind| format!(" for {}", kind.short()));
        format!("'{}' is not a value{kind}: {error}", escape(value))
    })
}

fn parse_path<'n>(text: &str, names: &'n Names) -> Parsed<(Path, Schema<'n>)> {
    names.path(text).map_err(|error| format!("'{}' is not a path: {error}", escape(text)))
}

fn rename(text: &str, names: &Names) -> Parsed<(Path, Key)> {
    let (path, key) = text.split_once('=').ok_or("expected PATH=KEY")?;
    let around = path.rfind(['/', ':']).map_or("", |end| path.get(..=end).unwrap_or_default());
    let (path, _) = parse_path(path, names)?;
    let no_key = |error: &str| format!("'{}' is not a key: {error}", escape(key));
    if key.contains(['/', ':', '*']) {
        return Err(no_key("it is not one key"));
    }
    let (beside, _) = names.path(&format!("{around}{key}")).map_err(|error| no_key(&error.to_string()))?;
    beside.keys().last().flatten().map(|key| (path, key)).ok_or_else(|| no_key("it is not one key"))
}

/// The parsed edits. Names are replaced with keys.
struct Edits {
    keep: Vec<Path>,
    remove: Vec<Path>,
    rename: Vec<(Path, Key)>,
    set: Vec<Written>,
    insert: Vec<Written>,
    append: Vec<Written>,
}

impl Rules {
    /// Returns the paths that contain `**`, as text and as patterns.
    fn patterns<'r>(lists: &[&'r [String]]) -> std::result::Result<Vec<(&'r str, Pattern)>, Failure> {
        let paths = lists.iter().copied().flatten().map(|text| text.split(CONTENT).next().unwrap_or_default());
        let pattern = |path| any_depth::parse(path).map(|pattern| (path, pattern));
        let patterns: Parsed<Vec<_>> = paths.filter(|path| any_depth::is_in(path)).map(pattern).collect();
        patterns.map_err(|error| Failure::Usage("edit", error))
    }

    /// Replaces each path that contains `**` with the paths that `paths` finds for it.
    fn with(&self, mut paths: impl FnMut(&str, Which) -> Searched<Vec<String>>) -> Searched<Rules> {
        let mut written = |texts: &[String], which| {
            let each = texts.iter().map(|text| {
                let (path, content) = text.split_at(text.find(CONTENT).unwrap_or(text.len()));
                let paths = if any_depth::is_in(path) { paths(path, which)? } else { vec![path.into()] };
                Ok(paths.into_iter().map(|path| path + content).collect::<Vec<_>>())
            });
            Ok(each.collect::<Searched<Vec<_>>>()?.concat())
        };
        Ok(Rules {
            keep: written(&self.keep, Which::All)?,
            remove: written(&self.remove, Which::All)?,
            set: written(&self.set, Which::First)?,
            insert: written(&self.insert, Which::First)?,
            append: written(&self.append, Which::FirstNode)?,
            rename: written(&self.rename, Which::All)?,
        })
    }

    /// Finds the matching paths in a packet, and applies the edits at these paths. The outer error is a wrong argument.
    /// The inner error is a fault in the packet.
    fn search(&self, names: &Names, bytes: &[u8], out: &mut Vec<u8>) -> std::result::Result<Searched<()>, Failure> {
        let found = match self.with(|path, which| any_depth::paths(path, bytes, which)) {
            Ok(found) => found,
            Err(error) => return Ok(Err(error)),
        };
        if found.keep.is_empty() && !self.keep.is_empty() {
            return Ok(Ok(()));
        }
        let edits = found.edits(names)?;
        let (rules, _) = edits.rules().map_err(no_edit)?;
        Ok(Edit::from_rules(&rules).skip_absent().apply(bytes, out).map(drop))
    }

    fn edits(&self, names: &Names) -> std::result::Result<Edits, Failure> {
        Ok(Edits {
            keep: names::paths(names, &self.keep, "edit", "--keep <PATH>")?,
            remove: names::paths(names, &self.remove, "edit", "--remove <PATH>")?,
            rename: names::parsed(&self.rename, "edit", "--rename <PATH=KEY>", |text| rename(text, names))?,
            set: names::parsed(&self.set, "edit", "--set <PATH=VALUE>", |text| Written::set(text, names))?,
            insert: names::parsed(&self.insert, "edit", "--insert <PATH=PACKET>", |text| Written::insert(text, names))?,
            append: names::parsed(&self.append, "edit", "--append <PATH=PACKET>", |text| Written::append(text, names))?,
        })
    }
}

fn no_edit(error: y3::Error) -> Failure {
    Failure::Usage("edit", error.to_string())
}

impl Edits {
    /// Returns the edits as rules, and the paths that the rules write to.
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
    let (names, rules) = (arguments.names.load()?, &arguments.rules);
    let searched =
        Rules::patterns(&[&rules.keep, &rules.remove, &rules.set, &rules.insert, &rules.append, &rules.rename])?;
    let mut unmatched = Rules::patterns(&[&rules.set, &rules.insert, &rules.append])?;
    if names.fields().is_empty() {
        // Wrong arguments are reported before any input is read. With a names file, the types are known only after the
        // search.
        rules.with(|path, _| Ok(vec![path.replace("**", "*")])).map_err(no_edit)?.edits(&names)?;
    }
    let edits = rules.with(|_, _| Ok(Vec::new())).map_err(no_edit)?.edits(&names)?;
    let mut replacement = None;
    if arguments.in_place {
        if name == "-" || name.as_encoded_bytes().starts_with(b"tcp://") {
            return Err(usage("not a file"));
        }
        replacement = Some(Replacement::of(name)?);
    }
    let mut input = arguments.input.open()?;
    if arguments.in_place && !input.is_file() {
        return Err(usage("encoded text; --from raw edits the text itself"));
    }
    let (origin, len) = (input.origin.clone(), input.len());
    let progress = Progress::start(len, "packets");
    arguments.to.begin();
    let mut edited = Vec::new();
    let (plain, mut absent) = edits.rules().map_err(no_edit)?;
    if absent.len() + unmatched.len() > MAX_WRITTEN {
        return Err(Failure::Usage(
            "edit",
            format!("--set, --insert and --append can be given at most {MAX_WRITTEN} times in total"),
        ));
    }
    let edit = Edit::from_rules(&plain).skip_absent();
    let (mut packets, mut is_changed) = (TopLevel::new(&mut input, &progress), false);
    while let Some((offset, bytes, header)) = packets.next()? {
        edited.clear();
        let written = match header {
            Ok(()) if searched.is_empty() => edit.apply(bytes, &mut edited).map(drop),
            Ok(()) => rules.search(&names, bytes, &mut edited)?,
            Err(error) => Err(error),
        };
        written.map_err(|error| origin.fault(describe(bytes, offset, error)))?;
        is_changed = is_changed || if rules.keep.is_empty() { edited != bytes } else { !edited.is_empty() };
        replacement.as_mut().map_or_else(|| put(&edited), |replacement| replacement.write(&edited))?;
        absent.retain(|path| Paths::new([*path]).watch(bytes).next().is_none());
        unmatched.retain(|(_, pattern)| Patterns([*pattern]).watch(bytes).next().is_none());
    }
    finish()?;
    if let Some(replacement) = replacement.filter(|_| is_changed) {
        replacement.finish()?;
    }
    progress.end();
    let unmatched = unmatched.iter().map(|(path, _)| (*path).to_owned());
    for path in absent.iter().map(Path::to_string).chain(unmatched) {
        tell(format_args!("{}: there is no packet at {path}", origin.name));
    }
    Ok(if is_changed { Found::Something } else { Found::Nothing })
}

/// The maximum number of packets that one `Edit` can write.
const MAX_WRITTEN: usize = 64;
