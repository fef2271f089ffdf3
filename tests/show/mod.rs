//! Tests of showing packets: the dump, the text form in both directions, the context of an error, escapes.

mod dump;
mod escape;
mod explain;
mod hostile;
mod notation;
mod properties;
