//! Redone: the figures of the published report measured again, compared with the published ones and with Go.
//!
//! In: the measurements. Out: a section of the report with charts.

use crate::markdown::{cell, factor, number, percent, table};
use crate::measured::{Cpu, Fact, Measured, in_order};
use crate::published::{CPU_RATIO, FIGURES};
use crate::sections::{Report, SCENARIOS};
use crate::verdict::regime_in_words;
use charts::{Series, columns, rows};

/// Writes the section.
pub fn write(report: &mut Report, measured: &Measured) {
    report.say("## The published report redone\n");
    report.say(
        "The Y3 evaluation report of 2020 reads the middle one of 63, 32, 16 and 3 pairs of a packet, in Go 1.14 on six cores of 2.6 GHz. \
         These benches do the same with the same values: Y3 by `PathSet::watch`, JSON by decoding all of it into \
         `serde_json::Value`, as the report does. The report has no times for JSON, only factors, and in parallel only times for Y3.\n",
    );
    if let Some(why) = &measured.go.why_not {
        report.say(&format!("The Go implementation: not measured: {why}.\n"));
    }
    for (mode, threads) in [("serial", "one thread"), ("parallel", "all cores")] {
        report.say(&format!("### {}\n", if mode == "serial" { "Serial" } else { "Parallel, all cores" }));
        report.say("Nanoseconds per extraction, one buffer.");
        published_mode(report, measured, mode, threads);
    }
    gains(report, measured);
    memory(report, measured);
    cpu(report, &measured.cpu, measured.flame.as_deref());
}

fn own_ns(measured: &Measured, regime: &str, scenario: &str, codec: &str, threads: &str) -> Option<f64> {
    measured.own.ns(&format!("parallel/{regime}/{scenario}/{codec}, {threads}"))
}

/// The codec with which the Go modules are compared.
const JSON: &str = "encoding/json";

/// All codecs measured in Go, in order: the modules as the report used them, and faster ways to use them.
fn go_codecs(measured: &Measured) -> Vec<&str> {
    in_order(measured.go.figures.iter().map(|figure| figure.codec.as_str()))
}

/// Go's codecs in the charts of times, and their labels.
const GO: [(&str, &str); 3] = [("y3", "Go, y3"), ("y3-codec", "Go, y3-codec"), (JSON, "Go, encoding/json")];

fn published_mode(report: &mut Report, measured: &Measured, mode: &str, threads: &str) {
    let groups = SCENARIOS.map(str::to_owned);
    let each = |name: &str, value: &dyn Fn(&str) -> Option<f64>| Series {
        name: name.to_owned(),
        values: SCENARIOS.iter().map(|scenario| value(scenario)).collect(),
    };
    let go = |scenario: &str, codec: &str| measured.go.find(scenario, codec, mode).map(|figure| figure.ns);
    let rust = |scenario: &str, codec: &str| own_ns(measured, "one-buffer", scenario, codec, threads);
    let figure = |scenario: &str| FIGURES.iter().find(|figure| figure.scenario == scenario);
    let mut times = vec![
        each("Rust, y3", &|scenario| rust(scenario, "y3 watch")),
        each("Rust, serde_json Value", &|scenario| rust(scenario, "serde_json Value")),
    ];
    for (codec, name) in GO {
        times.push(each(name, &|scenario| go(scenario, codec)));
    }
    times.push(each("published, Y3", &|scenario| {
        figure(scenario).map(|figure| if mode == "serial" { figure.serial_ns } else { figure.parallel_ns })
    }));
    let title = format!("Time per extraction, {mode}, in nanoseconds");
    report.picture(&format!("published-{mode}-time"), &title, columns(&title, "ns", &groups, &times));

    let by_rust = |scenario: &str| Some(rust(scenario, "serde_json Value")? / rust(scenario, "y3 watch")?);
    let by_go = |scenario: &str, codec: &str| Some(go(scenario, JSON)? / go(scenario, codec)?);
    let mut growth = vec![each("Rust: serde_json Value / y3", &by_rust)];
    for codec in go_codecs(measured).into_iter().filter(|codec| *codec != JSON) {
        growth.push(each(&format!("Go: {JSON} / {codec}"), &|scenario| by_go(scenario, codec)));
    }
    if mode == "serial" {
        growth.push(each("published: JSON / Y3", &|scenario| figure(scenario).map(|figure| figure.growth)));
    }
    let title = format!("Growth factor JSON / Y3, {mode}");
    report.picture(&format!("published-{mode}-growth"), &title, rows(&title, &groups, &growth));
    let mut averages = Vec::new();
    for series in &growth {
        let values: Option<Vec<f64>> = series.values.iter().copied().collect();
        if let Some(values) = values {
            averages.push(format!("{} {}", series.name, factor(values.iter().sum::<f64>() / values.len() as f64)));
        }
    }
    report.say(&format!("\nOn average of the four: {}.\n", averages.join("; ")));
}

fn gains(report: &mut Report, measured: &Measured) {
    report.say("### Serial, parallel, gain\n");
    report.say(
        "Nanoseconds per extraction over all threads: two independent threads halve them. The published gains are those of six \
         cores.\n",
    );
    let mut lines = Vec::new();
    let mut line = |scenario: &str, who: String, y3: [Option<f64>; 2], json: [Option<f64>; 2]| {
        if y3[0].or(json[0]).is_none() {
            return;
        }
        let mut cells = vec![scenario.to_owned(), who];
        for [serial, parallel] in [y3, json] {
            let gain = serial.zip(parallel).map(|(serial, parallel)| factor(serial / parallel));
            cells.extend([cell(serial), cell(parallel), gain.unwrap_or_else(|| "–".to_owned())]);
        }
        lines.push(cells);
    };
    for figure in &FIGURES {
        let scenario = figure.scenario;
        for regime in ["one-buffer", "rotating"] {
            let of =
                |codec| ["one thread", "all cores"].map(|threads| own_ns(measured, regime, scenario, codec, threads));
            line(scenario, format!("Rust, {}", regime_in_words(regime)), of("y3 watch"), of("serde_json Value"));
        }
        let go =
            |codec| ["serial", "parallel"].map(|mode| measured.go.find(scenario, codec, mode).map(|figure| figure.ns));
        line(scenario, "Go, y3".to_owned(), go("y3"), go(JSON));
        // JSON's times are in the first row.
        for codec in go_codecs(measured).into_iter().filter(|codec| *codec != "y3" && *codec != JSON) {
            line(scenario, format!("Go, {codec}"), go(codec), [None; 2]);
        }
        let published = [Some(figure.serial_ns), Some(figure.parallel_ns)];
        line(scenario, "published".to_owned(), published, [None; 2]);
    }
    let headings = ["scenario", "", ">Y3 serial", ">parallel", ">gain", ">JSON serial", ">parallel", ">gain"];
    report.say(&table(&headings, &lines));
}

fn memory(report: &mut Report, measured: &Measured) {
    report.say("### Memory per extraction\n");
    report.say("Calls of the allocator, and bytes allocated. The published report has no such figures.\n");
    let codecs = go_codecs(measured);
    let mut lines = Vec::new();
    for scenario in SCENARIOS {
        let fact = |codec: &str, mode: &str| {
            measured.facts.of(scenario).find(|reader| reader.codec == codec && reader.mode == mode)
        };
        let rust = |reader: Option<&Fact>| {
            reader.map_or_else(
                || "–".to_owned(),
                |reader| format!("{} / {}", number(reader.allocations), number(reader.allocated)),
            )
        };
        let go = |codec| {
            let figure = measured.go.find(scenario, codec, "serial");
            figure.map_or_else(
                || "–".to_owned(),
                |figure| format!("{} / {}", number(figure.allocations), number(figure.bytes)),
            )
        };
        let mut cells = vec![scenario.to_owned(), rust(fact("y3", "PathSet")), rust(fact("serde_json", "Value"))];
        cells.extend(codecs.iter().map(|codec| go(codec)));
        lines.push(cells);
    }
    let of_go: Vec<String> = codecs.iter().map(|codec| format!(">Go, {codec}")).collect();
    let mut headings = vec!["allocations / bytes", ">Rust, y3", ">Rust, serde_json Value"];
    headings.extend(of_go.iter().map(String::as_str));
    report.say(&table(&headings, &lines));
}

fn cpu(report: &mut Report, cpu: &Cpu, flame: Option<&[u8]>) {
    report.say("### CPU time of both decoders in one loop\n");
    report.say(&format!(
        "Both decode the C63-K32 packet in turns, {} rounds, measured by the CPU time of the process. Y3 took {} of it, JSON {}: a ratio \
         of {}. The published ratio is {}, from a profiler's samples.\n",
        number(cpu.rounds),
        percent(cpu.y3.share),
        percent(cpu.json.share),
        factor(cpu.ratio),
        factor(CPU_RATIO),
    ));
    if let Some(samples) = &cpu.samples {
        report.say(&format!(
            "A sampling profiler saw {} samples in Y3 and {} in JSON.\n",
            number(samples.y3),
            number(samples.json)
        ));
    }
    match (flame, &cpu.why_no_flame) {
        (Some(flame), _) => report.picture("flame", "Flame graph of both decoders in one loop", flame),
        (None, Some(why)) => report.say(&format!("No flame graph: {why}.\n")),
        (None, None) => {}
    }
}
