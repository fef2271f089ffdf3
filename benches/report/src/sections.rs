//! Sections: the parts of the report, in order.
//!
//! In: the measurements. Out: Markdown and charts.

use std::collections::BTreeMap;

use crate::markdown::{cell, inside, number, percent, table};
use crate::measured::{Fact, Measured, Time, Times, regimes};
use crate::stamp::Mode;
use crate::verdict::{as_table, in_words, regime_in_words, unsafe_in_words, verdicts};
use crate::{redone, scaling};
use charts::{Dots, dots};

/// A page and its pictures.
#[derive(Debug, Default)]
pub struct Report {
    pub text: String,
    /// The names and contents of the pictures.
    pub files: Vec<(String, Vec<u8>)>,
}

impl Report {
    pub(crate) fn say(&mut self, text: &str) {
        self.text += text;
        self.text.push('\n');
    }

    pub(crate) fn picture(&mut self, name: &str, title: &str, svg: impl Into<Vec<u8>>) {
        let name = format!("{name}.svg");
        self.say(&format!("\n![{title}]({name})\n"));
        self.files.push((name, svg.into()));
    }
}

pub const SCENARIOS: [&str; 4] = ["C63-K32", "C32-K16", "C16-K08", "C03-K02"];

pub fn report(measured: &Measured) -> Report {
    let mut report = Report::default();
    report.say("# Reading one value: y3 compared with other codecs\n");
    report.say("Written by `benches/report` from its measurements. Do not edit; run the command again.\n");
    summary(&mut report, measured);
    measured_on(&mut report, measured);
    redone::write(&mut report, measured);
    peers(&mut report, measured);
    encode(&mut report, measured);
    structs(&mut report, measured);
    scaling::write(&mut report, measured);
    own_ways(&mut report, measured);
    report.say(include_str!("guide.md").trim_end());
    while report.text.contains("\n\n\n") {
        report.text = report.text.replace("\n\n\n", "\n\n");
    }
    report
}

fn summary(report: &mut Report, measured: &Measured) {
    let verdicts = verdicts(measured);
    report.say("## Summary\n");
    report.say(
        "One watched value is read from a message. The table compares the fastest modes that are safe on hostile input: untrusted \
         bytes lead to an error or a wrong value, never to a crash, undefined behaviour or an allocation of their choice.\n",
    );
    report.say(&in_words(&verdicts));
    report.say(&as_table(&verdicts));
    report.say(&unsafe_in_words(&verdicts));
    if let Some(text) = scaling::floor_in_words(measured) {
        report.say(&text);
    }
}

fn measured_on(report: &mut Report, measured: &Measured) {
    let stamp = &measured.stamp;
    report.say("## Measured on\n");
    let minutes = stamp.finished.map(|finished| (finished - stamp.started) as f64 / 60.0);
    let versions = stamp.peers.iter().map(|(name, version)| format!("{name} {version}"));
    let go = go_versions(measured);
    let mut facts = vec![
        ["machine", &stamp.machine()],
        ["system", &stamp.kernel],
        ["compiler", &stamp.rustc],
        ["date", &stamp.date()],
        ["commit", &stamp.commit],
    ]
    .into_iter()
    .map(|[name, value]| vec![name.to_owned(), inside(value)])
    .collect::<Vec<_>>();
    if let Some(flags) = &stamp.flags {
        facts.push(vec!["`RUSTFLAGS`".to_owned(), inside(flags)]);
    }
    facts.push(vec!["versions".to_owned(), versions.collect::<Vec<_>>().join(", ")]);
    facts.push(vec!["Go".to_owned(), inside(&go)]);
    facts.push(vec!["command".to_owned(), format!("`{}`", stamp.command)]);
    if let Some(minutes) = minutes {
        facts.push(vec!["took".to_owned(), format!("{} minutes, including the build", number(minutes))]);
    }
    report.say(&table(&["", ""], &facts));
    if stamp.mode == Mode::Quick {
        report.say(
            "**Quick mode**: one pass of a few hundredths of a second for each measurement. The figures are rough.\n",
        );
    }
}

/// The versions of Go and its modules, or why Go was not measured.
fn go_versions(measured: &Measured) -> String {
    let Some(first) = measured.go.figures.first() else {
        return format!("not measured: {}", measured.go.why_not.as_deref().unwrap_or("no figures"));
    };
    let modules: BTreeMap<&str, &str> =
        measured.go.figures.iter().map(|figure| (figure.codec.as_str(), figure.version.as_str())).collect();
    let modules = modules.into_iter().filter(|(_, version)| *version != first.go);
    std::iter::once(first.go.clone())
        .chain(modules.map(|(codec, version)| format!("{codec} {version}")))
        .collect::<Vec<_>>()
        .join(", ")
}

fn yes_or_danger(reader: &Fact) -> String {
    if reader.safe {
        "yes".to_owned()
    } else {
        format!("no: {}", inside(reader.danger.as_deref().unwrap_or("not said")))
    }
}

/// The wider spread of the two regimes.
fn spread(times: &[Option<Time>]) -> String {
    let widest = times.iter().flatten().map(|time| time.spread()).max_by(f64::total_cmp);
    widest.map_or_else(|| "–".to_owned(), percent)
}

fn peers(report: &mut Report, measured: &Measured) {
    report.say("## Peers\n");
    report.say(
        "Each codec has its own encoding of the same data, read in the way that its documentation recommends for one field and, if there is \
         one, in a faster expert's way. Times are nanoseconds; ratios are to y3's `find`; `–` means not measured. Sorted by the last \
         regime.\n",
    );
    report.say(&spread_in_words(measured.passes));
    for scenario in measured.facts.scenarios() {
        report.say(&format!("\n### {scenario}\n"));
        if let Some(what) = described(scenario) {
            report.say(what);
        }
        let title = format!("{scenario}: one value out of one message, in nanoseconds");
        let readers = measured.facts.of(scenario).collect();
        side_by_side(report, measured, &format!("peers-{scenario}"), &title, "y3 find", regimes(scenario), readers);
    }
}

/// A chart and a table of codecs, sorted by the last regime. Ratios are to `reference`.
fn side_by_side(
    report: &mut Report,
    measured: &Measured,
    picture: &str,
    title: &str,
    reference: &str,
    regimes: &[&str],
    facts: Vec<&Fact>,
) {
    let times = |fact: &Fact| -> Vec<Option<Time>> {
        regimes.iter().map(|regime| measured.peers.get(&fact.id(regime))).collect()
    };
    let mut facts: Vec<(&Fact, Vec<Option<Time>>)> = facts.into_iter().map(|fact| (fact, times(fact))).collect();
    facts.sort_by(|(_, one), (_, other)| last(one).total_cmp(&last(other)));
    let reference = facts.iter().find(|(fact, _)| fact.name() == reference).map(|(_, times)| times.clone());
    let reference = reference.unwrap_or_else(|| vec![None; regimes.len()]);
    let reading = facts.iter().any(|(fact, _)| fact.scenario.is_some());

    let names: Vec<&str> = regimes.iter().map(|regime| regime_in_words(regime)).collect();
    let dot = |(fact, times): &(&Fact, Vec<Option<Time>>)| Dots {
        name: fact.name(),
        own: fact.codec == "y3",
        apart: !fact.safe,
        values: times.iter().map(|time| time.map(|time| time.ns)).collect(),
    };
    let chart: Vec<Dots> = facts.iter().map(dot).collect();
    report.picture(picture, title, dots(title, "ns", &names, &chart, "not safe on hostile input"));

    let mut headings = vec!["codec", "mode", "way", ">bytes", ">allocations"];
    let in_words: Vec<String> = names.iter().map(|name| format!(">{name}, ns")).collect();
    headings.extend(in_words.iter().map(String::as_str));
    headings.extend(regimes.iter().map(|_| ">/ y3"));
    headings.push(">spread");
    if reading {
        headings.push("safe on hostile input");
    }
    let line = |(fact, times): &(&Fact, Vec<Option<Time>>)| {
        let bold = |text: &str| if fact.codec == "y3" { format!("**{text}**") } else { inside(text) };
        let mut cells = vec![bold(&fact.codec), bold(&fact.mode), fact.way.clone()];
        cells.extend([number(fact.bytes), number(fact.allocations)]);
        cells.extend(times.iter().map(|time| cell(time.map(|time| time.ns))));
        let pairs = times.iter().zip(&reference).map(|(time, reference)| time.zip(*reference));
        cells.extend(pairs.map(|pair| cell(pair.map(|(time, y3)| time.ns / y3.ns))));
        cells.push(spread(times));
        if reading {
            cells.push(yes_or_danger(fact));
        }
        cells
    };
    report.say(&table(&headings, &facts.iter().map(line).collect::<Vec<_>>()));
}

fn described(scenario: &str) -> Option<&'static str> {
    Some(match scenario {
        "C63-K32" => "63 pairs, of which the 32nd is watched.",
        "C32-K16" => "32 pairs, of which the 16th is watched.",
        "C16-K08" => "16 pairs, of which the 8th is watched.",
        "C03-K02" => "3 pairs, of which the 2nd is watched.",
        "values-63x100" => "63 texts of 100 bytes, of which the 32nd is watched.",
        "values-63x1024" => "63 texts of 1,024 bytes, of which the 32nd is watched.",
        "nested-8x8x8" => "Eight nodes of eight nodes of eight values; one path is watched.",
        "batch-1000" => "A thousand messages of 16 pairs, each read once, one after the other; time for one of them.",
        "session" => {
            "The data frames of a recorded YoMo session, one after the other; the noise reading is watched. Time for one of them."
        }
        _ => return None,
    })
}

fn spread_in_words(passes: usize) -> String {
    if passes == 1 {
        return "There is one pass; the spread is the width of its median's confidence interval, the wider one of the \
                regimes.\n"
            .to_owned();
    }
    format!(
        "Times are medians over {passes} passes, minutes apart; the spread is how far the passes' medians lie apart, the wider \
         one of the regimes.\n"
    )
}

fn last(times: &[Option<Time>]) -> f64 {
    times.last().copied().flatten().map_or(f64::MAX, |time| time.ns)
}

fn encode(report: &mut Report, measured: &Measured) {
    report.say("\n## Encode\n");
    report.say("The 63 pairs of C63 from typed fields into a reused buffer. Ratios are to y3's `Encoder`.\n");
    let title = "Encode: 63 pairs into a buffer, in nanoseconds";
    let writers = measured.facts.writers.iter().collect();
    side_by_side(report, measured, "encode", title, "y3 Encoder", regimes("C63"), writers);
}

/// Groups of ids without their last part, sorted by name.
fn grouped(times: &Times, wanted: impl Fn(&str) -> bool) -> BTreeMap<&str, Vec<(&str, Time)>> {
    let mut groups: BTreeMap<&str, Vec<(&str, Time)>> = BTreeMap::new();
    for (id, time) in times.all() {
        if let Some((group, name)) = id.rsplit_once('/').filter(|(group, _)| wanted(group)) {
            groups.entry(group).or_default().push((name, time));
        }
    }
    groups
}

fn structs(report: &mut Report, measured: &Measured) {
    report.say("## Whole structs\n");
    report.say(
        "The shoot-out: a small message, three fields out of sixty-three, and an entry of a DNS cache, as whole structs. Where all fields \
         are read, y3 has nothing to skip. Ratios are to `y3 serde`.\n",
    );
    let known = ["extract/", "encode/", "scaling/", "floor/"];
    for (group, mut cases) in grouped(&measured.peers, |group| !known.iter().any(|prefix| group.starts_with(prefix))) {
        cases.sort_by(|one, other| one.1.ns.total_cmp(&other.1.ns));
        let reference = cases.iter().find(|(name, _)| *name == "y3 serde").map(|(_, time)| time.ns);
        let line = |(name, time): &(&str, Time)| {
            let fact = measured.facts.of_struct(group, name);
            vec![
                if name.starts_with("y3") { format!("**{name}**") } else { inside(name) },
                number(time.ns),
                cell(reference.map(|reference| time.ns / reference)),
                cell(fact.map(|fact| fact.bytes)),
                cell(fact.map(|fact| fact.allocations)),
            ]
        };
        report.say(&table(
            &[group, ">ns", ">/ y3 serde", ">bytes", ">allocations"],
            &cases.iter().map(line).collect::<Vec<_>>(),
        ));
    }
}

/// A row of a table of the crate's own benches: a name and two benches, whose ratio is shown; with one bench, its
/// nanoseconds.
pub type Ratio = (&'static str, &'static str, Option<&'static str>);

pub const WAYS: [Ratio; 7] = [
    ("a loop written by hand, ns", "hand", None),
    ("`Packet::find` / by hand", "y3 find", Some("hand")),
    ("`KeySet::watch` / by hand", "y3 keys", Some("hand")),
    ("nom parser / by hand", "y3 nom", Some("hand")),
    ("`PathSet::watch` / by hand", "y3 watch", Some("hand")),
    ("serde_json `Value` / `PathSet::watch`", "serde_json Value", Some("y3 watch")),
    ("serde_json typed, others ignored / the same, decoded", "serde_json typed", Some("y3 watch to")),
];

const BATCHES: [Ratio; 6] = [
    ("a loop written by hand, ns for 1,000 packets", "hand", None),
    ("`packets` / by hand", "y3 packets", Some("hand")),
    ("`KeySet::watch` / by hand", "y3 keys", Some("hand")),
    ("nom parser / by hand", "y3 nom", Some("hand")),
    ("`PathSet::watch` / by hand", "y3 watch", Some("hand")),
    ("serde_json `Value` / `packets`", "serde_json Value", Some("y3 packets")),
];

const ENCODE: [Ratio; 3] = [
    ("into a `Vec`, ns", "y3 Vec", None),
    ("into a slice, ns", "y3 SliceSink", None),
    ("serde_json `to_writer` / into a `Vec`", "serde_json to_writer", Some("y3 Vec")),
];

/// A table with a column for each scenario; each cell has one buffer and rotating ones.
pub fn ways(measured: &Measured, bench: &str, scenarios: &[&str], rows: &[Ratio]) -> String {
    let value = |regime: &str, scenario: &str, (_, top, below): &Ratio| {
        let ns = |name: &str| measured.own.ns(&format!("{bench}/{regime}/{scenario}/{name}"));
        below.map_or_else(|| ns(top), |below| Some(ns(top)? / ns(below)?))
    };
    let line = |row: &Ratio| {
        let of =
            |scenario: &&str| ["one-buffer", "rotating"].map(|regime| cell(value(regime, scenario, row))).join(" / ");
        std::iter::once(row.0.to_owned()).chain(scenarios.iter().map(of)).collect::<Vec<_>>()
    };
    let columns: Vec<String> = scenarios.iter().map(|scenario| format!(">{scenario}")).collect();
    let headings: Vec<&str> = std::iter::once("").chain(columns.iter().map(String::as_str)).collect();
    table(&headings, &rows.iter().map(line).collect::<Vec<_>>())
}

fn own_ways(report: &mut Report, measured: &Measured) {
    report.say("\n## The readers of y3\n");
    report.say(
        "The crate's own benches: each reader compared with a loop written by hand for this one purpose, in safe Rust and with the same checks. \
         One buffer / rotating buffers.\n",
    );
    report.say(&ways(measured, "extract", &SCENARIOS, &WAYS));
    report.say(&ways(measured, "shapes", &["nested-8x8x8", "values-63x100", "values-63x1024", "miss-C63"], &WAYS));
    report.say("\nA thousand packets of 16 pairs back to back: not entered; the 8th pair of each, then the next packet; every such pair.\n");
    report.say(&ways(measured, "batch", &["frames", "first-hit", "every-hit"], &BATCHES));
    report.say("\nThe 63 pairs encoded: from a struct of typed fields; in a loop over keys and values.\n");
    report.say(&ways(measured, "encode", &["struct", "slice"], &ENCODE));
    report.say("\nStreams read by a `Watcher`, in nanoseconds per whole stream; the last number of a name is the size of the chunks.\n");
    let streams: Vec<Vec<String>> =
        measured.own.below("stream").map(|(name, time)| vec![inside(name), number(time.ns)]).collect();
    report.say(&table(&["stream", ">ns"], &streams));
}
