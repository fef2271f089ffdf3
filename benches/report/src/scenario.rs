//! Scenario: the descriptions of scenarios and regimes by their names in ids.

/// The scenarios of the report of 2020 with its nanoseconds for Y3 and for JSON, the largest scenario first. The report measured them with
/// Go 1.14 on six cores of 2.6 GHz. It published the times of Y3 and the ratios 20.7, 15.8, 6.2 and 3.3, so JSON's time is Y3's time
/// multiplied by the ratio. Only these numbers and [`PUBLISHED_CPU`] are written by hand.
pub const PUBLISHED: [(&str, f64, f64); 4] = [
    ("C63-K32", 2077.0, 2077.0 * 20.7),
    ("C32-K16", 1361.0, 1361.0 * 15.8),
    ("C16-K08", 1667.0, 1667.0 * 6.2),
    ("C03-K02", 610.0, 610.0 * 3.3),
];

/// The processor times of Y3 and JSON in one loop that calls both decoders. The report of 2020 published only their ratio.
pub const PUBLISHED_CPU: (&str, f64, f64) = ("cpu", 1.0, 10.4);

/// The scenarios that read one value, in the order of the pages, with their descriptions.
pub const SCENARIOS: [(&str, &str); 10] = [
    ("C63-K32", "1 of 63"),
    ("C32-K16", "1 of 32"),
    ("C16-K08", "1 of 16"),
    ("C03-K02", "1 of 3"),
    ("values-63x100", "1 of 63 texts of 100 B"),
    ("values-63x1024", "1 of 63 texts of 1 KiB"),
    ("nested-8x8x8", "1 of 8×8×8, nested"),
    ("telemetry-63", "1 of 63 random floats"),
    ("batch-1000", "1 of 16, batch of 1,000"),
    ("session", "recorded session"),
];

/// The groups that read or write whole structs, with their descriptions.
pub const STRUCTS: [(&str, &str); 7] = [
    ("message/encode", "small message written"),
    ("message/encode into a slice", "small message written into a slice"),
    ("message/decode borrowed", "small message read, texts borrowed"),
    ("message/decode owned", "small message read, texts owned"),
    ("3 fields of 63", "3 fields of 63 read"),
    ("dns/read an entry", "DNS entry read"),
    ("dns/look up and read", "DNS entry looked up and read"),
];

/// The regime that is closest to a real stream. Figures on pages that name no regime were measured in this regime.
pub const REAL: &str = "keys-in-order";

/// The regimes of all scenarios except batches and recorded data.
pub const REGIMES: [(&str, &str); 4] = [
    ("one-buffer", "one buffer"),
    ("one-buffer-texts", "one buffer, longer texts"),
    (REAL, "keys in order"),
    ("rotating", "keys shuffled"),
];

const OTHERS: [(&str, &str); 7] = [
    ("miss-C63", "1 of 63, key missing"),
    ("63 pairs", "63 values written"),
    ("keep-3-of-63", "3 of 63 kept"),
    ("remove-3-of-63", "3 of 63 removed"),
    ("patch", "1 of 63 overwritten"),
    ("in-order", "one after the other"),
    ("random", "in random order"),
];

/// The regimes in which a scenario is measured.
pub fn regimes(scenario: &str) -> Vec<&'static str> {
    match scenario {
        "session" | "batch-1000" => vec!["in-order"],
        "telemetry-63" => vec![REAL],
        _ => REGIMES.map(|(regime, _)| regime).into(),
    }
}

/// The description of a scenario, group or regime. Returns the name itself if there is no description.
pub fn described(name: &str) -> &str {
    let mut all = SCENARIOS.iter().chain(&STRUCTS).chain(&REGIMES).chain(&OTHERS);
    all.find(|(known, _)| *known == name).map_or(name, |(_, words)| words)
}
