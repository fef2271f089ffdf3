//! Instructions: what each reader and writer takes for a message, counted by callgrind: the same on every machine of one architecture.
//!
//! In: a file. Out: that file, JSON: `counts`, instructions by the id of the bench, of messages with their keys in order or of the only
//! regime that there is; or `why_not`. The loop around the reader is counted too: some five instructions.

use std::collections::BTreeMap;
use std::error::Error;
use std::{env, fs};

use kit::counted::{counted, instructions};
use kit::turns::Way;
use peers::extract::scenario::Regime;
use peers::groups::{self, Extent};
use serde_json::json;

/// The messages of each case; all have been read once before. As many as a batch.
const MESSAGES: u32 = 64;

fn main() -> Result<(), Box<dyn Error>> {
    let argument = env::args().nth(1).ok_or("instructions FILE: writes what callgrind counts to FILE, as JSON")?;
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

/// What this program is asked under callgrind, in place of a file.
const RUN: &str = "run";

/// The ids of all cases, in order, which are run or not.
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
