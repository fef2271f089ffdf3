//! Everything that edits: each call beside the naive editor, and the rules of docs/spec/editing.md.

#[path = "../kit"]
#[allow(dead_code, reason = "a room uses a part of the kit")]
mod kit {
    pub mod hex;
    pub mod oracle;
}

mod naive;
mod rules;
