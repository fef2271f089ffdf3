//! What the files of all codecs import.

pub use kit::data::Node;

pub use super::mode::{Codec, Reader, Writer};
pub use super::shape::{Digest, Scalar, Shape, borrowed, owned, record};
pub(crate) use super::shape::{of_shape, only};
