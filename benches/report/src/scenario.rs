//! Scenario: what the names of scenarios mean.

/// The scenarios of the report of 2020, the largest first.
pub const PUBLISHED: [&str; 4] = ["C63-K32", "C32-K16", "C16-K08", "C03-K02"];

/// The regime that is closest to a real stream: figures without a regime are of this one.
pub const REAL: &str = "keys-in-order";

/// A short name that needs no explanation; the scenario's own where none is known.
pub fn described(scenario: &str) -> &str {
    match scenario {
        "C63-K32" => "1 of 63",
        "C32-K16" => "1 of 32",
        "C16-K08" => "1 of 16",
        "C03-K02" => "1 of 3",
        "values-63x100" => "1 of 63 texts of 100 B",
        "values-63x1024" => "1 of 63 texts of 1 KiB",
        "nested-8x8x8" => "1 of 8×8×8, nested",
        "miss-C63" => "a missing one of 63",
        "telemetry-63" => "1 of 63 floats, all new",
        "batch-1000" => "1 of 16, batch of 1,000",
        "session" => "recorded session",
        "63 pairs" => "63 values written",
        "keep-3-of-63" => "3 of 63 kept",
        "remove-3-of-63" => "3 of 63 removed",
        "patch" => "1 of 63 overwritten",
        other => other,
    }
}

/// What is read, in a sentence.
pub fn explained(scenario: &str) -> Option<&'static str> {
    Some(match scenario {
        "C63-K32" => "63 values of seven types, of which the 32nd is watched.",
        "C32-K16" => "32 values, of which the 16th is watched.",
        "C16-K08" => "16 values, of which the 8th is watched, a text.",
        "C03-K02" => "3 values, of which the 2nd is watched.",
        "values-63x100" => "63 texts of 100 bytes, of which the 32nd is watched.",
        "values-63x1024" => "63 texts of 1,024 bytes, of which the 32nd is watched.",
        "nested-8x8x8" => "Eight nodes of eight nodes of eight values; one path is watched.",
        "telemetry-63" => {
            "A receiver of one layout: 256 messages of 63 floats with random values, keys in order, of which the 32nd is watched."
        }
        "batch-1000" => "A thousand messages of 16 values, the 8th of each read; time for one of them.",
        "session" => {
            "The data frames of a recorded YoMo session, one after the other; the noise reading is watched. Time for one of them."
        }
        _ => return None,
    })
}
