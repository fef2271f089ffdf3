//! README: replaces the part between two marks with the figures of the report.
//!
//! In: the README's text and the measurements. Out: the text with new figures, or `None` without the marks.

use crate::measured::Measured;
use crate::scaling;

const BEGIN: &str = "<!-- report: begin -->";
const END: &str = "<!-- report: end -->";

/// What stands between the marks: one sentence, one chart, and where they come from.
pub fn block(measured: &Measured) -> String {
    let stamp = &measured.stamp;
    let finding = scaling::jump_in_words(measured).map_or_else(String::new, |words| {
        format!(
            "{words}\n\n![Nanoseconds to read one value, against the bytes of the text before it: y3 stays flat, serde_json grows with \
             the text](docs/report/scaling-value.svg)\n\n"
        )
    });
    format!(
        "{finding}{}, {}, {}, commit {},\n`{}`.\n",
        stamp.machine(),
        stamp.rustc,
        stamp.date(),
        stamp.commit,
        stamp.command,
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
