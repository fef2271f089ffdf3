//! Pages: the pages of the report, and what their names stand for.
//!
//! In: figures. Out: the pages that people wrote, filled in. README's part between two marks is one of them.
//!
//! | name | stands for |
//! |---|---|
//! | `ns ID`, `instructions ID`, `allocations ID`, `allocated ID` | a number of a way |
//! | `name ID` | the way, where the id ends with `*` |
//! | `times ID / ID` | how many times as long the first takes as the second |
//! | `slope SERIES`, `slopes SERIES / SERIES` | nanoseconds for one more of a parameter; their ratio |
//! | `cases first`, `tie`, `behind`, `all` | a number of cases |
//! | `machine`, `date`, `commit`, `command`, `conditions` | on what it was measured |
//! | `clock low`, `ns`, `high`, `groups`, `again`, `unsteady`, `passes` | how steady the machine was |
//! | `table NAME …` | a table of [`tables`] |

use std::fs;
use std::path::{Path, PathBuf};

use crate::Result;
use crate::compare::{MACHINES, Verdicts, compared};
use crate::figures::Figures;
use crate::fill::{self, Page};
use crate::markdown::{cell, factor, number, ratio};
use crate::verdict::{Case, Class, Standing};
use crate::{pictures, tables};

/// The pages as people wrote them.
pub const PAGES: [(&str, &str); 7] = [
    ("REPORT.md", include_str!("../pages/REPORT.md")),
    ("PEERS.md", include_str!("../pages/PEERS.md")),
    ("STRUCTS.md", include_str!("../pages/STRUCTS.md")),
    ("STREAMS.md", include_str!("../pages/STREAMS.md")),
    ("EDITING.md", include_str!("../pages/EDITING.md")),
    ("WAYS.md", include_str!("../pages/WAYS.md")),
    (README, include_str!("../pages/README.md")),
];

/// The part of the repository's first page.
pub const README: &str = "README.md";
const BEGIN: &str = "<!-- report: begin -->";
const END: &str = "<!-- report: end -->";

/// All that pages name.
pub struct Named<'a> {
    figures: &'a Figures,
    here: Verdicts,
    others: Vec<Verdicts>,
}

impl<'a> Named<'a> {
    /// `published` is the folder with the verdicts of other machines.
    pub fn new(figures: &'a Figures, published: &Path) -> Named<'a> {
        let here = Verdicts::of(figures);
        let others = here.others(&published.join(MACHINES));
        Named { figures, here, others }
    }

    pub fn filled(&self, text: &str) -> Page {
        let mut page = fill::filled(text, &|name| self.figure(name), &|name, title| {
            pictures::chart(self.figures, name.rsplit('/').next().unwrap_or(name), title)
        });
        // Go and valgrind need not be there: the page says so.
        let is_optional =
            |name: &String| name.contains("go/") || name.starts_with("instructions ") || name == "table machines";
        page.missing.retain(|name| !is_optional(name));
        page
    }

    /// What a name stands for; `None` if it was not measured.
    pub fn figure(&self, name: &str) -> Option<String> {
        let (figures, stamp) = (self.figures, &self.figures.stamp);
        let (word, rest) = name.split_once(' ').unwrap_or((name, ""));
        let both = || rest.split_once(" / ");
        let slope = |id: &str| {
            let (prefix, name) = id.rsplit_once('/')?;
            tables::slope(tables::series(figures, prefix).get(name)?)
        };
        match word {
            "ns" => Some(cell(Some(figures.find(rest)?.2))),
            "name" => Some(figures.find(rest)?.0.to_owned()),
            "instructions" | "allocations" | "allocated" => named(figures.find(rest)?.1, word).map(number),
            "times" => {
                let (way, other) = both()?;
                Some(ratio(Some(figures.ratio(figures.find(way)?, figures.find(other)?))))
            }
            "slope" => slope(rest).map(number),
            "slopes" => both().and_then(|(one, other)| Some(factor(slope(one)? / slope(other)?, 0.02))),
            "cases" => Some(self.cases(rest)?.to_string()),
            "machine" => Some(stamp.machine()),
            "date" => Some(stamp.date()),
            "commit" => Some(stamp.commit.clone()),
            "command" => Some(stamp.mode.command().to_owned()),
            "conditions" => Some(stamp.conditions()),
            "cores" => Some(stamp.machine.cores.to_string()),
            "clock" => named(&figures.steadiness, rest).map(number),
            "table" => self.table(rest),
            _ => None,
        }
    }

    fn cases(&self, wanted: &str) -> Option<usize> {
        let standing = match wanted {
            "first" => Standing::First,
            "tie" => Standing::Tie,
            "behind" => Standing::Behind,
            "all" => return Some(self.here.cases.len()),
            _ => return None,
        };
        Some(self.here.cases.iter().filter(|case| case.standing() == standing).count())
    }

    fn table(&self, name: &str) -> Option<String> {
        let (figures, cases) = (self.figures, &self.here.cases);
        let (word, rest) = name.split_once(' ').unwrap_or((name, ""));
        let of = |classes: &'static [Class]| cases.iter().filter(|case: &&Case| classes.contains(&case.class));
        match word {
            "values" => tables::cases(of(&[Class::Value])),
            "batches" => tables::cases(of(&[Class::Batch])),
            "structs" => tables::cases(of(&[Class::Write, Class::Struct])),
            "edits" => tables::cases(of(&[Class::Edit])),
            "losses" => tables::losses(cases),
            "verdict" => tables::verdict(cases),
            "ways" => tables::ways(figures, rest, true),
            "fastest" => tables::ways(figures, rest, false),
            "instead" => tables::instead(figures),
            "published" => tables::published(figures),
            "pivot" => match rest.rsplit_once(' ').and_then(|(prefix, count)| Some((prefix, count.parse().ok()?))) {
                Some((prefix, count)) => tables::pivot(figures, prefix, Some(count)),
                None => tables::pivot(figures, rest, None),
            },
            "each" => rest.rsplit_once(' ').and_then(|(prefix, count)| tables::each(figures, prefix, count)),
            "scaling" => tables::scaling(figures, rest),
            "dangers" => tables::dangers(figures),
            "conditions" => Some(tables::conditions(figures)),
            "machines" if self.others.is_empty() => None,
            "machines" => Some(compared(&std::iter::once(&self.here).chain(&self.others).collect::<Vec<_>>())),
            _ => None,
        }
    }
}

/// A number of a record by its name there.
fn named(record: &impl serde::Serialize, name: &str) -> Option<f64> {
    serde_json::to_value(record).ok()?.get(name)?.as_f64()
}

/// Writes the pages, their charts, the figures, and this machine's verdicts to a folder; and the first page's part, if its path is given.
/// The paths that were written, the report first; and the names that stand for nothing.
pub fn write(
    figures: &Figures,
    published: &Path,
    out: &Path,
    readme: Option<&Path>,
) -> Result<(Vec<PathBuf>, Vec<String>)> {
    let named = Named::new(figures, published);
    let (mut written, mut missing) = (Vec::new(), Vec::new());
    fs::create_dir_all(out.join(MACHINES))?;
    let mut put = |path: PathBuf, text: &str| {
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        written.push(path);
        Ok::<(), String>(())
    };
    // The figures first: from them the pages can be written again.
    put(out.join(crate::figures::FILE), &figures.to_json()?)?;
    put(out.join(MACHINES).join(named.here.file()), &named.here.to_json()?)?;
    for (name, text) in PAGES {
        let page = named.filled(text);
        missing.extend(page.missing.iter().map(|missing| format!("{name}: {missing}")));
        for (chart, svg) in &page.charts {
            // README shows a chart of the report.
            let chart = Path::new(chart).file_name().ok_or("a chart without a name")?;
            put(out.join(chart), svg)?;
        }
        match (name, readme) {
            (README, None) => {}
            (README, Some(path)) => {
                let before = fs::read_to_string(path)?;
                put(path.to_owned(), &replaced(&before, &page.text).ok_or("README.md has no marks for the report")?)?;
            }
            _ => put(out.join(name), &page.text)?,
        }
    }
    Ok((written, missing))
}

/// The text with another block between its marks.
fn replaced(readme: &str, block: &str) -> Option<String> {
    let begin = readme.find(BEGIN)? + BEGIN.len();
    let end = begin + readme[begin..].find(END)?;
    Some(format!("{}\n{block}{}", &readme[..begin], &readme[end..]))
}
