//! What a byte means: keys, tags and values, and what an error says of them.

#[path = "../kit"]
#[allow(dead_code, reason = "a room uses a part of the kit")]
mod kit {
    pub mod oracle;
}

mod error;
mod key;
mod number;
