//! What is shown of packets: the dump, the text form in both directions, the place of an error, escapes.

#[path = "../kit"]
#[allow(dead_code, reason = "a room uses a part of the kit")]
mod kit {
    pub mod hex;
    pub mod oracle;
    pub mod shown;
}

mod dump;
mod escape;
mod explain;
mod hostile;
mod notation;
mod properties;
