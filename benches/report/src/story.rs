//! Story: the report's first page, for a person who chooses a codec.
//!
//! In: the measurements and the verdict. Out: `REPORT.md`. What has a number, and who is faster, is chosen by the measurements;
//! only what the formats are, and the method, is written by hand.

use std::collections::BTreeMap;

use crate::compare::{Verdicts, machines};
use crate::markdown::{cell, grouped, inside, number, ratio, table};
use crate::measured::{Fact, Measured, in_order};
use crate::page::{Page, REPORT};
use crate::scenario::{PUBLISHED, REAL, described};
use crate::stamp::Mode;
use crate::time::Time;
use crate::verdict::{Case, Class, Place, RULE, Standing, as_table, each, fastest_of, in_words, regime_in_words};
use crate::{drift, editing, peers, redone, scaling, streams, structs, ways};

/// The name of the chart that the README shows too.
pub const BY_SIZE: &str = "scaling-value";

const FIRST: &str = PUBLISHED[0];

pub fn pages(measured: &Measured, verdicts: &Verdicts) -> Vec<Page> {
    let cases = &verdicts.cases;
    vec![
        page(measured, verdicts),
        peers::page(measured, cases),
        structs::page(measured, cases),
        streams::page(measured),
        editing::page(measured, cases),
        ways::page(measured),
    ]
}

fn page(measured: &Measured, verdicts: &Verdicts) -> Page {
    let cases = &verdicts.cases;
    let mut page = Page::new(REPORT, "Which codec? y3 beside the others", measured);
    page.say(OPENING);
    page.say(&headline(measured));
    page.say(&counted(measured).unwrap_or_default());
    if measured.stamp.mode == Mode::Quick {
        page.say(&format!("\n**Quick mode.** {}\n", doubts(cases)));
    }
    if let Some((title, picture)) = first_chart(measured, cases) {
        page.picture("one-of-63", &title, picture);
        page.say("The panels are kinds of messages: [keys in order](#verdict) are closest to a real stream.\n");
    }
    grows(&mut page, measured, cases);
    page.section("## When to choose which", include_str!("choice.md"));
    page.say(PAGES);
    page.section("## How many times as long as y3", &instead(measured));
    verdict(&mut page, measured, cases);
    redone::write(&mut page, measured);
    page.section("## Where y3 loses, and why", &losses(cases));
    page.section("## Method", include_str!("method.md"));
    page.section("## Measured on", &measured_on(measured));
    page.section(
        "## How steady the machine was",
        &drift::in_words(&measured.drift, measured.instructions.why_not.as_deref()),
    );
    page.section("## Other machines", &machines(verdicts));
    page.finish()
}

const OPENING: &str = "Messages come in that somebody else wrote, 63 values each, and a program needs one of them. A decoder of JSON reads every byte to find \
it, and builds the other 62 values if it is not told otherwise. Y3 is a wire format of keys, lengths and values, which may hold packets \
again: a reader looks at a key, jumps over what it does not want, and stops at what it wants. y3 is that in Rust. This page says how much \
it saves, when to use something else, and [how to check that](#method) with one command.\n";

const PAGES: &str = "\nEach in detail: [one value, by every codec](PEERS.md), [whole structs and writing](STRUCTS.md), [streams](STREAMS.md), [messages \
changed](EDITING.md), [between processes](NETWORK.md); for those who change the code, [y3's own ways](../../benches/WAYS.md).\n";

/// What y3 is for and how fast it is, in two sentences.
pub fn headline(measured: &Measured) -> String {
    let of = |codec: &str| best(measured, FIRST, REAL, |fact| fact.codec == codec);
    let json = measured.facts.of(FIRST).find(|fact| fact.codec == "serde_json" && fact.mode == "Value");
    let json = json.and_then(|fact| measured.peers.get(&fact.id(REAL)));
    let mut text = "y3 takes a few values out of packets that others wrote, and jumps over the rest.".to_owned();
    if let (Some(y3), Some(typed)) = (of("y3"), of("serde_json")) {
        let whole = json.filter(|json| *json != typed);
        let whole =
            whole.map_or_else(String::new, |json| format!(", and {} ns for the whole document", cell(Some(json))));
        let (y3, typed) = (cell(Some(y3)), cell(Some(typed)));
        text = format!("{text}\nOne of 63 values takes y3 {y3} ns; serde_json needs {typed} ns for it{whole}.");
    }
    text
}

/// The fastest safe mode that can skip fields.
fn fastest(measured: &Measured, scenario: &str, regime: &str, wanted: impl Fn(&Fact) -> bool) -> Option<Place> {
    let wanted = |fact: &Fact| wanted(fact) && !fact.is_positional() && !fact.is_batch();
    fastest_of(measured, measured.facts.of(scenario), regime, wanted)
}

fn best(measured: &Measured, scenario: &str, regime: &str, wanted: impl Fn(&Fact) -> bool) -> Option<Time> {
    fastest(measured, scenario, regime, wanted).map(|place| place.time)
}

/// The instructions of the headline's two readers.
fn counted(measured: &Measured) -> Option<String> {
    let of = |codec: &str| {
        let place = fastest(measured, FIRST, REAL, |fact| fact.codec == codec)?;
        measured.instructions(FIRST, &place.name).map(grouped)
    };
    let (y3, json) = (of("y3")?, of("serde_json")?);
    Some(format!("That is {y3} instructions beside {json}, on every machine of this architecture.\n"))
}

/// The codecs that a reader may use now, and the names of their rows among the whole structs.
const NOW: [(&str, &str); 10] = [
    ("serde_json", "JSON"),
    ("sonic-rs", "JSON, by SIMD"),
    ("rmp-serde", "MessagePack"),
    ("minicbor", "CBOR"),
    ("prost", "Protocol Buffers"),
    ("bilrost", "after Protocol Buffers"),
    ("capnp", "Cap'n Proto"),
    ("flatbuffers", "FlatBuffers"),
    ("rkyv", "Rust structs as in memory"),
    ("postcard", "no keys, no lengths"),
];

/// How many times as long each codec takes as y3.
fn instead(measured: &Measured) -> String {
    let read = |codec: &str, scenario: &str| {
        ratio(best(measured, scenario, REAL, |fact| fact.codec == codec), best(measured, scenario, REAL, Fact::is_own))
    };
    let group = |group: &str, codec: &str| {
        let times = measured.peers.below(group).filter(|(name, _)| name.split(' ').next() == Some(codec));
        times.map(|(_, time)| time).min_by(|one, other| one.ns.total_cmp(&other.ns))
    };
    let write = |codec: &str| {
        fastest_of(measured, measured.facts.writers.iter(), REAL, |fact| fact.codec == codec).map(|place| place.time)
    };
    let row = |(codec, what): &(&str, &str)| {
        let mut cells = vec![format!("{codec} ({what})")];
        cells.extend([PUBLISHED[0], PUBLISHED[2], PUBLISHED[3]].map(|scenario| read(codec, scenario)));
        cells.extend(
            ["3 fields of 63", "message/decode borrowed"].map(|name| ratio(group(name, codec), group(name, "y3"))),
        );
        cells.push(ratio(write(codec), write("y3")));
        cells
    };
    let rows: Vec<Vec<String>> =
        NOW.iter().map(row).filter(|cells| cells.iter().skip(1).any(|cell| cell != "–")).collect();
    if rows.is_empty() {
        return String::new();
    }
    format!(
        "Each in its fastest way that is safe on hostile input; ×2 is twice y3's time, below ×1 y3 is slower, – is no such way. The \
         first three columns are one value of a message, keys in order and texts of varied lengths; then three fields of 63 and a whole \
         small message as structs, and 63 values written.\n{}{}",
        table(
            &[
                "in place of y3",
                &format!(">{}", described(PUBLISHED[0])),
                &format!(">{}", described(PUBLISHED[2])),
                &format!(">{}", described(PUBLISHED[3])),
                ">3 of 63, struct",
                ">whole message",
                ">63 written"
            ],
            &rows
        ),
        peers::text_of_16(measured).unwrap_or_default()
    )
}

/// One of 63 values, by the fastest safe mode of each codec.
fn first_chart(measured: &Measured, cases: &[Case]) -> Option<(String, String)> {
    let regimes = [REAL, "one-buffer", "rotating"];
    let panels: Vec<peers::Panel> = regimes.iter().map(|regime| (regime_in_words(regime), *regime, FIRST)).collect();
    let case = cases.iter().find(|case| case.class == Class::Value && case.what == FIRST && case.regime == REAL)?;
    let json = best(measured, FIRST, REAL, |fact| fact.codec == "serde_json")?;
    let is_named = [codec(&case.own), codec(&case.other)].contains(&"serde_json");
    let json = if is_named { String::new() } else { format!("; serde_json takes {}", cell(Some(json))) };
    let title = format!("One of 63 values, keys in order: {}{json}", peers::winner(case));
    let picture = peers::best_of_each(measured, &title, &panels);
    Some((title, picture))
}

fn verdict(page: &mut Page, measured: &Measured, cases: &[Case]) {
    page.say("\n## Verdict\n");
    page.say(include_str!("regimes.md"));
    page.say(&format!(
        "{}. Each case is counted once: y3's fastest way beside the fastest of the others that is safe on hostile input. {RULE} Every \
         case has a row with these figures on the page of its class.\n",
        in_words(cases),
    ));
    page.say(&as_table(cases));
    let of_regime: Vec<&Case> = cases.iter().filter(|case| case.class == Class::Value && case.regime == REAL).collect();
    if of_regime.is_empty() {
        return;
    }
    let count = |wanted| of_regime.iter().filter(|case| case.standing() == wanted).count();
    let mut said = vec![format!("y3 is first in {} of {} scenarios", count(Standing::First), of_regime.len())];
    let ties = count(Standing::Tie);
    said.extend((ties > 0).then(|| format!("ties in {ties}")));
    let behind = of_regime.iter().filter(|case| case.standing() == Standing::Behind);
    let ahead: Vec<&str> = behind.map(|case| codec(&case.other)).collect();
    said.extend(in_order(ahead.iter().copied()).into_iter().map(|name| {
        let cases = ahead.iter().filter(|codec| **codec == name).count();
        format!("{name} is first in {cases}")
    }));
    let title = format!("Keys in order: {}", said.join(", "));
    let panels: Vec<peers::Panel> =
        of_regime.iter().map(|case| (described(&case.what), REAL, case.what.as_str())).collect();
    page.picture("scenarios", &title, peers::best_of_each(measured, &title, &panels));
}

/// The codec of a way.
fn codec(place: &Place) -> &str {
    place.name.split(' ').next().unwrap_or(&place.name)
}

fn grows(page: &mut Page, measured: &Measured, cases: &[Case]) {
    let jump = [scaling::jump_in_words(measured), scaling::pairs_in_words(measured)];
    let jump = jump.into_iter().flatten().collect::<Vec<_>>().join(" ");
    page.section("## What grows, and what does not", &(jump + "\n"));
    if let Some((title, picture)) = scaling::by_size(measured) {
        page.picture(BY_SIZE, &title, picture);
    }
    for said in [redone::gain_in_words(measured), streams::in_words(measured), editing::in_words(cases)] {
        page.say(&said.unwrap_or_default());
    }
}

/// The cases in the table of losses.
const SHOWN: usize = 12;

fn losses(cases: &[Case]) -> String {
    let mut lost: Vec<Case> = cases.iter().filter(|case| case.standing() == Standing::Behind).cloned().collect();
    lost.sort_by(|one, other| one.lead().total_cmp(&other.lead()));
    let mut text = match lost.len() {
        0 => "In no case of this run is another codec ahead by more than the spread.\n".to_owned(),
        all if all > SHOWN => format!("The {SHOWN} widest of {all} cases.\n"),
        _ => "All cases.\n".to_owned(),
    };
    let all = lost.clone();
    lost.truncate(SHOWN);
    for case in &mut lost {
        // The page of its class has these.
        (case.without_hint, case.first_fields, case.instructions) = (None, None, None);
    }
    text += &each(&lost, |_| true);
    let ahead = |codecs: &[&str], classes: &[Class]| {
        all.iter()
            .any(|case| classes.contains(&case.class) && codecs.iter().any(|codec| case.other.name.starts_with(codec)))
    };
    let reading = [Class::Value, Class::Batch];
    let reasons = [
        (ahead(&["flatbuffers", "capnp", "rkyv"], &reading), OFFSETS),
        (
            ahead(&["postcard", "bincode"], &[Class::Batch, Class::Struct]) || cases.iter().any(first_fields_are_ahead),
            NO_KEYS,
        ),
        (ahead(&["prost", "buffa", "bilrost", "quick-protobuf"], &reading), PREDICTION),
        (ahead(&[""], &[Class::Write]), WRITING),
        (ahead(&[""], &[Class::Struct]), WHOLE),
    ];
    text.push('\n');
    for (_, reason) in reasons.iter().filter(|(holds, _)| *holds) {
        text += reason;
    }
    text
}

fn first_fields_are_ahead(case: &Case) -> bool {
    case.first_fields.as_ref().is_some_and(|first| first.time.ns < case.own.time.ns)
}

const OFFSETS: &str = "- **Tables of offsets** (flatbuffers, capnp, rkyv) know the position of a field, whatever precedes it. y3 jumps from header to \
header, and each jump waits for the length that the one before has read.\n";
const NO_KEYS: &str = "- **Formats without keys and lengths** (postcard, bincode) carry less data. They cannot skip a field, and their reader cannot be \
older than their writer.\n";
const PREDICTION: &str = "- **Branch prediction**: with shuffled keys a processor cannot know which header is the watched one. In packets of a few values \
that costs more than all jumps.\n";
const WRITING: &str = "- **Writing**: each value has a header of two bytes, and the length of a node comes before its body. Formats that copy fields as they \
are in memory have neither cost.\n";
const WHOLE: &str = "- **Whole structs**: where every field is read, there is nothing to jump over.\n";

fn measured_on(measured: &Measured) -> String {
    let stamp = &measured.stamp;
    let versions = stamp.peers.iter().map(|(name, version)| format!("{name} {version}"));
    let mut facts = vec![
        ("machine", stamp.machine()),
        ("system", stamp.kernel.clone()),
        ("compiler", stamp.rustc.clone()),
        ("y3's features", stamp.features.clone()),
        ("date", stamp.date()),
        ("commit", stamp.commit.clone()),
    ];
    facts.extend(stamp.flags.clone().map(|flags| ("`RUSTFLAGS`", flags)));
    facts.push(("versions", versions.collect::<Vec<_>>().join(", ")));
    facts.push(("Go", go_versions(measured)));
    facts.push(("command", format!("`{}`", stamp.mode.command())));
    if let Some(finished) = stamp.finished {
        let minutes = (finished - stamp.started) as f64 / 60.0;
        facts.push(("took", format!("{} minutes, including the build", number(minutes))));
    }
    let rows: Vec<Vec<String>> = facts.into_iter().map(|(name, value)| vec![name.to_owned(), inside(&value)]).collect();
    table(&["", ""], &rows)
}

/// The versions of Go and its modules, or why Go was not measured.
fn go_versions(measured: &Measured) -> String {
    let Some(first) = measured.go.figures.first() else {
        return format!("not measured: {}", measured.go.why_not.as_deref().unwrap_or("no figures"));
    };
    let modules: BTreeMap<&str, &str> =
        measured.go.figures.iter().map(|figure| (figure.codec.as_str(), figure.version.as_str())).collect();
    let modules = modules.into_iter().filter(|(codec, version)| *version != first.go && !codec.contains(", "));
    let versions = modules.map(|(codec, version)| format!("{codec} {version}"));
    std::iter::once(first.go.clone()).chain(versions).collect::<Vec<_>>().join(", ")
}

/// A quick run's differences below this may turn round in a full run: machines change their speed by as much within minutes.
const DOUBT: f64 = 0.15;

/// How the verdict of a quick run may differ from that of a full one.
pub fn doubts(cases: &[Case]) -> String {
    let near: Vec<&Case> = cases
        .iter()
        .filter(|case| case.standing() != Standing::Tie && (case.lead().ln()).abs() < (1.0 + DOUBT).ln())
        .collect();
    let text = format!(
        "Three passes of some milliseconds for each way: differences below {:.0}% may turn round or be a tie in a full run, whose passes are \
         longer and minutes apart.",
        DOUBT * 100.0
    );
    if near.is_empty() {
        text + " No verdict here is as close as that."
    } else {
        let names = in_order(near.iter().map(|case| case.what.as_str()));
        let names = names.into_iter().map(described).collect::<Vec<_>>().join(", ");
        format!("{text} {} of {} verdicts are as close as that, in: {names}.", near.len(), cases.len())
    }
}
