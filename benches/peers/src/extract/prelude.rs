//! The imports of every codec's file.

pub use kit::data::{Item, Node};

pub use super::mode::Ways;
pub use super::shape::{Digest, Scalar, Shape, borrowed, encoded, owned, prefix};
pub(crate) use super::shape::{digests, of_shape, only, readers};
pub(crate) use crate::formats;
