//! Growth: hostile inputs at growing sizes.
//!
//! In: nothing. Out: a case for each family, reader and size, with the cost that is allowed.

mod inputs;
mod reading;
mod streams;
mod structs;
mod writing;

use std::fmt::Debug;
use std::hint::black_box;

use crate::measure::measure;
use crate::stream::Answer;
use inputs::Input;

/// How a cost may grow with the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// With the bytes, or less.
    Linear,
    /// With their square: what the README names as not linear.
    Quadratic,
}

/// How many bytes may be allocated at once: some whatever comes, and some for each byte that has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    pub fixed: usize,
    pub per_byte: usize,
}

impl Memory {
    const NONE: Memory = Memory::fixed(0);

    const fn fixed(fixed: usize) -> Memory {
        Memory { fixed, per_byte: 0 }
    }

    const fn per_byte(per_byte: usize) -> Memory {
        Memory { fixed: 1 << 10, per_byte }
    }
}

/// A vector that grows holds its old and its new bytes while it moves.
const GROWING: Memory = Memory::per_byte(3);
/// The readers that own a buffer for what they read.
const BUFFER: Memory = Memory::fixed(65 << 10);
/// It makes room for as much as has come, and so its buffer may double twice at once.
const CODEC: Memory = Memory::per_byte(6);
const BUFFER_AND_JOINED: Memory = Memory { per_byte: 3, ..BUFFER };

/// One family before one reader at one size.
pub struct Case {
    pub family: &'static str,
    pub reader: &'static str,
    pub growth: Growth,
    pub memory: Memory,
    /// Bytes read, or written.
    pub bytes: usize,
    /// Bytes allocated at once, at the most.
    pub peak: usize,
}

/// Bytes of input, more or less; a family makes the nearest it can.
type Sizes = &'static [usize];
const SIZES: Sizes = &[1 << 9, 1 << 11, 1 << 13, 1 << 15];
/// For what goes through bytes a word at a time and faster.
const LARGE: Sizes = &[1 << 14, 1 << 16, 1 << 18, 1 << 20];

/// In the order in which they are counted.
pub fn run() -> Vec<Case> {
    let mut cases = Cases(Vec::new());
    reading::cases(&mut cases);
    streams::cases(&mut cases);
    structs::cases(&mut cases);
    writing::cases(&mut cases);
    cases.0
}

struct Cases(Vec<Case>);

impl Cases {
    /// Inputs of about these sizes, made by `make`.
    fn family<F: Fn(usize) -> Input>(&mut self, name: &'static str, sizes: Sizes, make: F) -> Family<'_, F> {
        Family { cases: self, name, sizes, make }
    }

    /// One case: `bytes` are what it reads or writes.
    fn case<T: PartialEq + Debug>(
        &mut self,
        (family, reader): (&'static str, &'static str),
        (growth, memory): (Growth, Memory),
        bytes: usize,
        want: &T,
        run: impl FnMut() -> T,
    ) {
        let peak = measure(&format!("{family}, {reader}, {bytes} bytes"), want, run);
        self.0.push(Case { family, reader, growth, memory, bytes, peak });
    }
}

/// The inputs of a family, for one reader after another.
struct Family<'c, F> {
    cases: &'c mut Cases,
    name: &'static str,
    sizes: Sizes,
    make: F,
}

impl<F: Fn(usize) -> Input> Family<'_, F> {
    /// A reader that gives the family's answer and allocates nothing.
    fn by(self, reader: &'static str, read: impl Fn(&[u8]) -> Answer) -> Self {
        self.with(reader, Memory::NONE, same, read)
    }

    /// A reader that may allocate, and whose answer may not be the family's.
    fn with(
        self,
        reader: &'static str,
        memory: Memory,
        answer: impl Fn(Answer) -> Answer,
        read: impl Fn(&[u8]) -> Answer,
    ) -> Self {
        for &size in self.sizes {
            let input = (self.make)(size);
            let (names, rules) = ((self.name, reader), (Growth::Linear, memory));
            let want = answer(input.answer);
            self.cases.case(names, rules, input.bytes.len(), &want, || read(black_box(&input.bytes)));
        }
        self
    }
}

/// The family's answer.
fn same(answer: Answer) -> Answer {
    answer
}

/// No items, the same fault.
fn no_items(answer: Answer) -> Answer {
    Answer { items: 0, ..answer }
}

fn nothing(_: Answer) -> Answer {
    Answer::default()
}
