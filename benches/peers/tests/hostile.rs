//! Every mode that is marked safe reads malformed bytes, and neither panics nor allocates more than allowed.
//!
//! A message of each shape is truncated at every byte, or one byte or several bytes change, or its first bytes repeat like deep nesting.
//! A mode that overflows the stack or exhausts the memory ends the program; `--nocapture` shows which mode was running.

use std::fmt::Write;
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::thread::{self, Builder};

use allocation_counter::measure;
use kit::data::Random;
use peers::extract::mode::{ALIGNMENT, Reader};
use peers::extract::readers;
use peers::extract::scenario::Scenario;
use rkyv::util::AlignedVec;

/// The number of bytes that a reader gets of each kind of malformed input. A long message gets fewer inputs, spread evenly.
const BUDGET: usize = if cfg!(debug_assertions) { 1 << 19 } else { 1 << 24 };
const RANDOM: usize = 4000;
/// The number of nested levels. It overflows the stack if each level takes a frame.
const DEEP: usize = if cfg!(debug_assertions) { 1 << 14 } else { 1 << 17 };
/// Unoptimized frames are large: `rmp_serde` stops at 1024 levels, which need more than a test's usual 2 MiB.
const STACK: usize = if cfg!(debug_assertions) { 8 << 20 } else { 2 << 20 };

#[test]
fn modes_that_are_called_safe_hold() {
    // The assertion below reports all panics.
    set_hook(Box::new(|_| ()));
    let faults: String = thread::scope(|scope| {
        // These two have the shapes of other scenarios, with longer or more messages.
        let scenarios = Scenario::ALL.into_iter().filter(|all| !["values-63x1024", "batch-1000"].contains(&all.name));
        let start = |scenario| Builder::new().stack_size(STACK).spawn_scoped(scope, move || faults(scenario));
        let threads: Vec<_> = scenarios.map(|scenario| start(scenario).expect("a thread")).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| "the test panics\n".to_owned())).collect()
    });
    drop(take_hook());
    assert!(faults.is_empty(), "marked safe:\n{faults}");
}

/// Returns a line for each mode of a scenario that fails, with the first input that it fails on.
fn faults(scenario: Scenario) -> String {
    let regime = *scenario.regimes.last().expect("every scenario has one");
    let model = &(scenario.models)(regime)[0];
    let mut faults = String::new();
    for mut reader in readers(scenario.shape).into_iter().filter(|reader| reader.danger.is_none()) {
        let name = format!("{}, {}", scenario.name, reader.name);
        println!("{name}");
        let message = (reader.encode)(model);
        if let Err(fault) = all_hold(&message, |input| holds(&mut reader, input)) {
            writeln!(faults, "{name}: {fault}").expect("a string takes all");
        }
    }
    faults
}

/// Passes all malformed inputs to a function, up to its first error.
fn all_hold(message: &[u8], mut read: impl FnMut(&[u8]) -> Result<(), String>) -> Result<(), String> {
    for len in spread(message.len(), message.len()) {
        read(&message[..len])?;
    }
    let mut changed = message.to_vec();
    for place in spread(message.len(), 12 * message.len()) {
        let bits = (0..8).map(|bit| message[place] ^ 1 << bit);
        for value in bits.chain([0, 0x7f, 0x80, 0xff]) {
            changed[place] = value;
            read(&changed)?;
        }
        changed[place] = message[place];
    }
    let mut random = Random::new(6);
    for _ in spread(RANDOM, message.len()) {
        for _ in 0..=random.below(8) {
            changed[random.below(message.len())] = random.byte();
        }
        read(&changed)?;
        changed.copy_from_slice(message);
    }
    // The first bytes of the message are repeated, then single bytes of each value.
    let bytes: Vec<u8> = (0..=u8::MAX).collect();
    let firsts = (1..message.len().min(32)).map(|len| &message[..len]);
    for part in firsts.chain(bytes.chunks(1)) {
        read(&part.iter().copied().cycle().take(DEEP).collect::<Vec<u8>>())?;
    }
    Ok(())
}

/// Returns positions below `end`: all, or as many as the budget allows if each costs `cost` bytes.
fn spread(end: usize, cost: usize) -> impl Iterator<Item = usize> {
    (0..end).step_by((end * cost).div_ceil(BUDGET).max(1))
}

/// Returns an error if a reader panics on an input or allocates too much.
fn holds(reader: &mut Reader, input: &[u8]) -> Result<(), String> {
    // Codecs that read in place require alignment.
    let mut bytes = AlignedVec::<ALIGNMENT>::with_capacity(input.len());
    bytes.extend_from_slice(input);
    // This is enough for a growing tree of values, but not for an allocation whose size a length field decides.
    let allowed = (64 << 10) + 64 * input.len() as u64;
    let mut returned = false;
    let mut read = || black_box(reader.read(black_box(&bytes)));
    let asked = measure(|| returned = catch_unwind(AssertUnwindSafe(&mut read)).is_ok()).bytes_total;
    let fault = match returned {
        false => "panics".to_owned(),
        true if asked > allowed => format!("allocates {asked} bytes, {allowed} allowed"),
        true => return Ok(()),
    };
    let shown = &input[..input.len().min(1 << 12)];
    let hex = shown.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    Err(format!("{fault}, on {} bytes: {hex}", input.len()))
}
