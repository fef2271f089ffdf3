//! What is shown of packets: the dump, the text form in both directions, the place of an error, escapes.

mod dump;
mod escape;
mod explain;
mod hostile;
mod notation;
mod properties;
