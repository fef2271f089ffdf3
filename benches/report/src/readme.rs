//! README: replaces the part between two marks with the figures of the report.
//!
//! In: the README's text and the measurements. Out: the text with new figures, or `None` without the marks.

use crate::measured::Measured;
use crate::{scaling, story};

const BEGIN: &str = "<!-- report: begin -->";
const END: &str = "<!-- report: end -->";

/// What stands between the marks: what was found, one chart, where they come from, and how to repeat them.
pub fn block(measured: &Measured) -> String {
    let stamp = &measured.stamp;
    let chart = scaling::by_size(measured)
        .map_or_else(String::new, |(title, _)| format!("![{title}](docs/report/{}.svg)\n\n", story::BY_SIZE));
    format!(
        "{}\n\n{chart}{}, {}, commit {}.\nOne command measures and writes all of it again: `{}`.\n",
        story::headline(measured),
        stamp.machine(),
        stamp.date(),
        stamp.commit,
        stamp.mode.command(),
    )
}

/// The text with another block between its marks.
pub fn replaced(readme: &str, block: &str) -> Option<String> {
    let begin = readme.find(BEGIN)? + BEGIN.len();
    let end = begin + readme[begin..].find(END)?;
    Some(format!("{}\n{block}{}", &readme[..begin], &readme[end..]))
}

#[cfg(test)]
mod tests {
    use super::replaced;

    #[test]
    fn what_stands_between_the_marks_is_replaced() {
        let readme = "a\n<!-- report: begin -->\nold\n<!-- report: end -->\nz\n";
        let new = replaced(readme, "new\n").expect("both marks");
        assert_eq!(new, "a\n<!-- report: begin -->\nnew\n<!-- report: end -->\nz\n");
        assert_eq!(replaced(&new, "new\n").as_ref(), Some(&new));
    }

    #[test]
    fn without_marks_nothing_is() {
        assert_eq!(replaced("a\n<!-- report: end -->\n<!-- report: begin -->", "new"), None);
    }
}
