//! De: from a packet to a value.
//!
//! In: a packet and what a type's `Deserialize` asks of it. Out: that value, borrowed where it can be; what it does not ask
//! for is jumped over.

mod deserializer;
mod fields;
mod items;
mod key;
mod map;
mod packet;
mod raw;
mod variant;

pub(super) use packet::read;
