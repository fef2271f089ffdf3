//! Evidence from outside: the rules and rows of SPEC.md, what the Go implementations wrote, a recorded session.

mod head;
mod malformed;
mod recording;
mod spec;
mod streams;
mod vectors;
