//! Watches paths in a file or on standard input and prints each hit.
//!
//! `cargo run --release --example watch` prints the noise readings of the bundled recording.
//! `cargo run --release --example watch -- 0x3f/0x02:0x01/0x10/0x13=str session.y3` prints who sent them, from a file of
//! your own; `-` is standard input. Run it with `--help` for the rest.

use std::fmt::Write as _;
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::process::ExitCode;

use y3::show::escape;
use y3::{Decode, PVarInt, Packet, Packets, Path, PathSet, packets};

const HELP: &str = "\
usage: watch [PATH[:PATH...][=TYPE]]... [FILE | -]

Prints each packet at the end of a watched path: offset, path and type, value.

  PATH   1 to 8 hexadecimal keys separated by '/': 01/10/11 or 0x01/0x10/0x11; the first begins with a digit: 0a, not a
  :      goes on inside the value of a primitive that carries packets, as the payload of a DataFrame does
  =TYPE  i32 i64 u32 u64 (NVarInt), pi32 pi64 pu32 pu64 (PVarInt), f32 f64 bool str; bytes in hex if left out
  FILE   a file of packets back to back; '-' is standard input; the bundled recording if left out

With no path it watches 0x3f/0x02:0x01/0x10/0x11=f32, the noise reading in the payload of each DataFrame.
";

const DEFAULT_PATH: &str = "0x3f/0x02:0x01/0x10/0x11=f32";
const RECORDING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/noise.y3");

/// The paths to watch among some packets. Compiled once, used for every packet or payload.
struct Stage {
    set: PathSet<64>,
    steps: Vec<Step>,
}

/// What to do with a hit on one path.
struct Step {
    path: Path,
    /// Print it: the whole path with the type, and how to show the value.
    print: Vec<(String, Show)>,
    /// Watch these paths inside it.
    inner: Stage,
}

type Show = fn(Packet<'_>, &mut String) -> Result<(), y3::Error>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("watch: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<(), String> {
    // An argument that begins with a digit is a path. Write ./1.y3 for a file with such a name, and 0a for the key a.
    let (paths, files): (Vec<&str>, Vec<&str>) =
        arguments.iter().map(String::as_str).partition(|argument| argument.starts_with(|c: char| c.is_ascii_digit()));
    let paths = if paths.is_empty() { vec![DEFAULT_PATH] } else { paths };
    let mut stage = Stage { set: PathSet::default(), steps: Vec::new() };
    for path in paths {
        stage.add(path)?;
    }
    let bytes = match files.as_slice() {
        [] => read_file(RECORDING)?,
        ["-"] => read_stdin()?,
        [file] => read_file(file)?,
        _ => return Err("more than one file".into()),
    };
    let mut out = BufWriter::new(io::stdout().lock());
    match stage.print_hits(packets(&bytes), &mut out) {
        Ok(()) => out.flush().or_else(closed_pipe_is_the_end).map_err(|error| error.to_string()),
        Err(Stop::Fault(error)) => {
            // Prints the hits found before the error.
            out.flush().or_else(closed_pipe_is_the_end).map_err(|error| error.to_string())?;
            Err(error.to_string())
        }
        Err(Stop::Output(error)) => closed_pipe_is_the_end(error).map_err(|error| error.to_string()),
    }
}

enum Stop {
    Fault(y3::Error),
    Output(io::Error),
}

impl From<y3::Error> for Stop {
    fn from(error: y3::Error) -> Self {
        Stop::Fault(error)
    }
}

/// `watch | head` closes the pipe, which is not an error.
fn closed_pipe_is_the_end(error: io::Error) -> io::Result<()> {
    if error.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(error) }
}

impl Stage {
    /// Adds a path as given on the command line: stages separated by ':', then an optional '=' and a type.
    fn add(&mut self, argument: &str) -> Result<(), String> {
        let (text, kind) = argument.split_once('=').unwrap_or((argument, "bytes"));
        let show = show_as(kind).ok_or_else(|| format!("unknown type '{kind}'; see --help"))?;
        let mut stage = self;
        let mut parts = text.split(':').peekable();
        while let Some(part) = parts.next() {
            let path: Path = part.parse().map_err(|error| format!("path '{part}': {error}"))?;
            let step = stage.step(path)?;
            if parts.peek().is_none() {
                step.print.push((format!("{text}={kind}"), show));
            }
            stage = &mut step.inner;
        }
        Ok(())
    }

    fn step(&mut self, path: Path) -> Result<&mut Step, String> {
        let place = self.steps.iter().position(|step| step.path == path).unwrap_or(self.steps.len());
        if place == self.steps.len() {
            let inner = Stage { set: PathSet::default(), steps: Vec::new() };
            self.steps.push(Step { path, print: Vec::new(), inner });
            let paths: Vec<Path> = self.steps.iter().map(|step| step.path).collect();
            self.set = PathSet::from_slice(&paths).ok_or("more than 64 paths")?;
        }
        Ok(&mut self.steps[place])
    }

    fn print_hits(&self, packets: Packets<'_>, out: &mut impl Write) -> Result<(), Stop> {
        for hit in self.set.watch_packets(packets) {
            let hit = hit?;
            let (step, packet) = (&self.steps[hit.path_index()], hit.packet());
            for (text, show) in &step.print {
                let mut line = format!("{:>8}  {text}  ", packet.offset());
                // A value of another type is reported, and watching continues.
                if let Err(error) = show(packet, &mut line) {
                    let _ = write!(line, "({error})");
                }
                writeln!(out, "{line}").map_err(Stop::Output)?;
            }
            if !step.inner.steps.is_empty() {
                step.inner.print_hits(packet.embedded(), out)?;
            }
        }
        Ok(())
    }
}

fn show_as(kind: &str) -> Option<Show> {
    Some(match kind {
        "bytes" => |packet, line| {
            packet.value().iter().for_each(|byte| {
                let _ = write!(line, "{byte:02x}");
            });
            Ok(())
        },
        "str" => |packet, line| {
            let _ = write!(line, "\"{}\"", escape(packet.decode()?));
            Ok(())
        },
        "i32" => show::<i32>,
        "i64" => show::<i64>,
        "u32" => show::<u32>,
        "u64" => show::<u64>,
        "pi32" => show_pvar::<i32>,
        "pi64" => show_pvar::<i64>,
        "pu32" => show_pvar::<u32>,
        "pu64" => show_pvar::<u64>,
        "f32" => show::<f32>,
        "f64" => show::<f64>,
        "bool" => show::<bool>,
        _ => return None,
    })
}

fn show<T: for<'a> Decode<'a> + std::fmt::Display>(packet: Packet<'_>, line: &mut String) -> Result<(), y3::Error> {
    let _ = write!(line, "{}", packet.decode::<T>()?);
    Ok(())
}

fn show_pvar<T: std::fmt::Display>(packet: Packet<'_>, line: &mut String) -> Result<(), y3::Error>
where
    PVarInt<T>: for<'a> Decode<'a>,
{
    let _ = write!(line, "{}", packet.decode::<PVarInt<T>>()?.0);
    Ok(())
}

fn read_file(name: &str) -> Result<Vec<u8>, String> {
    std::fs::read(name).map_err(|error| format!("{name}: {error}"))
}

fn read_stdin() -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes).map_err(|error| format!("standard input: {error}"))?;
    Ok(bytes)
}
