//! `y3 watch`: the packets on some paths, as they arrive.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs;

use clap::Args;
use y3::iter::Hits;
use y3::show::{escape, escape_json, text};
use y3::{Collector, Hit, Limits, Path, Paths, WatchedPaths};
use y3_names::{Names, Schema, Type};

use crate::encoding::push_hex;
use crate::failure::{Failure, Found, Result, tell};
use crate::input::{Change, From, Input, Origin, shown};
use crate::names::NamesArgument;
use crate::output::write_all;
use crate::progress::Progress;

/// Print the packets on some paths
///
/// PATH is 1 to 8 hexadecimal keys separated by '/', as 01/10/11 or 0x01/0x10/0x11. ':' goes on inside the value of a primitive that
/// carries packets, as the payload of YoMo's DataFrame does. TYPE is a type of names files: bytes, text, bool, f32, f64, an NVarInt (i8 i16
/// i32 i64 u8 u16 u32 u64), a PVarInt ('pvar i32', 'pvar i64', 'pvar u32', 'pvar u64'), '[text]', '{ 11 noise f32 }'. If left out it is what the
/// names file says, or bytes; a node is then shown as text, with --names or --json as JSON. A value of another type is shown as an error, and
/// watching goes on.
/// A packet on several of the paths is one hit, that of the path given first: 3f/01 after */01 has none. The same path may stand there with
/// several types, and has a line for each.
///
/// The last arguments are INPUTs if they are files or folders; with several, lines begin with their names. After -- all are. Otherwise the
/// last argument is INPUT, unless it begins with a digit or a name of the names file: a file, - for standard input, or tcp://HOST:PORT. Standard input
/// is read if it is left out. Write ./1.y3 for a file whose name begins with a digit, and 0a for the key a.
///
/// Hits are printed as soon as their bytes are there. A file is not read where nothing is watched. Memory does not grow with the
/// input.
#[derive(Args, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
#[command(
    override_usage = "y3 watch [OPTIONS] PATH[=TYPE]... [INPUT...]\n       y3 watch [OPTIONS] PATH[=TYPE]... -- INPUT...",
    after_help = "\
Examples:
  y3 watch 3f/02:01/10/11=f32 session.y3        the noise readings of a YoMo session
  y3 watch 3f/01=u32 3f/02 session.y3 --count   how many of each
  y3 watch 01/11=f32 growing.y3 --follow        like tail -f
  y3 watch 3f/01=u32 tcp://localhost:6142 --json | jq .value
  y3 watch --names noise.y3n frame/payload:data/thing/noise session.y3"
)]
pub struct Arguments {
    /// Paths to watch, and what to read
    #[arg(value_name = "PATH[=TYPE]|INPUT", required = true)]
    pub watched: Vec<OsString>,
    /// Files and folders, whatever their names begin with
    #[arg(value_name = "INPUT", last = true)]
    pub inputs: Vec<OsString>,
    /// At the end of a file wait for more; a file that was truncated or replaced is read from its start
    #[arg(short, long)]
    pub follow: bool,
    /// Print a line of JSON for each hit; its "hex" is the packet, which `y3 encode` reads back
    #[arg(short, long)]
    json: bool,
    /// Print only how many hits each path has
    #[arg(short, long, conflicts_with = "json")]
    count: bool,
    /// After a fault go on at the next top-level packet, where its place is known
    #[arg(long)]
    resume: bool,
    /// Only the first packet at each path in each top-level packet, and leave that packet at the last of them: duplicates and faults
    /// after it are not seen
    #[arg(long)]
    first_only: bool,
    /// The most bytes of a value that lies in several reads
    #[arg(long, value_name = "BYTES", value_parser = crate::quantity::size, default_value_t = Limits::DEFAULT.max_value_len())]
    max_value: usize,
    #[command(flatten)]
    names: NamesArgument,
    #[command(flatten)]
    from: From,
}

/// The bytes read at a time; fewer after a skip, since another may follow.
const BUFFER: usize = 64 << 10;
const WINDOW: usize = 4 << 10;

/// A path and type as given, what the names file says, and how many hits it had.
struct Watched<'n> {
    text: String,
    path: Path,
    kind: Option<Type>,
    names: &'n Names,
    schema: Schema<'n>,
    count: u64,
}

/// What was printed since the last write, and what was found.
struct Printer<'a, 'n> {
    watched: &'a mut [Watched<'n>],
    paths: Paths,
    lines: String,
    faults: Vec<String>,
    progress: &'a Progress,
    is_json: bool,
    is_count: bool,
}

impl Printer<'_, '_> {
    fn hit(&mut self, hit: &Hit<'_>) {
        let path = self.paths.get(hit.path_index());
        // The same path may have been given with several types.
        for watched in self.watched.iter_mut().filter(|watched| Some(watched.path) == path) {
            watched.count += 1;
            self.progress.found();
            if !self.is_count {
                watched.print(hit, self.is_json, &mut self.lines);
            }
        }
    }

    /// Writes the lines, then the faults found after them. Returns whether there was one.
    fn write(&mut self, origin: &Origin) -> std::result::Result<bool, Failure> {
        let (lines, faults) = (&mut self.lines, &mut self.faults);
        if lines.is_empty() && faults.is_empty() {
            return Ok(false);
        }
        let is_faulty = !faults.is_empty();
        self.progress.while_writing(|| {
            write_all(lines.as_bytes())?;
            for fault in &*faults {
                origin.tell(fault);
            }
            Ok(())
        })?;
        lines.clear();
        faults.clear();
        Ok(is_faulty)
    }
}

impl<'n> Watched<'n> {
    fn parse(text: &str, names: &'n Names) -> std::result::Result<Watched<'n>, String> {
        let (path, kind) = text.split_once('=').map_or((text, None), |(path, kind)| (path, Some(kind)));
        let (path, schema) = names.path(path).map_err(|error| format!("'{}' is not a path: {error}", escape(text)))?;
        let kind = kind.map(|kind| names.parse_type(kind)).transpose();
        let kind = kind.map_err(|error| format!("in '{}': {error}", escape(text)))?;
        Ok(Watched { text: text.into(), path, kind, names, schema, count: 0 })
    }

    /// Adds a line for a hit.
    fn print(&self, hit: &Hit<'_>, is_json: bool, line: &mut String) {
        let packet = hit.packet();
        let schema = self.kind.as_ref().map_or(self.schema, |kind| self.names.schema(kind));
        let value = schema.decode(packet);
        if is_json {
            let (offset, path) = (packet.offset(), escape_json(self.text.split('=').next().unwrap_or_default()));
            let kind = schema.kind().map_or_else(|| "bytes".into(), Type::short);
            let _ = write!(line, r#"{{"offset":{offset},"path":"{path}","type":"{kind}","value":"#);
            let _ = match value {
                Ok(value) => write!(line, "{}", value.json()),
                Err(error) => write!(line, r#"null,"error":"{}""#, escape_json(&error.to_string())),
            };
            line.push_str(",\"hex\":\"");
            push_hex(packet.as_bytes(), line);
            line.push_str("\"}\n");
        } else {
            let _ = write!(line, "{:>8}  {}  ", packet.offset(), escape(&self.text));
            let _ = match value {
                _ if schema.kind().is_none() && packet.is_node() => writeln!(line, "{}", text(packet.as_bytes())),
                Ok(value) => writeln!(line, "{value}"),
                Err(error) => writeln!(line, "({error})"),
            };
        }
    }
}

/// The watched paths and the input in a list of arguments.
fn sorted<'a, 'n>(
    arguments: &'a [OsString],
    names: &'n Names,
) -> std::result::Result<(Vec<Watched<'n>>, &'a OsStr), String> {
    let is_top = |name: &str| names.fields().iter().any(|field| field.name == name);
    let is_path = |at: usize, text: &OsStr| {
        at == 0
            || text.as_encoded_bytes().first().is_some_and(|first| first.is_ascii_digit() || *first == b'*')
            || text.to_str().and_then(|text| text.split(['/', ':', '=']).next()).is_some_and(is_top)
    };
    let parse = |text: &str| Watched::parse(text, names);
    let (mut watched, mut input) = (Vec::new(), None);
    for (at, argument) in arguments.iter().enumerate() {
        if is_path(at, argument) {
            let parsed = argument.to_str().ok_or_else(|| "it is not UTF-8".into()).and_then(parse);
            watched.push(parsed.map_err(|error| {
                let name = shown(argument);
                match arguments.last() {
                    // As tools take a file and then what they look for.
                    Some(last)
                        if at == 0 && is_input(argument) && last.to_str().is_some_and(|last| parse(last).is_ok()) =>
                    {
                        let paths: Vec<_> = arguments.iter().skip(1).map(|path| shown(path)).collect();
                        format!("'{name}' is not a path: paths come first, as in y3 watch {} {name}", paths.join(" "))
                    }
                    _ if fs::exists(argument).unwrap_or(false) => format!("{error}; write ./{name} for the file"),
                    _ => error,
                }
            })?);
        } else if at + 1 == arguments.len() {
            input = Some(argument.as_os_str());
        } else {
            if let (false, Err(error)) = (names.fields().is_empty(), parse(&shown(argument))) {
                return Err(error);
            }
            return Err(format!(
                "'{}' is not a path; several inputs stand after --, as in `y3 watch PATH -- FILE FILE`",
                shown(argument)
            ));
        }
    }
    Ok((watched, input.unwrap_or(OsStr::new("-"))))
}

/// Whether an argument can only be meant as an input.
fn is_input(argument: &OsStr) -> bool {
    argument == "-" || argument.as_encoded_bytes().starts_with(b"tcp://") || fs::exists(argument).unwrap_or(false)
}

pub fn run(arguments: &Arguments) -> Result {
    let names = arguments.names.load()?;
    let (mut watched, name) = sorted(&arguments.watched, &names).map_err(|text| Failure::Usage("watch", text))?;
    let mut input = Input::open(name, arguments.from.from)?;
    if arguments.follow && !input.can_be_followed() {
        return Err(Failure::Usage(
            "watch",
            format!("--follow: '{}' is text for bytes; --from raw reads its bytes as they are", shown(name)),
        ));
    }
    let progress = Progress::start(if arguments.follow { None } else { input.len() }, "hits");
    let mut print = Printer {
        paths: watched.iter().map(|watched| watched.path).collect(),
        watched: &mut watched,
        lines: String::new(),
        faults: Vec::new(),
        progress: &progress,
        is_json: arguments.json,
        is_count: arguments.count,
    };
    let paths = print.paths.clone();
    let is_faulty = if arguments.first_only {
        watch(arguments, paths.first_only(), &mut input, &mut print)
    } else {
        watch(arguments, &paths, &mut input, &mut print)
    }?;
    progress.end();
    if arguments.count {
        let mut counts = String::new();
        for path in &watched {
            let _ = writeln!(counts, "{:>8}  {}", path.count, escape(&path.text));
        }
        progress.while_writing(|| write_all(counts.as_bytes()))?;
    }
    match progress.count() {
        _ if is_faulty => Err(Failure::Told),
        0 => Ok(Found::Nothing),
        _ => Ok(Found::Something),
    }
}

/// Watches to the end of the input. Returns whether there was a fault.
fn watch<P: WatchedPaths>(
    arguments: &Arguments,
    paths: P,
    input: &mut Input,
    print: &mut Printer<'_, '_>,
) -> std::result::Result<bool, Failure> {
    let limits = Limits::NONE.with_max_value_len(arguments.max_value);
    let mut collector = Collector::new(&paths, limits);
    let (mut buffer, mut window, mut is_faulty) = (vec![0; BUFFER], WINDOW, false);
    loop {
        print.progress.read(collector.offset())?;
        let skipped = match collector.skip_hint() {
            hint if hint > WINDOW as u64 => input.skip(hint)?,
            _ => 0,
        };
        collector.skip(skipped);
        window = if skipped > 0 { WINDOW } else { (2 * window).min(BUFFER) };
        let read = input.read(buffer.get_mut(..window).unwrap_or_default())?;
        if read > 0 {
            take(collector.feed(buffer.get(..read).unwrap_or_default()), arguments.resume, print);
            is_faulty |= print.write(&input.origin)?;
            if collector.error().is_some() {
                return Ok(true);
            }
        } else if arguments.follow && input.is_file() {
            let change = match input.wait()? {
                Change::None => continue,
                Change::Truncated => "truncated",
                Change::Replaced => "replaced",
            };
            tell(format_args!("{}: {change}, read again from its start", input.origin.name));
            collector = Collector::new(&paths, limits);
        } else {
            take(collector.finish(), arguments.resume, print);
            print.progress.read(collector.offset())?;
            return Ok(print.write(&input.origin)? || is_faulty);
        }
    }
}

/// Takes the hits and faults of a chunk.
fn take<P: WatchedPaths>(mut hits: Hits<'_, '_, P>, resumes: bool, print: &mut Printer<'_, '_>) {
    while let Some(hit) = hits.next_hit() {
        match hit {
            Ok(hit) => print.hit(&hit),
            Err(error) => {
                print.faults.push(hits.explain(error).to_string());
                if resumes {
                    hits.resume();
                }
            }
        }
    }
}
