//! Compare: the verdicts of two runs beside each other. What does not hold in both is called a tie.
//!
//! In: files `verdict.json`, which every report writes beside its pages. Out: a table, and a summary in words; the machines beside each
//! other.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::markdown::{inside, table};
use crate::measured::Measured;
use crate::stamp::Mode;
use crate::verdict::{Case, Class, Standing, cases};

/// The verdicts of a run, and where they come from.
#[derive(Debug, Serialize, Deserialize)]
pub struct Verdicts {
    pub machine: String,
    pub date: String,
    pub commit: String,
    pub mode: Mode,
    pub cases: Vec<Case>,
    /// The last full runs of other machines.
    #[serde(skip)]
    pub others: Vec<Verdicts>,
}

/// The folder of the last full run of each machine, beside the pages.
pub const MACHINES: &str = "machines";

pub const FILE: &str = "verdict.json";

impl Verdicts {
    pub fn of(measured: &Measured) -> Verdicts {
        let stamp = &measured.stamp;
        Verdicts {
            machine: stamp.machine(),
            date: stamp.date(),
            commit: stamp.commit.clone(),
            mode: stamp.mode,
            cases: cases(measured),
            others: Vec::new(),
        }
    }

    /// From a file, or from the file of that name in a folder.
    pub fn read(path: &Path) -> Result<Verdicts> {
        let path = if path.is_dir() { path.join(FILE) } else { path.to_owned() };
        let text = fs::read(&path).map_err(|error| format!("no verdicts: {}: {error}", path.display()))?;
        Ok(serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", path.display()))?)
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
        let words =
            self.processor().split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        words.collect::<Vec<&str>>().join("-").to_lowercase() + ".json"
    }

    /// Reads the runs of other machines from a folder, which need not be there. A file that cannot be read is left out, with a word: it is
    /// no reason to lose what was measured.
    #[must_use]
    pub fn with_others(mut self, folder: &Path) -> Verdicts {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
        files.sort();
        for file in files {
            match Verdicts::read(&file) {
                Ok(other) if other.processor() == self.processor() => {}
                Ok(other) => self.others.push(other),
                Err(error) => eprintln!("left out: {error}"),
            }
        }
        self
    }

    fn title(&self) -> String {
        format!("{}, {}, commit {}, {}", self.machine, self.date, self.commit, self.mode.name())
    }
}

/// What two runs say about one case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Both {
    /// The same in both.
    Stable(Standing),
    /// First in one, behind in the other.
    Flips,
    /// A tie in one only.
    Unsure,
}

pub fn both(one: &Case, other: &Case) -> Both {
    match (one.standing(), other.standing()) {
        (one, other) if one == other => Both::Stable(one),
        (Standing::Tie, _) | (_, Standing::Tie) => Both::Unsure,
        _ => Both::Flips,
    }
}

/// The cases of both runs.
pub fn pairs<'a>(one: &'a Verdicts, other: &'a Verdicts) -> Vec<(&'a Case, &'a Case)> {
    let beside = |case: &'a Case| Some((case, other.cases.iter().find(|beside| beside.is(case))?));
    one.cases.iter().filter_map(beside).collect()
}

/// The comparison as Markdown.
pub fn compared(one: &Verdicts, other: &Verdicts) -> String {
    let pairs = pairs(one, other);
    let row = |(one, other): &(&Case, &Case)| {
        let together = match both(one, other) {
            Both::Stable(Standing::First) => "first in both",
            Both::Stable(Standing::Tie) => "tie in both",
            Both::Stable(Standing::Behind) => "behind in both",
            Both::Flips => "flips: a tie",
            Both::Unsure => "not stable: a tie",
        };
        vec![one.class.name().to_owned(), one.title(), one.in_words(), other.in_words(), together.to_owned()]
    };
    let rows: Vec<Vec<String>> = pairs.iter().map(row).collect();
    format!(
        "A: {}\n\nB: {}\n{}\n{}\n",
        one.title(),
        other.title(),
        table(&["class", "case", "y3 in A", "y3 in B", "both"], &rows),
        summary(&pairs),
    )
}

/// The runs of other machines beside this one, for a section of the first page: the verdicts by class, and the cases in which they
/// differ. Nothing if there are none.
pub fn machines(here: &Verdicts) -> String {
    if here.others.is_empty() {
        return String::new();
    }
    let runs: Vec<&Verdicts> = std::iter::once(here).chain(&here.others).collect();
    let letters: Vec<String> = ('A'..='Z').take(runs.len()).map(String::from).collect();
    let named = letters.iter().zip(&runs).map(|(letter, run)| format!("- {letter}: {}\n", inside(&run.title())));
    let mut text = named.collect::<String>();

    // The cases that every run has.
    let shared: Vec<Vec<&Case>> = here
        .cases
        .iter()
        .filter_map(|case| runs.iter().map(|run| run.cases.iter().find(|other| other.is(case))).collect())
        .collect();
    let agree = |cases: &&Vec<&Case>| cases.iter().all(|case| case.standing() == cases[0].standing());
    let in_class = |class: Class| shared.iter().filter(move |cases| cases[0].class == class);
    let row = |class: Class| {
        let counts = (0..runs.len()).map(|run| {
            let count = |wanted| in_class(class).filter(|cases| cases[run].standing() == wanted).count();
            let (first, tie, behind) = (count(Standing::First), count(Standing::Tie), count(Standing::Behind));
            format!("{first} / {tie} / {behind}")
        });
        let same = format!("{} of {}", in_class(class).filter(agree).count(), in_class(class).count());
        std::iter::once(class.name().to_owned()).chain(counts).chain([same]).collect::<Vec<String>>()
    };
    let rows: Vec<Vec<String>> =
        Class::ALL.into_iter().filter(|class| in_class(*class).next().is_some()).map(row).collect();
    let mut headings = vec!["first / tie / behind"];
    headings.extend(letters.iter().map(String::as_str));
    headings.push(">the same in all");
    text += &table(&headings, &rows);

    let differ: Vec<&Vec<&Case>> = shared.iter().filter(|cases| !agree(cases)).collect();
    let same = shared.len() - differ.len();
    if differ.is_empty() {
        return format!("{text}\nAll {same} verdicts are the same.\n");
    }
    let row = |cases: &&Vec<&Case>| {
        let said = cases.iter().map(|case| case.in_words());
        [cases[0].class.name().to_owned(), cases[0].title()].into_iter().chain(said).collect::<Vec<String>>()
    };
    let rows: Vec<Vec<String>> = differ.iter().map(row).collect();
    let mut headings = vec!["class", "case"];
    headings.extend(letters.iter().map(String::as_str));
    format!(
        "{text}\n{same} of {} verdicts are the same.\n\n<details><summary>The {} that are not</summary>\n{}\n</details>\n",
        shared.len(),
        differ.len(),
        table(&headings, &rows)
    )
}

/// How many verdicts hold in both runs, and which do not.
pub fn summary(pairs: &[(&Case, &Case)]) -> String {
    let count = |wanted| pairs.iter().filter(|(one, other)| both(one, other) == wanted).count();
    let stable = [(Standing::First, "first"), (Standing::Tie, "ties"), (Standing::Behind, "behind")]
        .map(|(standing, what)| format!("{} {what}", count(Both::Stable(standing))));
    let (flips, unsure) = (count(Both::Flips), count(Both::Unsure));
    let mut text = format!(
        "{} of {} verdicts are the same in both runs: {}.",
        pairs.len() - flips - unsure,
        pairs.len(),
        stable.join(", ")
    );
    if flips + unsure > 0 {
        let not = format!(
            " {} are not, and count as ties: {flips} flip between first and behind, {unsure} are a tie in one run only.",
            flips + unsure
        );
        let flipping = pairs.iter().filter(|(one, other)| both(one, other) == Both::Flips);
        let names = flipping.map(|(one, _)| ["\nflips: ", one.class.name(), ", ", &one.title()].concat());
        text.extend(std::iter::once(not).chain(names));
    }
    text
}
