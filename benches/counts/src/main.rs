//! Counts: instructions and allocated bytes of y3, which are the same on a busy machine.
//!
//! In: a command, and a table or none for both. Out: what is worse than the tables say, or new tables.
#![forbid(unsafe_code)]

mod by_hand;
mod growth;
mod hinted;
mod measure;
mod paths;
mod stream;
mod tables;
mod types;

use std::error::Error;
use std::process::ExitCode;

use kit::counted::instructions;

const USAGE: &str = "\
counts check [paths | growth]    fails if a path takes more instructions than paths.md says, or something grows too fast
counts write [paths | growth]    counts, and writes paths.md and growth.md
counts run [paths | growth]      the cases alone, their answers asserted, nothing counted: what callgrind is given";

/// The text to print, and whether the check passed.
type Report = Result<String, String>;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [command, tables @ ..] = arguments.as_slice() else { return Ok(usage()) };
    let known = |table: &String| table == "paths" || table == "growth";
    if !matches!(command.as_str(), "check" | "write" | "run") || !tables.iter().all(known) {
        return Ok(usage());
    }
    let wants = |table: &str| tables.is_empty() || tables.iter().any(|wanted| wanted == table);
    let mut reports = Vec::new();
    if wants("paths") {
        reports.push(of_paths(command)?);
    }
    if wants("growth") {
        reports.push(of_growth(command)?);
    }
    for report in &reports {
        let (Ok(text) | Err(text)) = report;
        print!("{text}");
    }
    Ok(if reports.iter().all(Result::is_ok) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn usage() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::FAILURE
}

// The cases run here for their names and allocations, and once more under callgrind, which counts them.

fn of_paths(command: &str) -> Result<Report, Box<dyn Error>> {
    let names = paths::run();
    if command == "run" {
        return Ok(Ok(String::new()));
    }
    let counts = instructions(&["run", "paths"], names.len())?;
    if command == "write" {
        std::fs::write(tables::PATHS, tables::paths(&names, &counts))?;
    }
    Ok(tables::compare(&std::fs::read_to_string(tables::PATHS)?, &names, &counts))
}

fn of_growth(command: &str) -> Result<Report, Box<dyn Error>> {
    let cases = growth::run();
    if command == "run" {
        return Ok(Ok(String::new()));
    }
    let counts = instructions(&["run", "growth"], cases.len())?;
    if command == "write" {
        std::fs::write(tables::GROWTH, tables::growth(&cases, &counts))?;
    }
    Ok(tables::judge(&cases, &counts))
}
