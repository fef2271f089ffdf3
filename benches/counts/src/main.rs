//! Counts: measures instructions and allocated bytes, which are the same on a busy machine, and compares the times of
//! two commits.
#![forbid(unsafe_code)]

#[path = "../../edit.rs"]
mod edit;
#[path = "../../encode.rs"]
mod encode;
mod growth;
mod hinted;
mod measure;
mod pair;
mod paths;
#[path = "../../reach.rs"]
mod reach;
mod stream;
mod tables;
mod types;

use std::error::Error;
use std::fs;
use std::process::ExitCode;

use kit::counted::instructions;

use tables::Report;

const USAGE: &str = "\
counts check [paths | growth]    fails if a path takes more instructions than paths.md says, or something grows too fast
counts write [paths | growth]    counts, and writes paths.md and growth.md
counts run [paths | growth]      the cases alone, their answers asserted, nothing counted: what callgrind is given
counts serve                     times a path as often as each line of its input says
counts pair OLD NEW [PART]       times the paths of two builds of this program in turns; all, or those whose names have this part";

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let tables = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve"] => {
            paths::run(true);
            return Ok(ExitCode::SUCCESS);
        }
        ["pair", old, new] => return pair::compare([old, new], "").map(|()| ExitCode::SUCCESS),
        ["pair", old, new, part] => return pair::compare([old, new], part).map(|()| ExitCode::SUCCESS),
        [command @ ("check" | "write" | "run")] => vec![(command, "paths"), (command, "growth")],
        [command @ ("check" | "write" | "run"), table @ ("paths" | "growth")] => vec![(command, table)],
        _ => {
            eprintln!("{USAGE}");
            return Ok(ExitCode::FAILURE);
        }
    };
    let mut exit = ExitCode::SUCCESS;
    for (command, table) in tables {
        match counted(command, table)? {
            Ok(report) => print!("{report}"),
            Err(report) => {
                print!("{report}");
                exit = ExitCode::FAILURE;
            }
        }
    }
    Ok(exit)
}

/// Runs the cases twice: here for their names and allocations, and under callgrind for their instructions.
fn counted(command: &str, table: &str) -> Result<Report, Box<dyn Error>> {
    let counts = |cases: usize| instructions(&["run", table], cases);
    if table == "paths" {
        let names = paths::run(false);
        if command == "run" {
            return Ok(Ok(String::new()));
        }
        let counts = counts(names.len())?;
        if command == "write" {
            fs::write(tables::PATHS, tables::paths(&names, &counts))?;
        }
        return Ok(tables::compare(&fs::read_to_string(tables::PATHS)?, &names, &counts));
    }
    let cases = growth::run();
    if command == "run" {
        return Ok(Ok(String::new()));
    }
    let (text, report) = tables::growth(&cases, &counts(cases.len())?);
    if command == "write" {
        fs::write(tables::GROWTH, text)?;
    }
    Ok(report)
}
