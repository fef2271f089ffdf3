//! Compare: compares the verdicts of several runs, which may be from different machines.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Result;
use crate::figures::Figures;
use crate::markdown::{inside, table};
use crate::scenario::described;
use crate::stamp::Mode;
use crate::verdict::{Case, Class, cases, tally};

/// The folder, beside the pages, with the verdicts of the last full run of each other machine.
pub const MACHINES: &str = "machines";

/// The verdicts of a run, with its machine, date and commit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Verdicts {
    pub machine: String,
    pub date: String,
    pub commit: String,
    pub mode: Mode,
    pub cases: Vec<Case>,
}

impl Verdicts {
    pub fn of(figures: &Figures) -> Verdicts {
        let stamp = &figures.stamp;
        Verdicts {
            machine: stamp.machine(),
            date: stamp.date(),
            commit: stamp.commit.clone(),
            mode: stamp.mode,
            cases: cases(figures),
        }
    }

    /// Reads a folder with figures, or a file with figures or verdicts.
    pub fn read(path: &Path) -> Result<Verdicts> {
        let verdicts = fs::read(path).ok().and_then(|text| serde_json::from_slice(&text).ok());
        verdicts.map_or_else(|| Ok(Verdicts::of(&Figures::read(path)?)), Ok)
    }

    /// The name of the processor, up to its model. The clock rate is cut off, because it differs after each start of a machine.
    fn processor(&self) -> &str {
        self.machine.split(" stepping").next().unwrap_or_default()
    }

    /// Writes these verdicts into the folder [`MACHINES`] of a report, unless the report's new figures are from the same machine.
    pub fn keep(&self, report: &Path, figures: &Figures) -> Result<()> {
        if self.processor() == Verdicts::of(figures).processor() {
            return Ok(());
        }
        let words = self.processor().split(|letter: char| !letter.is_ascii_alphanumeric());
        let name = words.filter(|word| !word.is_empty()).collect::<Vec<&str>>().join("-").to_lowercase() + ".json";
        // Each case is on its own line.
        let text = serde_json::to_string(self)?.replace(r#"{"class":"#, "\n{\"class\":") + "\n";
        fs::create_dir_all(report.join(MACHINES))?;
        Ok(fs::write(report.join(MACHINES).join(name), text)?)
    }

    /// The runs of other machines in a folder, if the folder exists. A file that cannot be read is left out with a message, so that the new
    /// measurements are not lost.
    pub fn others(&self, folder: &Path) -> Vec<Verdicts> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
        files.sort();
        let read =
            |file: &std::path::PathBuf| Verdicts::read(file).inspect_err(|error| eprintln!("left out: {error}")).ok();
        files.iter().filter_map(read).filter(|other| other.processor() != self.processor()).collect()
    }

    fn title(&self) -> String {
        format!("{}, {}, commit {}, {} run", self.machine, self.date, self.commit, self.mode.name())
    }
}

/// The comparison of runs: how often y3 is first in each class, and the cases in which the verdicts differ.
pub fn compared(runs: &[Verdicts]) -> String {
    let letters: Vec<String> = ('A'..).take(runs.len()).map(String::from).collect();
    let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
    let named = letters.iter().zip(runs).map(|(letter, run)| format!("- {letter}: {}\n", inside(&run.title())));
    let mut text = named.collect::<String>();

    // The cases that were measured in every run.
    let Some((here, _)) = runs.split_first() else { return text };
    let beside =
        |case: &'_ Case| runs.iter().map(|run| run.cases.iter().find(|other| other.is(case)).cloned()).collect();
    let shared: Vec<Vec<Case>> = here.cases.iter().filter_map(beside).collect();
    let agree = |cases: &&Vec<Case>| cases.iter().all(|case| case.standing() == cases[0].standing());
    let row = |name: &str, classes: &[Class]| {
        let of = || shared.iter().filter(|cases| classes.contains(&cases[0].class));
        let counts = (0..runs.len()).map(|run| tally(of().map(|cases| &cases[run])));
        let same = format!("{} of {}", of().filter(agree).count(), of().count());
        std::iter::once(name.to_owned()).chain(counts).chain([same]).collect()
    };
    let mut counts: Vec<Vec<String>> = Class::ALL.map(|class| row(class.name(), &[class])).into();
    counts.push(row("all", &Class::ALL));
    text += &table(&[&["first / tie / behind"], &letters[..], &[">the same in all"]].concat(), &counts);

    let row = |cases: &Vec<Case>| {
        let case = format!("{}, {}", described(&cases[0].what), described(&cases[0].regime));
        [cases[0].class.name().to_owned(), case].into_iter().chain(cases.iter().map(Case::in_words)).collect()
    };
    let differ: Vec<Vec<String>> = shared.iter().filter(|cases| !agree(cases)).map(row).collect();
    if differ.is_empty() {
        return text;
    }
    let rows = table(&[&["class", "case"], &letters[..]].concat(), &differ);
    format!("{text}\n<details><summary>Cases with different results: {}</summary>\n{rows}\n</details>\n", differ.len())
}
