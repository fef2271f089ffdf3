//! The command line: measures, and writes the report; or compares two.
//!
//! In: arguments. Out: pages, charts and figures; a comparison on standard output.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use report::compare::{Verdicts, compared};
use report::figures::Figures;
use report::stamp::Mode;
use report::{Result, pages, run};

/// Measures everything in some 20 minutes, and writes the pages, charts and figures of docs/report, and the figures of README.md.
#[derive(Parser)]
#[command(name = "report")]
struct Arguments {
    /// Measure roughly, in some minutes. Without `--out` the pages go to target/report/quick.
    #[arg(long)]
    quick: bool,
    /// Measure nothing: write the figures of this folder again, for example those of docs/report after its text was changed.
    #[arg(long, value_name = "FOLDER")]
    from: Option<PathBuf>,
    /// Write to this folder, and leave README.md alone.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Compare the verdicts of reports, each a folder or a file: measure nothing.
    #[arg(long, value_name = "REPORT", num_args = 2.., conflicts_with_all = ["quick", "from", "out"])]
    compare: Vec<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = if arguments.compare.is_empty() { report(&arguments) } else { compare(&arguments.compare) };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("report: {error}");
            ExitCode::FAILURE
        }
    }
}

fn compare(reports: &[PathBuf]) -> Result<()> {
    let verdicts: Vec<Verdicts> = reports.iter().map(|path| Verdicts::read(path)).collect::<Result<_>>()?;
    print!("{}", compared(&verdicts));
    Ok(())
}

fn report(arguments: &Arguments) -> Result<()> {
    let mode = if arguments.quick { Mode::Quick } else { Mode::Full };
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let target = repository.join("target/report").join(mode.name());
    let figures = match &arguments.from {
        Some(folder) => Figures::read(folder)?,
        None => run::run(&repository, &target.join("measured"), mode)?,
    };
    let published = repository.join("docs/report");
    let official = mode == Mode::Full && arguments.out.is_none();
    let out = arguments.out.clone().unwrap_or_else(|| if official { published.clone() } else { target });
    // Before it is replaced: the last run of another machine stays, as verdicts.
    let before = Verdicts::read(&published);
    if let (Ok(before), true) = (&before, official) {
        before.keep(&published, &figures)?;
    }
    let readme = repository.join("README.md");
    let missing = pages::write(&figures, &published, &out, official.then_some(&*readme))?;
    println!("{}", out.join("REPORT.md").display());
    if let (Ok(before), false) = (before, arguments.from.is_some()) {
        print!("Beside the report that was in docs/report:\n\n{}", compared(&[Verdicts::of(&figures), before]));
    }
    if missing.is_empty() {
        Ok(())
    } else {
        Err(format!("pages name what was not measured:\n{}", missing.join("\n")).into())
    }
}
