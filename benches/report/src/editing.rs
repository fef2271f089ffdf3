//! Editing: packets changed without decoding them, beside decoding, changing and encoding again.
//!
//! In: the measurements. Out: `EDITING.md`.

use crate::markdown::{ratio, rounded, table};
use crate::measured::{Measured, REGIMES};
use crate::page::{Page, by_regime, own};
use crate::peers::winner;
use crate::scenario::{REAL, described};
use crate::verdict::{Case, Class, each};

pub const NAME: &str = "EDITING.md";

/// The regimes of the crate's own benches.
pub const OWN: [&str; 2] = ["one-buffer", "rotating"];

const TASKS: [&str; 3] = ["keep-3-of-63", "remove-3-of-63", "patch"];

/// What the first page says of messages that are changed.
pub fn in_words(cases: &[Case]) -> Option<String> {
    let case = cases.iter().find(|case| case.class == Class::Edit && case.what == TASKS[1] && case.regime == REAL)?;
    Some(format!(
        "Messages are changed without being decoded. Three of 63 values removed: {}. [More]({NAME}).\n",
        winner(case)
    ))
}

pub fn page(measured: &Measured, cases: &[Case]) -> Page {
    let mut page = Page::new(NAME, "Messages changed", measured);
    page.say(
        "Three of 63 values kept, three removed, one overwritten. y3 copies or points at the packets that stay; the others decode \
         the message into a map, change it and encode it again.\n",
    );
    page.section("## Verdict", &each(cases, |case| case.class == Class::Edit));
    for task in TASKS {
        let beside = by_regime(&measured.peers, "edit", task, &REGIMES, |_| true);
        page.fold(described(task), &beside);
    }
    for task in TASKS {
        let ways =
            by_regime(&measured.own, "edit", task, &OWN, |name| ["y3 decode and encode", "y3 replace"].contains(&name));
        page.fold(&format!("{}: other ways of y3, in the crate's own benches", described(task)), &ways);
    }
    page.section("## 64 KiB redacted", &redacted(measured));
    page.finish()
}

/// The bytes of a packet that is redacted.
const REDACTED: f64 = 65_536.0;

/// `edit/redact-64k/<shape>/<way>` with the bytes of the packet.
fn redacted(measured: &Measured) -> String {
    let prefix = "edit/redact-64k";
    let line = |(name, time): (&str, crate::time::Time)| {
        let (shape, way) = name.split_once('/')?;
        let bytes = measured.own.size(&format!("{prefix}/{name}"))?;
        let walk = measured.own.get(&format!("{prefix}/{shape}/walk"));
        let rate = rounded(bytes / REDACTED / time.ns * 1e6, time.spread());
        Some(vec![shape.to_owned(), own(way), rate, ratio(Some(time), walk)])
    };
    let rows: Vec<Vec<String>> = measured.own.below(prefix).filter_map(line).collect();
    if rows.is_empty() {
        return String::new();
    }
    format!(
        "460 readings, a text removed from each; 63 texts of 1 KiB, three removed. `walk` reads every header and changes nothing.\n{}",
        table(&["packet", "way", ">thousand packets/s", ">of the walk's time"], &rows)
    )
}
