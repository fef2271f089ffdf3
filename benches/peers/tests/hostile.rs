//! Hostile: every mode that is marked safe reads malformed bytes, and neither panics nor allocates more than allowed.
//!
//! In: a message of each shape; truncated at every byte, with single bytes changed, with several bytes changed at random,
//! and with its first bytes repeated, like deep nesting. Out: the modes that failed, and the first input that each failed
//! on. A mode that overflows the stack or exhausts the memory ends the program; `--nocapture` shows which one was running.

use std::cell::Cell;
use std::fmt::Write;
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind, set_hook, take_hook};
use std::sync::Once;
use std::thread::Builder;

use allocation_counter::measure;
use kit::data::Random;
use peers::extract::mode::Reader;
use peers::extract::readers;
use peers::extract::scenario::Scenario;

/// How many bytes a reader gets of each kind of malformed input; a long message gets fewer inputs, spread evenly.
const BUDGET: usize = if cfg!(debug_assertions) { 1 << 19 } else { 1 << 24 };
const RANDOM: usize = 4000;
/// Deep enough to overflow the stack, if each level takes a frame. Unoptimized frames are large: `rmp_serde`'s limit of
/// 1024 levels needs more than a test's usual 2 MiB.
const DEEP: usize = if cfg!(debug_assertions) { 1 << 14 } else { 1 << 17 };
const STACK: usize = if cfg!(debug_assertions) { 8 << 20 } else { 2 << 20 };
const ALIGNMENT: usize = 16;

/// The most bytes that one read may allocate in all: enough for a tree of values and its growth, but not for an allocation
/// of a declared length.
fn allowance(input: usize) -> u64 {
    (64 << 10) + 64 * input as u64
}

macro_rules! scenarios {
    ($($test:ident: $name:literal;)*) => {$(
        #[test]
        fn $test() {
            hold($name);
        }
    )*};
}

scenarios! {
    c63: "C63-K32";
    c32: "C32-K16";
    c16: "C16-K08";
    c03: "C03-K02";
    texts: "values-63x100";
    telemetry: "telemetry-63";
    nested: "nested-8x8x8";
    session: "session";
}

fn hold(name: &str) {
    let scenario = *Scenario::ALL.iter().find(|scenario| scenario.name == name).expect("a scenario");
    let held = Builder::new().stack_size(STACK).spawn(move || all_hold(scenario)).expect("a thread");
    if let Err(panic) = held.join() {
        resume_unwind(panic);
    }
}

fn all_hold(scenario: Scenario) {
    let regime = *scenario.regimes.last().expect("every scenario has one");
    let model = &scenario.models(regime)[0];
    let mut report = String::new();
    for reader in readers(scenario.shape).into_iter().filter(|reader| reader.danger.is_none()) {
        println!("{}: {} {}", scenario.name, reader.codec, reader.mode);
        let message = reader.encode(model);
        let mut victim = Victim::new(reader, DEEP.max(message.len()));
        truncated(&message, &mut victim);
        one_changed(&message, &mut victim);
        some_changed(&message, &mut victim);
        repeated(&message, &mut victim);
        if let Some(fault) = victim.fault {
            writeln!(report, "{} {}: {fault}", victim.reader.codec, victim.reader.mode).expect("a string takes all");
        }
    }
    assert!(report.is_empty(), "{}, marked safe:\n{report}", scenario.name);
}

fn truncated(message: &[u8], victim: &mut Victim) {
    for len in spread(message.len(), message.len()) {
        victim.read(&message[..len]);
    }
}

fn one_changed(message: &[u8], victim: &mut Victim) {
    let mut changed = message.to_vec();
    let values = |byte: u8| (0..8).map(move |bit| byte ^ 1 << bit).chain([0, 0x7f, 0x80, 0xff]);
    for place in spread(message.len(), 12 * message.len()) {
        for value in values(message[place]) {
            changed[place] = value;
            victim.read(&changed);
        }
        changed[place] = message[place];
    }
}

fn some_changed(message: &[u8], victim: &mut Victim) {
    let mut random = Random::new(6);
    let mut changed = message.to_vec();
    for _ in spread(RANDOM, message.len()) {
        for _ in 0..=random.below(8) {
            changed[random.below(message.len())] = random.byte();
        }
        victim.read(&changed);
        changed.copy_from_slice(message);
    }
}

/// The first bytes, repeated; and single bytes of each value, repeated.
fn repeated(message: &[u8], victim: &mut Victim) {
    let bytes: Vec<u8> = (0..=u8::MAX).collect();
    let firsts = (1..message.len().min(32)).map(|len| &message[..len]);
    for part in firsts.chain(bytes.chunks(1)) {
        let deep: Vec<u8> = part.iter().copied().cycle().take(DEEP).collect();
        victim.read(&deep);
    }
}

/// Positions below `end`: all of them, or as many as the budget allows if each costs `cost` bytes.
fn spread(end: usize, cost: usize) -> impl Iterator<Item = usize> {
    (0..end).step_by((end * cost).div_ceil(BUDGET).max(1))
}

/// A reader, and its first failure.
struct Victim {
    reader: Reader,
    fault: Option<String>,
    /// The memory of the input: codecs that read in place require alignment.
    memory: Vec<u8>,
    begin: usize,
}

impl Victim {
    fn new(reader: Reader, longest: usize) -> Victim {
        let memory = vec![0; ALIGNMENT + longest];
        let begin = memory.as_ptr().align_offset(ALIGNMENT);
        Victim { reader, fault: None, memory, begin }
    }

    fn read(&mut self, input: &[u8]) {
        if self.fault.is_some() {
            return;
        }
        let bytes = &mut self.memory[self.begin..self.begin + input.len()];
        bytes.copy_from_slice(input);
        let reader = &mut self.reader;
        let allowed = allowance(input.len());
        let mut returned = None;
        let asked = measure(|| returned = quietly(|| black_box(reader.read(black_box(bytes))))).bytes_total;
        let fault = match returned {
            None => "panics".to_owned(),
            Some(_) if asked > allowed => format!("allocates {asked} bytes, {allowed} allowed"),
            Some(_) => return,
        };
        let shown = &input[..input.len().min(1 << 12)];
        let hex = shown.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
        self.fault = Some(format!("{fault}, on {} bytes: {hex}", input.len()));
    }
}

/// The result of a function, or `None` if it panics; nothing is printed.
fn quietly<T>(run: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    thread_local! {
        static QUIET: Cell<bool> = const { Cell::new(false) };
    }
    HOOK.call_once(|| {
        let loud = take_hook();
        set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                loud(panic);
            }
        }));
    });
    QUIET.set(true);
    let given = catch_unwind(AssertUnwindSafe(run)).ok();
    QUIET.set(false);
    given
}
