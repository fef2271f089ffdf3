//! What the files of all codecs import.

pub use kit::data::Node;

pub use super::mode::Ways;
pub use super::shape::{Digest, Scalar, Shape, borrowed, encoded, owned};
pub(crate) use super::shape::{of_shape, only, readers};
pub(crate) use crate::formats;
