//! Structs: whole structs read and written, beside other serializers.
//!
//! In: the measurements. Out: `STRUCTS.md`.

use crate::markdown::{cell, exact, ratio, table};
use crate::measured::{Fact, Measured, WRITTEN, in_order};
use crate::page::{Page, own};
use crate::peers::{best_writers, ways, winner};
use crate::scenario::{REAL, described};
use crate::time::Time;
use crate::verdict::{Case, Class, each, regime_in_words};

pub const NAME: &str = "STRUCTS.md";

pub fn page(measured: &Measured, cases: &[Case]) -> Page {
    let mut page = Page::new(NAME, "Whole structs, read and written", measured);
    page.say(
        "A small message, three fields out of 63, and an entry of a DNS cache, each as a typed struct. Where all fields are read, y3 has \
         nothing to skip. Formats without keys (postcard, bincode, rmp-serde and minicbor here) carry less, and their reader has to \
         know all fields in order. What leaves the test of a text out (*text untested*) has no part in a verdict: the others test it.\n",
    );
    page.section("## Verdict", &each(cases, |case| [Class::Struct, Class::Write].contains(&case.class)));
    for group in in_order(measured.facts.structs.iter().map(|case| case.group.as_str())) {
        page.fold(group, &group_table(measured, group));
    }
    let writers: Vec<&Fact> = measured.facts.writers.iter().collect();
    if !writers.is_empty() {
        page.say("\n## 63 values written\n");
        page.say("The 63 pairs of `C63-K32` from typed fields into a reused buffer.\n");
        let title = writing(cases).unwrap_or_else(|| "63 values written".to_owned());
        page.picture("encode", &title, best_writers(measured, &title));
        page.fold(
            "63 values written: y3's ways, and the fastest safe way of each other codec",
            &ways(measured, WRITTEN, REAL, &writers),
        );
    }
    page.finish()
}

/// Who writes the 63 pairs fastest.
fn writing(cases: &[Case]) -> Option<String> {
    let case = cases.iter().find(|case| case.class == Class::Write && case.regime == REAL)?;
    Some(format!("{}, {}: {}", described(&case.what), regime_in_words(&case.regime), winner(case)))
}

fn group_table(measured: &Measured, group: &str) -> String {
    let mut ways: Vec<(&str, Time)> = measured.peers.below(group).collect();
    ways.sort_by(|one, other| one.1.ns.total_cmp(&other.1.ns));
    let first = ways.iter().find(|(name, _)| name.starts_with("y3")).copied();
    let reference = first.map_or_else(String::new, |(name, _)| format!(">of {name}'s time"));
    let row = |(name, time): &(&str, Time)| {
        let fact = measured.facts.of_struct(group, name);
        vec![
            own(name),
            cell(Some(*time)),
            ratio(Some(*time), first.map(|(_, time)| time)),
            exact(fact.map(|fact| fact.bytes)),
            exact(fact.map(|fact| fact.allocations)),
        ]
    };
    let rows: Vec<Vec<String>> = ways.iter().map(row).collect();
    if rows.is_empty() { String::new() } else { table(&["way", ">ns", &reference, ">bytes", ">allocations"], &rows) }
}
