//! Figures: the one table that every page, title and sentence has its numbers from.
//!
//! In: the measurements. Out: every reader and writer of the peers by case and regime, with its bytes and allocations, as JSON; the
//! same through [`Measured::figure`]. A number is shown with the digits of [`cell`](crate::markdown::cell), in one place.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::error::Result;
use crate::measured::{Fact, Measured, StructFact, WRITTEN};

pub const FILE: &str = "figures.json";

/// A reader or writer in a case and regime; nanoseconds and instructions for one message.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    pub case: String,
    /// Whole structs have no regime of their own.
    pub regime: Option<String>,
    pub reader: String,
    pub lowest: f64,
    pub ns: f64,
    pub highest: f64,
    /// By callgrind, where they are counted.
    pub instructions: Option<f64>,
    #[serde(flatten)]
    pub encoding: Option<Encoding>,
}

/// What a reader or writer does in every regime. Changed packets have nothing of this.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Encoding {
    pub bytes: f64,
    pub allocations: f64,
    /// Whether documentation recommends it: ways to read one value and to write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub way: Option<String>,
    /// Whether hostile bytes do no harm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub safe: Option<bool>,
}

impl From<&Fact> for Encoding {
    fn from(fact: &Fact) -> Encoding {
        let Fact { bytes, allocations, way, safe, .. } = fact;
        Encoding { bytes: *bytes, allocations: *allocations, way: Some(way.clone()), safe: Some(*safe) }
    }
}

impl From<&StructFact> for Encoding {
    fn from(fact: &StructFact) -> Encoding {
        Encoding { bytes: fact.bytes, allocations: fact.allocations, way: None, safe: None }
    }
}

/// All rows, in the order of their names.
pub fn rows(measured: &Measured) -> Vec<Row> {
    let facts = measured.facts.readers.iter().chain(&measured.facts.writers);
    let of_values = facts.map(|fact| ((fact.scenario.as_deref().unwrap_or(WRITTEN), fact.name()), fact.into()));
    let of_structs = measured.facts.structs.iter().map(|fact| ((&*fact.group, fact.name.clone()), fact.into()));
    let encodings: BTreeMap<(&str, String), Encoding> = of_values.chain(of_structs).collect();
    let row = |(id, time): (&str, crate::time::Time)| {
        let parts: Vec<&str> = id.splitn(4, '/').collect();
        let (case, regime, reader) = match *parts.as_slice() {
            ["extract" | "edit", regime, case, reader] => (case.to_owned(), Some(regime), reader.to_owned()),
            ["encode", regime, _, reader] => (WRITTEN.to_owned(), Some(regime), reader.to_owned()),
            _ => {
                let fact = measured.facts.structs.iter().find(|fact| format!("{}/{}", fact.group, fact.name) == id)?;
                (fact.group.clone(), None, fact.name.clone())
            }
        };
        Some(Row {
            encoding: encodings.get(&(&*case, reader.clone())).cloned(),
            case,
            regime: regime.map(str::to_owned),
            reader,
            lowest: time.low,
            ns: time.ns,
            highest: time.high,
            instructions: measured.instructions.counts.get(id).copied(),
        })
    };
    measured.peers.all().filter_map(row).collect()
}

/// A row on each line.
pub fn to_json(measured: &Measured) -> Result<String> {
    let lines = rows(measured).iter().map(serde_json::to_string).collect::<std::result::Result<Vec<String>, _>>()?;
    Ok(format!("[\n{}\n]\n", lines.join(",\n")))
}
