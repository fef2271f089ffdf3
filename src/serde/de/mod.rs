//! De: reads a value from a packet.
//!
//! In: a packet and the calls of a type's `Deserialize`. Out: the value, borrowed where possible. Packets that the type
//! does not ask for are jumped over.

mod deserializer;
mod fields;
mod items;
mod key;
mod map;
mod packet;
mod raw;
mod variant;

pub(super) use packet::read;
