//! Returns parts of an input as [`Bytes`](::bytes::Bytes), which share the memory of the input.

pub use crate::read::slice_ref::slice_ref;
pub use crate::stream::bytes::BytesHit;
