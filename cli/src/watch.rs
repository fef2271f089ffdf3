//! `y3 watch`: the packets on some paths, as they arrive.

use std::fmt::Write as _;
use std::fs;

use clap::Args;
use y3::{Collector, Error, Hit, Hits, Limits, Path, Paths};

use crate::encoding::push_hex;
use crate::failure::{Failure, Found, Result, tell};
use crate::input::{Change, From, Input};
use crate::output::write_all;
use crate::progress::Progress;
use crate::value::Type;

/// Print the packets on some paths
///
/// PATH is 1 to 8 hexadecimal keys separated by '/', as 01/10/11 or 0x01/0x10/0x11. ':' goes on inside the value of a primitive that
/// carries packets, as the payload of YoMo's DataFrame does. TYPE is bytes, str, bool, f32, f64, an NVarInt (i32 i64 u32 u64) or a
/// PVarInt (pi32 pi64 pu32 pu64). It is bytes if left out. A value of another type is shown as an error, and watching goes on.
///
/// The last argument is INPUT, unless it begins with a digit: a file, - for standard input, or tcp://HOST:PORT. Standard input
/// is read if it is left out. Write ./1.y3 for a file whose name begins with a digit, and 0a for the key a.
///
/// Hits are printed as soon as their bytes are there. A file is not read where nothing is watched. Memory does not grow with the
/// input.
#[derive(Args, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
#[command(
    override_usage = "y3 watch [OPTIONS] PATH[=TYPE]... [INPUT]",
    after_help = "\
Examples:
  y3 watch 3f/02:01/10/11=f32 session.y3        the noise readings of a YoMo session
  y3 watch 3f/01=u32 3f/02 session.y3 --count   how many of each
  y3 watch 01/11=f32 growing.y3 --follow        like tail -f
  y3 watch 3f/01=u32 tcp://localhost:6142 --json | jq .value"
)]
pub struct Arguments {
    /// Paths to watch, and what to read
    #[arg(value_name = "PATH[=TYPE]|INPUT", required = true)]
    watched: Vec<String>,
    /// At the end of a file wait for more; a file that was truncated or replaced is read from its start
    #[arg(short, long)]
    follow: bool,
    /// Print a line of JSON for each hit; its "hex" is the packet, which `y3 encode` reads back
    #[arg(short, long)]
    json: bool,
    /// Print only how many hits each path has
    #[arg(short, long, conflicts_with = "json")]
    count: bool,
    /// After a fault go on at the next outermost packet, where its place is known
    #[arg(long)]
    resume: bool,
    /// The most bytes of a value that lies in several reads
    #[arg(long, value_name = "BYTES", default_value_t = Limits::DEFAULT.max_value_len())]
    max_value: usize,
    #[command(flatten)]
    from: From,
}

/// The bytes read at a time; fewer after a skip, since another may follow.
const BUFFER: usize = 64 << 10;
const WINDOW: usize = 4 << 10;

/// A path and type as given, and how many hits it had.
struct Watched {
    text: String,
    path: Path,
    kind: Type,
    count: u64,
}

/// What was printed since the last write, and what was found.
struct Printer<'a> {
    watched: &'a mut [Watched],
    paths: Paths,
    lines: String,
    faults: Vec<Error>,
    progress: &'a Progress,
    is_json: bool,
    is_count: bool,
}

impl Printer<'_> {
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
    fn write(&mut self, name: &str) -> std::result::Result<bool, Failure> {
        let (lines, faults) = (&mut self.lines, &mut self.faults);
        if lines.is_empty() && faults.is_empty() {
            return Ok(false);
        }
        let is_faulty = !faults.is_empty();
        self.progress.while_writing(|| {
            write_all(lines.as_bytes())?;
            for error in &*faults {
                tell(format_args!("{name}: {error}"));
            }
            Ok(())
        })?;
        lines.clear();
        faults.clear();
        Ok(is_faulty)
    }
}

impl Watched {
    /// Adds a line for a hit.
    fn print(&self, hit: &Hit<'_>, is_json: bool, line: &mut String) {
        let packet = hit.packet();
        if is_json {
            let (offset, path, kind) =
                (packet.offset(), self.text.split('=').next().unwrap_or_default(), self.kind.name());
            let _ = write!(line, r#"{{"offset":{offset},"path":"{path}","type":"{kind}","value":"#);
            let start = line.len();
            if let Err(error) = self.kind.show_json(packet, line) {
                line.truncate(start);
                let _ = write!(line, r#"null,"error":"{error}""#);
            }
            line.push_str(",\"hex\":\"");
            push_hex(packet.as_bytes(), line);
            line.push_str("\"}\n");
        } else {
            let _ = write!(line, "{:>8}  {}  ", packet.offset(), self.text);
            let start = line.len();
            if let Err(error) = self.kind.show(packet, line) {
                line.truncate(start);
                let _ = write!(line, "({error})");
            }
            line.push('\n');
        }
    }
}

/// The watched paths and the input in a list of arguments.
fn sorted(arguments: &[String]) -> std::result::Result<(Vec<Watched>, &str), String> {
    let is_path =
        |at: usize, text: &str| at == 0 || text.starts_with(|first: char| first.is_ascii_digit() || first == '*');
    let (mut watched, mut input) = (Vec::new(), None);
    for (at, text) in arguments.iter().enumerate() {
        if is_path(at, text) {
            let (path, kind) = text.split_once('=').unwrap_or((text, "bytes"));
            let path = path.parse().map_err(|error| {
                let hint = if fs::exists(text).unwrap_or(false) {
                    format!("; write ./{text} for the file")
                } else {
                    String::new()
                };
                format!("'{text}' is not a path: {error}{hint}")
            })?;
            let kind = kind.parse().map_err(|error| format!("in '{text}': {error}"))?;
            watched.push(Watched { text: text.clone(), path, kind, count: 0 });
        } else if at + 1 == arguments.len() {
            input = Some(text.as_str());
        } else {
            return Err(format!("'{text}' is not a path, and only the last argument is INPUT"));
        }
    }
    Ok((watched, input.unwrap_or("-")))
}

pub fn run(arguments: &Arguments) -> Result {
    let (mut watched, name) = sorted(&arguments.watched).map_err(|text| Failure::Usage("watch", text))?;
    let mut input = Input::open(name, arguments.from.from)?;
    if arguments.follow && !input.can_be_followed() {
        return Err(Failure::Usage(
            "watch",
            format!("--follow: '{name}' is text for bytes; --from raw reads its bytes as they are"),
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
    let is_faulty = watch(arguments, &mut input, &mut print)?;
    progress.end();
    if arguments.count {
        let mut counts = String::new();
        for path in &watched {
            let _ = writeln!(counts, "{:>8}  {}", path.count, path.text);
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
fn watch(arguments: &Arguments, input: &mut Input, print: &mut Printer<'_>) -> std::result::Result<bool, Failure> {
    let limits = Limits::NONE.with_max_value_len(arguments.max_value);
    let start = |paths: &Paths| Collector::new(paths.clone(), limits);
    let mut collector = start(&print.paths);
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
            is_faulty |= print.write(&input.name)?;
            if collector.error().is_some() {
                return Ok(true);
            }
        } else if arguments.follow && input.is_file() {
            let change = match input.wait()? {
                Change::None => continue,
                Change::Truncated => "truncated",
                Change::Replaced => "replaced",
            };
            tell(format_args!("{}: {change}, read again from its start", input.name));
            collector = start(&print.paths);
        } else {
            take(collector.finish(), arguments.resume, print);
            print.progress.read(collector.offset())?;
            return Ok(print.write(&input.name)? || is_faulty);
        }
    }
}

/// Takes the hits and faults of a chunk.
fn take(mut hits: Hits<'_, '_, Paths>, resumes: bool, print: &mut Printer<'_>) {
    while let Some(hit) = hits.next_hit() {
        match hit {
            Ok(hit) => print.hit(&hit),
            Err(error) => {
                print.faults.push(error);
                if resumes {
                    hits.resume();
                }
            }
        }
    }
}
