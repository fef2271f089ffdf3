//! A logger: prints the values at paths. Their types come from a names file or from the arguments.
//!
//! `cargo run -p y3-names --example logger -- tests/data/noise.y3 names/tests/noise.y3n frame/payload:data/thing/noise '3f/01=pvar u32'`

use std::fs::{File, read_to_string};
use std::io::{ErrorKind, Write, stdout};
use std::process::ExitCode;

use y3::{Limits, Paths, Reader};
use y3_names::{Names, ParseError, Type};

fn main() -> ExitCode {
    match log() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("logger: {error}");
            ExitCode::FAILURE
        }
    }
}

fn log() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let [Some(input), Some(file)] = [arguments.next(), arguments.next()] else {
        return Err("usage: logger INPUT NAMES PATH[=TYPE]...".into());
    };
    let text = read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
    let names: Names =
        text.parse().map_err(|error: ParseError| format!("{file}: {error}\n{}", error.in_text(&text)))?;

    let mut watched: Vec<(y3::Path, Option<Type>, String)> = Vec::new();
    for argument in arguments {
        let (path, word) = argument.split_once('=').unwrap_or((&argument, ""));
        let wrong = |error: ParseError| format!("{argument}: {error}");
        let (path, schema) = names.path(path).map_err(wrong)?;
        // A type in the argument overrides the type in the file.
        let kind = if word.is_empty() { schema.kind().cloned() } else { Some(names.parse_type(word).map_err(wrong)?) };
        watched.push((path, kind, argument));
    }

    let paths: Paths = watched.iter().map(|(path, ..)| *path).collect();
    let source = File::open(&input).map_err(|error| format!("{input}: {error}"))?;
    let mut reader = Reader::seeking(source, &paths, Limits::DEFAULT);
    while let Some(hit) = reader.next_hit() {
        let hit = hit?;
        let (_, kind, argument) = watched.get(hit.path_index()).ok_or("a hit with an unknown path")?;
        let schema = kind.as_ref().map_or(names.unknown(), |kind| names.schema(kind));
        // If a value does not match its type, its line shows the error, and the logger continues.
        let written = match schema.decode(hit.packet()) {
            Ok(value) => writeln!(stdout(), "{:>8}  {argument}  {value}", hit.offset()),
            Err(error) => writeln!(stdout(), "{:>8}  {argument}  ({error})", hit.offset()),
        };
        match written {
            // The reader of the output, such as `head`, has closed the pipe.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            written => written?,
        }
    }
    Ok(())
}
