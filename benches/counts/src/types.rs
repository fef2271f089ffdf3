//! Types: what serde and the derive read and write.
//!
//! In: packets, or a size. Out: values whose types are recursive, wide or mostly absent.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Two fields among other packets.
#[derive(Debug, PartialEq, Deserialize)]
pub struct Two<'a> {
    #[serde(rename = "0x3e")]
    pub number: u32,
    #[serde(rename = "0x3f")]
    pub text: &'a str,
}

/// Nested nodes, each with an optional text.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Chain {
    #[serde(rename = "0x01")]
    pub next: Option<Box<Chain>>,
    #[serde(rename = "0x02")]
    pub text: Option<String>,
}

impl Chain {
    /// That many nested nodes, with the text in the innermost one.
    pub fn new(nodes: usize, text: &str) -> Chain {
        let innermost = Chain { next: None, text: Some(text.into()) };
        (1..nodes).fold(innermost, |next, _| Chain { next: Some(Box::new(next)), text: None })
    }

    pub fn nodes(&self) -> usize {
        1 + self.next.as_ref().map_or(0, |next| next.nodes())
    }
}

/// Nested slices.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Slices(pub Vec<Slices>);

impl Slices {
    pub fn count(&self) -> usize {
        1 + self.0.iter().map(Slices::count).sum::<usize>()
    }
}

/// A value of this size for each packet of two bytes.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Wide {
    #[serde(rename = "0x10", skip_serializing_if = "Option::is_none")]
    pub a: Option<String>,
    #[serde(rename = "0x11", skip_serializing_if = "Option::is_none")]
    pub b: Option<String>,
    #[serde(rename = "0x12", skip_serializing_if = "Option::is_none")]
    pub c: Option<String>,
    #[serde(rename = "0x13", skip_serializing_if = "Option::is_none")]
    pub d: Option<String>,
}

pub type Map = BTreeMap<u8, u32>;

/// Fields of which most are absent.
#[derive(Debug, PartialEq, y3::Decode, y3::Encode)]
pub struct Options<'a> {
    #[y3(0x10)]
    pub a: Option<u32>,
    #[y3(0x11)]
    pub b: Option<&'a str>,
    #[y3(0x12)]
    pub c: Option<i64>,
    #[y3(0x13)]
    pub d: Option<f64>,
    #[y3(0x14)]
    pub e: Option<bool>,
    #[y3(0x15)]
    pub f: Option<u32>,
    #[y3(0x16)]
    pub g: Option<&'a str>,
    #[y3(0x17)]
    pub h: Option<u64>,
}

impl Options<'_> {
    pub const THREE: Options<'static> =
        Options { a: None, b: Some("a"), c: None, d: None, e: Some(true), f: None, g: None, h: Some(7) };
}
