//! Everything that reads a slice: packets, sets of keys and paths, the parsers of nom, and hostile input.

#[path = "../kit"]
#[allow(dead_code, reason = "a room uses a part of the kit")]
mod kit {
    pub mod hinted;
    pub mod oracle;
}

mod batch;
mod differential;
mod hint;
mod hostile;
mod keys;
mod packet;
mod parser;
mod path;
mod pattern;
mod pointers;
#[cfg(feature = "alloc")]
mod reach;
mod records;
mod text;

fn key(number: u8) -> y3::Key {
    y3::Key::new(number).unwrap()
}
