//! Growth: runs each reader on hostile inputs of growing sizes.

mod case;
mod editing;
mod files;
mod inputs;
mod reading;
mod streams;
mod structs;
mod writing;

pub use case::Case;

use case::Cases;

/// Runs all cases, and returns them in the order in which they are counted.
pub fn run() -> Vec<Case> {
    let mut cases = Cases::default();
    reading::cases(&mut cases);
    streams::cases(&mut cases);
    structs::cases(&mut cases);
    writing::cases(&mut cases);
    editing::cases(&mut cases);
    files::cases(&mut cases);
    cases.0
}
