//! Counts with callgrind the instructions that each way executes for a message, and writes them to a file as JSON.
//!
//! `counts` has the instructions by the id of the bench, or `why_not` has the reason why there are none. Messages have their keys in order,
//! or are those of the scenario's only regime. Each count includes the loop around the way: some five instructions.

use std::collections::BTreeMap;
use std::error::Error;
use std::{env, fs};

use kit::counted::{counted, instructions};
use kit::turns::Way;
use peers::extract::scenario::Regime;
use peers::groups::{self, Extent};
use serde_json::json;

/// The number of messages of each way: those of one batch. Each message is read once before it is counted.
const MESSAGES: u32 = 64;

fn main() -> Result<(), Box<dyn Error>> {
    let argument = env::args()
        .nth(1)
        .ok_or("instructions FILE: writes the instructions that callgrind counts to FILE, as JSON")?;
    if argument == RUN {
        cases(true);
        return Ok(());
    }
    let ids = cases(false);
    let report = match instructions(&[RUN], ids.len()) {
        Ok(counts) => {
            #[allow(clippy::cast_precision_loss, reason = "far below 2^53")]
            let each = counts.into_iter().map(|count| count as f64 / f64::from(MESSAGES));
            json!({ "counts": ids.into_iter().zip(each).collect::<BTreeMap<String, f64>>(), "why_not": null })
        }
        Err(error) => json!({ "counts": {}, "why_not": error.to_string() }),
    };
    Ok(fs::write(argument, format!("{report:#}\n"))?)
}

/// The argument of this program when it runs under callgrind.
const RUN: &str = "run";

/// Returns the ids of all ways in order. If `are_run`, each way also runs.
fn cases(are_run: bool) -> Vec<String> {
    let mut ids = Vec::new();
    let each = |group: &str, ways: Vec<Way<'_>>| {
        for way in ways {
            ids.push(format!("{group}/{}", way.name()));
            if are_run {
                let mut timed = way.prepared();
                timed(MESSAGES.into());
                counted(&mut || {
                    timed(MESSAGES.into());
                });
            }
        }
    };
    let regimes = |regime| matches!(regime, Regime::KeysInOrder | Regime::InOrder);
    groups::all(Extent { regimes, first: Some(MESSAGES as usize) }, each);
    ids
}
