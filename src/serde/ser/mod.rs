//! Ser: from a value to the one packet that it is.
//!
//! In: the calls of a type's `Serialize`, a key and an encoder. Out: a primitive, a node or a slice; for `None`, nothing.

mod key;
mod node;
mod packet;
mod serializer;
mod slice;
mod text;

pub(super) use packet::write;
