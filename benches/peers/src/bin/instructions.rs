//! Instructions: what each reader and writer takes for a message, counted by callgrind: the same on every machine of one architecture.
//!
//! In: a file. Out: that file, JSON: `counts`, instructions by the id of the bench, of messages with their keys in order or of the only
//! regime that there is; or `why_not`. The loop around the reader is counted too: some five instructions.

use std::collections::BTreeMap;
use std::error::Error;
use std::{array, env, fs, thread};

use kit::counted::{counted, instructions};
use kit::turns::Way;
use peers::extract::scenario::Regime;
use peers::groups::{self, Extent};
use serde_json::json;

/// The messages of each case; all have been read once before. As many as a batch.
const MESSAGES: u32 = 64;

/// Callgrind runs in so many processes at once: it is not the time that counts.
const PARTS: usize = 2;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.as_slice() {
        [run, part] if run == "run" => drop(cases(Some(part.parse()?))),
        [file] => {
            let counted = count();
            let why_not = counted.as_ref().err();
            let report = json!({ "counts": counted.as_ref().unwrap_or(&BTreeMap::new()), "why_not": why_not });
            fs::write(file, format!("{report:#}\n"))?;
        }
        _ => return Err("instructions FILE: writes what callgrind counts to FILE, as JSON".into()),
    }
    Ok(())
}

fn count() -> Result<BTreeMap<String, f64>, String> {
    let ids = &cases(None);
    let part = |part: usize| {
        let ids: Vec<&String> = ids.iter().skip(part).step_by(PARTS).collect();
        let counts = instructions(&["run", &part.to_string()], ids.len()).map_err(|error| error.to_string())?;
        #[allow(clippy::cast_precision_loss, reason = "far below 2^53")]
        let each = counts.into_iter().map(|count| count as f64 / f64::from(MESSAGES));
        Ok(ids.into_iter().cloned().zip(each).collect::<Vec<_>>())
    };
    thread::scope(|scope| {
        let parts: [_; PARTS] = array::from_fn(|number| scope.spawn(move || part(number)));
        let parts: Result<Vec<_>, String> = parts.into_iter().map(|part| part.join().expect("no panic")).collect();
        Ok(parts?.into_iter().flatten().collect())
    })
}

/// The ids of all cases, in order; those of a part are run.
fn cases(part: Option<usize>) -> Vec<String> {
    let mut ids = Vec::new();
    let each = |group: &str, ways: Vec<Way<'_>>| {
        for way in ways {
            let is_run = part == Some(ids.len() % PARTS);
            ids.push(format!("{group}/{}", way.name()));
            if is_run {
                let mut timed = way.prepared();
                timed(MESSAGES.into());
                counted(&mut || {
                    timed(MESSAGES.into());
                });
            }
        }
    };
    let wants = |regime| matches!(regime, Regime::KeysInOrder | Regime::InOrder);
    groups::all(Extent::First(MESSAGES as usize), wants, each);
    ids
}
