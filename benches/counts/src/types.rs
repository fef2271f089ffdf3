//! Types: recursive, wide and mostly absent values that serde and the derive read and write.

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
    /// A number of nested nodes, with the text in the innermost one.
    pub fn new(nodes: usize, text: &str) -> Chain {
        let innermost = Chain { next: None, text: Some(text.into()) };
        (1..nodes).fold(innermost, |next, _| Chain { next: Some(Box::new(next)), text: None })
    }

    pub fn nodes(&self) -> usize {
        1 + self.next.as_ref().map_or(0, |next| next.nodes())
    }
}

/// Nested slices.
#[derive(Debug, Deserialize)]
pub struct Slices(pub Vec<Slices>);

impl Slices {
    pub fn count(&self) -> usize {
        1 + self.0.iter().map(Slices::count).sum::<usize>()
    }
}

/// A large struct, even if its packet has only two bytes.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Wide {
    #[serde(rename = "0x10")]
    pub a: Option<String>,
    #[serde(rename = "0x11")]
    pub b: Option<String>,
    #[serde(rename = "0x12")]
    pub c: Option<String>,
    #[serde(rename = "0x13")]
    pub d: Option<String>,
}

pub type Map = BTreeMap<u8, u32>;

/// Structs for the derive.
macro_rules! derived {
    ($($name:ident [$($params:tt)*] { $($key:literal $field:ident $type:ty;)* })*) => {$(
        #[derive(Debug, PartialEq, y3::Decode, y3::Encode)]
        pub struct $name<$($params)*> {
            $(#[y3($key)] pub $field: $type,)*
        }
    )*};
}

derived! {
    // The message of the shoot-out, with borrowed or owned texts.
    Message [Text] { 0x10 error u32; 0x11 msg Text; 0x12 data Data<Text>; }
    Data [Text] { 0x10 name Text; 0x11 age u32; }
    // Most of these fields are absent.
    Options ['a] {
        0x10 a Option<u32>; 0x11 b Option<&'a str>; 0x12 c Option<i64>; 0x13 d Option<f64>;
        0x14 e Option<bool>; 0x15 f Option<u32>; 0x16 g Option<&'a str>; 0x17 h Option<u64>;
    }
    // The report's 63 pairs.
    Record ['a] {
        1 k1 &'a str; 2 k2 i32; 3 k3 u32; 4 k4 i64; 5 k5 u64; 6 k6 f32; 7 k7 f64;
        8 k8 &'a str; 9 k9 i32; 10 k10 u32; 11 k11 i64; 12 k12 u64; 13 k13 f32; 14 k14 f64;
        15 k15 &'a str; 16 k16 i32; 17 k17 u32; 18 k18 i64; 19 k19 u64; 20 k20 f32; 21 k21 f64;
        22 k22 &'a str; 23 k23 i32; 24 k24 u32; 25 k25 i64; 26 k26 u64; 27 k27 f32; 28 k28 f64;
        29 k29 &'a str; 30 k30 i32; 31 k31 u32; 32 k32 i64; 33 k33 u64; 34 k34 f32; 35 k35 f64;
        36 k36 &'a str; 37 k37 i32; 38 k38 u32; 39 k39 i64; 40 k40 u64; 41 k41 f32; 42 k42 f64;
        43 k43 &'a str; 44 k44 i32; 45 k45 u32; 46 k46 i64; 47 k47 u64; 48 k48 f32; 49 k49 f64;
        50 k50 &'a str; 51 k51 i32; 52 k52 u32; 53 k53 i64; 54 k54 u64; 55 k55 f32; 56 k56 f64;
        57 k57 &'a str; 58 k58 i32; 59 k59 u32; 60 k60 i64; 61 k61 u64; 62 k62 f32; 63 k63 f64;
    }
}
