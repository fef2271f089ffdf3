//! Parts of an input as [`Bytes`](::bytes::Bytes) that share its memory.

pub use crate::read::slice_ref::slice_ref;
pub use crate::stream::bytes::BytesHit;
