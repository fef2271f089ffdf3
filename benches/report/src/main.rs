//! The command line: measures, and writes the report; or compares two.
//!
//! In: arguments. Out: pages and charts, and the README's figures; a comparison on standard output.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use report::compare::{self, Verdicts, compared, pairs, summary};
use report::folder::Folder;
use report::measured::Measured;
use report::stamp::{Mode, fingerprint};
use report::{Result, figures, page, readme, run, story};

const USAGE: &str = "\
report [--quick] [--draw] [--out DIR]
report --compare A B
  measures everything, and writes the pages and charts to docs/report and the figures to README.md: some 20 minutes
  --quick        in some minutes, roughly; writes to target/report/quick, and leaves README.md alone
  --draw         measures nothing, writes what was measured last (with --quick: by the quick mode)
  --out DIR      writes to DIR, and leaves README.md alone
  --compare A B  compares the verdicts of two reports, each a folder or a file verdict.json: measures nothing";

enum Task {
    Report { mode: Mode, draw: bool, out: Option<PathBuf> },
    Compare(PathBuf, PathBuf),
}

fn task() -> Option<Task> {
    let (mut mode, mut draw, mut out) = (Mode::Full, false, None);
    let mut arguments = env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.to_str()? {
            "--quick" => mode = Mode::Quick,
            "--draw" => draw = true,
            "--out" => out = Some(arguments.next()?.into()),
            "--compare" => return Some(Task::Compare(arguments.next()?.into(), arguments.next()?.into())),
            _ => return None,
        }
    }
    Some(Task::Report { mode, draw, out })
}

fn main() -> ExitCode {
    let done = match task() {
        Some(Task::Report { mode, draw, out }) => report(mode, draw, out),
        Some(Task::Compare(one, other)) => compare(&one, &other),
        None => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("report: {error}");
            ExitCode::FAILURE
        }
    }
}

fn compare(one: &Path, other: &Path) -> Result<()> {
    print!("{}", compared(&Verdicts::read(one)?, &Verdicts::read(other)?));
    Ok(())
}

fn report(mode: Mode, draw: bool, out: Option<PathBuf>) -> Result<()> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let target = repository.join("target/report").join(mode.name());
    let folder = Folder(target.join("measured"));
    if !draw {
        run::run(&repository, &folder, mode)?;
    }
    let measured = Measured::read(&folder, &fingerprint(&repository)?)?;
    let published = repository.join("docs/report");
    let machines = published.join(compare::MACHINES);
    let verdicts = Verdicts::of(&measured).with_others(&machines);
    let pages = story::pages(&measured, &verdicts);

    // Before it is replaced.
    let before = Verdicts::read(&published);
    let official = mode == Mode::Full && out.is_none();
    let out = out.unwrap_or(if official { published } else { target });
    page::write(&pages, &out)?;
    fs::write(out.join(compare::FILE), verdicts.to_json()?)?;
    fs::write(out.join(figures::FILE), figures::to_json(&measured)?)?;
    println!("{}", out.join(page::REPORT).display());

    if official {
        fs::create_dir_all(&machines)?;
        fs::write(machines.join(verdicts.file()), verdicts.to_json()?)?;
        let path = repository.join("README.md");
        match readme::replaced(&fs::read_to_string(&path)?, &readme::block(&measured)) {
            Some(text) => fs::write(path, text)?,
            None => eprintln!("README.md has no marks for the report's figures: left as it is"),
        }
    }
    if mode == Mode::Quick {
        println!("{}", story::doubts(&verdicts.cases));
    }
    if let Ok(before) = before {
        let pairs = pairs(&before, &verdicts);
        if !pairs.is_empty() {
            println!("Beside the report that was in docs/report ({}, {}):", before.machine, before.date);
            println!("{}", summary(&pairs));
        }
    }
    Ok(())
}
