//! Pages: fills the hand-written pages of the report with figures. One of the pages is the part of README.md between two marks.
//!
//! A page contains these names in double braces:
//!
//! | name | is replaced with |
//! |---|---|
//! | `ns ID`, `instructions ID`, `allocations ID`, `allocated ID` | a number of the way with this id |
//! | `name ID` | the name of the fastest way, if the id ends with `*` |
//! | `times ID / ID` | the time of the first way divided by the time of the second, such as `1.4 times` |
//! | `cases first`, `tie`, `behind`, `all` | the number of cases with this verdict |
//! | `tie least`, `tie most` | the ratios between which a case is a tie |
//! | `machine`, `compiler`, `date`, `commit`, `command` | the conditions of the run |
//! | `clock low`, `ns`, `high`, `groups`, `again`, `unsteady`, `passes` | a number of [`crate::clock::steadiness`] |
//! | `table NAME …` | a table of [`tables`] |

use std::fs;
use std::path::Path;

use crate::Result;
use crate::compare::{MACHINES, Verdicts, compared};
use crate::figures::Figures;
use crate::fill::{self, Page};
use crate::markdown::{cell, number, ratio};
use crate::stamp::COMMAND;
use crate::verdict::{CLOSE, Class, LEAST, Task, tasks};
use crate::{pictures, tables};

/// The names and the hand-written texts of the pages.
pub const PAGES: [(&str, &str); 7] = [
    ("REPORT.md", include_str!("../pages/REPORT.md")),
    ("PEERS.md", include_str!("../pages/PEERS.md")),
    ("STRUCTS.md", include_str!("../pages/STRUCTS.md")),
    ("STREAMS.md", include_str!("../pages/STREAMS.md")),
    ("EDITING.md", include_str!("../pages/EDITING.md")),
    ("WAYS.md", include_str!("../pages/WAYS.md")),
    (README, include_str!("../pages/README.md")),
];

/// The page whose text replaces a part of the repository's README.md.
pub const README: &str = "README.md";
const BEGIN: &str = "<!-- report: begin -->";
const END: &str = "<!-- report: end -->";

/// Everything that a page can name.
pub struct Named<'a> {
    figures: &'a Figures,
    /// The verdicts of `figures`, followed by the verdicts of other machines.
    runs: Vec<Verdicts>,
}

impl<'a> Named<'a> {
    /// Reads the verdicts of other machines from the folder `published`.
    pub fn new(figures: &'a Figures, published: &Path) -> Named<'a> {
        let here = Verdicts::of(figures);
        let others = here.others(&published.join(MACHINES));
        Named { figures, runs: std::iter::once(here).chain(others).collect() }
    }

    pub fn filled(&self, text: &str) -> Page {
        let mut page = fill::filled(text, &|name| self.figure(name), &|name, title| {
            pictures::chart(self.figures, name.rsplit('/').next().unwrap_or(name), title)
        });
        // Go and valgrind are optional. The page tells if one of them was missing.
        let is_optional = |name: &String| name.contains("go/") || name.contains("instructions ");
        page.missing.retain(|name| !is_optional(name));
        page
    }

    /// The text that replaces a name. Returns `None` if the figure was not measured.
    pub fn figure(&self, name: &str) -> Option<String> {
        let (figures, stamp) = (self.figures, &self.figures.stamp);
        let (word, rest) = name.split_once(' ').unwrap_or((name, ""));
        match word {
            "ns" => Some(cell(figures.find(rest)?.2)),
            "name" => Some(figures.find(rest)?.0.to_owned()),
            "instructions" | "allocations" | "allocated" => {
                figures.find(rest)?.1.numbers.get(word).copied().map(number)
            }
            "times" => {
                let (way, other) = rest.split_once(" / ")?;
                Some(ratio(figures.ratio(figures.find(way)?, figures.find(other)?)).replace('×', "") + " times")
            }
            "cases" => Some(self.cases(rest)?.to_string()),
            "machine" => Some(stamp.machine()),
            "date" => Some(stamp.date()),
            "commit" => Some(stamp.commit.clone()),
            "command" => Some(COMMAND.to_owned()),
            "compiler" => Some(stamp.machine.rustc.clone()),
            "cores" => Some(stamp.machine.cores.to_string()),
            "tie" => Some(format!("{:.2}", if rest == "least" { LEAST } else { CLOSE })),
            "clock" => figures.steadiness.get(rest).copied().map(number),
            "table" => self.table(rest),
            _ => None,
        }
    }

    fn cases(&self, wanted: &str) -> Option<usize> {
        let standing = ["first", "tie", "behind", "all"].iter().position(|name| *name == wanted)?;
        Some(self.runs[0].cases.iter().filter(|case| wanted == "all" || case.standing() as usize == standing).count())
    }

    fn table(&self, name: &str) -> Option<String> {
        let (figures, cases) = (self.figures, &self.runs[0].cases);
        let (word, rest) = name.split_once(' ').unwrap_or((name, ""));
        // The name of the class in figures.json, such as `Value`.
        let class = |name: &str| serde_json::from_value::<Class>(name.into()).ok();
        let usual = |wanted: &dyn Fn(&Task) -> bool| -> Vec<Task> {
            tasks().into_iter().filter(|task| task.is_usual() && wanted(task)).collect()
        };
        match word {
            "cases" => {
                let class = class(rest)?;
                tables::cases(cases.iter().filter(|case| case.class == class))
            }
            "codecs" => {
                let (number, class) = rest.split_once(' ').and_then(|(number, name)| Some((number, class(name)?)))?;
                tables::codecs(figures, number, &usual(&|task| task.class == class))
            }
            "instead" => {
                let whats: Vec<&str> = rest.split(", ").collect();
                tables::instead(figures, &usual(&|task| task.class != Class::Batch && whats.contains(&task.what)))
            }
            "losses" => tables::losses(cases),
            "published" => tables::published(figures),
            "pivot" => {
                rest.rsplit_once(' ').and_then(|(prefix, count)| tables::pivot(figures, prefix, count.parse().ok()))
            }
            "dangers" => tables::dangers(figures),
            "conditions" => Some(tables::conditions(figures)),
            "machines" => Some(compared(&self.runs)),
            _ => None,
        }
    }
}

/// Writes the pages, their charts and the figures to the folder `out`, and the report's part of README.md if its path is given. Returns the
/// names of figures that were not measured.
pub fn write(figures: &Figures, published: &Path, out: &Path, readme: Option<&Path>) -> Result<Vec<String>> {
    let (named, mut missing) = (Named::new(figures, published), Vec::new());
    fs::create_dir_all(out)?;
    let put = |path: &Path, text: &str| fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()));
    // Writes the figures first. If a page fails, the pages can be written again from the figures.
    put(&out.join(crate::figures::FILE), &figures.to_json()?)?;
    for (name, text) in PAGES {
        let page = named.filled(text);
        missing.extend(page.missing.iter().map(|missing| format!("{name}: {missing}")));
        for (chart, svg) in &page.charts {
            // README.md shows a chart from the folder of the report, so its chart has a path.
            let chart = Path::new(chart).file_name().ok_or("a chart without a name")?;
            put(&out.join(chart), svg)?;
        }
        match (name, readme) {
            (README, None) => {}
            (README, Some(path)) => {
                let before = fs::read_to_string(path)?;
                put(path, &replaced(&before, &page.text).ok_or("README.md has no marks for the report")?)?;
            }
            _ => put(&out.join(name), &page.text)?,
        }
    }
    Ok(missing)
}

/// Replaces the text between the marks.
fn replaced(readme: &str, block: &str) -> Option<String> {
    let begin = readme.find(BEGIN)? + BEGIN.len();
    let end = begin + readme[begin..].find(END)?;
    Some(format!("{}\n{block}{}", &readme[..begin], &readme[end..]))
}
