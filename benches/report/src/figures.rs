//! Figures: all numbers of the pages, tables and charts.
//!
//! Each way has a figure. The id of a way is `group/way`, such as `extract/keys-in-order/C63-K32/y3 find`. Ids of the crate's own benches
//! begin with `own/`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Result;
use crate::stamp::Stamp;
use crate::time::{Time, of_passes};

/// The name of the file with all figures, in the folder of the pages.
pub const FILE: &str = "figures.json";

/// All figures of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Figures {
    pub stamp: Stamp,
    /// The numbers from [`crate::clock::steadiness`].
    pub steadiness: BTreeMap<String, f64>,
    /// The versions of Go and its modules, or why Go was not measured.
    pub go: String,
    /// If instructions were not counted, the reason.
    pub uncounted: Option<String>,
    #[serde(with = "by_group")]
    pub ways: BTreeMap<String, Figure>,
}

/// The measurements of one way in one case.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Nanoseconds, one number for each pass. In each pass, the ways of a group run in turns.
    #[serde(default)]
    pub passes: Vec<f64>,
    /// The `instructions` that callgrind counted for one message, the `bytes` of the encoded message, the number of `allocations`, and the
    /// number of `allocated` bytes.
    #[serde(flatten)]
    pub numbers: BTreeMap<String, f64>,
    /// What hostile bytes can cause, if the way is not safe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub danger: Option<String>,
}

impl Figure {
    pub fn time(&self) -> Option<Time> {
        of_passes(&self.passes)
    }
}

/// The name of a way in its group, its figure and its time.
pub type Way<'a> = (&'a str, &'a Figure, Time);

impl Figures {
    /// Reads a file, or the file [`FILE`] in a folder.
    pub fn read(path: &Path) -> Result<Figures> {
        let path = if path.is_dir() { path.join(FILE) } else { path.to_owned() };
        let text = fs::read(&path).map_err(|error| format!("no figures: {}: {error}", path.display()))?;
        Ok(serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", path.display()))?)
    }

    /// Writes each group on its own line.
    pub fn to_json(&self) -> Result<String> {
        let text = serde_json::to_string(self)?;
        let (head, groups) = text.split_once(r#""ways":{"#).ok_or("no ways")?;
        Ok(format!("{head}\"ways\":{{\n{}\n", groups.replace("}},\"", "}},\n\"")))
    }

    pub fn get(&self, id: &str) -> Option<Time> {
        self.ways.get(id)?.time()
    }

    /// The ways whose ids begin with `prefix/`. Each way is returned with the rest of its id.
    pub fn below<'a>(&'a self, prefix: &str) -> impl Iterator<Item = Way<'a>> + use<'a> {
        let prefix = format!("{prefix}/");
        self.ways
            .range(prefix.clone()..)
            .map_while(move |(id, figure)| Some((id.strip_prefix(&prefix)?, figure, figure.time()?)))
    }

    /// The way with this id. If the id ends with `codec*`, returns the fastest comparable way of this codec that reads one message at a
    /// time. If the id ends with `others*`, returns the fastest such way of all codecs except y3.
    pub fn find(&self, id: &str) -> Option<Way<'_>> {
        let Some((group, prefix)) = id.strip_suffix('*').and_then(|id| id.rsplit_once('/')) else {
            let (id, figure) = self.ways.get_key_value(id)?;
            return Some((id.rsplit_once('/')?.1, figure, figure.time()?));
        };
        let is_wanted = |name: &str| {
            if prefix == "others" { !name.starts_with("y3") } else { is_of(name, prefix) }
        };
        fastest(self.below(group).filter(|way| is_comparable(way) && !is_batch(way.0) && is_wanted(way.0)))
    }

    /// The time of one way divided by the time of another way. If both have the same number of passes, the ratio is computed in each pass,
    /// because ways of one group are measured in turns.
    pub fn ratio(&self, (_, way, time): Way, (_, other, other_time): Way) -> Time {
        let passes: Vec<f64> = way.passes.iter().zip(&other.passes).map(|(way, other)| way / other).collect();
        let apart =
            Time { ns: time.ns / other_time.ns, low: time.low / other_time.high, high: time.high / other_time.low };
        if way.passes.len() == other.passes.len() { of_passes(&passes).unwrap_or(apart) } else { apart }
    }
}

/// True if the way belongs to this codec: the name of the way begins with the name of the codec.
pub fn is_of(name: &str, codec: &str) -> bool {
    name.strip_prefix(codec).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ',', ':']))
}

/// The first word in the name of a hand-written loop for one task.
pub const FLOOR: &str = "loop";

/// True if a way takes part in verdicts. Such a way is safe on hostile bytes, checks that texts are UTF-8, and skips unknown fields.
pub fn is_comparable((name, figure, _): &Way) -> bool {
    figure.danger.is_none() && !name.contains("untested") && !name.ends_with("first fields") && !is_of(name, FLOOR)
}

/// True if a way reads several messages at a time.
pub fn is_batch(name: &str) -> bool {
    name.split_once(' ').is_some_and(|(_, mode)| mode.starts_with("batch: "))
}

pub fn fastest<'a>(ways: impl Iterator<Item = Way<'a>>) -> Option<Way<'a>> {
    ways.min_by(|one, other| one.2.ns.total_cmp(&other.2.ns))
}

/// Stores the name of a group once, and not in the id of each of its ways.
mod by_group {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Figure;

    pub fn serialize<S: Serializer>(ways: &BTreeMap<String, Figure>, to: S) -> Result<S::Ok, S::Error> {
        let mut groups: BTreeMap<&str, BTreeMap<&str, &Figure>> = BTreeMap::new();
        for (id, figure) in ways {
            let (group, way) = id.rsplit_once('/').unwrap_or(("", id));
            groups.entry(group).or_default().insert(way, figure);
        }
        groups.serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, Figure>, D::Error> {
        let groups: BTreeMap<String, BTreeMap<String, Figure>> = Deserialize::deserialize(from)?;
        let ids = groups
            .into_iter()
            .flat_map(|(group, ways)| ways.into_iter().map(move |(way, figure)| (format!("{group}/{way}"), figure)));
        Ok(ids.collect())
    }
}
