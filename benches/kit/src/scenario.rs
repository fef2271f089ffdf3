//! Scenario: what a reader is told, apart from the scenarios themselves and from the readers.

use std::fmt::{Debug, Display};

use serde::Deserialize;
use y3::{Decode, PathSet};

use crate::data::{Node, Pair};
use crate::regime::Regime;

/// A scenario: a model, and the path to the watched value in it.
pub trait Watched {
    const NAME: &'static str;
    /// The keys of the path, from the root.
    const PATH: &'static [u8];
    const SET: PathSet<1>;
    /// The names of the same keys in JSON, below the root.
    const FIELDS: &'static [&'static str];
    /// The type of the watched value.
    type Number<'a>: Decode<'a> + Deserialize<'a> + PartialEq + Debug + Display;

    fn model() -> Node;

    /// Deserializes only the watched value, as an expert would: a struct of that one field, the others ignored.
    fn only<'a, T: Deserialize<'a>>(json: &'a [u8]) -> Option<T>;

    /// The packets of a regime, in both codecs. All readers find the same value in each of them.
    fn pairs(regime: Regime) -> Vec<Pair>;
}
