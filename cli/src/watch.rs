//! `y3 watch`: prints packets at selected paths as they arrive.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs;

use clap::Args;
use y3::iter::Hits;
use y3::show::{escape, escape_json, hex, text};
use y3::{Collector, Hit, Limits, Packet, Path, Paths, Pattern, Patterns, WatchedPaths};
use y3_names::{Names, Schema, Type};

use crate::any_depth;
use crate::failure::{Failure, Found, Result, tell};
use crate::input::{Change, From, Input, Origin, shown};
use crate::inputs;
use crate::names::NamesArgument;
use crate::output::{Output, counted, put};
use crate::paint::Paint;
use crate::progress::Progress;

/// Print the packets at given paths
///
/// PATH is 1 to 8 hexadecimal keys separated by '/', such as 01/10/11 or 0x01/0x10/0x11. A ':' instead of '/' enters
/// the value of a primitive that contains packets, such as the payload of a YoMo DataFrame. '*' matches any key. '**'
/// matches zero or more keys, so **/11 finds key 11 at any depth. '**' and ':' cannot be used in the same command. If
/// several paths match a packet, the packet is a hit of only the first of these paths. For example, 3f/01 after */01
/// has no hits.
///
/// TYPE is a type in the notation of names files: bytes, text, bool, f32, f64, an NVarInt (i8 i16 i32 i64 u8 u16 u32
/// u64), a PVarInt ('pvar i32', 'pvar i64', 'pvar u32', 'pvar u64'), a slice such as '[text]', or a node such as '{ 11
/// noise f32 }'. Without TYPE, a value has the type from the names file. If the value has no type there, a primitive is
/// shown as bytes, and a node in the text form of `y3 dump --text`, or as JSON with --json. If a value does not match
/// its type, its line shows an error, and the command continues. At the end, the command prints the number of such
/// values. If a path is given with several types, the command prints one line for each type.
///
/// INPUTs come after the paths. An INPUT is a file, a folder, - for standard input, or tcp://HOST:PORT. Without an
/// INPUT, the command reads standard input. With several INPUTs, each line begins with the name of its INPUT. An
/// argument is a path if it begins with a digit, with '*', or with a name from the names file. For a file whose name
/// looks like a path, write ./1.y3 or -- 1.y3. To watch the key a, write 0a.
///
/// A hit is printed when all of its bytes have arrived. Unwatched parts of a file are not read. Memory use does not
/// grow with the length of the input.
#[derive(Args, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
#[command(
    override_usage = "y3 watch [OPTIONS] PATH[=TYPE]... [INPUT...]\n       y3 watch [OPTIONS] PATH[=TYPE]... -- INPUT...",
    after_help = "\
Examples:
  y3 watch 3f/02:01/10/11=f32 session.y3        the noise readings of a YoMo session
  y3 watch 3f/01=u32 3f/02 session.y3 --count   the number of hits of each path
  y3 watch 01/11=f32 growing.y3 --follow        like tail -f
  y3 watch 3f/01=u32 tcp://localhost:6142 --json | jq .value
  y3 watch --names noise.y3n frame/payload:data/thing/noise session.y3"
)]
pub struct Arguments {
    /// Paths to watch, and inputs to read
    #[arg(value_name = "PATH[=TYPE]|INPUT", required = true)]
    watched: Vec<OsString>,
    /// Inputs after --, even if their names look like paths of keys
    #[arg(value_name = "INPUT", last = true)]
    inputs: Vec<OsString>,
    /// Wait for more bytes at the end of a file. If the file is truncated or replaced, it is read again from its start
    #[arg(short, long)]
    follow: bool,
    /// Print each hit as one line of JSON, which `y3 encode` can read
    #[arg(short, long)]
    json: bool,
    /// Print only the number of hits of each path
    #[arg(short, long, conflicts_with = "json")]
    count: bool,
    /// Continue after a fault at the next top-level packet, if its position is known
    #[arg(long)]
    resume: bool,
    /// Print only the first hit of each path in each top-level packet. Duplicates and later faults are not detected
    #[arg(long)]
    first_only: bool,
    /// Exit with code 3 if a value does not match its type
    #[arg(long)]
    strict: bool,
    /// Reject a value that arrives in several reads if it has more than this many bytes
    #[arg(long, value_name = "BYTES", value_parser = crate::quantity::size, default_value_t = Limits::DEFAULT.max_value_len())]
    max_value: usize,
    #[command(flatten)]
    names: NamesArgument,
    #[command(flatten)]
    from: From,
}

/// The maximum number of bytes to read at a time.
const BUFFER: usize = 64 << 10;
/// The number of bytes to read after a skip, since another skip often follows.
const WINDOW: usize = 4 << 10;

/// A watched path with its type, its schema in the names file, and the number of hits.
struct Watched<'n> {
    text: String,
    path: Path,
    /// The path as a pattern, if any of the paths contains `**`.
    pattern: Option<Pattern>,
    kind: Option<Type>,
    names: &'n Names,
    schema: Schema<'n>,
    count: u64,
}

/// Prints hits and faults.
struct Printer<'a, 'n> {
    arguments: &'a Arguments,
    origin: Origin,
    watched: &'a mut [Watched<'n>],
    paths: Paths,
    patterns: &'a [Pattern],
    out: Output,
    /// The number of values that do not match their types.
    misfits: u64,
    progress: &'a Progress,
}

impl Printer<'_, '_> {
    fn hit(&mut self, hit: &Hit<'_>) {
        let (path, pattern) = (self.paths.get(hit.path_index()), self.patterns.get(hit.path_index()));
        // The same path can be given with several types.
        for watched in self.watched.iter_mut() {
            if watched.pattern.as_ref() != pattern || pattern.is_none() && Some(watched.path) != path {
                continue;
            }
            watched.count += 1;
            self.progress.found();
            let paint = (!self.arguments.json).then_some(self.out.paint);
            let line = (!self.arguments.count).then_some(&mut self.out.text);
            self.misfits += u64::from(!watched.fits(hit.packet(), paint, line));
        }
    }

    /// Prints the hits and faults in a chunk. Returns true if there was a fault.
    fn take<P: WatchedPaths>(&mut self, mut hits: Hits<'_, '_, P>) -> std::result::Result<bool, Failure> {
        let mut is_faulty = false;
        while let Some(hit) = hits.next_hit() {
            match hit {
                Ok(hit) => self.hit(&hit),
                Err(error) => {
                    is_faulty = true;
                    self.out.finish()?;
                    self.origin.tell(hits.explain(error))?;
                    if self.arguments.resume {
                        hits.resume();
                    }
                }
            }
        }
        self.out.finish()?;
        Ok(is_faulty)
    }
}

type Parsed<'n> = std::result::Result<Watched<'n>, String>;

impl<'n> Watched<'n> {
    fn parse(text: &str, names: &'n Names) -> Parsed<'n> {
        let (path, kind) = text.split_once('=').map_or((text, None), |(path, kind)| (path, Some(kind)));
        let (path, pattern, schema) = if any_depth::is_in(path) {
            (Path::ANY, Some(any_depth::parse(path)?), names.unknown())
        } else {
            let no_path = |error| format!("'{}' is not a path: {error}", escape(text));
            let (path, schema) = names.path(path).map_err(no_path)?;
            (path, None, schema)
        };
        let kind = kind.map(|kind| names.parse_type(kind)).transpose();
        let kind = kind.map_err(|error| format!("in '{}': {error}", escape(text)))?;
        Ok(Watched { text: text.into(), path, pattern, kind, names, schema, count: 0 })
    }

    /// Appends the formatted value to `line`, as JSON if `paint` is `None`. Returns true if the value matches its type.
    fn fits(&self, packet: Packet<'_>, paint: Option<Paint>, line: Option<&mut String>) -> bool {
        let schema = self.kind.as_ref().map_or(self.schema, |kind| self.names.schema(kind));
        let (offset, value) = (packet.offset(), schema.decode(packet));
        let fits = value.is_ok();
        let Some(line) = line else { return fits };
        // Writing to a `String` never fails.
        let _ = if let Some(Paint { name, value: green, fault, .. }) = paint {
            let _ = write!(line, "{offset:>8}  {name}{}{name:#}  ", escape(&self.text));
            match value {
                _ if schema.kind().is_none() && packet.is_node() => {
                    writeln!(line, "{green}{}{green:#}", text(packet.as_bytes()))
                }
                Ok(value) => writeln!(line, "{green}{value}{green:#}"),
                Err(error) => writeln!(line, "{fault}({error}){fault:#}"),
            }
        } else {
            let path = escape_json(self.text.split('=').next().unwrap_or_default());
            let kind = schema.kind().map_or_else(|| "bytes".into(), Type::short);
            let value = match value {
                Ok(value) => value.json().to_string(),
                Err(error) => format!(r#"null,"error":"{}""#, escape_json(&error.to_string())),
            };
            let hex = hex(packet.as_bytes());
            writeln!(line, r#"{{"offset":{offset},"path":"{path}","type":"{kind}","value":{value},"hex":"{hex}"}}"#)
        };
        fits
    }
}

/// Splits the arguments into watched paths and inputs.
fn sorted<'n>(
    arguments: &Arguments,
    names: &'n Names,
) -> std::result::Result<(Vec<Watched<'n>>, Vec<OsString>), String> {
    let is_top = |name: &str| names.fields().iter().any(|field| field.name == name);
    let is_path = |text: &OsStr| {
        text.as_encoded_bytes().first().is_some_and(|first| first.is_ascii_digit() || *first == b'*')
            || text.to_str().and_then(|text| text.split(['/', ':', '=']).next()).is_some_and(is_top)
    };
    let all = &arguments.watched[..];
    let last = all.iter().rposition(|text| is_path(text)).unwrap_or(0);
    let (paths, inputs) = match all.split_at_checked(last + 1) {
        Some((paths, inputs)) if arguments.inputs.is_empty() => (paths, inputs),
        _ => (all, &arguments.inputs[..]),
    };
    let parse = |text: &OsStr| Watched::parse(text.to_str().ok_or("it is not UTF-8")?, names);
    let not_a_path = |argument: &OsStr, parsed: Parsed<'n>| match parsed {
        Err(error) if !names.fields().is_empty() => error,
        _ => format!("'{}' is not a path; INPUTs come after the paths, or after --", shown(argument)),
    };
    let mut watched = Vec::new();
    for (at, argument) in paths.iter().enumerate() {
        let name = shown(argument);
        watched.push(match parse(argument) {
            Ok(path) if at == 0 || is_path(argument) => path,
            // The user gave the file before the paths.
            Err(_)
                if at == 0
                    && is_input(argument)
                    && all.len() > 1
                    && all.last().is_some_and(|last| parse(last).is_ok()) =>
            {
                let paths: Vec<_> = all.iter().skip(1).map(|path| shown(path)).collect();
                return Err(format!(
                    "'{name}' is not a path: paths come first, as in y3 watch {} {name}",
                    paths.join(" ")
                ));
            }
            Err(error) if at == 0 || is_path(argument) => {
                let is_file = fs::exists(argument).unwrap_or(false);
                return Err(if is_file { format!("{error}; to read the file, write ./{name}") } else { error });
            }
            parsed => return Err(not_a_path(argument, parsed)),
        });
    }
    // If the only input does not exist, opening it reports the error.
    let missing = inputs.iter().find(|input| arguments.inputs.is_empty() && inputs.len() > 1 && !is_input(input));
    missing.map_or(Ok(()), |input| Err(not_a_path(input, parse(input))))?;
    if watched.iter().any(|watched| watched.pattern.is_some()) {
        for watched in watched.iter_mut().filter(|watched| watched.pattern.is_none()) {
            watched.pattern = Some(any_depth::parse(&watched.path.to_string())?);
            watched.path = Path::ANY;
        }
    }
    Ok((watched, if inputs.is_empty() { vec!["-".into()] } else { inputs.to_vec() }))
}

fn is_input(argument: &OsStr) -> bool {
    argument == "-" || argument.as_encoded_bytes().starts_with(b"tcp://") || fs::exists(argument).unwrap_or(false)
}

pub fn run(arguments: &Arguments) -> Result {
    let usage = |text: String| Failure::Usage("watch", text);
    let names = arguments.names.load()?;
    let (mut watched, inputs) = sorted(arguments, &names).map_err(usage)?;
    let patterns: Vec<_> = watched.iter().filter_map(|watched| watched.pattern).collect();
    if arguments.follow && inputs::are_several(&inputs) {
        return Err(usage("--follow: only one input can be followed".into()));
    }
    if arguments.first_only && !patterns.is_empty() {
        return Err(usage("--first-only cannot be used with `**`".into()));
    }
    inputs::each(&inputs, arguments.from.from, true, |input| {
        for watched in &mut watched {
            watched.count = 0;
        }
        one(arguments, &mut watched, &patterns, input)
    })
}

fn one(arguments: &Arguments, watched: &mut [Watched<'_>], patterns: &[Pattern], mut input: Input) -> Result {
    if arguments.follow && !input.can_be_followed() {
        let name = &input.origin.name;
        let text = format!("--follow: '{name}' is encoded text; --from raw follows the text itself");
        return Err(Failure::Usage("watch", text));
    }
    let progress = Progress::start(if arguments.follow { None } else { input.len() }, "hits");
    let mut print = Printer {
        paths: watched.iter().map(|watched| watched.path).collect(),
        watched,
        patterns,
        out: Output::open(),
        misfits: 0,
        progress: &progress,
        arguments,
        origin: input.origin.clone(),
    };
    let paths = print.paths.clone();
    let is_faulty = if !patterns.is_empty() {
        watch(arguments, Patterns(patterns), &mut input, &mut print)
    } else if arguments.first_only {
        watch(arguments, paths.first_only(), &mut input, &mut print)
    } else {
        watch(arguments, &paths, &mut input, &mut print)
    }?;
    progress.end();
    let misfits = print.misfits;
    if arguments.count {
        let mut counts = String::new();
        for path in watched {
            let _ = writeln!(counts, "{:>8}  {}", path.count, escape(&path.text));
        }
        put(counts)?;
    }
    if misfits > 0 {
        let (do_not, types) = if misfits == 1 { ("does not", "its type") } else { ("do not", "their types") };
        input.origin.tell(format_args!("{} {do_not} match {types}", counted(misfits, "value")))?;
    }
    match progress.count() {
        _ if is_faulty || arguments.strict && misfits > 0 => Err(Failure::Told),
        0 => Ok(Found::Nothing),
        _ => Ok(Found::Something),
    }
}

/// Watches until the end of the input. Returns true if there was a fault.
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
            is_faulty |= print.take(collector.feed(buffer.get(..read).unwrap_or_default()))?;
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
            is_faulty |= print.take(collector.finish())?;
            print.progress.read(collector.offset())?;
            return Ok(is_faulty);
        }
    }
}
