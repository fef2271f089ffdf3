//! The command line: measures, and writes the report.
//!
//! In: arguments. Out: `REPORT.md` and charts, and the README's figures.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use report::measured::{Folder, Measured};
use report::sections::Report;
use report::stamp::{Mode, fingerprint};
use report::{Result, readme, run, sections};

const USAGE: &str = "\
report [--quick] [--draw] [--out DIR]
  measures everything, and writes REPORT.md and its charts to docs/report and the figures to README.md: some 20 minutes
  --quick    in less than three minutes, roughly; writes to target/report/quick, and leaves README.md alone
  --draw     measures nothing, writes what was measured last (with --quick: by the quick mode)
  --out DIR  writes to DIR, and leaves README.md alone";

struct Arguments {
    mode: Mode,
    draw: bool,
    out: Option<PathBuf>,
}

fn arguments() -> Option<Arguments> {
    let mut parsed = Arguments { mode: Mode::Full, draw: false, out: None };
    let mut arguments = env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.to_str()? {
            "--quick" => parsed.mode = Mode::Quick,
            "--draw" => parsed.draw = true,
            "--out" => parsed.out = Some(arguments.next()?.into()),
            _ => return None,
        }
    }
    Some(parsed)
}

fn main() -> ExitCode {
    let Some(arguments) = arguments() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match report(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("report: {error}");
            ExitCode::FAILURE
        }
    }
}

fn report(arguments: Arguments) -> Result<()> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let target = repository.join("target/report").join(arguments.mode.name());
    let folder = Folder(target.join("measured"));
    if !arguments.draw {
        run::run(&repository, &folder, arguments.mode)?;
    }
    let measured = Measured::read(&folder, &fingerprint(&repository)?)?;
    let report = sections::report(&measured);

    let official = arguments.mode == Mode::Full && arguments.out.is_none();
    let out = arguments.out.unwrap_or(if official { repository.join("docs/report") } else { target });
    write(&report, &out)?;
    println!("{}", out.join("REPORT.md").display());

    if official {
        let path = repository.join("README.md");
        match readme::replaced(&fs::read_to_string(&path)?, &readme::block(&measured)) {
            Some(text) => fs::write(path, text)?,
            None => eprintln!("README.md has no marks for the report's figures: left as it is"),
        }
    }
    Ok(())
}

/// Writes the page and its pictures, and removes pictures that the page no longer has.
fn write(report: &Report, out: &Path) -> Result<()> {
    fs::create_dir_all(out)?;
    let page = out.join("REPORT.md");
    let before = fs::read_to_string(&page).unwrap_or_default();
    for picture in before.split("](").skip(1).filter_map(|rest| rest.split_once(".svg)")).map(|(name, _)| name) {
        let picture = out.join(picture).with_extension("svg");
        if picture.parent() == Some(out) && picture.exists() {
            fs::remove_file(picture)?;
        }
    }
    for (name, contents) in &report.files {
        fs::write(out.join(name), contents)?;
    }
    Ok(fs::write(page, &report.text)?)
}
