//! Shared parts of the tests: a naive reader and writer made from SPEC.md alone, every way to cut a stream, vectors,
//! types made at run time, and the properties of the fuzz targets.

pub mod chunks;
pub mod corpus;
pub mod hex;
pub mod hinted;
pub mod input;
#[cfg(feature = "serde")]
pub mod options;
pub mod oracle;
#[cfg(all(feature = "arbitrary", feature = "codec", feature = "derive", feature = "serde"))]
pub mod properties;
#[cfg(feature = "codec")]
pub mod resume;
#[cfg(feature = "serde")]
pub mod shapes;
pub mod shown;
pub mod typed;
pub mod vectors;
