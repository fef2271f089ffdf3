//! Case: one reader of one hostile family at one size, and what it may cost.

use std::fmt::Debug;
use std::hint::black_box;

use super::inputs::Input;
use crate::measure::measure;
use crate::stream::Answer;

/// How a cost may grow with the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// At most with the bytes.
    Linear,
    /// At most with their square, for the case that the README names as not linear.
    Quadratic,
}

/// How many bytes may be allocated at once: a fixed number, and a number per byte of input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    pub fixed: usize,
    pub per_byte: usize,
}

impl Memory {
    pub const NONE: Memory = Memory::fixed(0);

    pub const fn fixed(fixed: usize) -> Memory {
        Memory { fixed, per_byte: 0 }
    }

    pub const fn per_byte(per_byte: usize) -> Memory {
        Memory { fixed: 1 << 10, per_byte }
    }
}

/// A vector that grows holds its old and its new memory while it moves.
pub const GROWING: Memory = Memory::per_byte(3);
/// For readers that own a buffer for the bytes they read.
pub const BUFFER: Memory = Memory::fixed(65 << 10);
/// It reserves as many bytes as have arrived, so its buffer may double twice at once.
pub const CODEC: Memory = Memory::per_byte(6);
pub const BUFFER_AND_JOINED: Memory = Memory { per_byte: 3, ..BUFFER };

/// One family with one reader at one size.
pub struct Case {
    pub family: &'static str,
    pub reader: &'static str,
    pub growth: Growth,
    pub memory: Memory,
    /// The number of bytes read or written.
    pub bytes: usize,
    /// The most bytes allocated at once.
    pub peak: usize,
}

/// The sizes of the input in bytes. A family makes the nearest size it can.
pub type Sizes = &'static [usize];
pub const SIZES: Sizes = &[1 << 9, 1 << 11, 1 << 13, 1 << 15];
/// For readers that do not process single bytes.
pub const LARGE: Sizes = &[1 << 14, 1 << 16, 1 << 18, 1 << 20];

#[derive(Default)]
pub struct Cases(Vec<Case>);

impl Cases {
    /// Inputs of about these sizes, made by `make`.
    pub fn family<F: Fn(usize) -> Input>(&mut self, name: &'static str, sizes: Sizes, make: F) -> Family<'_, F> {
        Family { cases: self, name, sizes, make }
    }

    /// Adds one case, which reads or writes `bytes` bytes.
    pub fn case<T: PartialEq + Debug>(
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

    pub fn into_inner(self) -> Vec<Case> {
        self.0
    }
}

/// A family of inputs, to which readers are added one by one.
pub struct Family<'c, F> {
    cases: &'c mut Cases,
    name: &'static str,
    sizes: Sizes,
    make: F,
}

impl<F: Fn(usize) -> Input> Family<'_, F> {
    /// Adds a reader that returns the family's answer and allocates nothing.
    pub fn by(self, reader: &'static str, read: impl Fn(&[u8]) -> Answer) -> Self {
        self.with(reader, Memory::NONE, same, read)
    }

    /// Adds a reader that may allocate, and whose answer may differ from the family's.
    pub fn with(
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
pub fn same(answer: Answer) -> Answer {
    answer
}

/// No items, the same error.
pub fn no_items(answer: Answer) -> Answer {
    Answer { items: 0, ..answer }
}

pub fn nothing(_: Answer) -> Answer {
    Answer::default()
}
