//! The command `y3`, run as a process.
//!
//! In: the recording, faulty packets, text that is wrong, files that change, pipes that close. Out: what it prints, where, and the
//! exit code.
#![cfg(not(miri))]

mod edit;
mod input;
mod live;
mod names;
mod page;
mod process;
mod show;
mod usage;
mod watch;

const RECORDING: &[u8] = include_bytes!("../../../tests/data/noise.y3");
const NOISE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/noise.y3");
/// The faulty packet of SPEC.md, section 8.
const FAULTY: [u8; 11] = [0x84, 0x07, 0x01, 0x01, 0x05, 0x83, 0x04, 0x02, 0x01, 0xff, 0x02];
