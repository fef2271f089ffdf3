//! Instructions: what each reader and writer takes for a message, counted by callgrind: the same on every machine of one architecture.
//!
//! In: a file. Out: that file, JSON: `counts`, instructions by the id of the bench, of messages with their keys in order or of the only
//! regime that there is; or `why_not`. The loop around the reader is counted too: some five instructions.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::error::Error;
use std::{env, fs, thread};

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
        [run, part] if run == "run" => {
            cases(Some(part.parse()?));
            Ok(())
        }
        [file] => {
            let report = match count() {
                Ok(counts) => json!({ "counts": counts, "why_not": null }),
                Err(error) => json!({ "counts": {}, "why_not": error.to_string() }),
            };
            Ok(fs::write(file, format!("{report:#}\n"))?)
        }
        _ => Err("instructions FILE: writes what callgrind counts to FILE, as JSON".into()),
    }
}

fn count() -> Result<BTreeMap<String, f64>, Box<dyn Error>> {
    let ids = &cases(None);
    let part = |part: usize| {
        let ids = ids.iter().skip(part).step_by(PARTS).cloned();
        let counts = instructions(&["run", &part.to_string()], ids.len()).map_err(|error| error.to_string())?;
        let counts: Result<Vec<u32>, _> = counts.into_iter().map(u32::try_from).collect();
        let counts = counts.map_err(|error| error.to_string())?;
        Ok(ids.zip(counts.into_iter().map(|count| f64::from(count) / f64::from(MESSAGES))).collect())
    };
    let parts: Vec<Result<Vec<(String, f64)>, String>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..PARTS).map(|number| scope.spawn(move || part(number))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err("a thread panicked".into()))).collect()
    });
    let parts: Vec<_> = parts.into_iter().collect::<Result<_, _>>()?;
    Ok(parts.into_iter().flatten().collect())
}

/// The ids of all cases, in order; those of a part are run.
fn cases(part: Option<usize>) -> Vec<String> {
    let mut ids = Vec::new();
    let number = Cell::new(0);
    let mut each = |group: &str, ways: Vec<Way<'_>>| {
        for way in ways {
            ids.push(format!("{group}/{}", way.name()));
            if part == Some(number.get() % PARTS) {
                let mut timed = way.prepared();
                let messages = u64::from(MESSAGES);
                timed(messages);
                counted(&mut || {
                    timed(messages);
                });
            }
            number.set(number.get() + 1);
        }
    };
    let wants = |regime| matches!(regime, Regime::KeysInOrder | Regime::InOrder);
    let extent = Extent::First(MESSAGES as usize);
    groups::extract(extent, wants, &mut each);
    groups::encode(extent, wants, &mut each);
    groups::edit(extent, wants, &mut each);
    groups::structs(&mut each);
    ids
}
