//! Figures: the one table that pages, tables and charts have their numbers from.
//!
//! In: the measurements of a run, or the file of an earlier one. Out: a figure for each way by its id, `group/way`, such as
//! `extract/keys-in-order/C63-K32/y3 find`. Ids of the crate's own benches begin with `own/`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Result;
use crate::stamp::Stamp;
use crate::time::{Time, of_passes};

/// The file beside the pages.
pub const FILE: &str = "figures.json";

/// All figures of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Figures {
    pub stamp: Stamp,
    /// The machine's pace during the run, by [`crate::clock::steadiness`].
    pub steadiness: BTreeMap<String, f64>,
    /// The versions of Go and its modules, or why Go was not measured.
    pub go: String,
    /// Why instructions were not counted, if they were not.
    pub uncounted: Option<String>,
    #[serde(with = "by_group")]
    pub ways: BTreeMap<String, Figure>,
}

/// What was measured of one way in one case.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Nanoseconds, one number for each pass. Ways of one group were measured side by side in each pass.
    #[serde(default)]
    pub passes: Vec<f64>,
    /// `instructions` of one message, by callgrind; the `bytes` of the encoded message; `allocations`, and the bytes `allocated`.
    #[serde(flatten)]
    pub numbers: BTreeMap<String, f64>,
    /// What hostile bytes can do, if they can do harm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub danger: Option<String>,
}

impl Figure {
    pub fn time(&self) -> Option<Time> {
        of_passes(&self.passes)
    }
}

/// A way by its name in its group.
pub type Way<'a> = (&'a str, &'a Figure, Time);

impl Figures {
    /// From a file, or from the file [`FILE`] in a folder.
    pub fn read(path: &Path) -> Result<Figures> {
        let path = if path.is_dir() { path.join(FILE) } else { path.to_owned() };
        let text = fs::read(&path).map_err(|error| format!("no figures: {}: {error}", path.display()))?;
        Ok(serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", path.display()))?)
    }

    /// A group on each line.
    pub fn to_json(&self) -> Result<String> {
        let text = serde_json::to_string(self)?;
        let (head, groups) = text.split_once(r#""ways":{"#).ok_or("no ways")?;
        Ok(format!("{head}\"ways\":{{\n{}\n", groups.replace("}},\"", "}},\n\"")))
    }

    pub fn get(&self, id: &str) -> Option<Time> {
        self.ways.get(id)?.time()
    }

    /// The ways whose id begins with a prefix: the rest of the id, the figure and its time.
    pub fn below<'a>(&'a self, prefix: &str) -> impl Iterator<Item = Way<'a>> + use<'a> {
        let prefix = format!("{prefix}/");
        self.ways
            .range(prefix.clone()..)
            .map_while(move |(id, figure)| Some((id.strip_prefix(&prefix)?, figure, figure.time()?)))
    }

    /// The figure that a page names by an id. A way that ends with `*` is the fastest comparable one of a codec that reads one message;
    /// `others*` is the fastest of all codecs but y3.
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

    /// The time of one way divided by that of another. Of a group it is the ratio of each pass, in which both were measured side by side.
    pub fn ratio(&self, (_, way, time): Way, (_, other, other_time): Way) -> Time {
        let passes: Vec<f64> = way.passes.iter().zip(&other.passes).map(|(way, other)| way / other).collect();
        let apart =
            Time { ns: time.ns / other_time.ns, low: time.low / other_time.high, high: time.high / other_time.low };
        if way.passes.len() == other.passes.len() { of_passes(&passes).unwrap_or(apart) } else { apart }
    }
}

/// Whether a way is one of a codec: its name begins with this word, or words.
pub fn is_of(name: &str, codec: &str) -> bool {
    name.strip_prefix(codec).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ',', ':']))
}

/// A loop written for one task, which a library cannot be expected to beat.
pub const FLOOR: &str = "loop";

/// Whether a way takes part in verdicts: hostile bytes do no harm, every text is tested, and fields that it does not know are no error.
pub fn is_comparable((name, figure, _): &Way) -> bool {
    figure.danger.is_none() && !name.contains("untested") && !name.ends_with("first fields") && !is_of(name, FLOOR)
}

/// Whether a way reads several messages at a time.
pub fn is_batch(name: &str) -> bool {
    name.split_once(' ').is_some_and(|(_, mode)| mode.starts_with("batch: "))
}

pub fn fastest<'a>(ways: impl Iterator<Item = Way<'a>>) -> Option<Way<'a>> {
    ways.min_by(|one, other| one.2.ns.total_cmp(&other.2.ns))
}

/// Ids are written once for each group.
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
