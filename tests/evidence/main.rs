//! Evidence from outside: the rules and rows of SPEC.md, what the Go implementations wrote, a recorded session.

#[path = "../kit"]
#[allow(dead_code, reason = "a room uses a part of the kit")]
mod kit {
    pub mod chunks;
    pub mod hex;
    pub mod oracle;
    pub mod typed;
    pub mod vectors;
}

mod head;
mod malformed;
mod recording;
mod rows;
mod spec;
mod streams;
mod text;
mod vectors;
