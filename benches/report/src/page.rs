//! Page: the text and the pictures of one page, and parts that several pages have in common.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::markdown::{inside, table};
use crate::measured::{Measured, Times, in_order};
use crate::time::Time;
use crate::verdict::regime_in_words;

/// A page and its pictures.
#[derive(Debug)]
pub struct Page {
    /// Such as `REPORT.md`.
    pub name: &'static str,
    /// Whether it stands in `benches` and not beside the others.
    pub of_benches: bool,
    pub text: String,
    /// The names and contents of the pictures.
    pub pictures: Vec<(String, String)>,
}

impl Page {
    /// A page with its title and the program that writes it.
    pub fn titled(name: &'static str, title: &str, writer: &str) -> Page {
        let mut page = Page { name, of_benches: name == WAYS, text: String::new(), pictures: Vec::new() };
        page.say(&format!("# {title}\n"));
        page.say(&format!("Written by `{writer}` from its measurements. Do not edit; run the command again.\n"));
        page
    }

    /// A page of the report, with the line that says what its figures depend on.
    pub fn new(name: &'static str, title: &str, measured: &Measured) -> Page {
        let mut page = Page::titled(name, title, "benches/report");
        if name != REPORT {
            let report = if page.of_benches { format!("../{PUBLISHED}/{REPORT}") } else { REPORT.to_owned() };
            page.say(&format!(
                "Part of the [report]({report}), which says how it is measured. Measured on {}\n",
                inside(&measured.stamp.conditions())
            ));
        }
        page
    }

    pub fn say(&mut self, text: &str) {
        if !text.is_empty() {
            self.text += text;
            self.text.push('\n');
        }
    }

    /// A heading and what is below it, if there is anything.
    pub fn section(&mut self, heading: &str, text: &str) {
        if !text.is_empty() {
            self.say(&format!("\n{heading}\n\n{}", text.trim_start()));
        }
    }

    /// What is folded until a reader opens it, if there is anything.
    pub fn fold(&mut self, summary: &str, text: &str) {
        if !text.is_empty() {
            let summary = summary.replace('&', "&amp;").replace('<', "&lt;");
            self.say(&format!("\n<details>\n<summary>{summary}</summary>\n\n{}\n\n</details>", text.trim()));
        }
    }

    pub fn picture(&mut self, name: &str, title: &str, svg: String) {
        let shown = self.shown(name, title, svg);
        self.say(&shown);
    }

    /// A picture as text, for a part that is folded.
    pub fn shown(&mut self, name: &str, title: &str, svg: String) -> String {
        let name = format!("{name}.svg");
        let text = format!("\n![{}]({name})\n", title.replace(['[', ']'], ""));
        self.pictures.push((name, svg));
        text
    }

    /// The page without empty lines beside each other.
    #[must_use]
    pub fn finish(mut self) -> Page {
        while self.text.contains("\n\n\n") {
            self.text = self.text.replace("\n\n\n", "\n\n");
        }
        self.text.truncate(self.text.trim_end().len());
        self.text.push('\n');
        self
    }
}

/// Writes the pages and their pictures, and removes pictures that pages of that name had before.
pub fn write(pages: &[Page], out: &Path) -> Result<()> {
    fs::create_dir_all(out)?;
    for page in pages {
        let before = fs::read_to_string(out.join(page.name)).unwrap_or_default();
        for picture in before.split("](").skip(1).filter_map(|rest| rest.split_once(".svg)")).map(|(name, _)| name) {
            let picture = out.join(picture).with_extension("svg");
            if picture.parent() == Some(out) && picture.exists() {
                fs::remove_file(picture)?;
            }
        }
    }
    for page in pages {
        for (name, contents) in &page.pictures {
            fs::write(out.join(name), contents)?;
        }
        let (path, text) = placed(page, out);
        fs::write(path, text)?;
    }
    Ok(())
}

/// Where the published pages are, and the folder of the one page that is for those who change the benches.
const PUBLISHED: &str = "docs/report";
const BENCHES: &str = "../../benches";

/// The path of a page and its text. A page of the benches has its links as they are there; a run that is not published has all of its
/// pages in one folder.
fn placed(page: &Page, out: &Path) -> (PathBuf, String) {
    match (out.ends_with(PUBLISHED), page.of_benches) {
        (true, true) => (out.join(BENCHES).join(page.name), page.text.clone()),
        (true, false) => (out.join(page.name), page.text.clone()),
        (false, _) => {
            let text = page.text.replace(&format!("(../{PUBLISHED}/"), "(");
            (out.join(page.name), text.replace(&format!("({BENCHES}/{WAYS})"), &format!("({WAYS})")))
        }
    }
}

/// The page of the benches.
pub const WAYS: &str = "WAYS.md";
/// The first page.
pub const REPORT: &str = "REPORT.md";

/// A table of one task in several regimes, `<bench>/<regime>/<task>/<way>`: a way on a row, sorted by the last regime.
pub fn by_regime(times: &Times, bench: &str, task: &str, regimes: &[&str], wanted: impl Fn(&str) -> bool) -> String {
    let id = |regime: &str| format!("{bench}/{regime}/{task}");
    let measured = |regime: &&&str| times.below(&id(regime)).next().is_some();
    let regimes: Vec<&str> = regimes.iter().filter(measured).copied().collect();
    let groups: Vec<String> = regimes.iter().map(|regime| id(regime)).collect();
    let names = in_order(groups.iter().flat_map(|group| times.below(group).map(|(name, _)| name)));
    let mut rows: Vec<(&str, Vec<Option<Time>>)> = names
        .into_iter()
        .filter(|name| wanted(name))
        .map(|name| (name, groups.iter().map(|group| times.get(&format!("{group}/{name}"))).collect()))
        .collect();
    rows.sort_by(|one, other| last(&one.1).total_cmp(&last(&other.1)));
    if rows.is_empty() {
        return String::new();
    }
    let headings: Vec<String> = regimes.iter().map(|regime| format!(">{}, ns", regime_in_words(regime))).collect();
    let headings: Vec<&str> = std::iter::once("way").chain(headings.iter().map(String::as_str)).collect();
    let row = |(name, times): &(&str, Vec<Option<Time>>)| {
        std::iter::once(own(name)).chain(times.iter().map(|time| crate::markdown::cell(*time))).collect()
    };
    table(&headings, &rows.iter().map(row).collect::<Vec<Vec<String>>>())
}

/// The last time, for sorting.
pub fn last(times: &[Option<Time>]) -> f64 {
    times.last().copied().flatten().map_or(f64::MAX, |time| time.ns)
}

/// A name, bold if it is one of y3.
pub fn own(name: &str) -> String {
    if name.starts_with("y3") { format!("**{}**", inside(name)) } else { inside(name) }
}
