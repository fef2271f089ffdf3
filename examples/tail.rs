//! Watches keys on a growing file, on standard input or on a TCP connection, and prints each hit as soon as it is whole.
//!
//! `cargo run --release --example tail -- 0x3f/0x01 tests/data/noise.y3 --once` prints the tags of the bundled recording.
//! Run it with `--help` for the rest.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Read, Write};
use std::net::TcpStream;
use std::process::ExitCode;
use std::thread::sleep;
use std::time::{Duration, Instant};

use y3::{Collector, Event, Hit, Limits, Path, PathSet, Watcher};

const HELP: &str = "\
usage: tail PATH... [FILE | - | tcp://HOST:PORT] [--once]

Prints each packet at the end of a watched path as it completes: offset, path, value in hex.

  PATH    1 to 8 hexadecimal keys separated by '/': 01/10/11 or 0x01/0x10/0x11; the first begins with a digit: 0a, not a
  FILE    a file that may grow, read from its beginning; '-' is standard input, the default
  --once  stop at the end of the file instead of waiting for more

On a terminal a line on standard error shows bytes, packets, hits and the rate.
";

/// How long to wait at the end of a file before reading again.
const PATIENCE: Duration = Duration::from_millis(200);

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.is_empty() || arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let once =
        arguments.iter().position(|argument| argument == "--once").map(|place| arguments.remove(place)).is_some();
    match run(&arguments, once) {
        // The reader of the output has closed the pipe.
        Err(error) if is_broken_pipe(&*error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tail: {error}");
            ExitCode::FAILURE
        }
        Ok(()) => ExitCode::SUCCESS,
    }
}

type Failure = Box<dyn std::error::Error>;

fn is_broken_pipe(error: &(dyn std::error::Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

fn run(arguments: &[String], once: bool) -> Result<(), Failure> {
    let (mut paths, mut source) = (Vec::<Path>::new(), "-");
    for argument in arguments {
        // An argument that begins with a digit is a path. Write ./1.y3 for a file with such a name, and 0a for the key a.
        if argument.starts_with(|c: char| c.is_ascii_digit()) {
            paths.push(argument.parse().map_err(|error| format!("path '{argument}': {error}"))?);
        } else if source == "-" {
            source = argument;
        } else {
            return Err(format!("'{argument}' is neither a path nor the only source").into());
        }
    }
    let set = PathSet::<64>::from_slice(&paths).filter(|_| !paths.is_empty()).ok_or("expected 1 to 64 paths")?;
    if let Some(address) = source.strip_prefix("tcp://") {
        tail(TcpStream::connect(address)?, &set, &paths, false)
    } else if source == "-" {
        tail(io::stdin().lock(), &set, &paths, false)
    } else {
        tail(File::open(source).map_err(|error| format!("{source}: {error}"))?, &set, &paths, !once)
    }
}

/// Reads to the end; with `follows`, waits for more there.
fn tail(mut source: impl Read, set: &PathSet<64>, paths: &[Path], follows: bool) -> Result<(), Failure> {
    let mut collector = Collector::new(set, Limits::DEFAULT);
    // A second watcher, for all outermost packets, counts them.
    let every: Vec<_> = (0..64).filter_map(|key| Path::new(&[key])).collect();
    let every = PathSet::<64>::from_slice(&every).unwrap_or_default();
    let mut counter = Watcher::new(&every, Limits::NONE);
    let mut buffer = vec![0; 64 << 10];
    let mut out = BufWriter::new(io::stdout().lock());
    let mut progress = Progress::new();
    loop {
        match source.read(&mut buffer) {
            Ok(0) if follows => {
                progress.show(true)?;
                sleep(PATIENCE);
            }
            Ok(0) => break,
            Ok(read) => {
                let mut hits = collector.feed(&buffer[..read]);
                progress.bytes += read as u64;
                let begun = |event: &Result<Event<'_>, _>| matches!(event, Ok(Event::Hit(_) | Event::Start(_)));
                progress.packets += counter.feed(&buffer[..read]).filter(begun).count();
                while let Some(hit) = hits.next_hit() {
                    progress.clear()?;
                    print(&mut out, &hit?, paths)?;
                    progress.hits += 1;
                }
                out.flush()?;
                progress.show(false)?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    let mut hits = collector.finish();
    while let Some(hit) = hits.next_hit() {
        progress.clear()?;
        print(&mut out, &hit?, paths)?;
    }
    out.flush()?;
    progress.show(true)?;
    Ok(progress.end()?)
}

fn print(out: &mut impl Write, hit: &Hit<'_>, paths: &[Path]) -> io::Result<()> {
    write!(out, "{:>10}  {}  ", hit.offset(), paths[hit.path_index()])?;
    hit.value().iter().try_for_each(|byte| write!(out, "{byte:02x}"))?;
    writeln!(out)
}

/// A line of progress that is overwritten, on a terminal.
struct Progress {
    bytes: u64,
    packets: usize,
    hits: u64,
    start: Instant,
    shown: Option<Instant>,
    is_visible: bool,
}

impl Progress {
    fn new() -> Self {
        Self {
            bytes: 0,
            packets: 0,
            hits: 0,
            start: Instant::now(),
            shown: None,
            is_visible: io::stderr().is_terminal(),
        }
    }

    /// Writes the line at most ten times a second, unless `now` is set.
    #[allow(clippy::cast_precision_loss, reason = "a rate for people to read")]
    fn show(&mut self, now: bool) -> io::Result<()> {
        let is_due = self.shown.is_none_or(|shown| shown.elapsed() >= Duration::from_millis(100));
        if self.is_visible && (now || is_due) {
            self.shown = Some(Instant::now());
            let rate = self.bytes as f64 / self.start.elapsed().as_secs_f64() / 1e6;
            let Self { bytes, packets, hits, .. } = self;
            let mut err = io::stderr().lock();
            write!(err, "\r\x1b[K{bytes} bytes, {packets} packets, {hits} hits, {rate:.1} MB/s")?;
            err.flush()?;
        }
        Ok(())
    }

    /// Leaves the line on the terminal.
    fn end(&self) -> io::Result<()> {
        if self.is_visible { io::stderr().write_all(b"\n") } else { Ok(()) }
    }

    /// Clears the line before a line of output.
    fn clear(&mut self) -> io::Result<()> {
        if self.is_visible && self.shown.take().is_some() {
            io::stderr().write_all(b"\r\x1b[K")?;
        }
        Ok(())
    }
}
