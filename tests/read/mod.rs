//! Everything that reads a slice: packets, sets of keys and paths, the parsers of nom, and hostile input.

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
mod slots;
mod text;

fn key(number: u8) -> y3::Key {
    y3::Key::new(number).unwrap()
}
