//! The command `y3`, run as a process.
//!
//! The inputs are the recording, faulty packets, wrong text, files that change, and pipes that close. The tests compare
//! both outputs and the exit code.
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
/// The faulty packet in SPEC.md, section 8.
const FAULTY: [u8; 11] = [0x84, 0x07, 0x01, 0x01, 0x05, 0x83, 0x04, 0x02, 0x01, 0xff, 0x02];
