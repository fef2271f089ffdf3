//! Structs: the shoot-out: a message, three fields of sixty-three and a DNS cache entry, in the form that suits each
//! serializer.
//!
//! In: nothing. Out: cases to time and to count. A case is made only if its answer is right.

mod case;
mod cases;
pub mod dns;
pub mod message;
pub mod partial;
mod records;

pub use case::Case;
pub use cases::cases;
