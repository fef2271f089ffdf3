//! Compare: the verdicts of two runs beside each other. What does not hold in both is called a tie.
//!
//! In: two files `verdict.json`, which every report writes beside its pages. Out: a table, and a summary in words.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::markdown::table;
use crate::measured::Measured;
use crate::stamp::Mode;
use crate::verdict::{Case, Standing, cases};

/// The verdicts of a run, and where they come from.
#[derive(Debug, Serialize, Deserialize)]
pub struct Verdicts {
    pub machine: String,
    pub date: String,
    pub commit: String,
    pub mode: Mode,
    pub cases: Vec<Case>,
}

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

/// The published runs of other machines beside this one, for a section of the first page; nothing if there are none.
pub fn machines(_here: &Verdicts) -> String {
    String::new()
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
