//! The command line: measures and writes the report, or prints a comparison of reports.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use report::compare::{Verdicts, compared};
use report::figures::Figures;
use report::stamp::Mode;
use report::{Result, pages, run};

/// Measures everything in about 20 minutes. Writes the pages, charts and figures of docs/report, and the report's part of README.md.
#[derive(Parser)]
#[command(name = "report")]
struct Arguments {
    /// Measure roughly, in a few minutes. Without `--out`, write the pages to target/report/quick.
    #[arg(long)]
    quick: bool,
    /// Measure nothing. Write the pages again from the figures of this folder, for example docs/report after a change of a page's text.
    #[arg(long, value_name = "FOLDER")]
    from: Option<PathBuf>,
    /// Write to this folder, and do not change README.md.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Measure nothing. Compare the verdicts of these reports. Each REPORT is a folder or a file.
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
    // If the published run is from another machine, its verdicts are kept before the run is replaced.
    let before = Verdicts::read(&published);
    if let (Ok(before), true) = (&before, official) {
        before.keep(&published, &figures)?;
    }
    let readme = repository.join("README.md");
    let missing = pages::write(&figures, &published, &out, official.then_some(&*readme))?;
    println!("{}", out.join("REPORT.md").display());
    if let (Ok(before), false) = (before, arguments.from.is_some()) {
        print!("Compared with the report that was in docs/report:\n\n{}", compared(&[Verdicts::of(&figures), before]));
    }
    if missing.is_empty() {
        Ok(())
    } else {
        Err(format!("pages name figures that were not measured:\n{}", missing.join("\n")).into())
    }
}
