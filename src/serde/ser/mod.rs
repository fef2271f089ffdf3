//! Ser: writes a value as one packet.
//!
//! In: the calls of a type's `Serialize`, a key and a writer. Out: a primitive, a node or a slice; for `None`, nothing.

mod key;
mod node;
mod packet;
mod serializer;
mod slice;
mod text;

pub(super) use packet::write;
