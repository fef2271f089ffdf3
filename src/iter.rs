//! Iterators and their items, for programs that name these types: in a struct, or as an argument.
//!
//! The documentation of each iterator names the function or method that makes it.

pub use crate::read::packets::Packets;
pub use crate::read::walk::Walk;
pub use crate::read::watch::Watch;
#[cfg(feature = "alloc")]
pub use crate::stream::collect::Hits;
pub use crate::stream::watcher::Events;
