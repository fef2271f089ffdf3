//! README: replaces the part between two marks with the figures of the report.
//!
//! In: the README's text and the measurements. Out: the text with new figures, or `None` without the marks.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::markdown::{inside, number};
use crate::measured::Measured;
use crate::sections::{SCENARIOS, WAYS, ways};
use crate::verdict::{Verdict, verdicts};

const BEGIN: &str = "<!-- report: begin -->";
const END: &str = "<!-- report: end -->";

/// The text between the marks.
pub fn block(measured: &Measured) -> String {
    let stamp = &measured.stamp;
    format!(
        "One value out of one packet, nanoseconds and ratios, with one buffer / with 256 shuffled packets in random order.\n\
         C63-K32 is 63 pairs of which the 32nd is watched, and so on: the scenarios of the Y3 evaluation report.\n{}\n\
         {}\n{}{}\n{}, {}, {}, commit {}, `{}`. Every peer, charts, scaling, and how to read them: [docs/report](docs/report/REPORT.md).\n",
        ways(measured, "extract", &SCENARIOS, &WAYS),
        standing(&verdicts(measured), codecs(measured)),
        whole_structs(measured).unwrap_or_default(),
        encoding(measured).unwrap_or_default(),
        stamp.machine(),
        stamp.rustc,
        stamp.date(),
        stamp.commit,
        stamp.command,
    )
}

/// The number of codecs other than y3.
fn codecs(measured: &Measured) -> usize {
    let codecs: BTreeSet<&str> = measured.facts.readers.iter().map(|reader| reader.codec.as_str()).collect();
    codecs.len().saturating_sub(1)
}

/// In how many cases y3 is first, and the codecs that are faster in the others.
fn standing(verdicts: &[Verdict<'_>], codecs: usize) -> String {
    let mut ahead: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for verdict in verdicts.iter().filter(|verdict| !verdict.is_first()) {
        ahead.entry(inside(&verdict.other.reader.name())).or_default().push(1.0 / verdict.lead());
    }
    let first = verdicts.iter().filter(|verdict| verdict.is_first()).count();
    let mut ahead: Vec<(String, Vec<f64>)> = ahead.into_iter().collect();
    ahead.sort_by_key(|(_, factors)| Reverse(factors.len()));
    let ahead = ahead.iter().map(|(name, factors)| {
        let most = factors.iter().copied().fold(1.0, f64::max);
        format!("{name} in {} (up to {} times as fast)", factors.len(), number(most))
    });
    let ahead: Vec<String> = ahead.collect();
    let others = if ahead.is_empty() { String::new() } else { format!("; first in the others: {}", ahead.join(", ")) };
    format!(
        "Among all modes of y3 and {codecs} other codecs that are safe on hostile input, y3 is first in {first} of {} cases{others}.\n",
        verdicts.len()
    )
}

/// A codec, and its time as a multiple of another's.
fn times(measured: &Measured, group: &str, name: &str, reference: f64) -> Option<String> {
    Some(format!("{name} {}", number(measured.peers.ns(&format!("{group}/{name}"))? / reference)))
}

fn whole_structs(measured: &Measured) -> Option<String> {
    let of = |group: &str, names: [&str; 4]| {
        let y3 = measured.peers.ns(&format!("{group}/y3 serde"))?;
        let others: Option<Vec<String>> = names.iter().map(|name| times(measured, group, name, y3)).collect();
        Some(format!("{} ns ({} times as long)", number(y3), others?.join(", ")))
    };
    Some(format!(
        "Whole structs, the shoot-out's message with serde: decoded, borrowed, in {}; encoded in {}.\n",
        of("message/decode borrowed", ["serde_json", "rmp-serde", "postcard", "rkyv checked"])?,
        of("message/encode", ["serde_json", "rmp-serde", "postcard", "rkyv"])?,
    ))
}

fn encoding(measured: &Measured) -> Option<String> {
    let y3 = measured.own.ns("encode/one-buffer/struct/y3 Vec")?;
    let json = measured.own.ns("encode/one-buffer/struct/serde_json to_writer")?;
    Some(format!(
        "The 63 pairs are encoded in {} ns, {} times as fast as by serde_json.\n",
        number(y3),
        number(json / y3)
    ))
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
