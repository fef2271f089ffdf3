//! Compare: the verdicts of two runs beside each other. What does not hold in both is called a tie.
//!
//! In: figures of two runs, or files with the verdicts of other machines. Out: tables, and the number of verdicts that hold.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Result;
use crate::figures::Figures;
use crate::markdown::{inside, table};
use crate::scenario::described;
use crate::stamp::Mode;
use crate::verdict::{Case, Class, Standing, cases, tally};

/// The folder of the last full run of each machine, beside the pages.
pub const MACHINES: &str = "machines";

/// The verdicts of a run, and where they come from.
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

    /// From a folder with figures, or from a file with figures or verdicts.
    pub fn read(path: &Path) -> Result<Verdicts> {
        if path.is_file() {
            let text = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
            if let Ok(verdicts) = serde_json::from_slice(&text) {
                return Ok(verdicts);
            }
        }
        Ok(Verdicts::of(&Figures::read(path)?))
    }

    /// A case on each line.
    pub fn to_json(&self) -> Result<String> {
        Ok(serde_json::to_string(self)?.replace(r#"{"class":"#, "\n{\"class\":") + "\n")
    }

    /// The processor without its clock, which is another one after each start, and what comes after it.
    fn processor(&self) -> &str {
        let end = [" stepping", ", Zen"].into_iter().filter_map(|part| self.machine.find(part)).min();
        &self.machine[..end.unwrap_or(self.machine.len())]
    }

    /// The name of this machine's file in [`MACHINES`].
    pub fn file(&self) -> String {
        let words = self.processor().split(|letter: char| !letter.is_ascii_alphanumeric());
        words.filter(|word| !word.is_empty()).collect::<Vec<&str>>().join("-").to_lowercase() + ".json"
    }

    /// The runs of other machines in a folder, which need not be there. A file that cannot be read is left out, with a word: it is no
    /// reason to lose what was measured.
    pub fn others(&self, folder: &Path) -> Vec<Verdicts> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
        files.sort();
        let read =
            |file: &std::path::PathBuf| Verdicts::read(file).inspect_err(|error| eprintln!("left out: {error}")).ok();
        files.iter().filter_map(read).filter(|other| other.processor() != self.processor()).collect()
    }

    fn title(&self) -> String {
        format!("{}, {}, commit {}, {}", self.machine, self.date, self.commit, self.mode.name())
    }
}

/// The names of runs.
const LETTERS: &str = "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z";

/// Runs beside each other: how often y3 is first in each class, and the cases in which the verdicts differ.
pub fn compared(runs: &[&Verdicts]) -> String {
    let letters: Vec<&str> = LETTERS.split(' ').take(runs.len()).collect();
    let named = letters.iter().zip(runs).map(|(letter, run)| format!("- {letter}: {}\n", inside(&run.title())));
    let mut text = named.collect::<String>();

    // The cases that every run has.
    let Some((here, _)) = runs.split_first() else { return text };
    let beside =
        |case: &'_ Case| runs.iter().map(|run| run.cases.iter().find(|other| other.is(case)).cloned()).collect();
    let shared: Vec<Vec<Case>> = here.cases.iter().filter_map(beside).collect();
    let agree = |cases: &&Vec<Case>| cases.iter().all(|case| case.standing() == cases[0].standing());
    let row = |class: Class| {
        let in_class = || shared.iter().filter(move |cases| cases[0].class == class);
        let counts = (0..runs.len()).map(|run| tally(in_class().map(move |cases| &cases[run])));
        let same = format!("{} of {}", in_class().filter(agree).count(), in_class().count());
        std::iter::once(class.name().to_owned()).chain(counts).chain([same]).collect::<Vec<String>>()
    };
    let headings = [&["first / tie / behind"], &letters[..], &[">the same in all"]].concat();
    text += &table(&headings, &Class::ALL.map(row));

    let differ: Vec<&Vec<Case>> = shared.iter().filter(|cases| !agree(cases)).collect();
    let flips = |cases: &Vec<Case>| {
        [Standing::First, Standing::Behind].iter().all(|wanted| cases.iter().any(|case| case.standing() == *wanted))
    };
    let (all, same) = (shared.len(), shared.len() - differ.len());
    let flipped = differ.iter().filter(|cases| flips(cases)).count();
    text = format!("{text}\n{same} of {all} verdicts are the same. {flipped} flip between first and behind.\n");
    if differ.is_empty() {
        return text;
    }
    let row = |cases: &&Vec<Case>| {
        let case = &cases[0];
        let mut cells = vec![case.class.name().to_owned()];
        cells.push(format!("{}, {}", described(&case.what), described(&case.regime)));
        cells.extend(cases.iter().map(Case::in_words));
        cells
    };
    let rows: Vec<Vec<String>> = differ.iter().map(row).collect();
    let rows = table(&[&["class", "case"], &letters[..]].concat(), &rows);
    format!("{text}\n<details><summary>The {} that are not</summary>\n{rows}\n</details>\n", differ.len())
}
