//! Editing: packets changed without decoding them, beside decoding, changing and encoding again.
//!
//! In: the measurements. Out: `EDITING.md`.

use crate::markdown::{cell, ratio, rounded, table};
use crate::measured::{Measured, REGIMES, in_order};
use crate::page::{Page, by_regime, own};
use crate::scenario::described;
use crate::verdict::{Case, Class, each};

pub const NAME: &str = "EDITING.md";

/// The regimes of the crate's own benches.
pub const OWN: [&str; 2] = ["one-buffer", "rotating"];

pub fn page(measured: &Measured, cases: &[Case]) -> Page {
    let mut page = Page::new(NAME, "Messages changed", measured);
    page.say(
        "Three of 63 values kept, three removed, one overwritten. y3 copies or points at the packets that stay; the others decode \
         the message into a map, change it and encode it again.\n",
    );
    page.section("## Verdict by case", &each(cases, &[Class::Edit], |_| true));
    for task in ["project-3-of-63", "remove-3-of-63", "patch"] {
        let beside = by_regime(&measured.peers, "edit", task, &REGIMES, |_| true);
        page.section(&format!("## {}", described(task)), &beside);
    }
    for task in ["project-3-of-63", "remove-3-of-63", "patch"] {
        let ways =
            by_regime(&measured.own, "edit", task, &OWN, |name| ["y3 decode and encode", "y3 replace"].contains(&name));
        page.section(&format!("## {}: other ways of y3", described(task)), &ways);
    }
    page.section("## 64 KiB redacted", &redacted(measured));
    page.section("## Look-ups in a node of 63", &index(measured));
    page.finish()
}

/// `edit/redact-64k/<shape>/<way>` with the bytes of the packet.
fn redacted(measured: &Measured) -> String {
    let prefix = "edit/redact-64k";
    let line = |(name, time): (&str, crate::measured::Time)| {
        let (shape, way) = name.split_once('/')?;
        let bytes = measured.own.size(&format!("{prefix}/{name}"))?;
        let walk = measured.own.get(&format!("{prefix}/{shape}/walk"));
        let rate = rounded(bytes / time.ns, time.spread());
        Some(vec![shape.to_owned(), own(way), rate, ratio(Some(time), walk)])
    };
    let rows: Vec<Vec<String>> = measured.own.below(prefix).filter_map(line).collect();
    if rows.is_empty() {
        return String::new();
    }
    format!(
        "460 readings, a text removed from each; 63 texts of 1 KiB, three removed. `walk` reads every header and changes nothing.\n{}",
        table(&["packet", "way", ">GB/s", ">of the walk's time"], &rows)
    )
}

/// `edit/<regime>/index/find 3` and `index 3`.
fn index(measured: &Measured) -> String {
    let names: Vec<&str> =
        measured.own.below("edit/one-buffer/index").filter_map(|(name, _)| name.strip_prefix("find ")).collect();
    let mut counts = in_order(names.into_iter());
    counts.sort_by_key(|count| count.parse::<u64>().unwrap_or(u64::MAX));
    let row = |count: &&str| {
        let of = |regime: &str, way: &str| measured.own.get(&format!("edit/{regime}/index/{way} {count}"));
        let mut cells = vec![(*count).to_owned()];
        for regime in OWN {
            cells.extend([cell(of(regime, "find")), cell(of(regime, "index"))]);
        }
        cells
    };
    let rows: Vec<Vec<String>> = counts.iter().map(row).collect();
    if rows.is_empty() {
        return String::new();
    }
    format!(
        "Each look-up from the front with `find`, or through one `index` made for all of them; its making is part of the time.\n{}",
        table(
            &[
                "look-ups",
                ">`find`, one buffer, ns",
                ">`index`, one buffer, ns",
                ">`find`, keys shuffled, ns",
                ">`index`, keys shuffled, ns"
            ],
            &rows
        )
    )
}
