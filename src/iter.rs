//! Types of iterators, for programs that store an iterator in a struct or take one as an argument.
//!
//! The documentation of each type names the function or method that returns it.

pub use crate::read::packets::Packets;
pub use crate::read::walk::Walk;
pub use crate::read::watch::Watch;
#[cfg(feature = "alloc")]
pub use crate::stream::collect::Hits;
pub use crate::stream::watcher::Events;
