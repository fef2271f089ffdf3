//! `y3 watch`: the packets on some paths, as they arrive.

use std::fmt::Write as _;

use clap::Args;
use y3::{Collector, Error, Hit, Hits, Limits, Packet, Packets, Path, PathSet};

use crate::encoding::push_hex;
use crate::failure::{Failure, Found, Result};
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
    arguments: Vec<String>,
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

const PATHS: usize = 64;
/// The bytes read at a time; fewer after a skip, since another may follow.
const BUFFER: usize = 64 << 10;
const WINDOW: usize = 4 << 10;

/// A path and type as given, and how many hits it had.
struct Watched {
    text: String,
    path: String,
    kind: Type,
    count: u64,
}

/// The paths to watch among some packets.
struct Stage {
    set: PathSet<PATHS>,
    steps: Vec<Step>,
}

/// What to do with a hit on one path: print it, watch inside it.
struct Step {
    path: Path,
    print: Vec<usize>,
    inner: Stage,
}

impl Stage {
    fn empty() -> Stage {
        Stage { set: PathSet::default(), steps: Vec::new() }
    }

    /// Adds a path, whose parts are separated by ':'.
    fn add(&mut self, path: &str, index: usize) -> std::result::Result<(), String> {
        let (first, rest) = path.split_once(':').map_or((path, None), |(first, rest)| (first, Some(rest)));
        let first: Path = first.parse().map_err(|error| format!("'{first}' is not a path: {error}"))?;
        let place = self.steps.iter().position(|step| step.path == first).unwrap_or(self.steps.len());
        if place == self.steps.len() {
            self.steps.push(Step { path: first, print: Vec::new(), inner: Stage::empty() });
            let paths: Vec<Path> = self.steps.iter().map(|step| step.path).collect();
            self.set = PathSet::from_slice(&paths).ok_or(format!("more than {PATHS} paths"))?;
        }
        let Some(step) = self.steps.get_mut(place) else { return Ok(()) };
        match rest {
            Some(rest) => step.inner.add(rest, index),
            None => {
                step.print.push(index);
                Ok(())
            }
        }
    }

    fn hit(&self, hit: &Hit<'_>, print: &mut Printer<'_>) {
        let Some(step) = self.steps.get(hit.path_index()) else { return };
        step.print.iter().for_each(|&index| print.hit(index, hit.packet()));
        if !step.inner.steps.is_empty() {
            step.inner.hits(hit.packet().embedded(), print);
        }
    }

    /// The hits in a payload. A fault ends it, not what is around it.
    fn hits(&self, packets: Packets<'_>, print: &mut Printer<'_>) {
        for hit in self.set.watch_packets(packets) {
            match hit {
                Ok(hit) => self.hit(&hit, print),
                Err(error) => print.faults.push(error),
            }
        }
    }
}

/// What was printed since the last write, and what was found.
struct Printer<'a> {
    watched: &'a mut [Watched],
    lines: String,
    faults: Vec<Error>,
    progress: &'a Progress,
    is_json: bool,
    is_count: bool,
}

impl Printer<'_> {
    fn hit(&mut self, index: usize, packet: Packet<'_>) {
        let Some(watched) = self.watched.get_mut(index) else { return };
        watched.count += 1;
        self.progress.found();
        if self.is_count {
            return;
        }
        let line = &mut self.lines;
        if self.is_json {
            let (offset, path, kind) = (packet.offset(), &watched.path, watched.kind.name());
            let _ = write!(line, r#"{{"offset":{offset},"path":"{path}","type":"{kind}","value":"#);
            let start = line.len();
            if let Err(error) = watched.kind.show_json(packet, line) {
                line.truncate(start);
                let _ = write!(line, r#"null,"error":"{error}""#);
            }
            line.push_str(",\"hex\":\"");
            push_hex(packet.as_bytes(), line);
            line.push_str("\"}\n");
        } else {
            let _ = write!(line, "{:>8}  {}  ", packet.offset(), watched.text);
            let start = line.len();
            if let Err(error) = watched.kind.show(packet, line) {
                line.truncate(start);
                let _ = write!(line, "({error})");
            }
            line.push('\n');
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
            faults.iter().for_each(|error| eprintln!("y3: {name}: {error}"));
            Ok(())
        })?;
        lines.clear();
        faults.clear();
        self.progress.message("hits");
        Ok(is_faulty)
    }
}

/// The watched paths and the input in a list of arguments.
fn sorted(arguments: &[String]) -> std::result::Result<(Vec<Watched>, &str), String> {
    let is_path = |at: usize, text: &str| at == 0 || text.starts_with(|first: char| first.is_ascii_digit());
    let (mut watched, mut input) = (Vec::new(), None);
    for (at, text) in arguments.iter().enumerate() {
        if is_path(at, text) {
            let (path, kind) = text.split_once('=').unwrap_or((text, "bytes"));
            let kind = kind.parse().map_err(|error| format!("in '{text}': {error}"))?;
            watched.push(Watched { text: text.clone(), path: path.into(), kind, count: 0 });
        } else if at + 1 == arguments.len() {
            input = Some(text.as_str());
        } else {
            return Err(format!("'{text}' is not a path, and INPUT is the last argument"));
        }
    }
    Ok((watched, input.unwrap_or("-")))
}

pub fn run(arguments: &Arguments) -> Result {
    let (mut watched, name) = sorted(&arguments.arguments).map_err(Failure::Usage)?;
    let mut stage = Stage::empty();
    for (index, path) in watched.iter().enumerate() {
        stage.add(&path.path, index).map_err(|error| Failure::Usage(format!("in '{}': {error}", path.text)))?;
    }
    let mut input = Input::open(name, arguments.from.from)?;
    let progress = Progress::start(if arguments.follow { None } else { input.len() }, "hits");
    let mut print = Printer {
        watched: &mut watched,
        lines: String::new(),
        faults: Vec::new(),
        progress: &progress,
        is_json: arguments.json,
        is_count: arguments.count,
    };
    let is_faulty = watch(arguments, &stage, &mut input, &mut print)?;
    if arguments.count {
        let counts: String = watched.iter().map(|path| format!("{:>8}  {}\n", path.count, path.text)).collect();
        progress.while_writing(|| write_all(counts.as_bytes()))?;
    }
    match () {
        () if is_faulty => Err(Failure::Told),
        () if progress.count() == 0 => Ok(Found::Nothing),
        () => Ok(Found::Something),
    }
}

/// Watches to the end of the input. Returns whether there was a fault.
fn watch(
    arguments: &Arguments,
    stage: &Stage,
    input: &mut Input,
    print: &mut Printer<'_>,
) -> std::result::Result<bool, Failure> {
    let limits = Limits::NONE.with_max_value_len(arguments.max_value);
    let mut collector = Collector::new(&stage.set, limits);
    let (mut buffer, mut window, mut is_faulty) = (vec![0; BUFFER], WINDOW, false);
    let is_followed = arguments.follow && input.is_file();
    loop {
        print.progress.read(collector.offset(), "hits")?;
        let skipped = match collector.skip_hint() {
            hint if hint > WINDOW as u64 => input.skip(hint)?,
            _ => 0,
        };
        collector.skip(skipped);
        window = if skipped > 0 { WINDOW } else { (2 * window).min(BUFFER) };
        let read = input.read(buffer.get_mut(..window).unwrap_or_default())?;
        if read == 0 {
            if !is_followed {
                break;
            }
            let change = match input.wait()? {
                Change::None => continue,
                Change::Truncated => "truncated",
                Change::Replaced => "replaced",
            };
            eprintln!("y3: {}: {change}, read again from its start", input.name);
            collector = Collector::new(&stage.set, limits);
            continue;
        }
        let can_go_on = take(stage, collector.feed(buffer.get(..read).unwrap_or_default()), arguments.resume, print);
        is_faulty |= print.write(&input.name)?;
        if !can_go_on {
            return Ok(true);
        }
    }
    take(stage, collector.finish(), arguments.resume, print);
    Ok(print.write(&input.name)? || is_faulty)
}

/// The hits of a chunk. Returns whether more may follow.
fn take(stage: &Stage, mut hits: Hits<'_, '_, '_, PATHS>, resumes: bool, print: &mut Printer<'_>) -> bool {
    loop {
        match hits.next_hit() {
            Some(Ok(hit)) => stage.hit(&hit, print),
            None => return true,
            Some(Err(error)) => {
                print.faults.push(error);
                if !resumes || !hits.resume() {
                    return false;
                }
            }
        }
    }
}
